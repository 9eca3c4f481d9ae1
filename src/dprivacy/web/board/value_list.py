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
    """The list on the page. `changed` is called with the new list whenever a person changes it.

    A line stays the same line as long as its answer is listed, wherever it stands then: what somebody
    types into it is not drawn over, and finds its answer, however late the page hears of it.
    """

    def __init__(self, changed: Callable[[Listed], Any]) -> None:
        self.listed, self.changed = Listed((), ()), changed
        self.ticks = self.ordered = False
        self.labels: Mapping[str, str] = {}
        self.lines: list[_Line] = []
        with ui.element("fieldset").classes("dp-list") as self.field:
            text("legend", "Possible answers")
            self.count = text("p", "", "dp-small").props("role=status")
            self.place = ui.element("ul")
            with ui.element("form").classes("dp-add") as form:
                new = ui.element("input").props("type=text")
                new.props["aria-label"] = new.props["placeholder"] = "Another possible answer"
                text("button", "Add").props("type=submit")
        # A browser takes the focus from a line that moves.
        self.place.on("vnodeBeforeUpdate", js_handler=_FOCUS_KNOWN)
        self.place.on("vnodeUpdated", js_handler=_FOCUS_BACK)
        form.on("submit", self._add, js_handler=_SUBMITTED % new.html_id)

    def show(
        self, listed: Listed, *, ticks: bool, ordered: bool, labels: Mapping[str, str]
    ) -> None:
        """Show a list, with ticks for what was compared, and with buttons to change the order.

        `labels` says what values stand for, where somebody has declared it.
        """
        if (listed, ticks, ordered) != (self.listed, self.ticks, self.ordered):
            free: dict[str, list[_Line]] = {}
            for value, line in zip(self.listed.values, self.lines, strict=True):
                free.setdefault(value, []).append(line)
            self.listed, self.ticks, self.ordered = listed, ticks, ordered
            self.labels = labels
            self._draw([found.pop(0) if (found := free.get(v)) else None for v in listed.values])

    def _draw(self, lines: Sequence["_Line | None"]) -> None:
        """Let these be the lines, and make a line for each answer that has none yet."""
        for gone in set(self.lines).difference(lines):
            gone.delete()
        with self.place:
            self.lines = [
                line or _Line(self, value)
                for value, line in zip(self.listed.values, lines, strict=True)
            ]
        for at, line in enumerate(self.lines):
            if list(self.place)[at] is not line.item:
                line.item.move(target_index=at)
        self._tell()

    def _tell(self) -> None:
        """Let every line say what the list says now."""
        self.count.text = self.listed.words() if self.ticks else ""
        for at, line in enumerate(self.lines):
            line.tell(at)

    async def tick(self, line: "_Line", event: Any) -> None:
        """Take a tick, or its absence."""
        if line in self.lines:
            at = self.lines.index(line)
            await self._now(self.listed.ticked(at, compared=bool(event.args)), self.lines)

    async def write(self, line: "_Line", event: Any) -> None:
        """Take another wording of an answer."""
        if line in self.lines:
            at = self.lines.index(line)
            await self._now(self.listed.changed(at, str(event.args)), self.lines)

    async def remove(self, line: "_Line") -> None:
        """Take an answer away."""
        if line in self.lines:
            at = self.lines.index(line)
            await self._now(self.listed.removed(at), [*self.lines[:at], *self.lines[at + 1 :]])

    async def raise_(self, line: "_Line") -> None:
        """Move an answer one place up."""
        at = self.lines.index(line) if line in self.lines else 0
        if at:
            lines = [*self.lines[: at - 1], line, self.lines[at - 1], *self.lines[at + 1 :]]
            await self._now(self.listed.raised(at), lines)

    async def _add(self, event: Any) -> None:
        listed = self.listed.added(str(event.args))
        more = len(listed.values) - len(self.lines)
        await self._now(listed, [*self.lines, *[None] * more])

    async def _now(self, listed: Listed, lines: Sequence["_Line | None"]) -> None:
        """Take a new list; all of it, before anything is waited for."""
        self.listed = listed
        with self.field:  # the button that was clicked may be gone
            self._draw(lines)
            done = self.changed(listed)
            if isawaitable(done):
                await done


class _Line:
    """An answer on the page: a tick, its wording, and buttons.

    The wording is the field's default, which a browser shows until somebody types. A value would be
    written into the field again whenever anything on the page is drawn.
    """

    def __init__(self, shown: ValueList, value: str) -> None:
        self.shown = shown
        with ui.element("li") as self.item:
            self.tick = ui.element("input").props("type=checkbox")
            seen = partial(shown.tick, self)
            self.tick.on("change", seen, js_handler="(e) => emit(e.target.checked)")
            self.field = ui.element("input").props("type=text")
            self.field.props["defaultValue"] = value
            for ended in ("change", "blur"):
                self.field.on(ended, partial(shown.write, self), js_handler=_WRITTEN)
            self.label = text("span", "", "dp-small")
            self.up = text("button", "↑").props("type=button")
            self.up.on("click", partial(shown.raise_, self), [])
            self.away = text("button", "×").props("type=button")
            self.away.on("click", partial(shown.remove, self), [])

    def tell(self, at: int) -> None:
        """Say what the list says of the answer at this place, and leave the focus."""
        listed = self.shown.listed
        value = listed.values[at]
        _have(self.field, "defaultValue", value)
        _have(self.field, "aria-label", f"answer {at + 1}")
        _have(self.tick, "checked", listed.compared[at])
        _have(self.tick, "aria-label", f"{value} is in the questionnaire")
        _have(self.up, "aria-label", f"Move {value} up")
        _have(self.away, "aria-label", f"Remove {value}")
        self.tick.visible, self.up.visible = self.shown.ticks, self.shown.ordered and at > 0
        self.label.text = self.shown.labels.get(value, "")

    def delete(self) -> None:
        """Take the line off the page."""
        self.item.delete()


def _have(part: ui.element, name: str, value: Any) -> None:
    """Give a part a property, and send it nowhere if it is the one that it has."""
    if part.props.get(name) != value:
        part.props[name] = value


# The default is what was last told: a field that is left as it was tells nothing.
_WRITTEN = """(e) => {
    const f = e.target, now = f.value.trim();
    if (now === f.defaultValue) return;
    f.defaultValue = now;
    emit(now);
}"""
_FOCUS_KNOWN = "(node) => { node.el.dpFocus = document.activeElement; }"
_FOCUS_BACK = """(node) => {
    const f = node.el.dpFocus;
    if (f !== document.activeElement && node.el.contains(f)) f.focus({ preventScroll: true });
}"""
_SUBMITTED = (
    "(e) => { e.preventDefault(); const f = document.getElementById('%s'); "
    "emit(f.value); f.value = ''; f.focus(); }"
)
