"""Quick estimates: accurate, or NaN."""

import math
from fractions import Fraction as Q

from flint import arb, ctx, fmpq
from hypothesis import given, strategies as st

from dprivacy.numbers.enclosures__numbers_estimate import safe_float, term_float


def ball(q):
    return arb(fmpq(q.numerator, q.denominator))


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
