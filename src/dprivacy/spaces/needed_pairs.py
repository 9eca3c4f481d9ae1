"""Which pairs of points matter: those that no third point lies exactly between.

A privacy constraint on (x, z) follows from those on (x, y) and (y, z) when
d(x, y) + d(y, z) ≤ d(x, z). What remains is enough to check, and is often very little: n − 1 pairs
on a line of n points, the edges of a Manhattan grid or of a graph.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.spaces.distance_matrix import Distances, plus

Pairs = NDArray[np.intp]


def irredundant_pairs(distances: Distances, among: Pairs | None = None) -> Pairs:
    """The pairs (i < j) with no third point exactly between them, as an array of shape (count, 2).

    Parameters
    ----------
    distances
        The table.
    among
        Pairs known to include all irredundant ones; all pairs when omitted.

    Notes
    -----
    1. A third point k implies (i, j) when d(i,k) + d(k,j) ≤ d(i,j) and both are greater than 0. Each
       is then smaller than d(i,j), so that implication is well founded.
    2. Whole numbers over one denominator are compared as integers; other exact values by floats
       first, then exactly where floats cannot tell.
    3. For float tables the sum is rounded up, so that rounding never removes a pair.
    4. Pairs at infinite distance constrain nothing and are left out.

    The cost is O(pairs·n).
    """
    n = distances.n
    if among is None:
        among = np.stack(np.triu_indices(n, 1), axis=1)
    whole = distances.integers
    table = whole[0] if whole is not None else distances.floats
    kept = np.ones(len(among), dtype=bool)
    block = max(1, 2_000_000 // max(n, 1))
    for start in range(0, len(among), block):
        i, j = among[start : start + block].T
        first, second, direct = table[i], table[j], table[i, j][:, None]
        apart = (first > 0) & (second > 0)
        if whole is not None:
            implied = (apart & (first + second <= direct)).any(axis=1)
        elif not distances.exact:
            implied = (apart & (np.nextafter(first + second, np.inf) <= direct)).any(axis=1)
        else:
            implied = _exactly_implied(distances, i, j, first, second, direct, apart)
        kept[start : start + block] = ~implied & np.isfinite(distances.floats[i, j])
    return among[kept]


def zero_classes(
    distances: Distances, among: Iterable[int] | None = None
) -> tuple[tuple[int, ...], ...]:
    """The points (all, or those named) that are at distance 0 from each other, taken together."""
    first = distances.zeros.argmax(axis=1).tolist()
    groups: dict[int, list[int]] = {}
    for i in range(distances.n) if among is None else among:
        groups.setdefault(first[i], []).append(i)
    return tuple(tuple(group) for group in groups.values())


def _exactly_implied(
    distances: Distances, i: Any, j: Any, first: Any, second: Any, direct: Any, apart: Any
) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        gap = first + second - direct
        # Doubles are right to a share of 2⁻⁵³, or to less where they are tiny: within the margin the
        # sum is compared exactly.
        margin = 1e-9 * np.where(np.isfinite(direct), direct, 1.0) + 1e-300
    implied = (apart & (gap < -margin)).any(axis=1)
    codes = distances.table
    known: dict[tuple[int, int, int], bool] = {}
    for row, k in np.argwhere(apart & (np.abs(gap) <= margin) & ~implied[:, None]):
        a, b = sorted((int(codes[i[row], k]), int(codes[k, j[row]])))
        key = (a, b, int(codes[i[row], j[row]]))
        if key not in known:
            assert distances.values is not None
            known[key] = plus(distances.values[a], distances.values[b]) <= distances.values[key[2]]
        implied[row] |= known[key]
    return np.asarray(implied, dtype=bool)
