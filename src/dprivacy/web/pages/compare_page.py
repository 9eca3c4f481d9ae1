"""The room Compare: which of two mechanisms is the safer, in every order, and who would disagree."""

from collections.abc import Mapping
from dataclasses import dataclass

from nicegui import ui

from dprivacy.errors import DPrivacyError
from dprivacy.model import Channel, as_space
from dprivacy.refine import Refinement, refines
from dprivacy.web.pages.pasted_matrices import (
    DISTANCES,
    EXAMPLES,
    LIMITS,
    matrix_box,
    read_one_channel,
)
from dprivacy.web.shell.controls import Choice, details, formula, heat, refusal, simplex, table
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import text

USUAL = {"a": EXAMPLES["flat"][2], "b": EXAMPLES["geometric"][2], "space": "line"}
ORDERS = {
    "average": "on average, against every guesser",
    "max": "in the worst case, for every single answer",
    "private": "for privacy, whatever the distances are",
    "space": "for privacy with the distances chosen here",
}


@dataclass(frozen=True)
class Comparison:
    """Two channels and the verdicts in both directions, by order."""

    A: Channel
    B: Channel
    forth: dict[str, Refinement]
    back: dict[str, Refinement]


def compared(state: Mapping[str, str]) -> Comparison:
    """Compare the two matrices of a state in every order."""
    A = read_one_channel(state["a"], name="matrix A")
    B = read_one_channel(state["b"], name="matrix B")
    space = as_space(state["space"], labels=A.rows)

    def verdicts(C: Channel, D: Channel, names: tuple[str, str]) -> dict[str, Refinement]:
        return {
            "average": refines(C, D, names=names),
            "max": refines(C, D, by="max", names=names),
            "private": refines(C, D, by="private", names=names),
            "space": refines(C, D, space, by="private", names=names),
        }

    return Comparison(A, B, verdicts(A, B, ("A", "B")), verdicts(B, A, ("B", "A")))


def winner(found: Comparison, order: str) -> str:
    """Which is the safer in one order, in a few words."""
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
    if words["space"] in ("A is safer", "B is safer"):
        return (
            f"Neither is safer against every guesser; with these distances {words['space'][0]} "
            "has the smaller ε"
        )
    return "Neither is safer than the other against every guesser"


class CompareRoom(OpenRoom):
    """The room, open: two matrices and the distances between their values."""

    name = "compare"
    title = "Which of two mechanisms is the safer?"
    lead = (
        "One may replace another if no guesser learns more from it. Where that fails, you are "
        "shown the guesser who would gain."
    )
    usual = USUAL
    limits = LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        with self.panel():
            self.boxes = {
                side: matrix_box(f"Matrix {side.upper()}", self.state[side], self, rows=5)
                for side in ("a", "b")
            }
            self.space = Choice("How far apart are the values?", DISTANCES, self.state["space"])
            with side_by_side():
                self.share_button()
        self.answer_panel("The comparison")
        for box in self.boxes.values():
            box.on_value_change(self.changed)
        self.space.on_change(self.changed)

    async def changed(self) -> None:
        """Read the fields, and compare anew."""
        self.state.update({side: str(box.value or "") for side, box in self.boxes.items()})
        self.state["space"] = self.space.value
        self.follow()
        now = dict(self.state)
        await self.answers.ask(lambda: compared(now), _show)


def _show(found: Comparison) -> str:
    text("p", headline(found), "dp-headline")
    table(
        "The safer one, in each order",
        ["order", "answer"],
        [[ORDERS[order], winner(found, order)] for order in ORDERS],
    )
    _show_simplex(found)
    _show_direction("May B replace A?", found.forth)
    _show_direction("May A replace B?", found.back)
    with ui.expansion("Both as heat maps"):
        for name, channel in (("A", found.A), ("B", found.B)):
            heat(channel, f"Heat map of matrix {name}.", title=f"matrix {name}")
    formula(
        "A ⊑ B: B = A·R for a post-processing R; then V_g[π ▷ A] ≥ V_g[π ▷ B] for every "
        "prior π and gain g.",
        "A ⊑max B: every posterior of B lies in the convex hull of the posteriors of A.",
        "A ⊑prv B: d_B ≤ d_A, where d_C(x, z) = max_y |ln C[x, y] − ln C[z, y]|.",
    )
    return headline(found)


def _show_direction(title: str, verdicts: Mapping[str, Refinement]) -> None:
    failed = next((v for v in verdicts.values() if v.holds is False), None)
    said = "Yes, in every order." if failed is None else "Not in every order."
    with ui.element("div").classes("dp-stack"):
        text("h3", title)
        text("p", " ".join([said, *(failed or verdicts["average"]).reasons()]), "dp-said")
    words = "\n\n".join(verdict.explain() for verdict in verdicts.values())
    details(f"{title} All orders, with what shows it", words)


def _show_simplex(found: Comparison) -> None:
    if len(found.A.rows) < 2:
        return
    told = (
        "What a guesser believes after each answer, for A and for B; the further out, the more was "
        "told."
    )
    try:
        simplex({"A": found.A, "B": found.B}, found.A.rows, told, height=430)
    except DPrivacyError as reason:
        refusal(str(reason))
