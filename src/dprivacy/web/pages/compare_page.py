"""The room Compare: which of two mechanisms is the safer, in every order, and who would disagree."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nicegui import ui

from dprivacy.model import Channel, shown
from dprivacy.refine import Refinement, refines, refines_max, refines_private
from dprivacy.viz import simplex_spec
from dprivacy.web.pages.pasted_matrices import (
    EXAMPLES,
    METRICS,
    matrix_box,
    metric_space,
    read_matrix_text,
)
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    details,
    figure,
    formula,
    heat,
    new_drawer,
    refusal,
    share,
    table,
)
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.page_frame import choice, read_state, room, text

USUAL = {"a": EXAMPLES["flat"][2], "b": EXAMPLES["geometric"][2], "metric": "line"}
ORDERS = {
    "average": "on average, against every guesser",
    "max": "in the worst case, for every single answer",
    "private": "for privacy, whatever the distances are",
    "metric": "for privacy with the distances chosen here",
}


@dataclass(frozen=True)
class Comparison:
    """Two channels and the verdicts in both directions, by order."""

    A: Channel
    B: Channel
    forth: dict[str, Refinement]
    back: dict[str, Refinement]


def compared(state: Mapping[str, str], folder: Path | None = None) -> Comparison:
    """Compare the two matrices of a state in every order."""
    A = read_matrix_text(state["a"], name="matrix A", folder=folder)
    B = read_matrix_text(state["b"], name="matrix B", folder=folder)
    space = metric_space(state["metric"], A)

    def verdicts(C: Channel, D: Channel, names: tuple[str, str]) -> dict[str, Refinement]:
        return {
            "average": refines(C, D, names=names),
            "max": refines_max(C, D, names=names),
            "private": refines_private(C, D, names=names),
            "metric": refines_private(C, D, space, names=names),
        }

    return Comparison(A, B, verdicts(A, B, ("A", "B")), verdicts(B, A, ("B", "A")))


def winner(found: Comparison, order: str) -> str:
    """Who is the safer in one order, in a few words."""
    pair = (found.forth[order].holds, found.back[order].holds)
    said: dict[tuple[bool | None, bool | None], str] = {
        (True, True): "equally safe",
        (True, False): "B is safer",
        (False, True): "A is safer",
        (False, False): "neither",
    }
    return said.get(pair, "undecided")


def headline(found: Comparison) -> str:
    """The comparison in one line."""
    words = {order: winner(found, order) for order in ORDERS}
    average = words["average"]
    if average == "equally safe":
        return "A and B tell every guesser the same"
    if average != "neither":
        return f"{average[0]} is the safer, against every guesser"
    if words["metric"] in ("A is safer", "B is safer"):
        return (
            f"Neither is safer against every guesser; with these distances {words['metric'][0]} "
            "has the smaller ε"
        )
    return "Neither is safer than the other against every guesser"


def page(desk: Desk, query: Mapping[str, str]) -> None:
    """Build the room."""
    state = read_state(query, USUAL)
    state["metric"] = choice(state["metric"], METRICS, "discrete")
    drawer = new_drawer(desk)
    boxes: dict[str, ui.textarea] = {}

    def refuse(reason: BaseException) -> None:
        answers.refuse(reason)

    with room(
        "compare",
        "Which of two mechanisms is the safer?",
        "One may replace another if no guesser learns more from it. Where that fails, you are "
        "shown the guesser who would gain.",
    ):
        with ui.element("div").classes("dp-panel"):
            for side in ("a", "b"):
                boxes[side] = matrix_box(
                    f"Matrix {side.upper()}",
                    state[side],
                    drawer,
                    rows=5,
                    refuse=refuse,
                )
            metric = Choice("How far apart are the values?", METRICS, state["metric"])
            with ui.element("div").classes("dp-row"):
                follow = share("/compare", lambda: state)
        with ui.element("div").classes("dp-panel"):
            text("h2", "The comparison")
            answers = Answers(drawer)

    async def changed() -> None:
        state.update({side: str(box.value or "") for side, box in boxes.items()})
        state["metric"] = metric.value
        follow()
        now = dict(state)
        await answers.ask(lambda: compared(now, drawer.folder), _show)

    for box in boxes.values():
        box.on_value_change(changed)
    metric.on_change(changed)
    ui.timer(0.05, changed, once=True)


def _show(found: Comparison) -> str:
    text("p", headline(found), "dp-headline")
    table(
        "Who is the safer, in each order",
        ["order", "answer"],
        [[ORDERS[order], winner(found, order)] for order in ORDERS],
    )
    _show_simplex(found)
    for verdicts, title in ((found.forth, "May B replace A?"), (found.back, "May A replace B?")):
        failed = next((v for v in verdicts.values() if v.holds is False), None)
        with ui.element("div").classes("dp-stack"):
            text("h3", title)
            if failed is None:
                text(
                    "p",
                    "Yes, in every order. " + " ".join(verdicts["average"].reasons()),
                    "dp-said",
                )
            else:
                text("p", "Not in every order. " + " ".join(failed.reasons()), "dp-said")
        words = "\n\n".join(verdict.explain() for verdict in verdicts.values())
        details(f"{title} All orders, with what shows it", words)
    with ui.expansion("Both as heat maps"):
        for name, channel in (("A", found.A), ("B", found.B)):
            heat(channel, f"Heat map of matrix {name}.", title=f"matrix {name}")
    formula(
        "The formula",
        [
            "A ⊑ B: B = A·R for a post-processing R; then V_g[π ▷ A] ≥ V_g[π ▷ B] for every "
            "prior π and gain g.",
            "A ⊑max B: every posterior of B lies in the convex hull of the posteriors of A.",
            "A ⊑prv B: d_B ≤ d_A, where d_C(x, z) = max_y |ln C[x, y] − ln C[z, y]|.",
        ],
    )
    return headline(found)


def _show_simplex(found: Comparison) -> None:
    rows = found.A.rows
    corners = rows if len(rows) <= 4 else [rows[0], rows[len(rows) // 2], rows[-1]]
    if len(rows) < 2:
        return
    try:
        spec = simplex_spec({"A": found.A, "B": found.B}, corners=list(corners))
    except ValueError as reason:
        refusal(str(reason))
        return
    told = (
        "What a guesser believes after each answer, for A and for B; the further out, the more was "
        "told."
    )
    figure(spec, told, height=430)
    about_corners = f" Only {', '.join(map(shown, corners))} are shown." if len(rows) > 4 else ""
    text("p", told + about_corners, "dp-small")
