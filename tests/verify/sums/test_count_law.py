"""Sums of two binomials: each mass to the error it states, tails, and where the quotient crosses."""

import math
import random
from fractions import Fraction as Q

import pytest

from dprivacy.verify.sums.count_law import OUTSIDE, CountLaw, binomial


def exact_sum(m1, q1, m2, q2):
    law = [Q(1)]
    for m, q in ((m1, q1), (m2, q2)):
        one = [math.comb(m, j) * q**j * (1 - q) ** (m - j) for j in range(m + 1)]
        wider = [Q(0)] * (len(law) + m)
        for i, p in enumerate(law):
            for j, w in enumerate(one):
                wider[i + j] += p * w
        law = wider
    return law


@pytest.mark.parametrize("seed", range(12))
def test_masses_and_tails_are_within_their_error(seed):
    rng = random.Random(seed)
    m1, m2 = rng.randint(0, 40), rng.randint(0, 40)
    q1, q2 = (Q(rng.randint(0, 12), 12) for _ in range(2))
    law, true = CountLaw(m1, q1, m2, q2), exact_sum(m1, q1, m2, q2)
    for j in range(-2, m1 + m2 + 3):
        mass = true[j] if 0 <= j < len(true) else Q(0)
        tail = sum(true[max(j, 0) :], Q(0))
        for found, value in ((law.at(j), mass), (law.above(j), tail)):
            assert abs(Q(found) - value) <= value * Q(law.error) + Q(OUTSIDE)


def test_a_window_of_many_people():
    m, q = 10**6, Q(1, 3)
    first, masses = binomial(m, q)
    assert abs(masses.sum() - 1) < 1e-10
    for j in (first + 10, 333_000, 333_333, 334_000):
        log = math.lgamma(m + 1) - math.lgamma(j + 1) - math.lgamma(m - j + 1)
        log += j * math.log(1 / 3) + (m - j) * math.log(2 / 3)
        assert masses[j - first] == pytest.approx(math.exp(log), rel=1e-7)
    below = (333_333 - first) / math.sqrt(m * 2 / 9)
    assert below > 11.5


def test_rare_answers_do_not_underflow():
    first, masses = binomial(200, Q(1, 10**9))
    assert first == 0
    assert masses.min() > 1e-150
    assert masses[0] == pytest.approx(1 - 2e-7, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_crossing_is_the_first_point_where_the_quotient_is_larger(seed):
    rng = random.Random(seed)
    m1, m2 = rng.randint(1, 30), rng.randint(0, 30)
    law = CountLaw(m1, Q(rng.randint(1, 9), 10), m2, Q(rng.randint(1, 9), 10))
    for ratio in (1.01, 1.5, 4.0, 1e6):
        j = law.crossing(ratio)
        assert all(law.at(i - 1) <= ratio * law.at(i) for i in range(law.first, j))
        assert j == law.last + 1 or law.at(j - 1) > ratio * law.at(j)


def test_past_the_end_counts_as_crossed():
    """A broken twin compares 0 with 0 there, and goes on for ever."""
    law = CountLaw(3, Q(1, 2), 0, Q(1, 2))
    assert law.crossing(1e9) == law.last + 1
    assert not law.at(law.last + 1) > 1e9 * law.at(law.last + 2)
