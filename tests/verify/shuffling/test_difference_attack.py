"""Differences of counts: never more than the truth, next to the bound for k-ary response at any n."""

import random
from fractions import Fraction as Q

import pytest

from dprivacy.mechanisms import randomised_response
from dprivacy.verify import shuffled
from dprivacy.verify.shuffling.difference_attack import difference_factor
from support.shuffled_truth import exact_delta


def response(k, e):
    low = 1 / (Q(e) + k - 1)
    return [[e * low if x == y else low for y in range(k)] for x in range(k)]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_attacked_is_not_private(seed):
    rng = random.Random(seed)
    k, e, n = rng.choice([3, 4]), Q(rng.randint(3, 12), 2), rng.randint(2, 5)
    rows, delta = response(k, max(e, Q(5 - k) + 1)), Q(1, 40)
    a = difference_factor(rows[0], rows[1], rows[2], n, delta, Q(20))
    if a is not None:
        assert exact_delta(rows, n, a, (0, 1)) > delta


def test_others_that_lean_to_one_side_are_left_to_another_attack():
    rows = response(3, Q(3))
    assert difference_factor(rows[0], rows[1], rows[0], 10, Q(1, 100), Q(3)) is None
    assert difference_factor(rows[0], rows[1], response(3, Q(1))[2], 10, Q(1, 100), Q(3)) is None


@pytest.mark.parametrize(
    ("k", "eps", "n", "gap"),
    [(4, "ln 3", 10**4, 1.001), (20, 1, 10**5, 1.001), (4, 4, 10**6, 1.002), (20, 4, 10**3, 1.012)],
)
def test_the_bound_is_just_above(k, eps, n, gap):
    found = shuffled(randomised_response(range(k), eps=eps), n, delta="1e-6")
    assert found.attacked < found.eps < found.attacked * Q(str(gap))
