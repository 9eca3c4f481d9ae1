"""Enclosures really enclose, and get tight."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as Q

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, strategies as st

from dprivacy.numbers.enclosures__numbers_enclosure import bounds_of_terms, exp_bounds, log_bounds


def ball(q):
    return arb(fmpq(q.numerator, q.denominator))


small = st.fractions(min_value=Q(1, 1000), max_value=1000, max_denominator=10**6)


@given(small, st.sampled_from([24, 53, 100, 300]))
def test_exp_and_log_bounds(q, bits):
    with ctx.workprec(2000):
        exponential, logarithm = ball(q).exp(), ball(q).log()
        low, high = exp_bounds(q, q, bits)
        assert ball(low) <= exponential <= ball(high)
        assert high - low <= high * Q(2**12, 2**bits)
        low, high = log_bounds(q, q, bits)
        assert ball(low) <= logarithm <= ball(high)
        assert high - low <= Q(2**12, 2**bits)


@given(small, small)
def test_bounds_of_an_interval(a, b):
    lo, hi = sorted((a, b))
    with ctx.workprec(500):
        low, high = log_bounds(lo, hi)
        assert ball(low) <= ball(lo).log()
        assert ball(high) >= ball(hi).log()


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
