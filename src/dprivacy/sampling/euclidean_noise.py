"""Noise in the plane and in space whose probability falls with the Euclidean distance, exactly."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.numbers import Floats, Frozen, Level, Whole, Words, exp_bounds
from dprivacy.sampling.discrete_laplace import DiscreteLaplace, read_level
from dprivacy.sampling.lane_words import Lanes, lane_of
from dprivacy.sampling.random_source import Source, read_count
from dprivacy.typing import LevelLike

_CHUNK = 1 << 15
_FAR = 64.0  # level·‖v‖ up to which doubles decide
_MARGIN = 2.0**-36  # by which doubles must differ to decide
_RATE_BITS = 30


class _EuclideanNoise(Frozen):
    """What the noises of all dimensions share; see `PlanarNoise` for the steps."""

    dimension: ClassVar[int]
    _tries: ClassVar[
        tuple[int, int]
    ]  # proposals for one accepted point, a ratio a little too large
    level: Level
    _margin: float
    _slope: float
    _rate: Fraction
    _proposal: DiscreteLaplace

    def __init__(self, level: LevelLike, *, margin: float = _MARGIN) -> None:
        read = read_level(level, smallest=38)
        if not margin >= _MARGIN:
            raise BadNumber(f"the margin must be at least 2^-36, not {margin}")
        rate = below_over_root(read.bounds(128)[0], self.dimension)
        self._set(level=read, _margin=margin, _slope=float(read))
        self._set(_rate=rate, _proposal=DiscreteLaplace(Level(rate)))

    def draw(self, n: int, source: Source) -> Whole:
        """Draw n independent points, one a row, with a column for each coordinate."""
        noise = np.empty((read_count(n), self.dimension), dtype=np.int64)
        have, (more, of) = 0, self._tries
        while have < n:
            size = min(_CHUNK, (n - have) * more // of + 16)
            axes = [self._proposal.draw(size, source) for _ in range(self.dimension)]
            kept = np.flatnonzero(self.accepts(axes, source.words(size), source))[: n - have]
            for k, axis in enumerate(axes):
                noise[have : have + kept.size, k] = axis.take(kept)
            have += kept.size
        return noise

    def draw_each(self, lanes: Lanes) -> Whole:
        """A point for every lane, drawn from the lane's own words: what it would draw by itself.

        Proposals are made in rounds, each of them by the lanes that have accepted none so far.

        Examples
        --------
        >>> from dprivacy.sampling import PersonTags, lanes_of
        >>> people = PersonTags(b"k" * 32).of_whole(np.array([7, 8]))
        >>> def once():
        ...     return PlanarNoise("1/10").draw_each(lanes_of(b"q" * 32, people, np.array([0, 0])))
        >>> once().shape, bool((once() == once()).all())
        ((2, 2), True)
        """
        noise = np.empty((len(lanes), self.dimension), dtype=np.int64)
        for start in range(0, len(lanes), _CHUNK):
            left = np.arange(start, min(start + _CHUNK, len(lanes)))
            some = lanes.only(left)
            while left.size:
                axes = [self._proposal.draw(left.size, some) for _ in range(self.dimension)]
                accepted = self.accepts(axes, some.words(left.size), some)
                for k, axis in enumerate(axes):
                    noise[left[accepted], k] = axis[accepted]
                left, some = left[~accepted], some.only(~accepted)
        return noise

    def accepts(self, axes: Sequence[Whole], words: Words, source: Source) -> NDArray[np.bool_]:
        """Whether U < e^(−t) for each proposal, U starting with the bits of its word.

        Parameters
        ----------
        axes
            The proposed coordinates, an array an axis.
        words
            The first 64 bits of each U.
        source
            Where further bits come from, should 64 not decide.

        Examples
        --------
        >>> from dprivacy.sampling import SystemSource
        >>> east, north = np.array([0, 90]), np.array([0, 0])
        >>> words = np.full(2, 2**63, dtype=np.uint64)
        >>> PlanarNoise(1).accepts([east, north], words, SystemSource()).tolist()
        [True, False]
        """
        total: Floats = np.zeros(words.size)
        square: Floats = np.zeros(words.size)
        for axis in axes:
            side = np.abs(axis).astype(np.float64)
            total += side
            side *= side
            square += side
        reach = self._slope * np.sqrt(square, out=square)
        total *= float(self._rate)
        total -= reach  # −t
        gap = np.exp(np.minimum(total, 0.0, out=total), out=total)
        gap -= words * 2.0**-64
        accepted: NDArray[np.bool_] = gap > 0
        for at in np.flatnonzero((np.abs(gap) <= self._margin) | (reach > _FAR)):
            point = [int(axis[at]) for axis in axes]
            accepted[at] = self._exactly(point, int(words[at]), lane_of(source, int(at)))
        return accepted

    def _exactly(self, point: list[int], u: int, source: Source) -> bool:
        """Whether U < e^(−t), step 5."""
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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.level})"


class PlanarNoise(_EuclideanNoise):
    """Grid noise with P(v) = C·e^(−level·‖v‖₂), v a pair of integers, to the last digit.

    C is the same for every input, so adding the noise to a grid point is private for
    level·‖x − x'‖₂ exactly: nothing is lost to the grid, to doubles or to truncation.

    Parameters
    ----------
    level
        Per grid step; any exact level from 2^−38 to 2^12, otherwise BadLevel.
    margin
        How far doubles must be from the threshold to decide. A larger margin sends more points to
        the exact comparison and never changes a decision; 1 sends all of them.

    Notes
    -----
    1. Take a rational c ≤ level/√2, from a lower bound of the level, with 30 significant bits.
    2. Propose v = (i, j) from two discrete Laplaces of rate c: P(v) in proportion to e^(−c‖v‖₁).
    3. Accept it with probability e^(−t), t = level·‖v‖₂ − c·‖v‖₁ ≥ 0 since ‖v‖₁ ≤ √2·‖v‖₂. What
       is accepted is in proportion to e^(−level·‖v‖₂). About π/4 of the proposals are.
    4. A uniform U, known to 64 bits, is compared with e^(−t) in doubles. For level·‖v‖₂ ≤ 64 the
       coordinates are exact doubles, so with u = 2^−53 the computed t is off by at most
       8u·64 = 2^−44, and e^(−t) by at most 2^−44 + 2^−37 if the exponential function is good to
       37 bits (it is to about 52); U loses 2^−52. If U and e^(−t) differ by more than the margin
       2^−36 the comparison is the true one.
    5. What is inside the margin, about one point in 10^10, or farther out is compared exactly:
       enclosures of e^(−t) against the interval of U, with more bits of both until they separate.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> from dprivacy.sampling import PlanarNoise, SystemSource
    >>> PlanarNoise(ln(2)).draw(4, SystemSource()).shape
    (4, 2)
    """

    dimension = 2
    _tries = (4, 3)


class SpatialNoise(_EuclideanNoise):
    """Noise with P(v) = C·e^(−level·‖v‖₂) on triples v of integers, to the last digit.

    What `PlanarNoise` is in the plane, with the same parameters. Here c ≤ level/√3, since
    ‖v‖₁ ≤ √3·‖v‖₂, and about π/√27 = 60 % of the proposals are accepted.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> from dprivacy.sampling import SystemSource
    >>> SpatialNoise(ln(2)).draw(4, SystemSource()).shape
    (4, 3)
    """

    dimension = 3
    _tries = (5, 3)


def below_over_root(q: Fraction, k: int) -> Fraction:
    """A rational with few bits, at most q/√k and within 2^−28 of it in proportion."""
    shift = max(0, _RATE_BITS - q.numerator.bit_length() + q.denominator.bit_length())
    return Fraction(isqrt(int(q * q * (1 << (2 * shift)) / k)), 1 << shift)
