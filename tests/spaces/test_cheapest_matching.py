"""The cheapest matching against all of them."""

import math
from fractions import Fraction as Q
from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.numbers import Level, as_level
from dprivacy.spaces.bag_spaces import cheapest_matching
from dprivacy.spaces.distance_matrix import Distances

VALUES = {
    "small": [Q(0), Q(1), Q(2), Q(1, 3), Q(5, 2)],
    "large": [Q(2**60), Q(2**60 + 1), Q(2**60 - 1), Q(2**61 + 1, 3)],
    "close": [1 + Q(k, 10**25) for k in range(5)],
    "levels": [Q(1), Level("sqrt 2"), Level("ln 2"), Level("ln 3"), Q(3, 2)],
    "levels and inf": [Q(1), Level("sqrt 2"), Level("ln 2"), math.inf],
    "rational and inf": [Q(1), Q(2), math.inf, Q(10**20 + 1)],
    "float": [0.5, 1.25, 2.75, 1.0],
}


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
@settings(max_examples=30)
def test_no_matching_is_cheaper(kind, data):
    n = data.draw(st.integers(1, 4))
    size = 2 * n
    rows = [[data.draw(st.sampled_from(VALUES[kind])) for _ in range(size)] for _ in range(size)]
    distances = Distances.of(rows)
    left = data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))
    right = data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))

    def price(order):
        costs = [distances[left[i], right[j]] for i, j in enumerate(order)]
        if math.inf in costs:
            return math.inf
        return sum(map(as_level, costs), Level(0))

    best = min(map(price, permutations(range(n))))
    found = cheapest_matching(distances, left, right)
    if best == math.inf:
        assert found is None
    else:
        assert sorted(found) == list(range(n))
        assert price(found) == best
