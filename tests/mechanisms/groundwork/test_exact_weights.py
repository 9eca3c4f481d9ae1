"""Factors e^ε: exact, or from below."""

from fractions import Fraction as Q

import pytest

from dprivacy.mechanisms.groundwork.exact_weights import SLACK, factor_below
from dprivacy.numbers import Level, ln


@pytest.mark.parametrize("eps", ["1", "1e-30", "1e-200", "700", "50000", "sqrt(2)"])
def test_a_factor_from_below(eps):
    level = Level(eps)
    low = factor_below(level)
    assert ln(low) <= level
    assert ln(low) > level * (1 - Q(1, 10**30))


def test_a_rational_factor_is_itself():
    assert factor_below(ln(Q(16, 7))) == Q(16, 7)
    assert SLACK < 1
