"""The answer of the room Protect: what one person's row tells, then the columns, then the details."""

from nicegui import ui

from dprivacy.release import RowBand
from dprivacy.viz import bars_spec
from dprivacy.web.board.plan_outlook import HEAD, Outlook, worth
from dprivacy.web.shell.controls import details, figure, formula, table
from dprivacy.web.shell.page_frame import text
from dprivacy.web.shell.page_refusals import on_the_page

_BOXES = {"good": "dp-good", "warn": "dp-note", "bad": "dp-error"}
_MOST_BARS = 30


def show_band(band: RowBand) -> None:
    """The first lines of the sheet, in its colour; the first of them is the headline."""
    with ui.element("div").classes(f"{_BOXES[band.tone]} dp-stack"):
        first, *rest = band.lines()
        text("p", first, "dp-headline")
        for line in rest:
            text("p", line)


def show_outlook(found: Outlook) -> str:
    """Everything that is known of a plan; gives back the headline, for those who hear the page."""
    show_band(found.band)
    if found.row.word == "next to none":
        text(
            "p",
            "To protect the row as a whole, let the slider be for the whole row, which the columns "
            "then share, or leave columns out.",
        )
    table(
        f"Guesses of one answer, and what estimates are worth, with {found.ahead.rows:,} rows",
        HEAD,
        worth(found),
    )
    _draw_guesses(found)
    better = [on_the_page(told.sentence()) for told in found.ahead.alternatives if told.worthwhile]
    if better:
        details("Another noise would err less", "\n".join(better))
    if found.unordered:
        text("p", on_the_page(found.unordered), "dp-said")
    waiting = found.plan.unconfirmed()
    if waiting:
        lists = "1 list" if len(waiting) == 1 else f"{len(waiting)} lists"
        text("p", f"{lists} of possible answers to be confirmed.", "dp-note")
    details("What is promised, exactly", found.ahead.guarantee.explain())
    formula(
        "A released value y has probability C[x, y] when the truth is x, and "
        "C[x, y] ≤ e^(ε·d(x, z))·C[z, y] for all x, z.",
        "Blind: max_x π(x). With the row: Σ_y max_x π(x)·C[x, y]. Here π is uniform.",
        "Right b of the time before, knowing all other answers: at most F·b/(1 + (F − 1)·b) with the "
        "row, F being the largest factor between two values of the column.",
        "Levels add up over columns: between two records that differ in several columns "
        "the odds change by at most e^(Σ ε_c·d_c).",
        "One step: between categories, between neighbouring classes, a tenth of the range "
        "of numbers.",
    )
    return found.band.lines()[0]


def _draw_guesses(found: Outlook) -> None:
    listed = [each for each in found.answers if each.blind is not None and each.seen is not None]
    if not 0 < len(listed) <= _MOST_BARS:
        return
    spec = bars_spec(
        {
            "blind": {each.name: 100 * float(each.blind or 0) for each in listed},
            "with the person's row": {each.name: 100 * float(each.seen or 0) for each in listed},
        },
        y="right guesses (%)",
    )
    spec["layout"]["yaxis"]["range"] = [0, 100]
    height = 300 if len(listed) <= 6 else 380  # names of many columns stand upright
    figure(spec, "Right guesses of one answer, blind and with the person's row.", height=height)
