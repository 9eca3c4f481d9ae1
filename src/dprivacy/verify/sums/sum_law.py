"""E[(X₁ + … + X_n)⁺] for independent draws of one law, never below the truth.

(·)⁺ rises and is convex. So splitting an atom over two neighbouring points of a grid with the same mean
can only raise the expectation, and so can moving mass up. Masses are doubles. Only positive numbers are
added and multiplied, so that each has a relative error that is known: `error` carries it along, and the
end is raised by it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import float_up
from dprivacy.verify.sums.unthreaded_products import convolution, scalar_product

_MOST = 4096  # points of one draw
_LEADING = 10  # bits of n that are kept
_UNIT = 2.0**-53
_SPARE = 1.001  # of what is lost, for its own rounding
_LARGEST_ERROR = 0.25
_SMALLEST = 1e-300  # more than underflow can lose in one sum


@dataclass(frozen=True)
class SumLaw:
    """Masses at first·step, (first + 1)·step, …, and the mass that was cut off above.

    Each mass is at least the true one times 1 − error.
    """

    masses: NDArray[np.float64]
    lost: float
    first: int
    step: Fraction
    error: float
    cut: float

    def joined(self, other: "SumLaw") -> "SumLaw":
        """The law of the sum of two independent draws, on one grid."""
        terms = min(len(self.masses), len(other.masses))
        masses = convolution(self.masses, other.masses)
        return replace(
            self,
            masses=masses,
            first=self.first + other.first,
            lost=(self.lost + other.lost + len(masses) * _SMALLEST) * _SPARE,
            error=self.error + other.error + (terms + 4) * _UNIT,
        ).trimmed()

    def trimmed(self) -> "SumLaw":
        """Without the ends: the upper one is lost, the lower one moves up."""
        above = np.cumsum(self.masses[::-1])
        upper = min(int(np.searchsorted(above, self.cut, side="right")), len(above) - 1)
        masses = self.masses[: len(above) - upper]
        below = np.cumsum(masses)
        lower = min(int(np.searchsorted(below, self.cut, side="right")), len(below) - 1)
        kept = masses[lower:].copy()
        if lower:
            kept[0] += below[lower - 1]
        lost = self.lost + (float(above[upper - 1]) if upper else 0.0) * _SPARE
        error = self.error + (lower + 2) * _UNIT
        return replace(self, masses=kept, lost=lost, first=self.first + lower, error=error)

    def coarser(self) -> "SumLaw":
        """On a grid of twice the step: points between are split half and half."""
        odd = self.first % 2
        masses = np.zeros((len(self.masses) + odd) // 2 * 2 + 1)
        masses[odd : odd + len(self.masses)] = self.masses
        even, half = masses[::2].copy(), masses[1::2] / 2
        even[:-1] += half
        even[1:] += half
        first, error = self.first // 2, self.error + 3 * _UNIT
        return replace(self, masses=even, first=first, step=self.step * 2, error=error)

    def positive_part(self) -> Fraction:
        """The mean of the positive part of what was not lost."""
        indices = np.arange(self.first, self.first + len(self.masses), dtype=float)
        total = scalar_product(self.masses, np.maximum(indices, 0.0))
        error = self.error + (len(indices) + 8) * _UNIT
        return Fraction(total) * (1 + 2 * Fraction(error)) * self.step


def draw(atoms: Mapping[Fraction, Fraction], points: int, cut: float) -> SumLaw:
    """One draw on a grid of this many points a standard deviation; atoms are {value: probability}."""
    low, high = float(min(atoms)), float(max(atoms))
    mean = sum(float(v) * float(w) for v, w in atoms.items())
    spread = math.sqrt(sum(float(w) * (float(v) - mean) ** 2 for v, w in atoms.items()))
    step = Fraction(max(spread / points, (high - low) / _MOST, 1e-300))
    parts: dict[int, Fraction] = {}
    for value, weight in atoms.items():
        index, rest = divmod(value, step)
        up = weight * rest / step
        for at, part in ((index, weight - up), (index + 1, up)):
            if part:
                parts[at] = parts.get(at, Fraction(0)) + part
    first = min(parts)
    masses = np.zeros(max(parts) - first + 1)
    for at, part in parts.items():
        masses[at - first] = float_up(part)
    return SumLaw(masses, 0.0, first, step, 0.0, cut)


def shortened(n: int) -> int:
    """At most n: its leading bits, so that few sums are left to be joined."""
    short = max(n.bit_length() - _LEADING, 0)
    return (n >> short) << short


def mean_positive_sum(
    atoms: Mapping[Fraction, Fraction], n: int, *, points: int, negligible: Fraction
) -> Fraction:
    """An upper bound of E[(sum of n draws)⁺], too high by n·max·negligible at most through what is cut.

    By squaring; the step doubles with every second one, as the standard deviation does.
    """
    top = max(atoms)
    if top <= 0:
        return Fraction(0)
    law = draw(atoms, points, float(negligible / (4 * n)))
    total: SumLaw | None = None
    for level in range(n.bit_length()):
        if level:
            law = law.joined(law)
            if level % 2 == 0:
                law = law.coarser()
        if n >> level & 1:
            while total is not None and total.step < law.step:
                total = total.coarser()
            total = law if total is None else total.joined(law)
    assert total is not None
    if total.error > _LARGEST_ERROR:
        return top * n
    return total.positive_part() + Fraction(total.lost) * top * n
