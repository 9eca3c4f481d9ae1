"""A level that protects little is said to, with a factor that is never too small."""

import math
import re
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, strategies as st

from dprivacy.numbers import Level, as_level, ln
from dprivacy.release.plans.weak_levels import MUCH, WEAK, weak_words


def said(level):
    return weak_words(as_level(level), whole="The whole row is", between="two sets of answers")


def test_the_threshold_is_a_factor_of_22026():
    assert said(MUCH) == ""
    assert said("10.000001").endswith("by a factor of 22,027.")
    assert math.floor(math.exp(MUCH)) == 22_026
    odds = math.exp(MUCH) / 999
    assert round(odds / (1 + odds), 2) == 0.96  # what the docstring says of one in a thousand


@pytest.mark.parametrize(
    ("level", "factor"),
    [
        (ln(10) * 5, "100,000"),
        (29, "e^29 ≈ 4·10^12"),
        (297, "e^297 ≈ 10^129"),
        (23, "e^23 ≈ 10^10"),
    ],
)
def test_the_factor(level, factor):
    assert said(level) == (
        f"The whole row is {WEAK}: the odds between two sets of answers may change by a factor of "
        f"{factor}."
    )


@given(st.integers(21, 10**6))
def test_the_power_of_ten_is_never_too_small(exponent):
    """Against e^n in decimals of 60 digits."""
    found = re.search(r"≈ (?:(\d)·)?10\^(\d+)\.", said(Level(exponent)))
    with localcontext(prec=60, Emax=10**9):
        printed = Decimal(found[1] or 1).scaleb(int(found[2]))
        assert Decimal(exponent).exp() <= printed <= 2 * Decimal(exponent).exp()


def test_a_level_without_end_has_words_as_well():
    assert said(10**12).endswith("by a factor of e^1000000000000.")
