"""Two outputs: against all multisets in Fractions, full convolutions, and known numbers."""

import itertools
import math
import random
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.mechanisms import randomised_response
from dprivacy.verify import shuffled
from dprivacy.verify.shuffling.two_outputs import (
    count_attack,
    holds,
    peak,
    two_output_factors,
)
from dprivacy.verify.sums.count_law import CountLaw
from support.shuffled_truth import exact_delta


def delta_with(n, m, low, high, u, v, a):
    """δ between chances u and v, m of the n − 1 others at high: every count in Fractions."""
    law = [Q(1)]
    for q in [high] * m + [low] * (n - 1 - m):
        law = [p * (1 - q) + r * q for p, r in zip([*law, Q(0)], [Q(0), *law], strict=True)]
    both = zip([*law, Q(0)], [Q(0), *law], strict=True)
    return sum(max(p * (1 - u) + r * u - a * (p * (1 - v) + r * v), Q(0)) for p, r in both)


@pytest.mark.parametrize("seed", range(40))
def test_upper_and_lower_close_in_on_the_truth(seed):
    rng = random.Random(seed)
    low, high = sorted(rng.sample(range(0 if seed % 5 == 0 else 1, 20), 2))
    low, high, n = Q(low, 20), Q(high, 20), rng.randint(2, 7)
    rows = [[1 - high, high], [1 - low, low], [1 - (low + high) / 2, (low + high) / 2]]
    for a in (Q(1), Q(51, 50), Q(3, 2), Q(4)):
        true = max(exact_delta(rows, n, a, pair) for pair in ((0, 1), (1, 0)))
        assert holds([(high, low)], low, high, n, a, true + Q(1, 10**12))
        if true > Q(1, 10**12):
            assert not holds([(high, low)], low, high, n, a, true - Q(1, 10**12))
        assert count_attack([(high, low)], low, high, n, a) <= true


def test_the_worst_number_of_others_need_not_be_an_end():
    low, high, a = Q(1, 10), Q(2, 5), Q(51, 50)
    by_m = [float(delta_with(10, m, low, high, high, low, a)) for m in range(10)]
    assert [round(by_m[m], 5) for m in (0, 1, 9)] == [0.11095, 0.11293, 0.06941]
    found = [peak(CountLaw(m, high, 9 - m, low), high, low, a, side=1) for m in range(10)]
    assert found == pytest.approx(by_m, rel=1e-12)
    assert not holds([(high, low)], low, high, 10, a, Q(1129, 10**4))
    assert holds([(high, low)], low, high, 10, a, Q(1130, 10**4))


def test_the_ends_of_the_window():
    """n = 1,000, ε₀ = 4, δ = 10⁻⁹: the threshold lies past the last point of one of the laws."""
    (_, low), (_, high) = randomised_response([0, 1], eps=4).channel.matrix.rows()
    pair, goal = (Q(high), Q(low)), Q(1, 10**9)
    a, attacked = two_output_factors([pair], pair, 1000, goal, pair[0] / pair[1])
    assert math.log(a) == pytest.approx(3.921, abs=6e-4)
    assert attacked < a
    low, high = map(float, (pair[1], pair[0]))
    by_m = [_by_convolution(1000, m, low, high, float(a)) for m in (0, 1, 500, 999)]
    assert max(by_m) <= 1e-9 * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_a_peak_is_what_a_full_convolution_says(seed):
    rng = random.Random(seed)
    n = rng.choice([30, 300, 4000])
    low, high = sorted(rng.sample(range(1, 40), 2))
    low, high, m = Q(low, 40), Q(high, 40), rng.randint(0, n - 1)
    a = 1 + Q(rng.randint(0, 300), 100) / rng.choice([1, 10, 100])
    true = _by_convolution(n, m, float(low), float(high), float(a))
    law = CountLaw(m, high, n - 1 - m, low)
    upper, lower = (peak(law, high, low, a, side=side) for side in (1, -1))
    assert lower <= true * (1 + 1e-8) + 1e-15
    assert upper >= true * (1 - 1e-8) - 1e-15
    assert upper - lower <= 1e-9 * upper + 1e-20


def _by_convolution(n, m, low, high, a):
    def coins(k, q):
        j = np.arange(k + 1)
        logs = [math.lgamma(k + 1) - math.lgamma(i + 1) - math.lgamma(k - i + 1) for i in j]
        return np.exp(np.array(logs) + j * math.log(q) + (k - j) * math.log1p(-q))

    law = np.convolve(coins(m, high), coins(n - 1 - m, low))
    one, two = (np.append(law, 0) * (1 - q) + np.append(0, law) * q for q in (high, low))
    return float(np.maximum(one - a * two, 0).sum())


@pytest.mark.parametrize("low", [Q(1, 4), Q(1, 3)])
def test_groups_cover_what_they_stand_for(low):
    """Above 2,000 people: every m is covered, at a loss of a few thousandths of ε."""
    high, n, goal = Q(3, 4), 2401, Q(1, 10**5)
    a, attacked = two_output_factors([(high, low)], [low, high], n, goal, high / low)
    laws = (CountLaw(m, high, n - 1 - m, low) for m in range(0, n, 100))
    assert max(peak(law, high, low, a, side=1) for law in laws) <= goal
    assert math.log(a) <= math.log(attacked) * 1.006


@pytest.mark.parametrize(
    ("eps", "n", "delta", "told"),
    [
        (1, 1000, "1e-6", 0.1267),
        ("ln 3", 1000, "1e-9", 0.2007),
        (2, 10**4, "1e-6", 0.08745),
        (4, 10**5, "1e-9", 0.1210),
        ("ln 3", 10**6, "1e-6", 0.003209),
    ],
)
def test_known_numbers(eps, n, delta, told):
    found = shuffled(randomised_response([0, 1], eps=eps), n, delta=delta)
    assert told * 0.997 <= float(found.eps) <= told * 1.0004
    assert found.eps <= found.attacked * Q(1004, 1000)


def test_several_channels_and_rows():
    """Others may use a stronger channel, and then hide less."""
    strong, weak = [["9/10", "1/10"], ["1/10", "9/10"]], [["2/3", "1/3"], ["1/3", "2/3"]]
    alone, mixed, all_strong = (
        float(shuffled(one, 60, delta="1/1000", beside=beside).eps)
        for one, beside in ((weak, ()), (weak, [strong]), (strong, ()))
    )
    assert alone < mixed
    assert mixed == pytest.approx(all_strong, rel=1e-3)
    a = shuffled(weak, 4, delta="1/10", beside=[strong]).eps.exp()
    for others in itertools.product((Q(1, 10), Q(1, 3), Q(2, 3), Q(9, 10)), repeat=3):
        law = [Q(1)]
        for q in others:
            law = [p * (1 - q) + r * q for p, r in zip([*law, Q(0)], [Q(0), *law], strict=True)]
        shifted = list(zip([*law, Q(0)], [Q(0), *law], strict=True))
        one, two = ([p * (1 - q) + r * q for p, r in shifted] for q in (Q(9, 10), Q(1, 10)))
        assert sum(max(x - a * y, Q(0)) for x, y in zip(one, two, strict=True)) <= Q(1, 10)
    twice = shuffled(weak, 60, delta="1/1000", rows_per_person=2)
    assert 2 * alone < float(twice.eps) < float(twice.local)
