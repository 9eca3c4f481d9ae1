"""Directed rounding is directed, and tight."""

import math
import sys
from fractions import Fraction as Q

import pytest
from hypothesis import example, given, strategies as st

from dprivacy.numbers.enclosures__numbers_rounding import float_down, float_up

LARGEST = Q(sys.float_info.max)
SMALLEST = Q(5e-324)

rationals = st.one_of(
    st.fractions(),
    st.builds(lambda q, e: q * Q(10) ** e, st.fractions(-9, 9), st.integers(-400, 400)),
    st.builds(lambda x, d: Q(x) + d, st.floats(-1e300, 1e300), st.fractions(-1, 1)),
)


@given(rationals)
@example(Q(0))
@example(Q(1, 3))
@example(LARGEST)
@example(LARGEST + 1)
@example(-LARGEST - 1)
@example(SMALLEST / 3)
@example(-SMALLEST / 3)
@example(Q(10**400))
@example(Q(-(10**400)))
@example(Q(2**53 + 1))
def test_up_is_the_least_double_above_and_down_the_greatest_below(q):
    up, down = float_up(q), float_down(q)
    assert q <= up
    assert down <= q
    below, above = math.nextafter(up, -math.inf), math.nextafter(down, math.inf)
    assert below < q, "float_up is not tight"
    assert above > q, "float_down is not tight"


@pytest.mark.parametrize("x", [0.1, 1e308, 5e-324, -2.5, sys.float_info.max])
def test_doubles_stay(x):
    assert float_up(Q(x)) == x == float_down(Q(x))


def test_beyond_the_doubles():
    assert float_up(Q(10**400)) == math.inf
    assert float_down(Q(10**400)) == sys.float_info.max
    assert float_up(Q(-(10**400))) == -sys.float_info.max
    assert float_down(Q(-(10**400))) == -math.inf
    assert float_up(SMALLEST / 10**9) == 5e-324
    assert float_down(SMALLEST / 10**9) == 0.0
