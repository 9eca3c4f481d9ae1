"""A square table of distances: doubles, or codes into a list of distinct exact values."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import MixedArithmetic, TooLarge
from dprivacy.numbers import Frozen, Level, as_level, root

Exact = Fraction | Level
Distance = Exact | float


_MOST_POINTS = 20_000


def require_fits(what: str, *sizes: int, power: int = 1) -> None:
    """Raise TooLarge when a table of (the product of the sizes)^power points would not fit."""
    digits = power * sum(math.log10(size) for size in sizes)
    if digits > math.log10(_MOST_POINTS) + 1e-9:
        number = f"{math.prod(sizes) ** power:,}" if digits < 15 else f"about 10^{digits:.0f}"
        raise TooLarge(
            f"{what} has {number} points; at most {_MOST_POINTS:,} fit in a table of distances"
        )


class Roots(Sequence[Distance]):
    """The square roots of distinct whole numbers, each made when it is asked for.

    A list of a thousand places has half a million distances, and a Level of each would take minutes of
    which the doubles alone are needed.
    """

    def __init__(self, squares: NDArray[np.int64]) -> None:
        self._squares = squares

    def __len__(self) -> int:
        return len(self._squares)

    @overload
    def __getitem__(self, at: int) -> Distance: ...
    @overload
    def __getitem__(self, at: slice) -> "Roots": ...
    def __getitem__(self, at: int | slice) -> "Distance | Roots":
        if isinstance(at, slice):
            return Roots(self._squares[at])
        return root(int(self._squares[at])).simplified

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Roots):
            return np.array_equal(self._squares, other._squares)
        return tuple(self) == other

    __hash__ = None  # type: ignore[assignment]

    def doubles(self) -> NDArray[np.float64]:
        """All of them to the nearest double: the squares are below 2⁵³, and a root rounds once."""
        return np.sqrt(self._squares.astype(np.float64))


class Distances(Frozen):
    """Distances between n points.

    Exact tables hold few distinct values (a 30×30 Euclidean grid has 900² entries and 355 values),
    so they are stored as an array of codes and a list of values: Fractions, Levels such as √2 or
    ln 3, and ``inf``. Float tables are plain doubles, and `values` is None.
    """

    table: NDArray[Any]
    values: tuple[Distance, ...] | Roots | None

    def __init__(self, table: NDArray[Any], values: Sequence[Distance] | None = None) -> None:
        table = table.view()
        table.flags.writeable = False
        kept = values if values is None or isinstance(values, Roots) else tuple(values)
        self._set(table=table, values=kept)

    @classmethod
    def roots(cls, squares: NDArray[Any]) -> "Distances":
        """Exact distances from their squares, a table of whole numbers."""
        distinct, codes = _listed(squares)
        if distinct.dtype == object or (len(distinct) and distinct[-1] >= 1 << 53):
            return cls(codes, [root(int(square)).simplified for square in distinct])
        return cls(codes, Roots(distinct))

    @classmethod
    def coded(cls, numbers: NDArray[Any], value: Callable[[int], Distance]) -> "Distances":
        """Exact distances from a table of integers and what each integer stands for."""
        distinct, codes = _listed(numbers)
        return cls(codes, [value(int(number)) for number in distinct])._merged()

    def _merged(self) -> "Distances":
        """The same distances, where equal values have equal codes."""
        if self.values is None:
            return self
        first: dict[Distance, int] = {}
        codes = [first.setdefault(value, len(first)) for value in self.values]
        if len(first) == len(codes):
            return self
        return Distances(np.array(codes, dtype=np.int32)[self.table], list(first))

    @classmethod
    def of(cls, rows: Sequence[Sequence[Distance]]) -> "Distances":
        """From nested rows of Fractions, Levels and inf (exact), or of floats."""
        flat = [value for row in rows for value in row]
        floats = [v for v in flat if isinstance(v, float) and not math.isinf(v)]
        exact = [v for v in flat if not isinstance(v, float)]
        if floats and any(not isinstance(v, Fraction) or v.denominator != 1 for v in exact):
            raise MixedArithmetic(
                f"distances mix the float {floats[0]!r} with exact values; write all of them as "
                "fractions or strings, or all of them as floats"
            )
        if floats:
            return cls(np.array([[float(v) for v in row] for row in rows]))
        codes: dict[Any, int] = {}
        table = np.array(
            [[codes.setdefault(v, len(codes)) for v in row] for row in rows], dtype=np.int32
        )
        return cls(table, list(codes))

    @property
    def exact(self) -> bool:
        """Whether every value is exact."""
        return self.values is not None

    @property
    def n(self) -> int:
        """The number of points."""
        return int(self.table.shape[0])

    def __getitem__(self, at: tuple[int, int]) -> Distance:
        if self.values is None:
            return float(self.table[at])
        return self.values[int(self.table[at])]

    @cached_property
    def _doubles(self) -> NDArray[np.float64]:
        """The values as doubles."""
        if isinstance(self.values, Roots):
            return self.values.doubles()
        return np.array([_double(v) for v in self.values or ()], dtype=np.float64)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The distances as doubles."""
        if self.values is None:
            return self.table
        floats = np.asarray(self._doubles[self.table], dtype=np.float64)
        floats.flags.writeable = False
        return floats

    @cached_property
    def signs(self) -> NDArray[np.float64]:
        """−1, 0 or 1 for each entry, also where an exact value is too small for a double."""
        if self.values is None:
            return np.asarray(np.sign(self.table))
        signs = np.sign(self._doubles)
        for code in np.flatnonzero(signs == 0):
            signs[code] = as_level(self.values[int(code)]).sign()
        return np.asarray(signs[self.table])

    @cached_property
    def zeros(self) -> NDArray[np.bool_]:
        """Where a distance is exactly 0."""
        return np.asarray(self.signs == 0)

    def mapped(self, change: Callable[[Distance], Distance]) -> "Distances":
        """Every distance changed by one function."""
        if self.values is None:
            return Distances.of([[change(float(v)) for v in row] for row in self.table])
        return Distances(self.table, [change(v) for v in self.values])._merged()

    def scaled(self, factor: Level) -> "Distances":
        """Every distance times a positive exact number."""
        if self.values is None:
            if not 0 < float(factor) < math.inf:
                raise TooLarge(f"distances in doubles cannot be multiplied by {factor}")
            return Distances(self.table * float(factor))
        return self.mapped(lambda value: times(value, factor))

    def take(self, indices: Sequence[int]) -> "Distances":
        """The distances between the chosen points."""
        chosen = np.asarray(indices, dtype=np.intp)
        return Distances(self.table[np.ix_(chosen, chosen)], self.values)

    def joined(
        self, other: "Distances", join: Callable[[Distance, Distance], Distance]
    ) -> "Distances":
        """Entry by entry, the join of two distances (a sum, a maximum, a minimum)."""
        if self.values is None or other.values is None:
            if self.exact != other.exact:
                raise MixedArithmetic(
                    "one space has exact distances and the other floats; build both the same way"
                )
            pairs = zip(self.table.ravel(), other.table.ravel(), strict=True)
            joined = np.array([join(float(a), float(b)) for a, b in pairs])
            return Distances(joined.reshape(self.table.shape))
        mine, others = self.values, other.values
        combined = self.table.astype(np.int64) * len(others) + other.table
        return Distances.coded(
            combined, lambda c: join(mine[c // len(others)], others[c % len(others)])
        )

    @cached_property
    def integers(self) -> tuple[NDArray[Any], int] | None:
        """(numerators, denominator) when all distances are finite rationals, else None.

        The numerators are int64 when sums of two of them cannot overflow, Python integers otherwise.
        """
        if self.values is None or not all(isinstance(v, Fraction) for v in self.values):
            return None
        rationals = [v for v in self.values if isinstance(v, Fraction)]
        den = math.lcm(*(v.denominator for v in rationals))
        numerators = [v.numerator * (den // v.denominator) for v in rationals]
        small = max(numerators, default=0) < 1 << 62
        table = np.array(numerators, dtype=np.int64 if small else object)[self.table]
        table.flags.writeable = False
        return table, den


def _listed(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The distinct numbers in their order, and for each entry which of them it is."""
    small = numbers.dtype.kind == "i" and numbers.size and numbers.min() >= 0
    if small and numbers.max() < numbers.size:  # counting is ten times as fast as sorting
        there = np.bincount(numbers.reshape(-1)) > 0
        distinct, codes = np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]
    else:
        distinct, codes = np.unique(numbers, return_inverse=True)
    return distinct, codes.reshape(numbers.shape).astype(np.int32)


def _double(value: Distance) -> float:
    number = float(as_level(value)) if isinstance(value, Fraction) else float(value)
    if math.isinf(number) and not isinstance(value, float):
        raise TooLarge("a distance is too large for a double; measure in larger units")
    return number


def plus(a: Distance, b: Distance) -> Distance:
    """The sum of two distances; inf absorbs."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) + float(b)
    return (
        (a + b)
        if isinstance(a, Fraction) and isinstance(b, Fraction)
        else (as_level(a) + b).simplified
    )


def times(a: Distance, b: Exact) -> Distance:
    """A distance times an exact number."""
    return a if isinstance(a, float) else (as_level(a) * b).simplified
