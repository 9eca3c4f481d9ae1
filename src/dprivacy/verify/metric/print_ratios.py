"""Ratios between rows of a print: how large they could be, and how large they must be."""

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

import numpy as np

from dprivacy.model import PrintedChannel
from dprivacy.spaces import FiniteSpace
from dprivacy.verify.metric.row_ratios import Ratio

_SAFE = 1e-290  # above it a double is right to half a unit of its last place
_SLACK = 1 - 2.0**-48

Table = tuple[tuple[Fraction, ...], ...]


def possible_ratios(C: PrintedChannel, space: FiniteSpace) -> list[Ratio]:
    """For every pair that implies the others, the largest ratio in any channel that prints so.

    Rows are rounded independently, so that one is as high where another is as low as it can be. In
    each single channel the pairs that imply the others decide, hence also in the worst.
    """
    pairs = space.implying_pairs.tolist()
    return _largest(C.high, C.low, space, [*pairs, *((j, i) for i, j in pairs)])


def certain_ratios(C: PrintedChannel, space: FiniteSpace) -> list[Ratio]:
    """For every pair, a ratio above 1 that every channel that prints so has, or exceeds.

    All pairs count: where neighbours may be equal, points that are farther apart may not.
    """
    n = len(C.rows)
    found = _largest(C.low, C.high, space, ((x, z) for x in range(n) for z in range(n) if x != z))
    return [ratio for ratio in found if ratio.top > ratio.bottom]


def _largest(
    tops: Table, bottoms: Table, space: FiniteSpace, pairs: Iterable[tuple[int, int]]
) -> list[Ratio]:
    """The largest top/bottom between the rows of each pair at a finite distance.

    Doubles choose candidates: each quotient of doubles is right to a factor of 1 ± 2^-51, so that
    whatever is below the largest by 2^-48 is below it exactly, and the rest is compared exactly.
    """
    apart = space.distances.floats
    above, below = (np.array([[float(v) for v in row] for row in side]) for side in (tops, bottoms))
    tops_0, bottoms_0 = (
        np.array([[not v for v in row] for row in side]) for side in (tops, bottoms)
    )
    safe = min(above[~tops_0].min(initial=1.0), below[~bottoms_0].min(initial=1.0)) > _SAFE
    found = []
    for x, z in pairs:
        if not np.isfinite(apart[x, z]):
            continue
        endless = ~tops_0[x] & bottoms_0[z]
        if endless.any():
            y = int(np.argmax(endless))
            found.append(Ratio(x, z, y, tops[x][y], Fraction(0)))
            continue
        near = np.flatnonzero(~tops_0[x])
        if safe and near.size:
            quotients = above[x, near] / below[z, near]
            near = near[quotients >= quotients.max() * _SLACK]
        if near.size:  # otherwise nothing is known to be possible
            y = max(near.tolist(), key=partial(_quotient, tops[x], bottoms[z]))
            found.append(Ratio(x, z, y, tops[x][y], bottoms[z][y]))
    return found


def _quotient(above: tuple[Fraction, ...], below: tuple[Fraction, ...], y: int) -> Fraction:
    return above[y] / below[y]
