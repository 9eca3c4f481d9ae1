"""Division: rationalised denominators, and ratios in which logarithms cancel."""

import math
from fractions import Fraction as Q

import pytest
from hypothesis import assume, given, strategies as st

from dprivacy.errors import Uncertified
from dprivacy.numbers import Level, ln, root

coefficient = st.fractions(-5, 5, max_denominator=6)
surds = st.builds(
    lambda terms: sum((r * root(k) for k, r in terms.items()), Level(0)),
    st.dictionaries(st.sampled_from([1, 2, 3, 5, 6, 10, 15, 30]), coefficient, max_size=4),
)


@given(surds, surds)
def test_a_quotient_of_surds_times_the_divisor_is_the_dividend(top, bottom):
    assume(bottom != 0)
    quotient = top / bottom
    assert quotient * bottom == top
    assert math.isclose(float(quotient) * float(bottom), float(top), rel_tol=1e-9, abs_tol=1e-9)


@given(surds, st.sampled_from([2, 3, 6, Q(16, 7), 12]))
def test_a_logarithm_by_surds_and_back(bottom, q):
    assume(bottom != 0)
    assert ln(q) / bottom * bottom == ln(q)


@given(surds, coefficient, coefficient)
def test_proportional_sums_of_logarithms(ratio, a, b):
    bottom = a * ln(2) + b * ln(Q(3, 2)) + root(5) * ln(6)
    assume(bottom != 0)
    assert (ratio * bottom) / bottom == ratio


def test_ratios_whatever_their_size():
    assert Level(1e-10) * ln(2) / ln(2) == Q(1e-10)
    assert Q(1, 10**200) * ln(3) / ln(9) == Q(1, 2 * 10**200)
    near = Level(Q(69314718055994530941723212145817656807, 10**38))
    tiny = ln(2) - near  # about 10^-39
    assert 3 * tiny / tiny == 3
    assert root(2) * ln(3) / ln(3) == root(2)
    assert ln(27) / (root(3) * ln(3)) == root(3)


def test_logarithms_that_cancel_in_the_divisor():
    assert ln(3) / (ln(4) - 2 * ln(2) + root(2)) == ln(3) / root(2)
    assert (1 + ln(3)) / (ln(6) - ln(2) - ln(3) + 4) == (1 + ln(3)) / 4


@pytest.mark.parametrize(
    ("top", "bottom"),
    [
        (Level(1), ln(2)),
        (ln(3), ln(2)),
        (ln(2) + 1, ln(2)),
        (ln(6), ln(2) + 2 * ln(3)),
        (root(2), ln(2) + 1),
    ],
)
def test_ratios_without_an_exact_form_are_refused(top, bottom):
    with pytest.raises(Uncertified, match="has no exact form"):
        top / bottom


def test_zero_divided_by_a_logarithm():
    assert Level(0) / ln(2) == 0
    assert (ln(4) - 2 * ln(2)) / ln(3) == 0


@pytest.mark.parametrize("n", range(1, 6))
def test_reciprocal_of_a_long_sum(n):
    number = sum((root(p) for p in (2, 3, 5, 7, 11)[:n]), Level(1))
    assert (1 / number) * number == 1
    assert math.isclose(float(1 / number), 1 / float(number))
