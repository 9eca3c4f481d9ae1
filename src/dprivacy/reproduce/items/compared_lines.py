"""One number of a source beside ours, and how the two compare."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from dprivacy.model import Verdict, shown
from dprivacy.numbers import Level

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Mark = Literal["as printed", "differs", "extended", "unexplained"]


@dataclass(frozen=True)
class Line:
    """A printed value, ours, and the mark.

    `mark` is "as printed"; "differs" with the number of an erratum that says why; "extended" where the
    source prints nothing; or "unexplained", which should not happen and fails the run.

    Examples
    --------
    >>> from dprivacy.reproduce import reproduce
    >>> line = reproduce("T:table-5.1").outcomes[0].found.lines[0]
    >>> line.mark
    'as printed'
    >>> line.verdict, sorted(line.to_dict())
    ('as printed', ['erratum', 'mark', 'ours', 'printed', 'what'])
    """

    what: str
    printed: str
    ours: str
    mark: Mark
    erratum: str = ""

    @property
    def verdict(self) -> str:
        """The mark in words."""
        return f"differs: see erratum {self.erratum}" if self.mark == "differs" else self.mark

    def to_dict(self) -> dict[str, Any]:
        """The line as plain data."""
        return {**vars(self), "erratum": self.erratum or None}


@dataclass(frozen=True)
class Drawing:
    """A picture that is only drawn where somebody wants to see it."""

    caption: str
    draw: Callable[[], "Figure"]


@dataclass(frozen=True)
class Found:
    """What an item computed: lines, pictures, and remarks in words."""

    lines: tuple[Line, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: "Parts") -> "Found":
        """The answer of an item, from its parts in their order; a text is a remark."""
        listed = list(parts)
        return cls(
            tuple(part for part in listed if isinstance(part, Line)),
            tuple(part for part in listed if isinstance(part, Drawing)),
            tuple(part for part in listed if isinstance(part, str)),
        )


Parts = Iterator[Line | Drawing | str]


def compared(what: str, printed: Any, ours: Any, *, erratum: str = "") -> Line:
    """Ours against the printed value, to the digits that are printed.

    Parameters
    ----------
    what
        What the value is.
    printed
        As it stands in the source: text, a fraction or a whole number. A decimal such as "0.63" is met
        by every number that rounds to it.
    ours
        What was computed: a number, a Level, a verdict or text.
    erratum
        The erratum that says why they differ. With it, a value that does *not* differ is unexplained:
        then the erratum itself would be wrong.
    """
    text = written(printed)
    same = meets(ours, text)
    if same == bool(erratum):
        mark: Mark = "unexplained"
    else:
        mark = "differs" if erratum else "as printed"
    return Line(what, text, beside(ours, text), mark, erratum)


def agrees(what: str, printed: str, ours: str, holds: bool) -> Line:
    """A statement in words, such as the shape of a measured curve: as printed when it holds."""
    return Line(what, printed, ours, "as printed" if holds else "unexplained")


def corrected(what: str, printed: str, ours: str, erratum: str, *, shows: bool) -> Line:
    """A statement that is wrong, and what is right; `shows` says that the counter-example worked."""
    return Line(what, printed, ours, "differs" if shows else "unexplained", erratum)


def extended(what: str, ours: Any, *, holds: bool = True) -> Line:
    """A value that the source does not print; `holds` is a check of our own."""
    return Line(what, "", written(ours), "extended" if holds else "unexplained")


def written(value: Any) -> str:
    """A value as it stands in a table."""
    if isinstance(value, bool | Verdict):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Level):
        return re.sub(r"ln\((\d+)\)", r"ln \1", str(value))  # as people write it
    if isinstance(value, list):
        return ", ".join(written(item) for item in value)
    if isinstance(value, tuple):
        return "(" + ", ".join(written(item) for item in value) + ")"
    return shown(value)


def meets(ours: Any, printed: str) -> bool:
    """Whether a value rounds to the printed decimal, is that level, or is written exactly so."""
    if isinstance(ours, Level):
        return ours == Level(printed)
    digits = _decimals(printed)
    if digits is None and isinstance(ours, float):
        return repr(ours) in (
            printed,
            f"{printed}.0",
        )  # all its digits: nothing is printed to round to
    if digits is None or isinstance(ours, str | bool | tuple | list):
        return written(ours) == printed
    return rounded(ours, digits) == printed


def beside(ours: Any, printed: str) -> str:
    """Ours, with the printed number of digits beside an exact fraction."""
    digits = _decimals(printed)
    if digits is None or isinstance(ours, str | bool | Level | tuple | list):
        return written(ours)
    size = rounded(ours, digits)
    exact = written(ours)
    if isinstance(ours, Fraction | int) and exact != size and len(exact) <= _SHORT:
        return f"{exact} = {size}…" if Fraction(size) != ours else f"{exact} = {size}"
    return size


_SHORT = 12


def rounded(value: Any, digits: int) -> str:
    """To this many decimals, halves away from zero, as people round; exact for fractions."""
    exact = Fraction(value)
    with localcontext() as context:
        context.prec = 60
        ratio = Decimal(exact.numerator) / Decimal(exact.denominator)
        return str(ratio.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def _decimals(printed: str) -> int | None:
    whole, point, part = printed.partition(".")
    if point and part.isdigit() and whole.lstrip("-−").isdigit():
        return len(part)
    return None
