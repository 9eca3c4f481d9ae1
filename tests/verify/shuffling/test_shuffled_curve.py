"""δ as a function of ε: above the truth everywhere, at `shuffled`'s numbers, and composed."""

import itertools
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber
from dprivacy.mechanisms import randomised_response
from dprivacy.model import parallel
from dprivacy.numbers import ln
from dprivacy.verify import compose, record_profile, shuffled, shuffled_profile
from support.shuffled_truth import exact_delta


@pytest.mark.parametrize(
    "rows",
    [
        [["3/4", "1/4"], ["1/3", "2/3"]],
        [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/5", "1/5", "3/5"]],
        [["5/8", "1/4", "1/8"], ["1/4", "3/4", 0]],
    ],
)
def test_never_below_the_truth(rows):
    n, table = 5, [[Q(value) for value in row] for row in rows]
    curve = shuffled_profile(table, n, delta="3/20" if 0 in rows[1] else "1e-4", points=9)
    for a in (Q(1), Q(11, 10), Q(6, 5), Q(3, 2), Q(2), Q(5)):
        pairs = itertools.permutations(range(len(rows)), 2)
        true = max(exact_delta(table, n, a, pair) for pair in pairs)
        assert max(p - q * a for p, q in curve.lines) >= true


@pytest.mark.parametrize(("k", "n"), [(2, 100), (4, 1000)])
def test_it_passes_through_the_numbers_of_shuffled(k, n):
    response = randomised_response(range(k), eps="ln 3")
    curve = shuffled_profile(response, n, delta="1e-9")
    for delta in ("1e-3", "1e-6"):
        alone = float(shuffled(response, n, delta=delta).eps)
        assert alone * 0.995 <= float(curve.eps(delta)) <= alone * 1.005


@pytest.mark.parametrize(("times", "told", "added"), [(12, 0.1495, 0.5547), (52, 0.3272, 2.596)])
def test_many_shuffled_releases(times, told, added):
    response = randomised_response(range(4), eps="ln 3")
    found = compose([shuffled_profile(response, 10**4)], delta="1e-6", times=times)
    assert told * 0.995 <= float(found.eps) <= told
    one = shuffled(response, 10**4, delta=Q(1, 10**6 * times))
    assert float(one.eps) * times == pytest.approx(added, rel=2e-4)


def test_what_is_refused():
    with pytest.raises(BadNumber, match="at least two points"):
        shuffled_profile([["3/4", "1/4"], ["1/4", "3/4"]], 10, points=1)
    with pytest.raises(BadNumber, match="take a larger delta"):
        shuffled_profile([["3/4", "1/4", 0], ["1/4", "1/2", "1/4"]], 10)


def test_a_record_of_two_columns_has_the_curve_of_their_product():
    sex, vote = randomised_response(range(2), eps="ln 2"), randomised_response(range(3), eps="ln 3")
    product = parallel(sex.channel, vote.channel)
    both = record_profile({"sex": sex, "vote": vote}, 500, delta="1e-9")
    whole = shuffled_profile(product, 500, delta="1e-9")
    for delta in ("1e-3", "1e-6", "1e-8"):
        found, wanted = (float(compose([curve], delta=delta).eps) for curve in (both, whole))
        assert found == pytest.approx(wanted, rel=1e-3)
    rows = [[Q(value) for value in row] for row in product.matrix.rows()]
    small = record_profile({"sex": sex, "vote": vote}, 2, delta="1/1000")
    pairs = [(i, j) for i in range(len(rows)) for j in range(len(rows)) if i != j]
    for a in (Q(1), Q(3, 2), Q(3)):
        truth = max(exact_delta(rows, 2, a, pair) for pair in pairs)
        assert truth <= small.delta(ln(a)) <= truth * 2
