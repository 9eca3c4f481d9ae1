"""A space by its kind and size, written in the grammar of spaces: line:9, grid:6x6:manhattan."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from dprivacy.errors import BadNumber, TooLarge
from dprivacy.model import as_space
from dprivacy.spaces import FiniteSpace
from dprivacy.web.shell.controls import Choice


@dataclass(frozen=True)
class Kind:
    """A family of spaces: what it is for, what its size counts, and how the grammar writes it."""

    words: str
    size: str
    such_as: str
    written: str  # {} stands for the size


KINDS = {
    "line": Kind("numbers on a line, by their difference", "numbers", "9", "line:{}"),
    "discrete": Kind("categories, all equally far apart", "categories", "5", "discrete:{}"),
    "grid": Kind("cells of a map, by straight distance (Euclidean)", "cells", "6x6", "grid:{}"),
    "city": Kind("cells of a map, by city blocks (Manhattan)", "cells", "6x6", "grid:{}:manhattan"),
    "cube": Kind("yes/no codes, by answers that differ", "questions", "3", "cube:{}"),
}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def kind_and_size(text: str) -> tuple[str, str]:
    """The kind and the size of a space that the grammar writes so; a line for any other.

    Examples
    --------
    >>> kind_and_size("grid:3x4:manhattan"), kind_and_size("cube:3")
    (('city', '3x4'), ('cube', '3'))
    """
    head, _, more = text.partition(":")
    size, _, metric = more.partition(":")
    kind = "city" if head == "grid" and metric == "manhattan" else head
    if kind in KINDS and KINDS[kind].written.format(size) == text:
        return kind, size
    return "line", "3"


def chosen_space(text: str, *, most: int) -> FiniteSpace:
    """The space that a text of the grammar means; TooLarge where a room would work for too long.

    Categories are called A, B, C … as long as there are letters.

    Examples
    --------
    >>> len(chosen_space("grid:2x3", most=100)), chosen_space("discrete:2", most=9).labels
    (6, ('A', 'B'))
    """
    kind, size = kind_and_size(text)
    points = _points(kind, size)
    if not points:
        family = KINDS[kind]
        raise BadNumber(
            f"the size, in {family.size}, should be such as {family.such_as}, not {size!r}"
        )
    if points > most:
        raise TooLarge(
            f"this space has {points} points, and the page works with up to {most} here; the command "
            "line takes larger ones"
        )
    if kind == "discrete" and points <= len(_LETTERS):
        return as_space(kind, labels=list(_LETTERS[:points]))
    return as_space(text)


def _points(kind: str, size: str) -> int:
    """How many points a space of this size has; 0 where it is not a size."""
    parts = size.split("x")
    sides = 2 if kind in ("grid", "city") else 1
    if len(parts) != sides or not all(p.isascii() and p.isdecimal() and len(p) < 4 for p in parts):
        return 0
    if kind == "cube":
        return 1 << min(int(parts[0]), 64)
    return int(parts[0]) * (int(parts[1]) if sides == 2 else 1)


class SpaceChoice:
    """The list of kinds, and the box for the size; `text` is the space that they mean."""

    def __init__(self, text: str, kinds: Iterable[str], changed: Callable[[], Any]) -> None:
        kind, size = kind_and_size(text)
        self.kind = Choice(
            "What is kept secret?", {name: KINDS[name].words for name in kinds}, kind
        )
        self.size = ui.input("Its size", value=size).props("outlined dense debounce=400")
        self.changed = changed
        self._fit()
        self.kind.on_change(self._other_kind)
        self.size.on_value_change(changed)

    @property
    def text(self) -> str:
        """The space in the grammar."""
        size = str(self.size.value or "").strip().replace("×", "x").replace(" ", "")
        return KINDS[self.kind.value].written.format(size)

    def _other_kind(self) -> Any:
        """A map has two sides, all else one number: keep the first where the kind changes."""
        side = str(self.size.value or "").partition("x")[0].strip() or "3"
        size = f"{side}x{side}" if self.kind.value in ("grid", "city") else side
        self._fit()
        if size == self.size.value:
            return self.changed()
        self.size.value = size  # which tells of the change
        return None

    def _fit(self) -> None:
        family = KINDS[self.kind.value]
        self.size.props["hint"] = f"{family.size}, such as {family.such_as}"


def settled_space(text: str, kinds: Iterable[str], otherwise: str) -> str:
    """A space from an address, if it is of one of these kinds; another otherwise.

    Examples
    --------
    >>> settled_space("cube:3", ["line"], "line:3"), settled_space("line:99", ["line"], "line:3")
    ('line:3', 'line:99')
    """
    kind, size = kind_and_size(text)
    return text if kind in kinds and KINDS[kind].written.format(size) == text else otherwise
