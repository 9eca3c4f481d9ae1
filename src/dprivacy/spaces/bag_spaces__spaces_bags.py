"""Bags of points under the Earth Mover's distance."""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.sources import result
from dprivacy.spaces.bag_spaces__spaces_matching import cheapest_matching
from dprivacy.spaces.distance_matrix import Distance, Distances, plus, times
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import read_labels


@result("T", "Def 9.2.3")
def bags(collections: Iterable[Iterable[Any]], space: FiniteSpace) -> FiniteSpace:
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
    """
    listed = [sorted(space.position(label) for label in bag) for bag in collections]
    if any(not bag for bag in listed):
        raise Malformed("an empty bag has no earth to move; leave it out")
    labels = read_labels((tuple(space.labels[i] for i in bag) for bag in listed), "bags")
    n = len(listed)
    table: list[list[Distance]] = [[Fraction(0)] * n for _ in range(n)]
    for a in range(n):
        for b in range(a + 1, n):
            table[a][b] = table[b][a] = earth_movers(listed[a], listed[b], space.distances)
    if not space.exact:
        table = [[float(value) for value in row] for row in table]
    return FiniteSpace(labels, Distances.of(table))


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
