"""Bags of points under the Earth Mover's distance, by the cheapest matching of their elements."""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distance, Distances, plus, times
from dprivacy.spaces.finite_space import FiniteSpace, require_space
from dprivacy.spaces.labels import read_labels, require_list
from dprivacy.typing import Label


@result("T", "Def 9.2.3")
def bags(collections: Iterable[Iterable[Label]], space: FiniteSpace) -> FiniteSpace:
    """Bags (multisets) of labels of a space, at Earth Mover's distance.

    Each bag spreads a unit of earth evenly over its elements; the distance is the least cost of
    moving one heap into the other, where moving a unit from x to z costs d(x, z).

    Parameters
    ----------
    collections
        The bags; each becomes the label ``tuple(sorted(bag by position in the space))``.
    space
        Where their elements live.

    Notes
    -----
    1. Bags are repeated to a common size N, so that an optimal move is a matching of elements
       (Birkhoff's theorem).
    2. The matching is found by the Hungarian method; its cost is then added up exactly.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> bags([[0, 0, 3], [0, 3, 3]], line(4)).distance((0, 0, 3), (0, 3, 3))
    Fraction(1, 1)
    """
    require_space(space, "the space of the elements")
    listed = [
        sorted(space.position(label) for label in require_list(bag, "a bag"))
        for bag in require_list(collections, "bags", "bags")
    ]
    if [] in listed:
        raise NotApplicable(f"bag {listed.index([])} is empty, with no earth to move; leave it out")
    labels = read_labels((tuple(space.labels[i] for i in bag) for bag in listed), "bags")
    n = len(listed)
    table: list[list[Distance]] = [[Fraction(0)] * n for _ in range(n)]
    for a in range(n):
        for b in range(a + 1, n):
            table[a][b] = table[b][a] = earth_movers(listed[a], listed[b], space.distances)
    if not space.exact:
        table = [[float(value) for value in row] for row in table]
    return FiniteSpace(labels, Distances.of(table), numbered=space.numbered)


def earth_movers(first: list[int], second: list[int], distances: Distances) -> Distance:
    """The Earth Mover's distance between two bags of positions."""
    size = math.lcm(len(first), len(second))
    left, right = first * (size // len(first)), second * (size // len(second))
    targets = cheapest_matching(distances, left, right)
    if targets is None:
        return math.inf
    moves = Counter((left[i], right[j]) for i, j in enumerate(targets))
    total: Distance = Fraction(0) if distances.exact else 0.0
    for (x, z), count in moves.items():
        cost = distances[x, z]
        total = plus(
            total, times(cost, Fraction(count, size)) if distances.exact else cost * count / size
        )
    return total


_WHOLE_IN_DOUBLES = 1 << 53


def cheapest_matching(distances: Distances, left: list[int], right: list[int]) -> list[int] | None:
    """For each point of `left` the place in `right` of its partner; None if all ways cost inf.

    Notes
    -----
    The Hungarian method only adds, subtracts and compares. In doubles that is exact for float
    tables by definition, and for rational ones whose numerators are small; other exact tables are
    matched with exact numbers, since doubles could mistake two nearly equal matchings.
    """
    from scipy.optimize import linear_sum_assignment

    at = np.ix_(left, right)
    whole = distances.integers
    if whole is not None:
        numerators = whole[0][at]
        if int(numerators.max()) * 4 * len(left) < _WHOLE_IN_DOUBLES:
            return list(map(int, linear_sum_assignment(numerators.astype(np.float64))[1]))
        return _hungarian(numerators.tolist())
    try:
        _, targets = linear_sum_assignment(distances.floats[at])
    except ValueError:  # no matching of finite cost
        return None
    if not distances.exact:
        return list(map(int, targets))
    finite = [v for v in distances.values or () if not (isinstance(v, float) and math.isinf(v))]
    beyond = max(finite) * (len(left) + 1) + 1
    costs: list[list[Any]] = [[distances[i, j] for j in right] for i in left]
    return _hungarian([[beyond if isinstance(v, float) else v for v in row] for row in costs])


def _hungarian(costs: list[list[Any]]) -> list[int]:
    """A cheapest perfect matching of a square table of exact numbers, in O(n³) steps."""
    n = len(costs)
    row_price: list[Any] = [0] * (n + 1)
    column_price: list[Any] = [0] * (n + 1)
    taken_by = [0] * (n + 1)  # the row (from 1) that each column is matched with; 0 for none
    for row in range(1, n + 1):
        taken_by[0] = row
        slack: list[Any] = [None] * (n + 1)
        came_from = [0] * (n + 1)
        done = [False] * (n + 1)
        column = 0
        while taken_by[column]:
            done[column] = True
            i = taken_by[column]
            nearest = 0
            for j in range(1, n + 1):
                if done[j]:
                    continue
                gap = costs[i - 1][j - 1] - row_price[i] - column_price[j]
                if slack[j] is None or gap < slack[j]:
                    slack[j], came_from[j] = gap, column
                if not nearest or slack[j] < slack[nearest]:
                    nearest = j
            step = slack[nearest]
            for j in range(n + 1):
                if done[j]:
                    row_price[taken_by[j]] += step
                    column_price[j] -= step
                elif slack[j] is not None:
                    slack[j] -= step
            column = nearest
        while column:
            taken_by[column] = taken_by[came_from[column]]
            column = came_from[column]
    partner = [0] * n
    for j in range(1, n + 1):
        partner[taken_by[j] - 1] = j - 1
    return partner
