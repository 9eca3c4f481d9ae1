"""What a shuffled column guarantees between values that are near each other, for its card."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dprivacy.numbers import Level, as_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.spaces import FiniteSpace, GridLine
from dprivacy.verify import shuffled_distances

_TENTHS = (100, 10, 1)  # of a range of numbers


def by_distance(
    column: ColumnPlan, n: int, delta: Fraction, most: Level
) -> tuple[tuple[Level, Level], ...]:
    """(distance, ε) at some distances, the smallest first; nothing where there are not two of them.

    Parameters
    ----------
    column
        The only column of a table.
    n, delta
        How many rows there are, and δ.
    most
        What holds at all distances.
    """
    shown = _some_distances(column.mechanism.guarantee.space)
    if len(shown) < 2:
        return ()
    found = shuffled_distances(column.mechanism, n, delta=delta, distances=shown)
    return tuple(
        (row.distance, min(row.eps, most) if isinstance(row.eps, Level) else most)
        for row in found.rows
    )


def _some_distances(space: Any) -> list[Level]:
    """The first distance, the second, the fourth and so on, and the last; of a grid, parts of it."""
    if isinstance(space, GridLine) and space.low is not None and space.high is not None:
        width, step = space.high - space.low, space.step
        parts = {max(width / part // step, 1) * step for part in _TENTHS}
        return [as_level(part) for part in sorted(parts)]
    if not isinstance(space, FiniteSpace):
        return []
    known = _distances(space)
    places = sorted({*(2**k - 1 for k in range(len(known).bit_length())), len(known) - 1})
    return [known[at] for at in places if 0 <= at < len(known)]


def _distances(space: FiniteSpace) -> Sequence[Level]:
    labels = space.labels
    every = {space.distance(x, z) for x in labels for z in labels}
    return sorted(as_level(d) for d in every if d and d != math.inf)
