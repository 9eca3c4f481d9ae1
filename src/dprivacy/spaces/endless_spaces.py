"""Spaces too large to list: integers, bit strings, vectors. They share `distance` with FiniteSpace."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dprivacy.numbers import float_up, root_above
from dprivacy.spaces.distance_matrix import Distance
from dprivacy.typing import Label


@runtime_checkable
class MetricSpace(Protocol):
    """What every space offers: the distance between two points.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> isinstance(line(3), MetricSpace), isinstance(BitStrings(8), MetricSpace)
    (True, True)
    >>> print(line(3).distance(0, 2), BitStrings(3).distance([0, 0, 1], [1, 1, 1]))
    2 2
    """

    def distance(self, x: Label, z: Label) -> Distance:
        """The distance between two points."""
        ...


@dataclass(frozen=True)
class GridLine:
    """Points low, low + step, …, high of a line (all multiples of step without ends), at |x − z|.

    Other numbers, which are read as doubles, stand for the point nearest to them (the one with an even
    number of steps, halfway between two): that is where a mechanism on the grid moves them first.

    Examples
    --------
    >>> GridLine(Fraction(1, 10)).distance("0.3", 1)
    Fraction(7, 10)
    >>> GridLine().distance("0.4", "0.6"), GridLine().distance(3, 3.4)
    (Fraction(1, 1), Fraction(0, 1))
    """

    step: Fraction = Fraction(1)
    low: Fraction | None = None
    high: Fraction | None = None

    def distance(self, x: Label, z: Label) -> Distance:
        """The absolute difference of the points that stand for x and z."""
        return abs(self._steps(x) - self._steps(z)) * self.step

    def _steps(self, value: Label) -> int:
        number = Fraction(value)
        if self.low is not None and self.high is not None:
            number = min(max(number, self.low), self.high)
        return round((Fraction(float(number)) - (self.low or 0)) / self.step)


@dataclass(frozen=True)
class Categories:
    """Any number of unordered labels, every two at distance 1, without a table of distances.

    Examples
    --------
    >>> Categories(100_000).distance("tea", "coffee")
    Fraction(1, 1)
    """

    count: int

    def distance(self, x: Label, z: Label) -> Distance:
        """0 or 1."""
        return Fraction(int(x != z))


@dataclass(frozen=True)
class BitStrings:
    """Bit strings of one length; the distance counts the bits that differ.

    Examples
    --------
    >>> BitStrings(4).distance("0110", "1100")
    Fraction(2, 1)
    """

    bits: int

    def distance(self, x: Label, z: Label) -> Distance:
        """The Hamming distance."""
        return Fraction(sum(int(a) != int(b) for a, b in zip(x, z, strict=True)))


@dataclass(frozen=True)
class Vectors:
    """Real vectors of one dimension with the norm 1, 2 or infinity; distances are rounded up.

    Examples
    --------
    >>> Vectors(2).distance([0, 0], [3, 4])
    5.0
    """

    dimension: int
    norm: float = 2

    def distance(self, x: Label, z: Label) -> Distance:
        """The norm of the difference, or the next double above it."""
        apart = [abs(a - b) for a, b in zip(self._numbers(x), self._numbers(z), strict=True)]
        if self.norm == 2:
            return float_up(root_above(sum((gap * gap for gap in apart), Fraction(0))))
        return float_up(sum(apart, Fraction(0)) if self.norm == 1 else max(apart))

    def _numbers(self, vector: Any) -> list[Fraction]:
        return [Fraction(number) for number in np.asarray(vector, dtype=np.float64).tolist()]


@dataclass(frozen=True)
class GridVectors(Vectors):
    """Vectors that stand for the points of a grid nearest to them, at the distance of those points.

    Examples
    --------
    >>> GridVectors(2, step=Fraction(1, 4)).distance([0.1, 0.1], [0.15, 0.1])
    0.25
    """

    step: Fraction = Fraction(1)

    def _numbers(self, vector: Any) -> list[Fraction]:
        return [round(number / self.step) * self.step for number in super()._numbers(vector)]
