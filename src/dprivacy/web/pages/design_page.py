"""The room Design: a prior and a loss, and the best private mechanism with its gap closing."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nicegui import run, ui

from dprivacy.design import Optimum, optimal
from dprivacy.errors import Malformed, NotStochastic
from dprivacy.flow.gains import named_gains__flow_loss as losses
from dprivacy.mechanisms import dumps
from dprivacy.model import Dist, about
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace
from dprivacy.viz import bars_spec, curves_spec, simplex_spec
from dprivacy.web.pages.space_choice import KINDS, make_space
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    details,
    figure,
    formula,
    heat,
    level_control,
    new_drawer,
    save_button,
    share,
)
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.number_words import percent
from dprivacy.web.shell.page_frame import choice, read_state, room, text, whole

USUAL = {"space": "grid", "n": "6", "eps": "ln 2", "prior": "", "loss": "metric", "seconds": "20"}
MOST_POINTS = 225
_MOST_MARKS = 400
LOSSES = {
    "metric": "how far off the answer is",
    "bayes": "whether the answer is wrong",
    "near": "whether the answer is off by more than one unit",
}
_OFFERED = {name: kind.words for name, kind in KINDS.items()}


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
        raise Malformed(
            f"the prior has {len(cells)} weights, and the space {len(space)} values; give one "
            "for each, in order, or none"
        )
    weights = [Fraction(read_number(cell, "the prior")) for cell in cells]
    total = sum(weights, Fraction(0))
    if min(weights) < 0 or not total:
        raise NotStochastic("the weights of a prior are at least 0, and not all 0")
    return Dist(space.labels, [weight / total for weight in weights])


@dataclass(frozen=True)
class Found:
    """The best mechanism, and whether its proofs hold when they are checked again."""

    best: Optimum
    holds: bool


def designed(state: Mapping[str, str], search: Run) -> Found:
    """Search for the best mechanism of a state, and check its proofs again."""
    kind = choice(state["space"], _OFFERED, "line")
    space = make_space(kind, whole(state["n"], 2, 99, 9), most=MOST_POINTS)
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
    spec["layout"]["legend"] = {"orientation": "h", "y": 1.2}
    return spec


def page(desk: Desk, query: Mapping[str, str]) -> None:
    """Build the room."""
    state = read_state(query, USUAL)
    state["space"] = choice(state["space"], _OFFERED, "line")
    state["loss"] = choice(state["loss"], LOSSES, "metric")
    state["n"] = str(whole(state["n"], 2, 60, 9))
    state["seconds"] = str(whole(state["seconds"], 1, 600, 20))
    drawer = new_drawer(desk)
    held: dict[str, Run] = {}

    with room(
        "design",
        "The best mechanism for a purpose",
        "Say what is secret, what you believe of it, and what an error costs. You get the private "
        "mechanism with the least expected cost, and a proof that none is better.",
    ):
        with ui.element("div").classes("dp-panel"):
            text("h2", "The purpose")
            kind = Choice("What is kept secret?", _OFFERED, state["space"])
            size = ui.number("Its size", value=int(state["n"]), min=2, max=60, step=1, precision=0)
            size.props("outlined dense")
            level_control(
                state["eps"], lambda level: state.update(eps=level), unit="one unit apart"
            )
            cost = Choice("What does an error cost?", LOSSES, state["loss"])
            prior = ui.input("How likely is each value?")
            prior.props('outlined dense hint="weights in order; empty: all equally"').classes(
                "dp-mono"
            )
            prior.value = state["prior"]
            limit = ui.number("Stop after (seconds)", value=int(state["seconds"]), min=1, max=600)
            limit.props("outlined dense")
            with ui.element("div").classes("dp-row"):
                go = ui.button("Find the best mechanism", icon="play_arrow")
                halt = ui.button("Stop here", icon="stop").props("outline")
                halt.visible = False
                follow = share("/design", lambda: state)
        with ui.element("div").classes("dp-panel"):
            text("h2", "The mechanism")
            moving = text("p", "", "dp-said").props("role=status")
            watch = ui.element("div").classes("dp-stack")
            answers = Answers(drawer)

    def told() -> None:
        state.update(
            space=kind.value,
            n=str(int(size.value or 2)),
            loss=cost.value,
            prior=str(prior.value or ""),
            seconds=str(int(limit.value or 20)),
        )
        size.props["hint"] = KINDS[state["space"]].size
        follow()

    async def search() -> None:
        if "now" in held:
            return
        told()
        held["now"] = search_now = Run()
        go.disable()
        halt.visible = True
        answers.area.clear()
        watch.clear()
        plot: list[ui.plotly] = []
        drawn = 0

        def look() -> None:
            nonlocal drawn
            marks = list(search_now.marks)
            if not marks or len(marks) == drawn:
                return
            drawn = len(marks)
            seconds, loss, bound = marks[-1]
            gap = (loss - bound) / loss if loss else 0.0
            moving.text = (
                f"{seconds:.1f} s: cost {loss:.5g}, at least {bound:.5g} is proved, "
                f"gap {percent_gap(gap)}"
            )
            with watch:
                if not plot:
                    plot.append(
                        figure(closing_spec(marks), "The gap closing over time.", height=280)
                    )
                else:
                    plot[0].figure = {**plot[0].figure, **{"data": closing_spec(marks)["data"]}}
                    plot[0].update()

        moving.text = "Searching …"
        timer = ui.timer(0.3, look)
        now = dict(state)
        try:
            found = await run.io_bound(designed, now, search_now)
        except Exception as reason:
            moving.text = ""
            watch.clear()
            answers.refuse(reason)
            return
        finally:
            timer.cancel()
            held.pop("now", None)
            go.enable()
            halt.visible = False
        if found is None:
            return
        moving.text = ""
        watch.clear()
        answers.area.clear()
        with answers.area:
            answers.spoken.text = _show(found, search_now)

    def stop() -> None:
        if "now" in held:
            held["now"].stop.set()

    go.on_click(search)
    halt.on_click(stop)
    ui.context.client.on_delete(stop)
    for choosing in (kind, cost):
        choosing.on_change(told)
    for writing in (size, prior, limit):
        writing.on_value_change(told)
    ui.timer(0.05, search, once=True)


def _show(result: Found, search: Run) -> str:
    found = result.best
    text("p", headline(found), "dp-headline")
    text("p", found.explain(), "dp-said")
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
            text("p", f"At least {percent(least)} for every value.", "dp-small")
    save_button("Save the mechanism", lambda: dumps(found.mechanism()), "mechanism.json")
    formula(
        "The formula",
        [
            "minimise Σ_x π_x Σ_y C[x, y]·ℓ(y, x) over channels C with C[x, y] ≤ e^(ε·d(x, "
            "z))·C[z, y].",
            "The bound is a dual solution λ with Σ_x λ_x·c_x ≤ min_w Σ_x π_x·c_x·ℓ(w, x) for "
            "every private column c: no private channel costs less than Σ_x λ_x.",
            f"The proof was checked again: {'it holds' if result.holds else 'it fails'}.",
        ],
    )
    details("How it was found", f"{found.method}, in {found.seconds:.2f} s.")
    return headline(found)
