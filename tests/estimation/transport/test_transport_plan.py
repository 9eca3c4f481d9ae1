"""Transport where distances are of very different sizes, irrational, or infinite."""

import math
from fractions import Fraction as Q
from itertools import permutations

import pytest

from dprivacy.estimation import kantorovich
from dprivacy.numbers import as_level
from dprivacy.spaces import from_table

HAIR = Q(1, 10**14)


def isosceles(short, long):
    """Two points close together, and a third that is far from both."""
    return from_table(range(3), [[0, short, long], [short, 0, long], [long, long, 0]])


@pytest.mark.parametrize(
    "space",
    [isosceles(HAIR, "ln 2"), isosceles(HAIR, 1), isosceles(1e-14, 1.0)],
    ids=["irrational", "rational", "floats"],
)
def test_points_close_together_are_not_one(space) -> None:
    assert math.isclose(kantorovich([1, 0, 0], [0, 1, 0], space), HAIR, rel_tol=1e-12)
    assert math.isclose(kantorovich([1.0, 0, 0], [0, 1.0, 0], space), HAIR, rel_tol=1e-12)


@pytest.mark.parametrize("unit", ["1", "ln 2", "sqrt 2", "1/1000000000000000000003"])
def test_the_cheapest_assignment(unit) -> None:
    """Equal shares are carried one to one: the cheapest of six ways."""
    costs = [[9, 8, 6], [7, 9, 8], [8, 7, 5]]
    sizes = [[5] * 6 for _ in range(6)]
    for i in range(6):
        sizes[i][i] = 0
        for j in range(3):
            if i < 3:
                sizes[i][3 + j] = sizes[3 + j][i] = costs[i][j]
    size = as_level(unit)
    space = from_table(range(6), [[(size * d).simplified for d in row] for row in sizes])
    third = Q(1, 3)
    found = kantorovich([third] * 3 + [0] * 3, [0] * 3 + [third] * 3, space)
    least = min(sum(costs[i][j] for i, j in enumerate(ways)) for ways in permutations(range(3)))
    true = size * Q(least, 3)
    assert found == true if true.is_rational else math.isclose(found, float(true), rel_tol=1e-15)


@pytest.mark.parametrize("kind", [Q, float])
def test_mass_that_cannot_arrive(kind) -> None:
    inf, tiny = math.inf, Q(1, 10**9)
    space = from_table(range(3), [[0, 1, inf], [1, 0, inf], [inf, inf, 0]], extended=True)
    before = [kind(v) for v in (Q(1, 2), Q(1, 4), Q(1, 4))]
    after = [kind(v) for v in (Q(1, 2) - tiny, Q(1, 4), Q(1, 4) + tiny)]
    assert kantorovich(before, after, space) == inf
    swapped = [before[1], before[0], before[2]]
    assert kantorovich(before, swapped, space) == Q(1, 4)
