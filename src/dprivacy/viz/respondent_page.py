"""The sheet that a respondent holds: the question, what the dice say, and the promise, on A5."""

import math
import textwrap
from html import escape

from dprivacy.errors import WrongKind
from dprivacy.mechanisms import QuestionPlan
from dprivacy.model import factor_in_words
from dprivacy.numbers import Level

WIDTH, HEIGHT, MARGIN = 148.0, 210.0, 14.0  # millimetres
_WORDS = {"die": "Throw the die.", "two dice": "Throw both dice.", "spinner": "Turn the spinner."}
_GREY, _DARK, _INK = "#d9d9d9", "#8c8c8c", "#1a1a1a"


def question_sheet(plan: QuestionPlan) -> str:
    """The sheet as SVG: what to do, a table of what the dice show or a spinner, and the promise.

    Parameters
    ----------
    plan
        What `dprivacy.mechanisms.plan_question` found.

    Examples
    --------
    >>> from dprivacy.mechanisms import plan_question
    >>> sheet = question_sheet(plan_question("Have you ever shoplifted?", eps="ln 5", error="0.03"))
    >>> sheet.startswith("<svg"), "Have you ever shoplifted?" in sheet
    (True, True)
    """
    if not isinstance(plan, QuestionPlan):
        raise WrongKind(
            f"a sheet is made from what plan_question gives, not from {type(plan).__name__}"
        )
    page = _Page()
    page.text(plan.question, size=6.2, weight="bold")
    page.space(4)
    page.text(
        f"{_WORDS[plan.device]} Do not show it to anybody. It decides what you say:", size=4.2
    )
    page.space(3)
    if plan.device == "spinner":
        _spinner(page, plan)
    else:
        _table(page, plan)
    page.space(6)
    page.text("Why this protects you", size=4.6, weight="bold")
    page.space(1)
    assert isinstance(plan.design.eps, Level)
    page.text(
        "Nobody can know whether you said “yes” because it is so or because you had to. Whoever "
        "sees your answer can change their odds that it is so by a factor of at most "
        f"{factor_in_words(plan.design.eps)}, whatever else they know about you.",
        size=4.0,
    )
    page.space(2)
    page.text(
        "All answers together still show how common it is, because it is known how often people "
        "must say “yes” or “no”.",
        size=4.0,
    )
    return page.svg()


class _Page:
    """Lines and shapes from the top downwards."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.y = MARGIN

    def space(self, height: float) -> None:
        self.y += height

    def text(self, words: str, *, size: float, weight: str = "normal") -> None:
        """Words over the width of the page, broken into lines."""
        across = int((WIDTH - 2 * MARGIN) / (size * (0.66 if weight == "bold" else 0.56)))
        for line in textwrap.wrap(words, across):
            self.y += size * 1.35
            self.line(MARGIN, self.y, line, size=size, weight=weight)

    def line(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float,
        weight: str = "normal",
        anchor: str = "",
    ) -> None:
        placed = f' text-anchor="{anchor}"' if anchor else ""
        self.parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size}" font-weight="{weight}"{placed}>'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        height = max(HEIGHT, self.y + MARGIN)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}mm" height="{height:g}mm" '
            f'viewBox="0 0 {WIDTH:g} {height:g}" font-family="Helvetica, Arial, sans-serif" '
            f'fill="{_INK}"><rect width="100%" height="100%" fill="white"/>'
            + "".join(self.parts)
            + "</svg>\n"
        )


def _table(page: _Page, plan: QuestionPlan) -> None:
    faces = range(1, 7) if plan.device == "die" else range(2, 13)
    truth = tuple(f for f in faces if f not in (*plan.forced_yes, *plan.forced_no))
    shows = "The die shows" if plan.device == "die" else "The dice total"
    rows = [
        (shows, "You say"),
        (_listed(plan.forced_yes), "“Yes”, whatever is true"),
        (_listed(truth), "the truth"),
        (_listed(plan.forced_no), "“No”, whatever is true"),
    ]
    wide, tall, split = WIDTH - 2 * MARGIN, 11.0, 52.0
    for at, (left, right) in enumerate(rows):
        top = page.y + at * tall
        page.parts.append(
            f'<rect x="{MARGIN}" y="{top:.2f}" width="{wide:.2f}" height="{tall}" '
            f'fill="{_GREY if not at else "white"}" stroke="{_DARK}" stroke-width="0.3"/>'
        )
        weight = "bold" if not at else "normal"
        page.line(MARGIN + 3, top + 7.2, left, size=4.6, weight=weight)
        page.line(MARGIN + split, top + 7.2, right, size=4.6, weight=weight)
    page.space(tall * len(rows))


def _spinner(page: _Page, plan: QuestionPlan) -> None:
    radius = 36.0
    centre = (WIDTH / 2, page.y + radius + 2)
    chance = float(plan.design.parameters["yes"])
    shares = [
        (chance, _GREY, "“Yes”"),
        (1 - 2 * chance, "white", "the truth"),
        (chance, _DARK, "“No”"),
    ]
    start = 0.0
    for share, fill, words in shares:
        end = start + share
        page.parts.append(_sector(centre, radius, start, end, fill))
        middle = (start + end) * math.pi
        at = (
            centre[0] + 0.6 * radius * math.sin(middle),
            centre[1] - 0.6 * radius * math.cos(middle),
        )
        page.line(at[0], at[1] + 1.6, words, size=4.6, weight="bold", anchor="middle")
        start = end
    page.space(2 * radius + 6)
    degrees = [f"{360 * share:g}°" for share in (chance, 1 - 2 * chance, chance)]
    page.text(
        f"Where the arrow stops is what you say: “yes” ({degrees[0]}), the truth ({degrees[1]}) or "
        f"“no” ({degrees[2]}).",
        size=4.2,
    )


def _sector(centre: tuple[float, float], radius: float, start: float, end: float, fill: str) -> str:
    ends = [
        (
            centre[0] + radius * math.sin(2 * math.pi * t),
            centre[1] - radius * math.cos(2 * math.pi * t),
        )
        for t in (start, end)
    ]
    large = int(end - start > 0.5)
    (x0, y0), (x1, y1) = ends
    return (
        f'<path d="M {centre[0]:.3f} {centre[1]:.3f} L {x0:.3f} {y0:.3f} A {radius} {radius} 0 '
        f'{large} 1 {x1:.3f} {y1:.3f} Z" fill="{fill}" stroke="{_INK}" stroke-width="0.4"/>'
    )


def _listed(faces: tuple[int, ...]) -> str:
    words = [str(face) for face in faces]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
