"""What is asked of every person: a number, or whether a condition holds, given true values."""

import inspect
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongKind
from dprivacy.model import shown
from dprivacy.numbers import Floats

_MOST_CALLS = 1_000_000
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WRITTEN = re.compile(r"\s*(?P<name>.+?)\s*(?P<sign><=|>=|!=|=|<|>)\s*(?P<value>.*?)\s*")


class Code(str):
    """A code beside numbers or dates: a word without a size, above and below nothing but words."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return isinstance(other, str) and str.__lt__(self, other)

    def __le__(self, other: object) -> bool:
        return isinstance(other, str) and str.__le__(self, other)

    def __gt__(self, other: object) -> bool:
        return isinstance(other, str) and str.__gt__(self, other)

    def __ge__(self, other: object) -> bool:
        return isinstance(other, str) and str.__ge__(self, other)


def with_codes(labels: Sequence[Any], kind: str) -> list[Any]:
    """The labels of a column of numbers or dates, those that are codes marked as such."""
    if kind == "dates":
        return [v if v is None or _is_date(v) else Code(v) for v in labels]
    return [Code(v) if isinstance(v, str) else v for v in labels]


@dataclass(frozen=True)
class Columns:
    """The columns of a released table, and those that were left out of it."""

    names: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    def require(self, name: str) -> None:
        """Refuse a column that is not there, and say so if it was left out on purpose."""
        if name in self.dropped:
            raise UnknownName(
                f"column {name!r} was left out of this release, so nothing can be said of it; the card "
                f"lists {', '.join(self.names)}"
            )
        UnknownName.require("the column", name, self.names)


@dataclass(frozen=True, eq=False)
class Asked:
    """A function of some columns, evaluated at values and never at noise.

    Parameters
    ----------
    columns
        The columns that it takes.
    call
        Gives the number for one value of each.
    words
        What it is called in an answer.
    """

    columns: tuple[str, ...]
    call: Callable[..., float]
    words: str

    def table(self, values: Sequence[Sequence[Any]]) -> Floats:
        """The function at every combination of values, one axis for each column."""
        shape = tuple(map(len, values))
        self.require_few(math.prod(shape))
        found = np.array([_number(self.call(*each), self.words) for each in product(*values)])
        return found.reshape(shape)

    def require_few(self, count: int) -> None:
        """Refuse more combinations of values than can be tried."""
        if count > _MOST_CALLS:
            raise TooLarge(
                f"{self.words} takes {count:,} combinations of values, more than can be tried; leave a "
                "column out, or make its values fewer"
            )


def _number(value: Any, words: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise WrongKind(
            f"{words} should give numbers or truth values, not {type(value).__name__}"
        ) from None


def read_value(given: Any, known: Columns) -> Asked:
    """What is added up: a column of numbers, or a function whose parameters are named like columns."""
    if isinstance(given, str):
        known.require(given)
        return Asked((given,), lambda value: math.nan if value is None else as_number(value), given)
    if callable(given):
        names = _parameters(given, known)
        return Asked(names, given, f"a function of {', '.join(names)}")
    raise WrongKind(
        "a column's name or a function of columns is needed, such as lambda age: age >= 40, not "
        f"{given!r}"
    )


def _parameters(given: Callable[..., Any], known: Columns) -> tuple[str, ...]:
    try:
        names = tuple(inspect.signature(given).parameters)
    except (TypeError, ValueError):
        names = ()
    if not names:
        raise WrongKind(
            "a function of columns needs parameters named like them, such as lambda age: age >= 40"
        )
    for name in names:
        known.require(name)
    return names


def read_where(given: Any, known: Columns) -> list[Asked]:
    """Conditions: a mapping from column to value, list of values or predicate; functions; or texts."""
    if given is None:
        return []
    if isinstance(given, str):
        return [_written(given, known)]
    if isinstance(given, Mapping):
        return [_of_column(name, wanted, known) for name, wanted in given.items()]
    if callable(given):
        names = _parameters(given, known)
        return [Asked(names, given, f"a condition on {', '.join(names)} holds")]
    if isinstance(given, Sequence):
        return [each for part in given for each in read_where(part, known)]
    raise WrongKind(
        'where should be conditions such as {"job": "nurse", "age": lambda age: age >= 40} or '
        f'"age>=40", not {type(given).__name__}'
    )


def _of_column(name: str, wanted: Any, known: Columns) -> Asked:
    known.require(name)
    if callable(wanted):
        return Asked((name,), lambda v: v is not None and wanted(v), f"a condition on {name} holds")
    if isinstance(wanted, Sequence | set | frozenset) and not isinstance(wanted, str):
        listed = list(wanted)
        words = f"{name} in {', '.join(map(shown, listed))}"
        return Asked((name,), lambda v: any(_same(v, one) for one in listed), words)
    return Asked((name,), lambda v: _same(v, wanted), f"{name} = {shown(wanted)}")


def _written(text: str, known: Columns) -> Asked:
    """A condition as it is written on a command line: "job=nurse", "age>=40", "age=40..49"."""
    parts = _WRITTEN.fullmatch(text)
    if parts is None:
        raise WrongKind(
            f"a condition is written like age>=40, age=40..49 or job=nurse, not {text!r}"
        )
    name, sign, value = parts["name"], parts["sign"], parts["value"]
    known.require(name)
    low, dots, high = (part.strip() for part in value.partition(".."))
    between = _dates_between(sign, low, high) if dots else _dates_beside(sign, value)
    if between is not None:
        return Asked((name,), lambda v: _is_date(v) and between(str(v)), text)
    if dots and sign == "=":
        ends = read_number_text(low, text), read_number_text(high, text)
        return Asked((name,), lambda v: v is not None and ends[0] <= as_number(v) <= ends[1], text)
    if sign in ("=", "!="):
        wanted = value or None
        return Asked((name,), lambda v: _same(v, wanted) == (sign == "="), text)
    limit = read_number_text(value, text)
    compare = _SIGNS[sign]
    return Asked((name,), lambda v: v is not None and compare(as_number(v), limit), text)


_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _is_date(value: Any) -> bool:
    return _DATE.fullmatch(str(value)) is not None


def _dates_between(sign: str, low: str, high: str) -> Callable[[str], bool] | None:
    """Whether a date lies between two, which as texts have the same order; None where none are."""
    if sign != "=" or not (_is_date(low) and _is_date(high)):
        return None
    return lambda date: low <= date <= high


def _dates_beside(sign: str, limit: str) -> Callable[[str], bool] | None:
    if sign not in _SIGNS or not _is_date(limit):
        return None
    return lambda date: bool(_SIGNS[sign](date, limit))


def read_number_text(text: str, where: str) -> Fraction:
    """A number in a condition."""
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise WrongKind(f"{where!r}: {text.strip()!r} should be a number") from None


def as_number(value: Any) -> Any:
    """A label as a number, also where a CSV file holds it as text; refused where it is none.

    A code has no size: NaN, which no condition holds of, and which is left out of sums.
    """
    if isinstance(value, Code):
        return math.nan
    if isinstance(value, bool | int | float | Fraction):
        return value
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise NotApplicable(
            "a column that holds words has no sizes to compare or to add; name its values instead, as "
            "in job=nurse"
        ) from None


def _same(value: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one: by its number where both have one, by its words elsewhere."""
    if value is None or wanted is None:
        return value is wanted
    if value == wanted or shown(value) == shown(wanted):
        return True
    if isinstance(value, bool) or isinstance(wanted, bool):
        return shown(value).lower() == shown(wanted).lower()
    if isinstance(value, str) and isinstance(wanted, str):
        return False
    try:
        return Fraction(str(value)) == Fraction(str(wanted))
    except (ValueError, ZeroDivisionError):
        return False
