"""The attack never claims more than the truth, and comes close to the bound."""

import itertools
import random
from fractions import Fraction as Q

import pytest

from dprivacy.mechanisms import randomised_response
from dprivacy.verify import shuffled
from dprivacy.verify.shuffling.threshold_attack import attack_factor
from support.shuffled_truth import exact_delta, some_channel


@pytest.mark.parametrize("seed", range(20))
def test_what_is_attacked_is_not_private(seed):
    rng = random.Random(seed)
    rows = some_channel(rng, rng.choice([2, 3]), rng.choice([2, 3]), holes=seed % 5 == 0)
    delta, found = Q(1, 50), 0
    for pair in itertools.permutations(range(len(rows)), 2):
        for n, others in itertools.product((1, 2, 4), rows):
            a = attack_factor(rows[pair[0]], rows[pair[1]], others, n, delta, Q(3, 2))
            if a is not None:
                found += 1
                assert exact_delta(rows, n, a * Q(999999, 1000000), pair) > delta
    assert found or seed % 5 == 0


ROWS = [
    [Q(5, 8), Q(1, 4), Q(1, 8)],
    [Q(1, 4), Q(1, 2), Q(1, 4)],
    [Q(0), Q(1, 3), Q(2, 3)],
]


@pytest.mark.parametrize(
    ("pair", "others", "n", "told"),
    [
        ((0, 1), 2, 4, Q(299, 125)),
        ((0, 1), 1, 30, Q(60567182539703, 53629336228050)),
        ((1, 2), 0, 7, Q(4755261, 1562500)),
        ((2, 0), 0, 7, Q(9344, 4275)),
    ],
)
def test_known_factors(pair, others, n, told):
    """As sums of fractions, output by output, gave them."""
    found = attack_factor(*(ROWS[i] for i in pair), ROWS[others], n, Q(1, 50), Q(3, 2))
    assert found.limit_denominator(10**15) == told


def test_alike_rows_cannot_be_attacked():
    row = [Q(1, 2), Q(1, 2)]
    assert attack_factor(row, row, row, 5, Q(1, 100), Q(1)) is None


@pytest.mark.parametrize(("n", "gap"), [(100, 1.05), (1000, 1.01)])
def test_bound_and_attack_are_close(n, gap):
    found = shuffled(randomised_response(range(4), eps="ln 3"), n, delta="1e-6")
    assert found.attacked < found.eps < found.attacked * Q(str(gap))
    assert "An attack shows" in found.explain()
