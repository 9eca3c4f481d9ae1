"""Amounts and metrics: sums are exact, integers err upwards, scaled metrics are one metric."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import BadLevel, Malformed
from dprivacy.mechanisms import (
    bitwise_response,
    geometric,
    laplace,
    planar_laplace,
    randomised_response,
)
from dprivacy.model import Guarantee
from dprivacy.numbers.levels import Level, ln
from dprivacy.release import Plan
from dprivacy.release.ledger.amounts import Amount, amount, larger
from dprivacy.release.ledger.charged_metric import charge, charges_of, metric_of
from dprivacy.spaces import discrete, from_table, graph, grid, line, points

fractions = st.fractions(0, 50, max_denominator=1000)
levels = st.builds(
    lambda r, q, s: Level(r) + s * Level(f"ln {q}"),
    fractions,
    st.integers(2, 40),
    st.fractions(0, 5, max_denominator=9),
)


@given(st.lists(st.tuples(levels, fractions), max_size=12))
def test_sums_are_exact_and_integers_are_never_less(spends):
    total = Amount()
    for eps, delta in spends:
        total += amount(eps, delta)
    assert total.eps == sum((eps for eps, _ in spends), Level(0))
    assert total.slack == sum((delta for _, delta in spends), Fraction(0))
    assert Fraction(total.nano, 10**9) >= total.eps
    assert Fraction(total.nano, 10**9) <= total.eps + Fraction(len(spends), 10**9)
    assert Fraction(total.atto, 10**18) >= total.slack


@given(levels, fractions, levels)
def test_an_amount_comes_back_as_it_went(eps, delta, more):
    first, second = amount(eps, delta), amount(more)
    assert Amount.from_dict(first.to_dict()) == first
    assert (first + second) - second == first


@settings(max_examples=25)
@given(st.lists(st.fractions(1, 2, max_denominator=10**12), min_size=40, max_size=60))
def test_a_sum_that_cannot_be_written_keeps_its_upper_bound(spends):
    total = Amount()
    for eps in spends:
        total += amount(eps)
    exact = sum(spends, Fraction(0))
    if len(str(exact)) > 400:
        assert total.level is None
    assert exact <= Fraction(total.nano, 10**9) <= exact + Fraction(len(spends), 10**9)
    assert exact <= total.eps
    assert not total.within(amount(exact - Fraction(1, 10**6)))
    assert total.within(amount(exact + Fraction(1, 10**6)))


@pytest.mark.parametrize("digits", [100, 250, 400, 5000])
def test_a_level_with_very_many_digits(digits):
    """Its text may be an outline that says less than the number; then the integers stand."""
    for eps in (ln(1 + Fraction(1, 10**digits)), Level(Fraction(10**digits, 10**digits - 1))):
        found = amount(eps, Fraction(1, 10**digits))
        back = Amount.from_dict(found.to_dict())
        assert back == found
        assert back.eps >= eps
        assert back.slack >= Fraction(1, 10**digits)
        assert found.level in (None, eps)
        assert digits > 100 or found.level is not None


def test_the_larger_of_two():
    both = larger(amount("ln 3", "1/10"), amount(1, "1/5"))
    assert both == Amount(1098612289, 2 * 10**17, Level("ln 3"), Fraction(1, 5))


@pytest.mark.parametrize("eps", [-1, "-ln 2", math.nan, math.inf, True, "much", None])
def test_what_is_no_amount(eps):
    with pytest.raises(BadLevel):
        amount(eps)


def test_a_slack_is_rational():
    with pytest.raises(BadLevel, match="rational"):
        amount(1, "ln 2")


SAME = {
    "scaled": (discrete(["a", "b", "c"]), discrete(["a", "b", "c"]).scaled("ln 3")),
    "ordered otherwise": (discrete(["a", "b", "c"]), discrete(["c", "a", "b"])),
    "built otherwise": (
        graph([("a", "b"), ("b", "c", "2")]),
        from_table(["c", "a", "b"], [[0, 15, 10], [15, 0, 5], [10, 5, 0]]),
    ),
    "lines of numbers": (line([0, 1, 2, 3]), line([5, 10, 20])),
    "a grid of the line": (
        line(4),
        laplace(0, 10**7, eps=1, grid="1/10").guarantee.space,
    ),
    "roots": (grid(2, 2), grid(2, 2, step="1/3")),
}
OTHER = {
    "values": (discrete(["a", "b", "c"]), discrete(["a", "b", "d"])),
    "more values": (discrete(["a", "b", "c"]), discrete(["a", "b", "c", "d"])),
    "distances": (
        grid(1, 3),
        discrete([(0, 0), (0, 1), (0, 2)]),
    ),
    "kinds of values": (discrete([1, 2]), discrete(["1", "2"])),
    "bits": (
        bitwise_response(30, eps=1).guarantee.space,
        bitwise_response(31, eps=1).guarantee.space,
    ),
    "floats": (points([[0.0, 0.0], [1.0, 2.0]]), discrete([0, 1])),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_one_metric_up_to_scale(pair):
    (first, _, _), (second, _, _) = map(metric_of, pair)
    assert first == second


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_different_metrics(pair):
    (first, _, _), (second, _, _) = map(metric_of, pair)
    assert first != second


@pytest.mark.parametrize("factor", ["1/7", "3", "ln 2", "sqrt(2)"])
def test_a_scaled_metric_costs_as_much_as_the_mechanism_does(factor):
    """ε on c·d is ε·c on d: both are the same claim."""
    space = graph([("a", "b"), ("b", "c", "2")])
    plain = charge("h", Guarantee(Level(5) * Level(factor), space))
    scaled = charge("h", Guarantee(Level(5), space.scaled(factor)))
    assert plain == scaled
    assert plain.amount.eps == 5 * Level(factor)
    assert plain.whole.eps == 15 * Level(factor)


def test_a_product_of_logarithms_is_rounded_up():
    found = charge("h", Guarantee(Level("ln 2"), discrete(["a", "b"]).scaled("ln 3")))
    true = math.log(2) * math.log(3)
    assert found.amount.eps.is_rational
    assert 0 <= float(found.amount.eps) - true < 1e-12


def test_charges_of_mechanisms():
    found = charges_of({
        "answer": randomised_response(["yes", "no"], eps="ln 3", delta="1/10"),
        "age": laplace(0, 80, eps="1/10", grid=1),
        "steps": geometric(line([2, 4, 8]), eps="ln 2"),
        "place": planar_laplace(eps=1),
        "flags": bitwise_response(8, eps="ln 2"),
    })  # fmt: skip
    told = {
        c.column: (c.metric.split()[0], c.amount.words(), c.whole and c.whole.words())
        for c in found
    }
    assert told == {
        "answer": ("finite", "ln(3) ≈ 1.099 with δ = 1/10", "ln(3) ≈ 1.099 with δ = 1/10"),
        "age": ("line", "1/10", "8"),
        "steps": ("line", "ln(2) ≈ 0.6931", "ln(64) ≈ 4.159"),
        "place": ("vectors", "1", None),
        "flags": ("finite", "ln(2) ≈ 0.6931", "ln(256) ≈ 5.545"),
    }


def test_rows_of_one_person_count_each():
    spec = {"type": "categories", "values": ["a", "b"], "epsilon": "ln 2", "delta": "1/100"}
    plan = Plan.read({"unit": "who", "rows_per_person": 3, "columns": {"h": spec}})
    (found,) = charges_of(plan)
    assert found.amount == amount("ln 8", "3/100")


@pytest.mark.parametrize(
    "what", [None, {}, [], 3, "ln 2", {"h": 1}, {1: Guarantee(Level(1), line(2))}, [1]]
)
def test_what_cannot_be_charged(what):
    with pytest.raises(Malformed):
        charges_of(what)


def test_blocks_are_charged_for_their_finite_distances():
    spec = {
        "type": "categories",
        "values": ["child", "single", "married"],
        "blocks": [["child"], ["single", "married"]],
        "epsilon": "ln 3",
    }
    (found,) = charges_of(Plan.read({"columns": {"h": spec}}))
    assert found.whole == amount("ln 3")


def test_blocks_of_numbers_are_charged_like_blocks_of_words():
    """The first two numbers may be infinitely far apart, and then no slope joins them."""
    spec = {"type": "categories", "values": ["1", "2", "3"], "blocks": [["1"], ["2", "3"]]}
    (found,) = charges_of(Plan.read({"columns": {"h": {**spec, "epsilon": "ln 3"}}}))
    far = [[0, "inf", "inf"], ["inf", 0, 1], ["inf", 1, 0]]
    numbers = charge("h", Guarantee(Level("ln 3"), from_table([1, 2, 3], far, extended=True)))
    assert numbers.amount == found.amount == numbers.whole == amount("ln 3")
