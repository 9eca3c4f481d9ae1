"""Enclosures really enclose and get tight; rounding is directed; estimates are accurate or NaN."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as Q

import pytest
from flint import arb, ctx, fmpq
from hypothesis import example, given, strategies as st

from dprivacy.numbers.enclosures import (
    bounds_of_terms,
    exp_bounds,
    float_down,
    float_up,
    safe_float,
    term_float,
)


def ball(q):
    return arb(fmpq(q.numerator, q.denominator))


small = st.fractions(min_value=Q(1, 1000), max_value=1000, max_denominator=10**6)


@given(small, small, st.sampled_from([24, 53, 100, 300]))
def test_exp_bounds(a, b, bits):
    lo, hi = sorted((a, b))
    with ctx.workprec(2000):
        low, high = exp_bounds(a, a, bits)
        assert ball(low) <= ball(a).exp() <= ball(high)
        assert high - low <= high * Q(2**12, 2**bits)
        low, high = exp_bounds(lo, hi, bits)
        assert ball(low) <= ball(lo).exp()
        assert ball(high) >= ball(hi).exp()


def test_the_empty_sum_is_zero():
    assert bounds_of_terms({}, 64) == (0, 0)


def test_dyadic_rationals_are_exact():
    assert bounds_of_terms({(1, None): Q(3, 8)}, 64) == (Q(3, 8), Q(3, 8))


def test_the_callers_precision_is_left_alone():
    before = ctx.prec
    bounds_of_terms({(2, Q(3)): Q(1)}, 777)
    exp_bounds(Q(1), Q(1), 555)
    assert ctx.prec == before


def test_threads_do_not_disturb_each_other():
    def work(bits):
        low, high = bounds_of_terms({(3, Q(7, 2)): Q(1, 3)}, bits)
        return high - low <= Q(2**8, 2**bits) and float(low) == pytest.approx(
            math.sqrt(3) * math.log(3.5) / 3
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, [30, 900, 64, 2000, 45, 333] * 30))


# -- directed rounding -------------------------------------------------------------------------------

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


# -- quick estimates ---------------------------------------------------------------------------------

exponents = st.integers(-400, 400)


@given(st.integers(1, 999), exponents, st.integers(1, 10**6), st.integers(1, 999), exponents)
def test_an_estimate_is_accurate_or_not_a_number(a, e, k, b, f):
    r = Q(a, 7) * Q(10) ** e
    q = 1 + Q(b, 11) * Q(10) ** f
    estimate = term_float(k, q, r)
    with ctx.workprec(2500):
        truth = ball(r) * arb(k).sqrt() * ball(q).log()
        if math.isnan(estimate) or math.isinf(estimate):
            size = abs(truth)
            extreme = not (ball(Q(1, 10**280)) < size < ball(Q(10**280)))
            assert extreme or abs(e) > 280 or f < -280
        else:
            assert abs(arb(estimate) - truth) < truth * ball(Q(1, 10**14))


def test_safe_float():
    assert safe_float(Q(10**400)) == math.inf
    assert safe_float(Q(-(10**400))) == -math.inf
    assert safe_float(Q(1, 3)) == 1 / 3
