"""`compose`: known numbers, exact products, one value through several channels, what is refused."""

import json
import math
import random
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel, BadNumber, NotApplicable, TooLarge, Uncertified, WrongKind
from dprivacy.mechanisms import geometric, planar_laplace, randomised_response
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line
from dprivacy.verify import compose, delta_at, eps_at, privacy_profile
from support.exact_products import exact_delta, some_pair

COIN = [["3/4", "1/4"], ["1/4", "3/4"]]
ODD = [["3/4", "1/4"], ["1/5", "4/5"]]
THREE = [["1/2", "1/4", "1/4"], ["1/4", "1/3", "5/12"]]


@pytest.mark.parametrize(
    ("mechanism", "times", "delta", "ours", "optimistic", "pessimistic"),
    [
        # optimistic and pessimistic: dp_accounting 0.6.0 (bench/bench_composing.py runs it)
        (randomised_response(range(2), eps="ln 3"), 10, "1e-6", 10.986106, 10.98598, 10.98698),
        (randomised_response(range(2), eps="ln 3"), 100, "1e-6", 94.289868, 94.28811, 94.29811),
        (randomised_response(range(4), eps="ln 3"), 30, "1e-6", 28.676256, 28.67591, 28.67864),
        (randomised_response(range(20), eps=1), 30, "1e-9", 16.878539, 16.87854, 16.87854),
        (randomised_response(range(2), eps="1/10"), 1000, "1e-6", 19.344672, 19.30452, 19.40452),
    ],
)
def test_between_the_two_values_of_a_peer(mechanism, times, delta, ours, optimistic, pessimistic):
    found = compose([mechanism], delta=delta, times=times)
    assert math.ceil(found.eps * 10**6) / 10**6 == ours
    assert optimistic - 1e-5 <= ours <= pessimistic
    assert (
        found.added == found.releases * Level(mechanism.guarantee.eps)
        or found.added < found.releases
    )
    assert found.eps < found.added


@pytest.mark.parametrize(
    ("eps", "fits"), [("1/50", 1052), ("1/20", 170), ("1/10", 46), ("1/4", 12), (1, 3)]
)
def test_how_many_levels_fit_a_budget(eps, fits):
    assert compose([eps], delta="1e-6", times=fits).eps <= 3
    assert compose([eps], delta="1e-6", times=fits + 1).eps > 3


@pytest.mark.parametrize("times", [1, 3, 6])
def test_one_value_through_two_channels_against_the_exact_product(times):
    found = compose([ODD, THREE], delta="1/1000", times=times, same_value=True)
    pairs = {
        order: [
            [(Q(table[order[0]][y]), Q(table[order[1]][y])) for y in range(len(table[0]))]
            for table in (ODD, THREE)
        ]
        * times
        for order in ((0, 1), (1, 0))
    }
    below, above = (_exp(found.eps + shift) for shift in (0, Q(1, 1000)))
    true = {order: exact_delta(pair, below) for order, pair in pairs.items()}
    assert max(true.values()) <= Q(1, 1000)
    assert found.pair == max(true, key=lambda order: true[order])
    less = _exp(found.eps - Q(1, 1000))
    assert above > below > less
    assert max(exact_delta(pair, less) for pair in pairs.values()) > Q(1, 1000)


def _exp(level):
    """e^level from below."""
    exact, total, term = Q(Level(level).bounds(80)[0]), Q(0), Q(1)
    for i in range(1, 60):
        total, term = total + term, term * exact / i
    return Q(math.floor(total * 10**25), 10**25)


def test_the_worst_pair_of_each_is_never_less_than_one_pair_for_all():
    for times in (1, 4, 20):
        apart = compose([ODD, THREE], delta="1e-6", times=times)
        together = compose([ODD, THREE], delta="1e-6", times=times, same_value=True)
        assert together.eps <= apart.eps <= apart.added
        assert together.pair is not None or together.eps == together.added
        assert apart.pair is None


def test_one_release_is_its_profile():
    for mechanism in (randomised_response(range(3), eps="ln 3"), geometric(line(5), eps="ln 2")):
        for delta in ("1/10", "1/1000"):
            once, true = compose([mechanism], delta=delta).eps, eps_at(mechanism, delta=delta)
            assert true <= once <= true + Q(2, 10**9)


def test_a_profile_stands_for_its_channel():
    profile = privacy_profile(ODD)
    assert (
        compose([profile], delta="1e-4", times=9).eps == compose([ODD], delta="1e-4", times=9).eps
    )


def test_delta_is_found_where_eps_is_given():
    found = compose([COIN], eps="2 ln 3", times=4)
    true = exact_delta([[(Q(3, 4), Q(1, 4)), (Q(1, 4), Q(3, 4))]] * 4, Q(9))
    assert (found.eps, found.added) == (ln(9), ln(81))
    assert true <= found.delta <= float(true) * (1 + 1e-12)
    assert compose([ODD], eps=0).delta == pytest.approx(float(delta_at(ODD, eps=0)), rel=1e-9)


def test_levels_with_their_own_delta():
    once = ("1/10", "1e-9")
    found = compose([once], delta="1e-6", times=100)
    assert found.eps < 5
    assert found.added == 10
    strict = compose([once], delta="1e-8", times=100)  # their own δ are more
    assert strict.eps == strict.added == math.inf
    assert "not (ε, δ)-private for any ε" in strict.explain()
    halfway = compose([(1, Q(1, 100)), (1, Q(1, 100))], delta=Q(1999, 100000))
    assert halfway.eps < 3
    assert halfway.added == math.inf
    assert "their own δ add up to more" in halfway.explain()


def test_the_sum_where_nothing_is_tighter():
    assert compose(["ln 3"], delta=0, times=5).eps == ln(3**5)
    exact = compose([1], delta="1e-30", times=2)
    assert exact.eps == exact.added == 2
    assert exact.saved == 0
    assert exact.explain().endswith("the sum of their levels: nothing tighter was found.")


def test_more_releases_cost_more_and_more_delta_costs_less():
    levels = [compose(["1/10"], delta="1e-6", times=k).eps for k in (1, 5, 40, 41, 300)]
    assert levels == sorted(set(levels))
    slacks = [compose(["1/10"], delta=d, times=50).eps for d in ("1e-12", "1e-9", "1e-6", "1e-3")]
    assert slacks == sorted(set(slacks), reverse=True)


def test_words_and_plain_data():
    found = compose(["1/10"] * 50, delta="1e-6")
    assert found.exact
    assert str(found).startswith("Together the 50 releases are (ε, δ)-private with ε = 3.1")
    assert str(found).endswith("adding levels up says 5.")
    assert found.saved == 5 - found.eps
    assert json.loads(json.dumps(found.to_dict()))["releases"] == 50
    assert "between 0 and 1" in compose([COIN] * 40, delta="1e-6", same_value=True).explain()


def test_choosing_the_next_release_by_the_last_breaks_a_loss_budget():
    """Why a list must be declared: each branch passes the composed bound, the whole does not."""
    delta, factor = Q(1, 10), Q(2)
    first = [(Q(2, 3), Q(1, 3)), (Q(1, 3), Q(2, 3))]  # ratios 2 and 1/2
    # after its first output a pure level of ln 4 with δ = 3/20 at ε = 0; after the second 1/10 is lost
    w = Q(3, 20) / 3
    after_one = [(4 * w, w), (w, 4 * w), (1 - 5 * w, 1 - 5 * w)]
    after_two = [(delta, Q(0)), (Q(0), delta), (1 - delta, 1 - delta)]
    for second in (after_one, after_two):
        assert exact_delta([first, second], factor) <= delta
    (p, q), (r, s) = first
    whole = [(p * a, q * b) for a, b in after_one] + [(r * a, s * b) for a, b in after_two]
    assert sum(max(a - factor * b, 0) for a, b in whole) == delta * Q(4, 3)


@pytest.mark.parametrize(
    ("releases", "options", "error", "words"),
    [
        (["1"], {}, WrongKind, "eps= or delta=, one of the two"),
        (["1"], {"eps": 1, "delta": "1e-6"}, WrongKind, "eps= or delta=, one of the two"),
        (randomised_response(range(2), eps=1), {"delta": "1e-6"}, WrongKind, "a list of releases"),
        ("1", {"delta": "1e-6"}, WrongKind, "a list of releases, not str"),
        ([], {"delta": "1e-6"}, BadNumber, "1 to 1,000,000 releases"),
        (["1"], {"delta": "1e-6", "times": 0}, BadNumber, "this one is of 1 × 0"),
        (["1"], {"delta": "1e-6", "times": 2.0}, BadNumber, "1 × 2.0"),
        (["1"] * 2, {"delta": "1e-6", "times": 10**6}, BadNumber, "2 × 1000000"),
        (["1"], {"delta": 2}, BadLevel, "δ should be"),
        (["-1"], {"delta": "1e-6"}, BadLevel, "at least 0"),
        ([[[0.5, 0.5], [0.25, 0.75]]], {"delta": "1e-6"}, Uncertified, "as fractions"),
        ([planar_laplace(eps=1)], {"delta": "1e-6"}, NotApplicable, "no channel"),
        (["1", COIN], {"delta": "1e-6", "same_value": True}, NotApplicable, "the same inputs"),
        (
            [COIN, THREE + THREE],
            {"delta": "1e-6", "same_value": True},
            NotApplicable,
            "same inputs",
        ),
    ],
)
def test_what_is_refused(releases, options, error, words):
    with pytest.raises(error, match=words):
        compose(releases, **options)


def test_too_many_pairs_are_refused_with_the_way_out():
    rng = random.Random(5)
    big = [[p for p, _ in some_pair(rng, 6)] for _ in range(50)]
    with pytest.raises(TooLarge, match="without same_value"):
        compose([big], delta="1e-6", same_value=True)


def test_levels_that_are_hardly_there():
    found = compose(["1e-60", "1.41421356e-60"], delta="1e-6", times=3)
    assert 0 <= found.eps <= found.added
    # two weak coins tell together what the stronger one tells, to first order
    told = compose(["1e-60", "1.41421356e-60"], eps=0).delta
    assert 7.07106e-61 < told < 7.0712e-61
