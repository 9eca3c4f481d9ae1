"""How many of m₁ + m₂ people say "yes": the law of a sum of two binomials, with its error.

Masses come from the mode by the ratio of neighbours, over a window that leaves out next to nothing, and
are normalised there. What is meant is the sum of the two binomials *given that each is in its window*:
it is log-concave too, and its masses are known to a relative error. `OUTSIDE` bounds how far it is from
the whole sum.
"""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprivacy.verify.sums.unthreaded_products import scalar_product

_UNIT = 2.0**-53
_SMALLEST = 1e-140  # of the mode: products of two such masses do not underflow
_LARGEST_ODDS = Fraction(10**300)  # with which all but the mode is below the smallest anyway
_WIDE, _AT_LEAST = 11.5, 110  # half a window: standard deviations, and points

OUTSIDE = 1e-27
"""More than the chance that one of two binomials is outside its window.

By Bernstein's inequality |X − mean| ≥ 11.5·σ + 100 has a chance of at most 2·e^(−66) < 4·10⁻²⁹.
"""


def binomial(m: int, q: Fraction) -> tuple[int, NDArray[np.float64]]:
    """The first point and the masses of a binomial in its window, each to 8·2^(−53) a point."""
    if not m or not 0 < q < 1:
        return (m if q >= 1 else 0), np.ones(1)
    mode = math.floor((m + 1) * q)
    half = math.ceil(_WIDE * math.sqrt(float(m * q * (1 - q)))) + _AT_LEAST
    low, high = max(mode - half, 0), min(mode + half, m)
    odds = float(min(q / (1 - q), _LARGEST_ODDS))
    up = np.arange(mode, high, dtype=float)
    down = np.arange(mode, low, -1, dtype=float)
    right = np.cumprod((m - up) * odds / (up + 1))
    left = np.cumprod(down / (odds * (m - down + 1)))
    right, left = right[right > _SMALLEST], left[left > _SMALLEST]
    masses = np.concatenate((left[::-1], [1.0], right))
    return mode - len(left), masses / masses.sum()


class CountLaw:
    """Bin(m₁, q₁) + Bin(m₂, q₂) at single points, each to a relative error of at most `error`."""

    def __init__(self, m1: int, q1: Fraction, m2: int, q2: Fraction) -> None:
        (start, self._one), (other, self._two) = binomial(m1, q1), binomial(m2, q2)
        self.first = start + other
        self.last = self.first + len(self._one) + len(self._two) - 2
        self.mean = float(m1 * q1 + m2 * q2)
        self.variance = float(m1 * q1 * (1 - q1) + m2 * q2 * (1 - q2))
        self.error = 16 * (len(self._one) + len(self._two)) * _UNIT
        self._back = np.ascontiguousarray(self._two[::-1])

    @cached_property
    def _tails(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of the first: from each point on; of the second: the same, backwards."""
        return np.append(np.cumsum(self._one[::-1])[::-1], 0.0), np.cumsum(self._back)

    def _meet(self, j: int) -> tuple[int, int, int]:
        """Which masses of the first meet which of the second, reversed, at a sum of j."""
        d, size = j - self.first, len(self._two)
        low = max(0, d - size + 1)
        return low, min(len(self._one) - 1, d) + 1, size - 1 - d + low

    def at(self, j: int) -> float:
        """P(sum = j)."""
        low, high, start = self._meet(j)
        if low >= high:
            return 0.0
        return scalar_product(self._one[low:high], self._back[start : start + high - low])

    def above(self, j: int) -> float:
        """P(sum ≥ j)."""
        low, high, start = self._meet(j)
        first, second = self._tails
        rest = float(first[max(high, 0)])
        if low >= high:
            return rest
        return rest + scalar_product(self._one[low:high], second[start : start + high - low])

    def crossing(self, ratio: float) -> int:
        """The least j with P(sum = j−1) > ratio·P(sum = j), as far as doubles go.

        The quotient rises with j. After the last point there is nothing to come: that counts as
        crossed, though both masses are 0.
        """

        def crossed(j: int) -> bool:
            return j > self.last or self.at(j - 1) > ratio * self.at(j)

        low, high = self.first, self.last + 1  # not crossed at the one, crossed at the other
        near = int(self.mean + self.variance * math.log(ratio)) if ratio > 0 else low
        reach = 4 + int(math.sqrt(self.variance) / 50)
        for j in (near - reach, near + reach):
            if low < j < high:
                low, high = (low, j) if crossed(j) else (j, high)
        while high - low > 1:
            j = (low + high) // 2
            low, high = (low, j) if crossed(j) else (j, high)
        return high
