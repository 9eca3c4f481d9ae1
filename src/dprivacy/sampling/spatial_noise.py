"""Noise on the integer points of space that falls off with the Euclidean distance, exactly."""

from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Frozen, Level, exp_bounds
from dprivacy.sampling.discrete_laplace import DiscreteLaplace, read_level
from dprivacy.sampling.planar_noise import below_over_root
from dprivacy.sampling.random_source import Source, read_count

_CHUNK = 1 << 15
_FAR = 64.0  # level·‖v‖ up to which doubles decide
_MARGIN = 2.0**-36  # by which doubles must differ to decide


class SpatialNoise(Frozen):
    """Noise with P(v) = C·e^(−level·‖v‖₂) on triples v of integers, to the last digit.

    What `PlanarNoise` is in the plane. C is the same for every input, so adding the noise to a point
    with whole coordinates is private for level·‖x − x'‖₂ exactly.

    Parameters
    ----------
    level
        Per step; any exact level from 2^−38 to 2^12.
    margin
        How far doubles must be from the threshold to decide; 1 compares every point exactly.

    Notes
    -----
    1. Take a rational c ≤ level/√3 with 30 significant bits, and propose v from three discrete Laplaces
       of rate c: P(v) in proportion to e^(−c‖v‖₁).
    2. Accept with probability e^(−t), t = level·‖v‖₂ − c·‖v‖₁ ≥ 0 since ‖v‖₁ ≤ √3·‖v‖₂. About
       π/√27 = 60 % of the proposals are accepted.
    3. A uniform U of 64 bits is compared with e^(−t) in doubles. For level·‖v‖₂ ≤ 64 these are off by
       less than 2^−36: if they differ by more, the comparison is the true one. What is nearer, or
       farther out, is compared by enclosures with more and more bits.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> from dprivacy.sampling import SystemSource
    >>> SpatialNoise(ln(2)).draw(4, SystemSource()).shape
    (4, 3)
    """

    level: Level
    _margin: float
    _slope: float
    _rate: Fraction
    _proposal: DiscreteLaplace

    def __init__(self, level: Level, *, margin: float = _MARGIN) -> None:
        level = read_level(level, smallest=38)
        rate = below_over_root(level.bounds(128)[0], 3)
        self._set(level=level, _margin=max(margin, _MARGIN), _slope=float(level))
        self._set(_rate=rate, _proposal=DiscreteLaplace(Level(rate)))

    def draw(self, n: int, source: Source) -> NDArray[np.int64]:
        """Draw n independent points, as an array of n rows and 3 columns."""
        noise = np.empty((read_count(n), 3), dtype=np.int64)
        have = 0
        while have < n:
            size = min(_CHUNK, (n - have) * 5 // 3 + 16)
            points = np.stack([self._proposal.draw(size, source) for _ in range(3)], axis=1)
            kept = np.flatnonzero(self.accepts(points, source.words(size), source))[: n - have]
            noise[have : have + kept.size] = points[kept]
            have += kept.size
        return noise

    def accepts(
        self, points: NDArray[np.int64], words: NDArray[np.uint64], source: Source
    ) -> NDArray[np.bool_]:
        """Whether U < e^(−t) for each proposal, U starting with the bits of its word.

        Parameters
        ----------
        points
            The proposals, one a row.
        words
            The first 64 bits of each U.
        source
            Where further bits come from, should 64 not decide.
        """
        sides = np.abs(points).astype(np.float64)
        reach = self._slope * np.sqrt((sides * sides).sum(axis=1))
        gap = np.exp(np.minimum(float(self._rate) * sides.sum(axis=1) - reach, 0.0))
        gap -= words * 2.0**-64
        accepted: NDArray[np.bool_] = gap > 0
        for at in np.flatnonzero((np.abs(gap) <= self._margin) | (reach > _FAR)):
            accepted[at] = self._exactly([int(v) for v in points[at]], int(words[at]), source)
        return accepted

    def _exactly(self, point: list[int], u: int, source: Source) -> bool:
        """Whether U < e^(−t), step 3."""
        known, taxicab = 64, self._rate * sum(map(abs, point))
        square = sum(v * v for v in point)
        while True:
            precision = known + 64 + square.bit_length()
            root = isqrt(square << (2 * precision))
            low, high = self.level.bounds(precision + 16)
            least = max(low * Fraction(root, 1 << precision) - taxicab, Fraction(0))
            most = high * Fraction(root + 1, 1 << precision) - taxicab
            if least > known:  # e^(−t) < 2^−known, and may have more zeros than there is memory
                below, above = Fraction(0), Fraction(1, 1 << known)
            else:
                below, above = exp_bounds(-most, -least, precision)
            if u + 1 <= below * (1 << known):
                return True
            if u >= above * (1 << known):
                return False
            u, known = (u << 64) | source.below(1 << 64), known + 64
