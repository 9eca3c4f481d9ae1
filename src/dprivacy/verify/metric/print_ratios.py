"""Ratios between rows of a print: how large they could be, and how large they must be."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from dprivacy.model import PrintedChannel
from dprivacy.spaces import FiniteSpace
from dprivacy.verify.metric.row_ratios import Ratio

_SAFE = 1e-290  # above it a double is right to half a unit of its last place
_SLACK = 1 - 2.0**-48

Line = Sequence[Fraction]


def possible_ratios(C: PrintedChannel, space: FiniteSpace) -> list[Ratio]:
    """For every pair that implies the others, the largest ratio in any channel that prints so.

    Rows are rounded independently, so that one is as high where another is as low as it can be. In
    each single channel the pairs that imply the others decide, hence also in the worst.
    """
    return [_largest(C.high, C.low, x, z) for i, j in _pairs(space) for x, z in ((i, j), (j, i))]


def certain_ratios(C: PrintedChannel, space: FiniteSpace) -> list[Ratio]:
    """For every pair, a ratio above 1 that every channel that prints so has, or exceeds.

    All pairs count: where neighbours may be equal, points that are farther apart may not.
    """
    n = len(C.rows)
    finite = np.isfinite(space.distances.floats)
    pairs = [(x, z) for x in range(n) for z in range(n) if x != z and finite[x, z]]
    found = [_largest(C.low, C.high, x, z) for x, z in pairs]
    return [ratio for ratio in found if ratio.top > ratio.bottom]


def _pairs(space: FiniteSpace) -> Iterator[tuple[int, int]]:
    distances = space.distances.floats
    for i, j in space.implying_pairs.tolist():
        if math.isfinite(distances[i, j]):
            yield i, j


def _largest(tops: Sequence[Line], bottoms: Sequence[Line], x: int, z: int) -> Ratio:
    """The largest top/bottom between two rows.

    Doubles choose candidates: each quotient of doubles is right to a factor of 1 ± 2^-51, so that
    whatever is below the largest by 2^-48 is below it exactly, and the rest is compared exactly.
    """
    above, below = tops[x], bottoms[z]
    for y, (a, b) in enumerate(zip(above, below, strict=True)):
        if a and not b:
            return Ratio(x, z, y, a, b)
    possible = [y for y, a in enumerate(above) if a]
    if not possible:  # nothing is known to be possible
        return Ratio(x, z, 0, Fraction(0), Fraction(1))
    floats = np.array([[float(above[y]), float(below[y])] for y in possible])
    near = possible
    if floats.min() > _SAFE:
        quotients = floats[:, 0] / floats[:, 1]
        near = [possible[k] for k in np.flatnonzero(quotients >= quotients.max() * _SLACK)]
    y = max(near, key=lambda y: above[y] / below[y])
    return Ratio(x, z, y, above[y], below[y])
