"""Laws of levels, against 2000-bit ball arithmetic."""

import copy
import math
import pickle
from fractions import Fraction as Q

from flint import arb, ctx, fmpq
from hypothesis import given, settings, strategies as st

from dprivacy.numbers import Level, ln, root
from dprivacy.numbers.factors import Factor

BITS = 2000


def ball(q):
    return arb(fmpq(q.numerator, q.denominator))


coefficients = st.one_of(
    st.integers(-4, 4).map(Q),
    st.fractions(-3, 3, max_denominator=9),
    st.floats(-100, 100).map(Q),
)
roots = st.sampled_from([1, 1, 1, 2, 3, 4, 6, 8, 12, Q(1, 2), Q(9, 8)])
ratios = st.one_of(
    st.none(),
    st.sampled_from([Q(2), Q(4), Q(3), Q(6), Q(1, 2), Q(9, 8), Q(16, 7), Q(12), Q(1)]),
    st.fractions(Q(1, 50), 50, max_denominator=50),
)
terms = st.lists(st.tuples(coefficients, roots, ratios), max_size=4)


def level_of(parts):
    total = Level(0)
    for r, k, q in parts:
        total = total + r * root(k) * (1 if q is None else ln(q))
    return total


def truth_of(parts):
    total = arb(0)
    for r, k, q in parts:
        total += ball(r) * ball(Q(k)).sqrt() * (1 if q is None else ball(q).log())
    return total


def sign_of(value):
    """The sign of a ball; one that holds 0 at this precision, for small coefficients, is 0."""
    if value > 0:
        return 1
    if value < 0:
        return -1
    assert abs(value) < ball(Q(1, 10**500))
    return 0


@given(terms)
@settings(max_examples=300)
def test_sign_float_bounds_and_hash(parts):
    level = level_of(parts)
    with ctx.workprec(BITS):
        truth = truth_of(parts)
        sign = sign_of(truth)
        assert level.sign() == sign
        low, high = level.bounds(80)
        assert ball(low) <= truth + ball(Q(1, 10**500))
        assert ball(high) >= truth - ball(Q(1, 10**500))
        number = float(level)
        if sign == 0:
            assert number == 0.0
        else:  # no double is nearer
            gap = abs(truth - arb(number))
            for other in (math.nextafter(number, math.inf), math.nextafter(number, -math.inf)):
                assert not gap > abs(truth - arb(other))
    assert hash(level) == hash(level_of(parts[::-1]))
    assert level == level_of(parts[::-1])


@given(terms, terms)
@settings(max_examples=200)
def test_order_sum_difference_and_negation(first, second):
    a, b = level_of(first), level_of(second)
    with ctx.workprec(BITS):
        difference = sign_of(truth_of(first) - truth_of(second))
        total = sign_of(truth_of(first) + truth_of(second))
    assert (a > b) is (difference > 0)
    assert (a < b) is (difference < 0)
    assert (a >= b) is (difference >= 0)
    assert (a <= b) is (difference <= 0)
    assert (a == b) is (difference == 0)
    assert (a - b).sign() == difference
    assert (b - a).sign() == -difference
    assert (a + b).sign() == total
    assert a + b == b + a
    assert a + b - b == a
    assert abs(a) == (a if a >= 0 else -a)
    if a == b:
        assert hash(a) == hash(b)


@given(terms, st.lists(st.tuples(coefficients, roots, st.none()), max_size=3))
@settings(max_examples=150)
def test_products(first, second):
    a, b = level_of(first), level_of(second)
    with ctx.workprec(BITS):
        expected = truth_of(first) * truth_of(second)
        low, high = (a * b).bounds(200)
        assert ball(low) <= expected + ball(Q(1, 10**400))
        assert ball(high) >= expected - ball(Q(1, 10**400))
    assert a * b == b * a
    assert (a + 1) * b == a * b + b


@given(terms)
@settings(max_examples=200)
def test_what_is_written_reads_back(parts):
    level = level_of(parts)
    if len(str(level)) <= 400:
        assert Level(str(level)) == level
        assert eval(repr(level), {"Level": Level}) == level
    assert pickle.loads(pickle.dumps(level)) == level
    assert copy.deepcopy(level) == level


@given(terms)
@settings(max_examples=100)
def test_floor_and_ceiling(parts):
    level = level_of(parts)
    floor = math.floor(level)
    assert floor <= level < floor + 1
    ceiling = math.ceil(level)
    assert ceiling - 1 < level <= ceiling
    assert abs(level - round(level)) <= Q(1, 2)


@given(terms)
@settings(max_examples=150)
def test_exp_and_factor(parts):
    level = level_of(parts)
    factor = Factor(level)
    exact = level.exp()
    with ctx.workprec(BITS):
        truth = truth_of(parts).exp()
        if exact is not None:
            assert abs(truth - ball(exact)) < ball(exact) * ball(Q(1, 10**400))
            assert factor.compare(exact, 1) == 0
        assert ball(factor.low) <= truth * (1 + ball(Q(1, 10**400)))
        assert ball(factor.high) >= truth * (1 - ball(Q(1, 10**400)))
    assert factor.admits(factor.low, 1)
    assert factor.compare(factor.high * 2, 1) == 1
    assert factor.compare(factor.low / 2, 1) == -1


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.fractions(Q(1, 9), 9, max_denominator=9)), max_size=4)
)
def test_whole_multiples_of_logarithms_have_a_rational_exponential(parts):
    level, product = Level(0), Q(1)
    for n, q in parts:
        level, product = level + n * ln(q), product * q**n
    assert level.exp() == product
    assert (level / 2 + level / 2).exp() == product
    assert (2 * level).exp() == product**2
