"""Laws of hiding and revealing."""

from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import (
    capacity,
    d_capacity,
    focussed,
    inference,
    is_focussed,
    is_hiding,
    is_insensitive,
    is_revealing,
)
from dprivacy.model import Dist
from dprivacy.spaces import discrete, from_table
from support.flow_strategies import channels, distributions, priors, processed

law = settings(max_examples=60)


@pytest.mark.statement("T", "Def 5.3.1", "Def 5.4.1")
@law
@given(st.data())
def test_inference_is_bounded_by_the_channel(data):
    C = data.draw(channels())
    k = data.draw(st.integers(1, 3))
    weights = data.draw(distributions(len(C.rows) * k))
    pairs = [(x, f"z{j}") for x in C.rows for j in range(k)]
    belief = Dist(pairs, weights)
    found = inference(C, belief)
    assert found.after >= found.before
    assert found.multiplicative <= capacity(C)
    D = data.draw(processed(C))
    assert inference(D, belief).after <= found.after


@pytest.mark.statement("T", "Lem 9.12", "Thm 9.13")
@law
@given(st.data())
def test_hiding_and_revealing(data):
    C = data.draw(channels(n=4))
    D = data.draw(processed(C))
    prior = data.draw(priors(C))
    x1, x2, x3, x4 = C.rows
    fine, coarse = [[x1], [x2], [x3, x4]], [[x1, x2], [x3, x4]]
    for blocks in (fine, coarse):
        safe, unsafe = (
            is_hiding(D, blocks, eps=0, prior=prior),
            is_hiding(C, blocks, eps=0, prior=prior),
        )
        assert safe.leakage <= unsafe.leakage
    even = Dist(C.rows, [Q(1, 3), Q(1, 3), Q(1, 6), Q(1, 6)])
    hidden = is_hiding(C, fine, eps=0, prior=even).leakage
    assert is_revealing(C, coarse, delta=0, prior=even).leakage <= hidden


def test_floats_within_rounding_of_the_level_are_undecided():
    space = discrete(["ill", "well"])
    coin = {"ill": {0: 0.75, 1: 0.25}, "well": {0: 0.25, 1: 0.75}}
    wide = focussed(coin, ["smokes", "does not"], on="useful")
    at = {eps: is_focussed(wide, space, eps=eps, on="useful") for eps in ("ln 3", "1.1", "1.09")}
    assert [found.holds for found in at.values()] == [None, True, False]
    assert all(0 < found.error < 1e-12 for found in at.values())


def test_float_rows_that_differ_by_rounding_are_neither_equal_nor_different():
    rows = {("s", "u"): {0: 0.3, 1: 0.7}, ("t", "u"): {0: 0.1 + 0.2, 1: 0.7}}
    assert is_insensitive(rows, "secret").holds is None
    assert is_focussed(rows, discrete(["u"]), eps=1, on="useful").holds is None
    rows["t", "u"] = {0: 0.300001, 1: 0.699999}
    assert is_insensitive(rows, "secret").holds is False


def test_a_rate_without_an_exact_form_is_compared_with_its_rounding_in_mind():
    """ln 2 / ln 3 is rounded up; just below that double the answer is not a "No" that is proved."""
    space = from_table(["a", "b"], [[0, "ln 3"], ["ln 3", 0]])
    wide = focussed({"a": {0: "2/3", 1: "1/3"}, "b": {0: "1/3", 1: "2/3"}}, ["s"], on="useful")
    up = d_capacity({"a": {0: "2/3", 1: "1/3"}, "b": {0: "1/3", 1: "2/3"}}, space)
    just_below = Q(up) - Q(1, 10**25)
    found = [is_focussed(wide, space, eps=e, on="useful").holds for e in (up, just_below, "0.63")]
    assert found == [True, None, False]
