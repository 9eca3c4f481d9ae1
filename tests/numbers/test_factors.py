"""Is a ≤ e^level·b? Against 2000-bit truth and against exact powers."""

import math
from fractions import Fraction as Q

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, strategies as st

from dprivacy.errors import TooLarge
from dprivacy.numbers import Level, ln, quotient_up, root
from dprivacy.numbers.factors import Factor


def ball(q):
    q = Q(q)
    return arb(fmpq(q.numerator, q.denominator))


LEVELS = {
    "0": (Level(0), lambda: arb(1)),
    "ln 2": (ln(2), lambda: arb(2)),
    "ln(16/7)": (ln(Q(16, 7)), lambda: ball(Q(16, 7))),
    "-ln 3": (-ln(3), lambda: ball(Q(1, 3))),
    "1/2 ln 2": (ln(2) / 2, lambda: arb(2).sqrt()),
    "1": (Level(1), lambda: arb(1).exp()),
    "sqrt 2": (root(2), lambda: arb(2).sqrt().exp()),
    "sqrt(3) ln(5/4)": (
        root(3) * ln(Q(5, 4)),
        lambda: arb.exp(arb(3).sqrt() * ball(Q(5, 4)).log()),
    ),
    "1/3+ln 2": (ln(2) + Q(1, 3), lambda: 2 * ball(Q(1, 3)).exp()),
    "-1e-30": (Level("-1e-30"), lambda: ball(-Q(1, 10**30)).exp()),
    "50": (Level(50), lambda: arb(50).exp()),
}


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("digits", [3, 16, 40, 47, 49, 60, 200])
def test_ratios_just_below_and_above(name, digits):
    """The two rationals of a given number of digits around e^level fall on their own sides."""
    level, truth = LEVELS[name]
    factor = Factor(level)
    with ctx.workprec(3000):
        scaled = truth() * ball(10**digits)
        below = math.floor(Q(*_middle(scaled)))
        assert ball(below) <= scaled < ball(below + 1)
    exact = level.exp()
    tie = exact is not None and exact * 10**digits == below
    assert factor.admits(below, 10**digits)
    assert not factor.admits(below + 1, 10**digits)
    assert factor.compare(below, 10**digits) == (0 if tie else -1)
    assert factor.compare(below + 1, 10**digits) == 1
    # the same ratio written with a common factor, and as Fractions
    assert factor.admits(Q(below, 7), Q(10**digits, 7))
    assert not factor.admits(3 * (below + 1), 3 * 10**digits)


def _middle(value):
    mantissa, exponent = value.mid().man_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)


@pytest.mark.parametrize("name", LEVELS)
def test_zeros(name):
    factor = Factor(LEVELS[name][0])
    assert factor.admits(0, 0)
    assert factor.admits(0, 1)
    assert not factor.admits(1, 0)
    assert factor.compare(0, 0) == 0
    assert factor.compare(0, 1) == -1
    assert factor.compare(1, 0) == 1
    assert factor.compare(Q(0), Q(1, 10**300)) == -1


def test_exact_ties():
    assert Factor(ln(2) / 2).compare(3, 2) == 1  # 9 > 8
    assert Factor(ln(2) / 2).compare(7, 5) == -1  # 49 < 50
    assert Factor(ln(Q(16, 7))).compare(16, 7) == 0
    assert Factor(ln(4) / 2).compare(2, 1) == 0
    assert Factor(ln(4) - 2 * ln(2)).compare(5, 5) == 0
    assert Factor(10**6 * ln(2)).compare(2**1000000, 1) == 0
    assert Factor(10**6 * ln(2)).compare(2**1000000 + 1, 1) == 1


def test_a_rational_factor_too_long_to_write_still_compares_exactly():
    level = 10**4 * ln(Q(10**300 + 1, 10**300))
    assert level.exp() is None  # 10^7 digits
    assert Factor(level).compare(10**300 + 1, 10**300) == -1
    assert Factor(level).compare(10**300 + 10**4, 10**300) == -1  # (1+x)^n > 1 + nx
    assert Factor(level).compare(10**300 + 10**4 + 1, 10**300) == 1


def test_tiny_levels_do_not_collapse_to_one():
    factor = Factor(Level("1e-100"))
    assert not factor.admits(10**100 + 2, 10**100)
    assert factor.admits(10**100 + 1, 10**100)  # e^x ≥ 1 + x
    assert factor.compare(1, 1) == -1
    assert Factor(-Level("1e-100")).compare(1, 1) == 1


def test_large_levels():
    factor = Factor(Level(100000))
    assert factor.admits(2**144269, 1)  # 100000/ln 2 = 144269.504...
    assert not factor.admits(2**144270, 1)
    factor = Factor(Level(-100000))
    assert factor.admits(1, 2**144270 * 2)
    assert factor.admits(1, 2**144270)
    assert not factor.admits(1, 2**144269)


@pytest.mark.parametrize("text", ["1e8", "-1e8", "1e12", "1e300", "-1e4000"])
def test_absurd_levels_are_refused_in_words(text):
    with pytest.raises(TooLarge, match="too many digits"):
        Factor(Level(text))


def test_float():
    assert float(Factor(ln(2))) == 2.0
    assert float(Factor(Level(1))) == math.e
    assert float(Factor(Level(1000))) == math.inf
    assert float(Factor(Level(-1000))) == 0.0


@given(
    st.integers(-6, 6),
    st.integers(1, 6),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(0, 3000),
    st.integers(0, 3000),
)
def test_fractional_powers_against_integer_arithmetic(p, n, top, bottom, a, b):
    """a ≤ (top/bottom)^(p/n)·b  ⟺  a^n ≤ (top/bottom)^p·b^n, in integers."""
    factor = Factor(ln(Q(top, bottom)) * Q(p, n))
    left, right = Q(a) ** n, Q(top, bottom) ** p * Q(b) ** n
    assert factor.compare(a, b) == (left > right) - (left < right)
    assert factor.admits(a, b) is (left <= right)


@pytest.mark.parametrize(("a", "b"), [(2, 3), (3, 2), (7, 5), (10**90 + 1, 10**90), (11, 13)])
def test_the_smallest_double_that_is_large_enough(a, b):
    found = quotient_up(ln(Q(a)), ln(Q(b)))
    with ctx.workprec(900):
        true = ball(a).log() / ball(b).log()
        assert ball(math.nextafter(found, 0)) < true <= ball(found)


def test_a_divisor_that_is_nearly_0_is_enclosed_until_it_is_not():
    """ln 2 less its first eighty digits: 160 bits cannot tell it from 0."""
    with ctx.workprec(600):
        digits = arb(2).log().str(85, radius=False)
    near = ln(2) - Level(digits[:82])
    assert 0 < near < Q(1, 10**79)
    assert quotient_up(ln(3), near) >= 1e79
    assert quotient_up(near, ln(3)) > 0


def test_rationals_floats_and_the_ends():
    assert quotient_up(Q(1, 3), 1) == math.nextafter(1 / 3, 1)
    assert quotient_up(0.1, 0.3) * Q(0.3) >= Q(0.1)
    assert quotient_up(Level(0), ln(2)) == 0
    assert (quotient_up(math.inf, 1), quotient_up(1, math.inf)) == (math.inf, 0)
    assert quotient_up(Q(1, 10**400), 1) == math.ulp(0.0)
