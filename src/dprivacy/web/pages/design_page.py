"""The room Design: a prior and a loss, and the best private mechanism with its gap closing."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nicegui import run, ui

from dprivacy.design import Optimum, optimal
from dprivacy.errors import NotStochastic, WrongShape
from dprivacy.flow import loss as losses
from dprivacy.mechanisms import mechanism_text
from dprivacy.model import Dist, about
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace
from dprivacy.viz import bars_spec, curves_spec, simplex_spec
from dprivacy.web.pages.space_choice import KINDS, SpaceChoice, chosen_space, settled_space
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    details,
    figure,
    formula,
    heat,
    level_control,
    save_button,
)
from dprivacy.web.shell.number_words import percent
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import choice, small, text, whole

USUAL = {"space": "grid:6x6", "eps": "ln 2", "prior": "", "loss": "metric", "seconds": "20"}
MOST_POINTS = 225
_MOST_MARKS = 400
LOSSES = {
    "metric": "how far off the answer is",
    "bayes": "whether the answer is wrong",
    "near": "whether the answer is off by more than one unit",
}
_LIMITS = {
    "space": lambda given: settled_space(given, KINDS, USUAL["space"]),
    "loss": lambda given: choice(given, LOSSES, "metric"),
    "seconds": lambda given: str(whole(given, 1, 600, 20)),
}


@dataclass
class Run:
    """One search: how far it is, and whether someone asked it to stop."""

    marks: list[tuple[float, float, float]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def moved(self, loss: float, bound: float, seconds: float) -> None:
        """Note how far the search is; an interruption makes it end with the best so far."""
        if len(self.marks) < _MOST_MARKS:
            self.marks.append((seconds, loss, bound))
        if self.stop.is_set():
            raise KeyboardInterrupt


def read_prior_text(words: str, space: FiniteSpace) -> Dist | None:
    """Weights in the order of the values, separated by commas or spaces; None for none.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(read_prior_text("1 2 1", line(3)).weights[1])
    1/2
    """
    cells = words.replace(",", " ").replace(";", " ").split()
    if not cells:
        return None
    if len(cells) != len(space):
        raise WrongShape(
            f"the prior has {len(cells)} weights, and the space {len(space)} values; give one for "
            "each, in order, or none"
        )
    weights = [Fraction(read_number(cell, "the prior")) for cell in cells]
    total = sum(weights, Fraction(0))
    if min(weights) < 0 or not total:
        raise NotStochastic(
            f"the weights of a prior should be at least 0 and not all 0, not {' '.join(cells[:9])}"
        )
    return Dist(space.labels, [weight / total for weight in weights])


@dataclass(frozen=True)
class Found:
    """The best mechanism, and whether its proofs hold when they are checked again."""

    best: Optimum
    holds: bool


def designed(state: Mapping[str, str], search: Run) -> Found:
    """Search for the best mechanism of a state, and check its proofs again."""
    space = chosen_space(state["space"], most=MOST_POINTS)
    wanted = choice(state["loss"], LOSSES, "metric")
    loss: Any = losses.threshold(space, 1) if wanted == "near" else wanted
    best = optimal(
        space,
        eps=state["eps"].strip(),
        prior=read_prior_text(state["prior"], space),
        loss=loss,
        seconds=float(whole(state["seconds"], 1, 600, 20)),
        progress=search.moved,
    )
    return Found(best, best.certificate.holds())


def headline(found: Optimum) -> str:
    """The answer in one line."""
    if found.exact:
        return f"Expected cost {about(found.loss)}: nothing private is better, exactly"
    near = percent_gap(found.gap)
    return f"Expected cost {float(found.loss):.5g}: within {near} of the best there is"


def percent_gap(gap: Any) -> str:
    """A gap as per cent, rounded up to a thousandth where it is smaller.

    Examples
    --------
    >>> percent_gap(0.031), percent_gap(1e-9)
    ('3.1 %', '0.001 %')
    """
    return f"{max(100 * float(gap), 0.001):.2g} %"


def closing_spec(marks: list[tuple[float, float, float]]) -> dict[str, Any]:
    """The picture of a gap that closes: what was found, and what was proved, round by round."""
    spec = curves_spec(
        {
            "best found so far": [(k, loss) for k, (_, loss, _) in enumerate(marks, 1)],
            "proved: nothing is below": [(k, bound) for k, (_, _, bound) in enumerate(marks, 1)],
        },
        x="round of the search",
        y="expected cost",
    )
    last = marks[-1][1]
    low = max(min(bound for _, _, bound in marks), 0.7 * last)
    high = min(max(loss for _, loss, _ in marks), 1.3 * last)
    pad = 0.08 * (high - low) or 0.1 * last
    spec["layout"]["yaxis"] |= {"range": [low - pad, high + pad]}
    return spec


class DesignRoom(OpenRoom):
    """The room, open: a purpose, and the search that is under way for it."""

    name = "design"
    title = "The best mechanism for a purpose"
    lead = (
        "Say what is secret, what you believe of it, and what an error costs. You get the private "
        "mechanism with the least expected cost, and a proof that none is better."
    )
    usual = USUAL
    limits = _LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        self.search: Run | None = None
        with self.panel("The purpose"):
            self._purpose_panel()
        with self.panel("The mechanism"):
            self.watch = Watch()
            self.answers = Answers(self.drawer)
        ui.context.client.on_delete(self._stop)

    def _purpose_panel(self) -> None:
        self.space = SpaceChoice(self.state["space"], KINDS, self._note)
        level_control(self.state["eps"], self._leveled, unit="one unit apart")
        self.cost = Choice("What does an error cost?", LOSSES, self.state["loss"])
        self.prior = ui.input("How likely is each value?", value=self.state["prior"])
        self.prior.props('outlined dense hint="weights in order; empty: all equally"')
        self.prior.classes("dp-mono")
        self.limit = ui.number(
            "Stop after (seconds)", value=int(self.state["seconds"]), min=1, max=600
        )
        self.limit.props("outlined dense")
        with side_by_side():
            self.go = ui.button("Find the best mechanism", icon="play_arrow", on_click=self.changed)
            self.halt = ui.button("Stop here", icon="stop", on_click=self._stop).props("outline")
            self.halt.visible = False
            self.share_button()
        self.cost.on_change(self._note)
        for box in (self.prior, self.limit):
            box.on_value_change(self._note)

    def _leveled(self, level: str) -> None:
        self.state["eps"] = level

    def _note(self) -> None:
        self.state.update(
            space=self.space.text,
            loss=self.cost.value,
            prior=str(self.prior.value or ""),
            seconds=str(int(self.limit.value or 20)),
        )
        self.follow()

    def _stop(self) -> None:
        if self.search is not None:
            self.search.stop.set()

    async def changed(self) -> None:
        """Search for the best mechanism, unless a search is under way."""
        if self.search is not None:
            return
        self._note()
        self.search = search = Run()
        self.go.disable()
        self.halt.visible = True
        self.answers.area.clear()
        now = dict(self.state)
        try:
            with self.watch.over(search):
                found = await run.io_bound(designed, now, search)
        except Exception as reason:
            self.answers.refuse(reason)
            return
        finally:
            self.search = None
            self.go.enable()
            self.halt.visible = False
        if found is not None:
            with self.answers.area:
                self.answers.spoken.text = _show(found, search)


class Watch:
    """Where a search is watched while it runs: a line, and the picture of its gap."""

    def __init__(self) -> None:
        self.moving = text("p", "", "dp-said").props("role=status")
        self.place = ui.element("div").classes("dp-stack")
        self.plot: ui.plotly | None = None
        self.drawn = 0

    @contextmanager
    def over(self, search: Run) -> Iterator[None]:
        """Follow a search until it ends."""
        self.place.clear()
        self.plot, self.drawn = None, 0
        self.moving.text = "Searching …"
        timer = ui.timer(0.3, lambda: self._look(list(search.marks)))
        try:
            yield
        finally:
            timer.cancel()
            self.moving.text = ""
            self.place.clear()

    def _look(self, marks: list[tuple[float, float, float]]) -> None:
        if len(marks) == self.drawn:
            return
        self.drawn = len(marks)
        seconds, loss, bound = marks[-1]
        gap = (loss - bound) / loss if loss else 0.0
        proved = f"at least {bound:.5g} is proved, gap {percent_gap(gap)}"
        self.moving.text = f"{seconds:.1f} s: cost {loss:.5g}, {proved}"
        spec = closing_spec(marks)
        if self.plot is None:
            with self.place:
                self.plot = figure(spec, "The gap closing over time.", height=280)
        else:
            self.plot.figure = {**self.plot.figure, "data": spec["data"]}
            self.plot.update()


def _show(result: Found, search: Run) -> str:
    found = result.best
    text("p", headline(found), "dp-headline")
    text("p", found.explain(), "dp-said")
    _draw_optimum(found, search)
    save_button("Save the mechanism", lambda: mechanism_text(found.mechanism()), "mechanism.json")
    formula(
        "minimise Σ_x π_x Σ_y C[x, y]·ℓ(y, x) over channels C with C[x, y] ≤ e^(ε·d(x, "
        "z))·C[z, y].",
        "The bound is a dual solution λ with Σ_x λ_x·c_x ≤ min_w Σ_x π_x·c_x·ℓ(w, x) for "
        "every private column c: no private channel costs less than Σ_x λ_x.",
        f"The proof was checked again: {'it holds' if result.holds else 'it fails'}.",
    )
    details("How it was found", f"{found.method}, in {found.seconds:.2f} s.")
    return headline(found)


def _draw_optimum(found: Optimum, search: Run) -> None:
    """The gap as it closed, the channel, and how often values are answered truly."""
    if len(search.marks) > 1:
        end = (found.seconds, float(found.loss), float(found.bound))
        told = (
            "The cost of the best mechanism found, and the proved bound below it, round by round."
        )
        figure(closing_spec([*search.marks, end]), told, height=280)
    space, channel = found.problem.space, found.channel
    if len(space) <= 40:
        heat(channel, "Heat map of the mechanism.")
    if len(space) in (3, 4):
        spec = simplex_spec(channel, space=space, eps=found.problem.eps, prior=found.problem.prior)
        figure(spec, "Its posteriors and the private region.", height=400)
    kept = {x: channel[x, x] for x in channel.rows if x in channel.columns}
    if kept and len(kept) <= 40:
        spec = bars_spec({"kept": kept}, y="chance that it is answered truly", x="true value")
        with ui.expansion("How often each value is answered truly"):
            figure(spec, "How often each value is answered truly.", height=280)
            least = min(kept.values())
            small(f"At least {percent(least)} for every value.")
