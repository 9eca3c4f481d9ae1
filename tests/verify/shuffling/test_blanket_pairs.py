"""The blanket's bound: against all multisets in Fractions, from below and from above."""

import itertools
import random
from fractions import Fraction as Q

import pytest

from dprivacy.verify.shuffling.blanket_pairs import blankets
from support.shuffled_truth import blanket_delta, exact_delta, some_channel

FACTORS = [Q(1), Q(21, 20), Q(3, 2), Q(3)]


def response(k, e):
    low = 1 / (Q(e) + k - 1)
    return [[e * low if x == y else low for y in range(k)] for x in range(k)]


def channel_of(rng, seed):
    if seed % 4 == 3:
        return some_channel(rng, 2, 4, holes=seed % 5 == 0)
    k = rng.choice([2, 3])
    if seed % 3 == 0:
        return response(k, Q(rng.randint(2, 30), rng.randint(1, 4)) + 1)
    return some_channel(rng, rng.choice([2, 3]), k, holes=seed % 5 == 0)


def cases(seed):
    """Bounds beside the truth, of every kind of pair of one random channel."""
    rows = channel_of(random.Random(seed), seed)
    sizes = {2: (1, 2, 4, 8), 3: (2, 3, 5), 4: (2, 3, 8) if seed > 30 else (2, 5)}
    for n in sizes[max(len(rows), len(rows[0]))]:
        for (blanket, pair), a in itertools.product(blankets(rows).items(), FACTORS):
            if blanket.share:
                bound = blanket.delta(n, a, points=400, goal=Q(1, 10**6))
                yield rows, n, a, pair, bound


@pytest.mark.statement("B", "§5")
@pytest.mark.parametrize("seed", range(30))
def test_never_below_the_truth_and_hardly_above_the_blanket(seed):
    for rows, n, a, pair, bound in cases(seed):
        whole = blanket_delta(rows, n, a, pair)
        assert whole >= exact_delta(rows, n, a, pair)
        # from above too: a spare factor, such as 1/γ, would pass the first test
        assert whole <= bound <= whole * Q(1004, 1000) + Q(1, 10**9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 250))
def test_never_below_the_truth_in_many_more_cases(seed):
    for rows, n, a, pair, bound in cases(seed):
        whole = blanket_delta(rows, n, a, pair)
        assert (
            exact_delta(rows, n, a, pair) <= whole <= bound <= whole * Q(1004, 1000) + Q(1, 10**9)
        )


@pytest.mark.parametrize("spare", [Q(1, 2), Q(2)])
def test_a_lost_or_a_spare_factor_is_caught(spare):
    """Broken twins: γ = 1/2 forgotten, or divided by once more."""
    rows = response(2, Q(3))
    ((blanket, pair),) = blankets(rows).items()
    bound = blanket.delta(4, Q(3, 2), points=96, goal=Q(1, 10**6)) * spare
    whole = blanket_delta(rows, 4, Q(3, 2), pair)
    assert not whole <= bound <= whole * Q(1004, 1000)
