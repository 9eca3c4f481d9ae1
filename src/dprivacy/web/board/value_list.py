"""The possible answers to a question, one by one: each can be read, corrected, compared and removed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable
from typing import Any

from nicegui import ui

from dprivacy.web.shell.page_frame import text

MOST = 150  # values that are shown one by one; longer lists are text alone


@dataclass(frozen=True)
class Listed:
    r"""A list of possible answers, and which of them somebody has compared with the questionnaire.

    Examples
    --------
    >>> one = Listed.of("bad\ngood", compared=["good"])
    >>> one.left, one.added("fair").text
    (1, 'bad\ngood\nfair')
    """

    values: tuple[str, ...]
    compared: tuple[bool, ...]

    @classmethod
    def of(cls, lines: str, *, compared: Sequence[str]) -> "Listed":
        """The list of a text, a line each; or separated by commas, on one line."""
        parts = lines.splitlines()
        if len(parts) == 1:
            parts = parts[0].split(",")
        values = tuple(part.strip() for part in parts if part.strip())
        return cls(values, tuple(value in compared for value in values))

    @property
    def text(self) -> str:
        """A line each."""
        return "\n".join(self.values)

    @property
    def sure(self) -> tuple[str, ...]:
        """What was compared."""
        return tuple(v for v, known in zip(self.values, self.compared, strict=True) if known)

    @property
    def left(self) -> int:
        """How many wait to be compared."""
        return self.compared.count(False)

    def words(self) -> str:
        """How far the comparison is.

        Examples
        --------
        >>> print(Listed.of("bad, good", compared=["good"]).words())
        2 answers, 1 still to be compared with the questionnaire
        """
        answers = "1 answer" if len(self.values) == 1 else f"{len(self.values)} answers"
        if not self.left:
            return f"{answers}, all compared"
        return f"{answers}, {self.left} still to be compared with the questionnaire"

    def taken(self) -> "Listed":
        """With a tick at every answer."""
        return replace(self, compared=(True,) * len(self.values))

    def changed(self, at: int, value: str) -> "Listed":
        """With another wording, which somebody wrote and so has compared."""
        return self._with(at, value.strip(), compared=True)

    def ticked(self, at: int, *, compared: bool) -> "Listed":
        """With a tick, or without it."""
        return self._with(at, self.values[at], compared=compared)

    def added(self, value: str) -> "Listed":
        """With one more answer at the end, unless it is there."""
        value = value.strip()
        if not value or value in self.values:
            return self
        return Listed((*self.values, value), (*self.compared, True))

    def removed(self, at: int) -> "Listed":
        """Without an answer."""
        return Listed(
            self.values[:at] + self.values[at + 1 :], self.compared[:at] + self.compared[at + 1 :]
        )

    def raised(self, at: int) -> "Listed":
        """With an answer one place further up."""
        order = list(range(len(self.values)))
        order[at - 1], order[at] = order[at], order[at - 1]
        return Listed(tuple(self.values[k] for k in order), tuple(self.compared[k] for k in order))

    def _with(self, at: int, value: str, *, compared: bool) -> "Listed":
        values, known = list(self.values), list(self.compared)
        values[at], known[at] = value, compared
        return replace(self, values=tuple(values), compared=tuple(known))


class ValueList:
    """The list on the page. `changed` is called with the new list whenever a person changes it."""

    def __init__(self, changed: Callable[[Listed], Any]) -> None:
        self.listed, self.changed = Listed((), ()), changed
        self.ticks = self.ordered = False
        self.labels: Mapping[str, str] = {}
        self.lines: list[Callable[[], None]] = []
        with ui.element("fieldset").classes("dp-list") as self.field:
            text("legend", "Possible answers")
            self.count = text("p", "", "dp-small").props("role=status")
            self.place = ui.element("ul")
            with ui.element("form").classes("dp-add") as form:
                new = ui.element("input").props("type=text")
                new.props["aria-label"] = new.props["placeholder"] = "Another possible answer"
                text("button", "Add").props("type=submit")
        form.on("submit", self._add, js_handler=_SUBMITTED % new.html_id)

    def show(
        self, listed: Listed, *, ticks: bool, ordered: bool, labels: Mapping[str, str]
    ) -> None:
        """Show a list, with ticks for what was compared, and with buttons to change the order.

        `labels` says what values stand for, where somebody has declared it.
        """
        if (listed, ticks, ordered) != (self.listed, self.ticks, self.ordered):
            self.listed, self.ticks, self.ordered = listed, ticks, ordered
            self.labels = labels
            self.draw()

    def draw(self) -> None:
        """Draw every line anew."""
        self.place.clear()
        with self.place:
            self.lines = [self._line(at) for at in range(len(self.listed.values))]
        self._tell()

    def _line(self, at: int) -> Callable[[], None]:
        """Draw a line; what is returned makes it say what the list says now, and leaves the focus."""
        with ui.element("li"):
            tick = ui.element("input").props("type=checkbox")
            tick.visible = self.ticks
            seen = partial(self._tick, at)
            tick.on("change", seen, js_handler="(e) => emit(e.target.checked)")
            field = ui.element("input").props("type=text")
            field.props["aria-label"] = f"answer {at + 1}"
            field.on("change", partial(self._write, at), js_handler="(e) => emit(e.target.value)")
            label = text("span", "", "dp-small")
            up = text("button", "↑").props("type=button")
            up.visible = self.ordered and at > 0
            up.on("click", partial(self._raise, at), [])
            away = text("button", "×").props("type=button")
            away.on("click", partial(self._remove, at), [])

        def tell() -> None:
            value = self.listed.values[at]
            field.props["value"] = value
            tick.props["checked"] = self.listed.compared[at]
            tick.props["aria-label"] = f"{value} is in the questionnaire"
            up.props["aria-label"], away.props["aria-label"] = f"Move {value} up", f"Remove {value}"
            label.text = self.labels.get(value, "")
            for part in (field, tick, up, away):
                part.update()

        tell()
        return tell

    def _tell(self) -> None:
        self.count.text = self.listed.words() if self.ticks else ""

    async def _tick(self, at: int, event: Any) -> None:
        await self._now(self.listed.ticked(at, compared=bool(event.args)), edited=at)

    async def _write(self, at: int, event: Any) -> None:
        await self._now(self.listed.changed(at, str(event.args)), edited=at)

    async def _add(self, event: Any) -> None:
        await self._now(self.listed.added(str(event.args)))

    async def _remove(self, at: int) -> None:
        await self._now(self.listed.removed(at))

    async def _raise(self, at: int) -> None:
        await self._now(self.listed.raised(at))

    async def _now(self, listed: Listed, *, edited: int | None = None) -> None:
        """Take a new list; a line that was edited is not drawn anew, so that the focus stays."""
        self.listed = listed
        with self.field:  # the button that was clicked may be gone
            if edited is None:
                self.draw()
            else:
                self.lines[edited]()
                self._tell()
            done = self.changed(listed)
            if isawaitable(done):
                await done


_SUBMITTED = (
    "(e) => { e.preventDefault(); const f = document.getElementById('%s'); "
    "emit(f.value); f.value = ''; f.focus(); }"
)
