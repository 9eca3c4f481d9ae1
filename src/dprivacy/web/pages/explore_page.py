"""The room Explore: the kernels of a space, what each tells, and whom it serves best."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from nicegui import ui

from dprivacy.design import best_kernel
from dprivacy.flow import loss as losses, posterior_uncertainty
from dprivacy.model import Channel, Dist, shown, uniform
from dprivacy.polytope import KernelCount, count_kernels, kernels
from dprivacy.spaces import FiniteSpace
from dprivacy.web.pages.pasted_matrices import matrix_text
from dprivacy.web.pages.space_choice import SpaceChoice, chosen_space, settled_space
from dprivacy.web.shell import controls
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text, whole

USUAL = {"space": "line:3", "eps": "ln 2", "kernel": "1"}
MOST_POINTS = 6
_LISTED = 200
_KINDS = ("line", "discrete", "city", "cube")
_LIMITS = {"space": lambda given: settled_space(given, _KINDS, USUAL["space"])}


@dataclass(frozen=True)
class Family:
    """The kernels of a space at a level: how many there are, and the first of them."""

    space: FiniteSpace
    eps: str
    number: KernelCount
    listed: tuple[Channel, ...]


@dataclass(frozen=True)
class Taste:
    """Someone who uses the answers: what an error costs them with this kernel, and at best."""

    who: str
    here: Any
    best: Any

    @property
    def prefers(self) -> bool:
        """Whether nothing private serves them better."""
        return bool(self.here == self.best)


def family(state: Mapping[str, str]) -> Family:
    """The kernels that a state asks for."""
    space = chosen_space(state["space"], most=MOST_POINTS)
    eps = state["eps"].strip()
    number = count_kernels(space, eps=eps)
    listed = tuple(islice(kernels(space, eps=eps), _LISTED))
    return Family(space, eps, number, listed)


def tastes(space: FiniteSpace, eps: str, kernel: Channel) -> list[Taste]:
    """What a kernel and the best mechanism cost several people who use the answers."""
    first = [2 ** (len(space) - k) for k in range(len(space))]
    believed = {
        "all values equally likely": uniform(space),
        "the first values likelier": Dist(space.labels, _shares(first)),
        "the last values likelier": Dist(space.labels, _shares(first[::-1])),
    }
    costs = {
        "how far off the guess is": losses.metric(space),
        "whether the guess is wrong": losses.identity(space),
    }
    found = []
    for cost, loss in costs.items():
        for belief, prior in believed.items():
            best = best_kernel(space, eps=eps, prior=prior, loss=loss)
            here = posterior_uncertainty(kernel, prior=prior, loss=loss)
            found.append(Taste(f"{belief}; pays by {cost}", here, best.loss))
    return found


def _shares(weights: list[int]) -> list[str]:
    return [f"{weight}/{sum(weights)}" for weight in weights]


class ExploreRoom(OpenRoom):
    """The room, open: a space and a level, their kernels, and the one that is looked at."""

    name = "explore"
    title = "What are private mechanisms made of?"
    lead = (
        "Every private mechanism is a mixture of a few building blocks, the kernels, with some of "
        "their answers blurred together. Here they are, one by one."
    )
    usual = USUAL
    limits = _LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        self.family: Family | None = None
        self.buttons: list[ui.button] = []
        with self.panel("The space and the level"):
            self._space_panel()
        self.answer_panel("One kernel")

    def _space_panel(self) -> None:
        self.space = SpaceChoice(self.state["space"], _KINDS, self.changed)
        controls.level_control(self.state["eps"], self._leveled, unit="one unit apart")
        small(
            "Kernels have short fractions when e^ε is a whole number or a fraction: use the slider, "
            "or write ln 2."
        )
        text("h2", "The kernels")
        self.listing = controls.Answers(self.drawer)
        with side_by_side():
            self.share_button()

    async def _leveled(self, level: str) -> None:
        self.state["eps"] = level
        await self.changed()

    async def changed(self) -> None:
        """List the kernels anew, and show one of them."""
        self.state["space"] = self.space.text
        self.follow()
        now = dict(self.state)
        self.family = None
        await self.listing.ask(lambda: family(now), self._listed)
        if self.family is None:
            self.answers.instead()
        else:
            await self._look()

    def _listed(self, got: Family) -> str:
        self.family = got
        self.buttons.clear()
        text("p", got.number.explain(), "dp-said")
        with ui.element("div").classes("dp-kernels").props('role=group aria-label="Kernels"'):
            for k, kernel in enumerate(got.listed, 1):
                button = ui.button(str(k), on_click=partial(self._pick, k)).props("outline dense")
                button.props["aria-label"] = (
                    f"kernel {k} of {int(got.number)}, {len(kernel.columns)} answers"
                )
                self.buttons.append(button)
        if len(got.listed) < got.number:
            small(f"The first {len(got.listed)} of {int(got.number):,} are listed.")
        return got.number.explain()

    async def _pick(self, k: int) -> None:
        self.state["kernel"] = str(k)
        self.follow()
        await self._look()

    async def _look(self) -> None:
        got = self.family
        if got is None:  # the list is being made anew, and shows what was chosen
            return
        k = whole(self.state["kernel"], 1, len(got.listed), 1)
        kernel = got.listed[k - 1]
        for j, button in enumerate(self.buttons, 1):
            button.props(
                add="aria-pressed=true unelevated" if j == k else "aria-pressed=false outline",
                remove="outline" if j == k else "unelevated",
            )
        await self.answers.ask(
            lambda: tastes(got.space, got.eps, kernel), lambda who: _show(got, k, kernel, who)
        )


def _show(got: Family, k: int, kernel: Channel, who: list[Taste]) -> str:
    fans = [taste for taste in who if taste.prefers]
    text(
        "p", f"Kernel {k} of {int(got.number):,}, with {len(kernel.columns)} answers", "dp-headline"
    )
    if fans:
        text("p", f"It is the best choice for {len(fans)} of the {len(who)} people below.")
    else:
        text("p", "It is not the best choice for any of the people below; for others it is.")
    _draw_kernel(got, kernel)
    controls.heat(kernel, "Heat map of the kernel.")
    controls.table(
        "People who prefer it: expected cost of an error (in the cost's own unit), here and at best",
        ["someone who holds", "with this kernel", "best possible", "prefers it"],
        [[t.who, _cost(t.here), _cost(t.best), "yes" if t.prefers else "no"] for t in who],
    )
    controls.save_button(
        "Save this kernel as a matrix", lambda: matrix_text(kernel), f"kernel-{k}.csv"
    )
    controls.formula(
        "A column c of a private channel satisfies c_x ≤ e^(ε·d(x, z))·c_z for all x, z. "
        "The extreme rays of this cone are the vertices.",
        "A kernel is a private channel whose columns are independent vertices: Σ_v λ_v·v = 1.",
        "Every private channel is (Σ_i μ_i·K_i)·R, a mixture of kernels and a post-processing, so "
        "that for each prior and loss some kernel is best.",
    )
    controls.details("As numbers", repr(kernel))
    return f"Kernel {k} of {int(got.number):,}"


def _draw_kernel(got: Family, kernel: Channel) -> None:
    """Its posteriors in the region that privacy allows; a mark that is clicked is read out."""
    told = (
        "What one believes after each answer of this kernel, and the region that privacy "
        "allows. Click a mark to read it."
    )
    around = {"space": got.space, "eps": got.eps}
    drawn = controls.simplex(kernel, got.space.labels, told, height=400, **around)
    read = text("p", "", "dp-good").props('aria-live="polite"')
    read.visible = False

    def clicked(event: Any) -> None:
        for point in event.args.get("points", []):
            answer = point.get("customdata")
            if isinstance(answer, str) and answer in kernel.columns:
                read.text, read.visible = _answer_in_words(kernel, answer), True

    drawn.on("plotly_click", clicked)


def _cost(value: Any) -> str:
    exact = str(value)
    return exact if len(exact) <= 9 else f"{float(value):.4g}"


def _answer_in_words(kernel: Channel, answer: str) -> str:
    column = [(x, kernel[x, answer]) for x in kernel.rows]
    total = sum(float(p) for _, p in column)
    parts = ", ".join(f"{shown(x)} {100 * float(p) / total:.0f} %" for x, p in column)
    return f"After the answer {answer}, with all values equally likely before: {parts}."
