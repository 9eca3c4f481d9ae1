"""Products against coordinates."""

import math
from fractions import Fraction as Q
from itertools import product as cartesian

import pytest

from dprivacy.errors import Malformed, MixedArithmetic, TooLarge
from dprivacy.numbers import root
from dprivacy.spaces import discrete, graph, grid, hamming_cube, line, product

FACTORS = [
    (line(3), discrete(["f", "m"])),
    (grid(2, 2), line(["0", "1/3"]), discrete([0, 1])),
    (graph([("a", "b")], nodes=["c"], extended=True), line(2)),
    (line([0.0, 0.3, 1.0]), line([0.0, 2.5])),
    (line(4),),
]


@pytest.mark.parametrize("spaces", FACTORS, ids=range(len(FACTORS)))
@pytest.mark.parametrize("combine", ["sum", "max"])
def test_distances(spaces, combine):
    space = product(*spaces, combine=combine)
    assert set(space.labels) == set(cartesian(*(s.labels for s in spaces)))
    for x in space.labels:
        for z in space.labels:
            parts = [s.distance(a, b) for s, a, b in zip(spaces, x, z, strict=True)]
            if combine == "max":
                expected = max(parts)
            else:
                expected = math.inf if math.inf in parts else sum(parts)
            assert space.distance(x, z) == expected


def test_the_sum_of_lines_is_the_manhattan_grid_and_the_maximum_the_chebyshev_grid():
    assert product(line(3), line(4)) == grid(3, 4, metric="manhattan")
    assert product(line(3), line(4), combine="max") == grid(3, 4, metric="chebyshev")
    assert product(*[line(2)] * 3) == hamming_cube(3)


def test_known_pairs_of_a_sum():
    space = product(line(3), discrete(["f", "m"]))
    assert len(space.edges) == 2 * 2 + 3 * 1
    assert all(sum(a != b for a, b in zip(x, z, strict=True)) == 1 for x, z in space.pairs())


def test_exactness():
    assert product(grid(2, 2), line(2)).diameter == 1 + root(2)
    assert type(product(line(2), line(2)).diameter) is Q
    with pytest.raises(MixedArithmetic):
        product(line(2), line([0.0, 0.5]))


def test_refusals():
    with pytest.raises(Malformed, match="at least one space"):
        product()
    with pytest.raises(Malformed, match="'sum', 'max', not 'l2'"):
        product(line(2), combine="l2")
    with pytest.raises(TooLarge, match="the product has 27,000 points"):
        product(*[line(30)] * 3)
    with pytest.raises(TooLarge, match=r"about 10\^6000"):
        product(*[discrete(range(100))] * 3000)
