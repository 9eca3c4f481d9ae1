"""Spaces too large to list: integers, bit strings, vectors. They share `distance` with FiniteSpace."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

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
    """

    def distance(self, x: Label, z: Label) -> Distance:
        """The distance between two points."""
        ...


@dataclass(frozen=True)
class GridLine:
    """Points low, low + step, …, high of a line (all multiples of step without ends), at |x − z|.

    Examples
    --------
    >>> GridLine(Fraction(1, 10)).distance("0.3", 1)
    Fraction(7, 10)
    """

    step: Fraction = Fraction(1)
    low: Fraction | None = None
    high: Fraction | None = None

    def distance(self, x: Label, z: Label) -> Distance:
        """The absolute difference."""
        return abs(Fraction(x) - Fraction(z))


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
    """Real vectors of one dimension with the norm 1, 2 or infinity.

    Examples
    --------
    >>> Vectors(2).distance([0, 0], [3, 4])
    5.0
    """

    dimension: int
    norm: float = 2

    def distance(self, x: Label, z: Label) -> Distance:
        """The norm of the difference."""
        return float(np.linalg.norm(np.subtract(x, z, dtype=float), ord=self.norm))
