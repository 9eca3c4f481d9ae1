"""Searching e^ε: what several rows cost, the local answer, and that every pair is covered."""

from fractions import Fraction as Q

import pytest

from dprivacy.verify import eps_at
from dprivacy.verify.shuffling.blanket_pairs import blankets
from dprivacy.verify.shuffling.worst_pair import FINE, growth, local_factor, worst_pair

ROWS = [[Q(6, 10), Q(3, 10), Q(1, 10)], [Q(3, 10), Q(6, 10), Q(1, 10)], [Q(1, 4), Q(1, 4), Q(1, 2)]]


def test_growth_is_a_geometric_sum():
    assert growth(Q(3, 2), 4) == 1 + Q(3, 2) + Q(9, 4) + Q(27, 8)


@pytest.mark.parametrize("delta", ["1e-6", "1/20", "9/10"])
def test_the_local_factor_is_that_of_a_single_report(delta):
    found = local_factor(blankets(ROWS), Q(delta))
    assert found == max(eps_at(ROWS, delta=delta).exp(), Q(1))


def test_several_rows_alone_need_the_level_without_slack():
    assert local_factor(blankets(ROWS), Q(1, 20), 3) == 5
    holes = [[Q(1, 2), Q(1, 2), Q(0)], [Q(2, 5), Q(1, 2), Q(1, 10)]]
    assert local_factor(blankets(holes), Q(1, 20), 2) is None
    assert local_factor(blankets(holes), Q(1, 2), 2) == Q(5, 4)


@pytest.mark.parametrize("times", [1, 2])
def test_all_pairs_are_proved_at_what_comes_back(times):
    pairs, goal, n = blankets(ROWS), Q(1, 1000), 200
    a, pair = worst_pair(pairs, n, goal, local_factor(pairs, goal, times), times)
    most = goal / growth(a, times)
    assert all(one.delta(n, a, points=FINE, goal=most) <= most for one in pairs)
    less = 1 + (a - 1) * Q(99, 100)
    assert any(one.delta(n, less, points=FINE, goal=most) > most for one in pairs)
    assert pair in pairs.values()
