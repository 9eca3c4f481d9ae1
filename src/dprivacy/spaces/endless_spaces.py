"""Spaces too large to list: integers, bit strings, vectors. They share `distance` with FiniteSpace."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dprivacy.spaces.distance_matrix import Distance


@runtime_checkable
class MetricSpace(Protocol):
    """What every space offers: the distance between two points."""

    def distance(self, x: Any, z: Any) -> Distance:
        """The distance between two points."""
        ...


@dataclass(frozen=True)
class GridLine:
    """Points low, low + step, …, high of a line (all multiples of step without ends), at |x − z|."""

    step: Fraction = Fraction(1)
    low: Fraction | None = None
    high: Fraction | None = None

    def distance(self, x: Any, z: Any) -> Distance:
        """The absolute difference."""
        return abs(Fraction(x) - Fraction(z))


@dataclass(frozen=True)
class BitStrings:
    """Bit strings of one length; the distance counts the bits that differ."""

    bits: int

    def distance(self, x: Any, z: Any) -> Distance:
        """The Hamming distance."""
        return Fraction(sum(int(a) != int(b) for a, b in zip(x, z, strict=True)))


@dataclass(frozen=True)
class Vectors:
    """Real vectors of one dimension with the norm 1, 2 or infinity."""

    dimension: int
    norm: float = 2

    def distance(self, x: Any, z: Any) -> Distance:
        """The norm of the difference."""
        return float(np.linalg.norm(np.subtract(x, z, dtype=float), ord=self.norm))
