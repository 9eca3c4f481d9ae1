"""Bounds of binomial tails beside the tails themselves."""

import math
from fractions import Fraction as Q
from itertools import combinations

import numpy as np
import pytest

from dprivacy.mechanisms.groundwork.stray_counts import at_least, at_most, least_surprise


def tail(n, chance, heads):
    """P(S ≥ heads), summed as fractions."""
    c = Q(chance)
    return sum(math.comb(n, s) * c**s * (1 - c) ** (n - s) for s in range(heads, n + 1))


@pytest.mark.parametrize("chance", [0.015625, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 150])
def test_bounds_hold_for_every_number_of_heads(n, chance):
    heads = np.arange(n + 1)
    above, below = at_least(n, chance, heads), at_most(n, chance, heads)
    for s in range(n + 1):
        reached = tail(n, chance, s)
        assert reached <= Q(float(above[s]))
        assert 1 - tail(n, chance, s + 1) <= Q(float(below[s]))


@pytest.mark.parametrize("level", [0.05, 1e-4, 1e-9])
@pytest.mark.parametrize("chance", [0.015625, 0.25, 0.5])
@pytest.mark.parametrize("n", [1, 5, 40, 400])
def test_the_surprise_is_rare_and_hardly_too_rare(n, chance, level):
    found = least_surprise(n, chance, math.log(level))
    assert n * chance < found <= n + 1
    assert tail(n, chance, found) <= level
    if found > n * chance + 3:
        assert tail(n, chance, found - 3) > level


def test_a_sample_without_putting_back_strays_no_more():
    # 6 coins of chances 1/2 and 0 in equal numbers, of which 3 are drawn
    coins, n = [Q(1, 2)] * 3 + [Q(0)] * 3, 3
    for heads in range(1, n + 1):
        exact = Q(0)
        for some in combinations(coins, n):
            live = sum(chance > 0 for chance in some)
            exact += tail(live, Q(1, 2), heads) / math.comb(6, n)
        assert exact <= Q(float(at_least(n, 0.25, heads)))
