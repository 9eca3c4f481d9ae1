"""Shortest paths against every simple path."""

import math
from fractions import Fraction as Q
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.numbers import ln, root
from dprivacy.spaces.distance_matrix import Distances, plus
from dprivacy.spaces.shortest_paths import shortest_paths


def by_enumeration(rows):
    n = len(rows)
    best = [[rows[i][j] for j in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(n):
            others = [k for k in range(n) if k not in (i, j)]
            for size in range(len(others) + 1):
                for middle in permutations(others, size):
                    stops = [i, *middle, j]
                    length = Q(0)
                    for a, b in pairwise(stops):
                        length = plus(length, rows[a][b])
                    best[i][j] = min(best[i][j], length)
    return best


EXACT = [Q(1), Q(2), Q(1, 3), Q(7, 2), Q(10)]
VALUES = {
    "rational": EXACT,
    "rational and inf": [*EXACT, math.inf, math.inf],
    "levels": [*EXACT, root(2), ln(3), root(8), ln(2)],
    "levels and inf": [Q(1), root(2), ln(2), math.inf],
    "float": [0.5, 1.25, 3.0, 7.5],
    "float and inf": [0.5, 1.25, 3.0, math.inf],
    "huge": [Q(2**61), Q(2**62), Q(2**63), Q(1)],
    "huge and inf": [Q(2**61), Q(2**62), Q(1), math.inf],
}


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
@settings(max_examples=20)
def test_closure_is_the_length_of_the_shortest_path(kind, data):
    n = data.draw(st.integers(1, 5))
    zero = 0.0 if "float" in kind else Q(0)
    rows = [[zero] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            rows[i][j] = rows[j][i] = data.draw(st.sampled_from(VALUES[kind]))
    closed, expected = shortest_paths(Distances.of(rows)), by_enumeration(rows)
    got = [[closed[i, j] for j in range(n)] for i in range(n)]
    assert got == expected
    assert closed.exact is Distances.of(rows).exact
    again = shortest_paths(closed)
    assert [[again[i, j] for j in range(n)] for i in range(n)] == expected


def test_exactness_is_kept():
    closed = shortest_paths(
        Distances.of([[Q(0), Q(1), Q(5)], [Q(1), Q(0), root(2)], [Q(5), root(2), Q(0)]])
    )
    assert closed[0, 2] == 1 + root(2)
    assert closed.exact
