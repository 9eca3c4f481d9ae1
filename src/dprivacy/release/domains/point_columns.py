"""Columns of numbers beside special codes, and of dates: points of a grid, with codes or without."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dprivacy.errors import BadPlan, TooLarge
from dprivacy.mechanisms import (
    MOST_LISTED,
    ChannelMechanism,
    coded_laplace,
    geometric,
    grid_line,
    nearest_on,
)
from dprivacy.model import Channel, Guarantee, factor_in_words
from dprivacy.numbers import Level, as_level
from dprivacy.release.domains.calendar_days import DateLayout, iso_date, read_day, read_days
from dprivacy.release.plans.column_domains import exact_number, require_table
from dprivacy.release.plans.value_blocks import within_blocks
from dprivacy.spaces import FiniteSpace, GridLine, quantised

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")
BLOCKS = "codes"


@dataclass(frozen=True)
class Points:
    """Cells that stand for points of a public grid, or are codes beside them.

    Parameters
    ----------
    line
        The range and the grid: numbers, or days counted from 1970-01-01.
    codes
        Texts that are not numbers or dates of people; None is a missing value.
    layout
        How dates are written; None for numbers.

    Examples
    --------
    >>> Points(GridLine(Fraction(2), Fraction(0), Fraction(4)), ("N",)).labels
    (Fraction(0, 1), Fraction(2, 1), Fraction(4, 1), 'N')
    """

    line: GridLine
    codes: tuple[str | None, ...] = ()
    layout: DateLayout | None = None

    @property
    def count(self) -> int:
        """The number of points."""
        assert self.line.low is not None
        assert self.line.high is not None
        return int((self.line.high - self.line.low) / self.line.step) + 1

    @cached_property
    def numbers(self) -> tuple[Fraction, ...]:
        """The points as numbers."""
        assert self.line.low is not None
        return tuple(self.line.low + k * self.line.step for k in range(self.count))

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The points, dates as texts, and then the codes."""
        dated = self.layout is not None
        return (*(map(iso_date, self.numbers) if dated else self.numbers), *self.codes)  # type: ignore[arg-type]

    def position(self, code: str | None) -> int:
        """Where a code stands among the labels."""
        return self.count + self.codes.index(code)

    def place_of(self, value: Any) -> int | None:
        """Where a value of a plan stands: a code, a number or a date; None where it is none of them."""
        if value in self.codes:
            return self.position(value)
        day = self.layout.day(value) if self.layout and isinstance(value, str) else None
        number = value if self.layout is None and type(value) in (int, float) else day
        if number is None or not math.isfinite(number):
            return None
        for position, code in self.sized:
            if code == number:
                return position
        return int(nearest_on(self.line, np.array([number], dtype=np.float64))[0])

    @cached_property
    def sized(self) -> tuple[tuple[int, float], ...]:
        """Codes that are written as numbers: their positions, and the numbers."""
        if self.layout is not None:
            return ()
        known = ((self.position(code), code_number(code)) for code in self.codes)
        return tuple((at, number) for at, number in known if number is not None)


def code_number(code: str | None) -> float | None:
    """The number that a code is written as; None where it is a word.

    Examples
    --------
    >>> code_number("999"), code_number("N")
    (999.0, None)
    """
    number = float(code) if code is not None and _NUMBER.fullmatch(code) else math.inf
    return number if math.isfinite(number) else None


def are_whole(codes: Iterable[str]) -> bool:
    """Whether codes are all written as whole numbers, so that a column of numbers may hold them."""
    return all(_WHOLE.fullmatch(code) for code in codes)


def has_points(kind: str, spec: Mapping[str, Any], nulls: str) -> bool:
    """Whether a column's cells are listed points: dates, or numbers with codes beside them."""
    return kind == "dates" or (kind == "numbers" and ("codes" in spec or nulls == "category"))


def read_points(kind: str, spec: Mapping[str, Any], nulls: str, where: str) -> Points:
    """The points and codes that a plan gives a column.

    Raises
    ------
    BadPlan, BadNumber
        Where they do not fit together; a code that could be a person's number is refused.
    """
    missing = [key for key in ("low", "high", "grid") if key not in spec]
    if missing:
        raise BadPlan(f"{where}: {', '.join(missing)} is missing beside the type {kind}")
    dated = kind == "dates"
    ends = [
        read_day(spec[key], key) if dated else exact_number(spec[key]) for key in ("low", "high")
    ]
    step = read_days(spec["grid"], "grid") if dated else exact_number(spec["grid"])
    layout = DateLayout(spec.get("format")) if dated else None
    points = Points(grid_line(ends[0], ends[1], step), read_codes(spec, nulls, where), layout)
    if points.count + len(points.codes) > MOST_LISTED:
        raise TooLarge(
            f"{where}: {points.count:,} points of the grid are more than the {MOST_LISTED:,} that a "
            f"column of {'dates' if dated else 'numbers with codes'} may have; take a coarser grid"
        )
    _require_apart(points, where)
    blocks = spec.get("blocks", BLOCKS)
    if blocks != BLOCKS or ("blocks" in spec and not points.codes):
        raise BadPlan(
            f'{where}: blocks = "codes" publishes who has a number and who has which code; it needs '
            f"codes, and {kind} have no other blocks"
        )
    return points


def read_codes(spec: Mapping[str, Any], nulls: str, where: str) -> tuple[str | None, ...]:
    """The codes that a plan lists, as texts; None for a missing value where it is one of them."""
    given = spec.get("codes", [])
    if not isinstance(given, list) or not all(type(code) in (str, int) for code in given):
        raise BadPlan(f'{where}: codes = ["N", "999"] lists texts, not {str(given)[:60]}')
    codes = [str(code) for code in given]
    if "codes" in spec and not codes and nulls != "category":
        raise BadPlan(f"{where}: codes should list at least one code; leave it out where none is")
    if any(not code.strip() for code in codes):
        raise BadPlan(
            f'{where}: an empty cell is a missing value, and no code; write nulls = "category", which '
            "makes it one more code"
        )
    return (*codes, None) if nulls == "category" else tuple(codes)


def _require_apart(points: Points, where: str) -> None:
    """Refuse codes that are the same, or that could be a number or a date of a person."""
    words = [code for code in points.codes if code is not None]
    numbers = [number for _, number in points.sized]
    if len(set(words)) < len(words) or len(set(numbers)) < len(numbers):
        raise BadPlan(f"{where}: the same code is listed twice")
    low, high, layout = points.line.low, points.line.high, points.layout
    assert low is not None
    assert high is not None
    for code in words:
        number = code_number(code)
        if layout is None and number is not None and low <= Fraction(number) <= high:
            raise BadPlan(
                f"{where}: the code {code!r} lies between low and high, so that a cell could be "
                "either; move low or high, or leave the code out"
            )
        if layout is not None and layout.day(code) is not None:
            raise BadPlan(f"{where}: the code {code!r} is a date, so that a cell could be either")


def points_mechanism(points: Points, spec: Mapping[str, Any], where: str) -> ChannelMechanism:
    """The mechanism on the points and codes of a column."""
    low, high, step = points.line.low, points.line.high, points.line.step
    assert low is not None
    assert high is not None
    eps = exact_number(spec["epsilon"])
    if "delta" in spec:
        raise BadPlan(f"{where}: delta is for numbers without codes")
    require_table(len(points.labels), eps, farthest_points(spec), where)
    if not points.codes:
        made = replace(geometric(quantised(low, high, step), eps=eps), family="laplace")
    else:
        given = _hung(points, spec)
        made = coded_laplace(low, high, codes=points.codes, eps=eps, grid=step, **given)
        if "blocks" in spec:
            apart = [list(made.space.labels[: points.count]), *([code] for code in points.codes)]
            made = within_blocks(made.space, apart, lambda part: geometric(part, eps=eps))
    return made if points.layout is None else relabelled(made, points.labels)


def _hung(points: Points, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Where the codes hang, as a plan says it."""
    given: dict[str, Any] = {}
    if "anchor" in spec:
        dated = points.layout is not None
        given["anchor"] = (
            read_day(spec["anchor"], "anchor") if dated else exact_number(spec["anchor"])
        )
    if "code_distance" in spec:
        apart = spec["code_distance"]
        in_words = points.layout is not None and isinstance(apart, str)
        given["code_distance"] = (
            read_days(apart, "code_distance") if in_words else exact_number(apart)
        )
    return given


def relabelled(made: ChannelMechanism, labels: Sequence[Any]) -> ChannelMechanism:
    """The same mechanism for points that have other names."""
    space = FiniteSpace(labels, made.space.distances, edges=made.space.known_edges)
    promise = made.guarantee
    return ChannelMechanism(
        made.family,
        Channel(labels, labels, made.channel.matrix),
        Guarantee(promise.eps, space, promise.delta, promise.because),
        made.tight,
        made.parameters,
    )


def class_level(mechanism: Any) -> Level | None:
    """The level at which it is protected whether a cell is a point or a code, and which code.

    None where a column has no codes, or publishes who has which.
    """
    apart = getattr(mechanism, "parameters", {}).get("code_distance")
    return None if apart is None else as_level(mechanism.guarantee.eps * apart)


def point_words(points: Points, mechanism: ChannelMechanism) -> str:
    """What a column's codes are protected by, and how its values are moved first."""
    low, high = points.labels[0], points.labels[points.count - 1]
    words = (
        f"values below {low} are released as if they were {low}, values above {high} as if they were "
        f"{high}; values are first moved to the nearest point of the grid, which can put two of them "
        "up to one step of the grid farther apart."
    )
    if not points.codes:
        return words
    what = "a date" if points.layout is not None else "a number"
    told = code_words(what, points.codes, class_level(mechanism))
    return f"{words} {told[0].upper()}{told[1:]}"


def code_words(what: str, codes: Iterable[Any], level: Level | None) -> str:
    """What protects whether a cell is a code, and which; None where that is published.

    Examples
    --------
    >>> code_words("a number", ["N"], as_level("ln 2"))
    'whether a cell is a number or a code (N), and which code, is protected by a factor of at most 2.'
    """
    listed = ", ".join("missing" if code is None else str(code) for code in codes)
    if level is None:
        return f"whether a cell is {what} or which code ({listed}) is published as it is."
    return (
        f"whether a cell is {what} or a code ({listed}), and which code, is protected by a factor of "
        f"at most {factor_in_words(level)}."
    )


def column_size(spec: Mapping[str, Any]) -> int:
    """How many points and codes a plan gives a column, found without making anything."""
    points = _read_again(spec)
    return points.count + len(points.codes)


def farthest_points(spec: Mapping[str, Any]) -> float:
    """At most how far two points or codes are apart, found in the same way."""
    points = _read_again(spec)
    assert points.line.low is not None
    assert points.line.high is not None
    width = points.line.high - points.line.low
    given = _hung(points, spec) if points.codes else {}
    try:
        return float(width + as_level(given.get("code_distance", width)))
    except OverflowError:
        return math.inf


def _read_again(spec: Mapping[str, Any]) -> Points:
    nulls = "category" if spec.get("nulls") == "category" else "refuse"
    return read_points(str(spec.get("type")), spec, nulls, "the column")
