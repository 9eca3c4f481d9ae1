"""Levels against 2000-bit ball arithmetic and against facts that can be proved by hand."""

import copy
import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction as Q
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dprivacy.errors import BadLevel, Uncertified
from dprivacy.numbers import Level, as_eps, as_level, ln, root


def ball(q):
    q = Q(q)
    return arb(fmpq(q.numerator, q.denominator))


def primorial(bound):
    primes = [p for p in range(2, bound) if all(p % d for d in range(2, math.isqrt(p) + 1))]
    return math.prod(primes)


# ---------------------------------------------------------------------------------- exact zeros

ZEROS = [
    ln(4) - 2 * ln(2),
    ln(6) - ln(2) - ln(3),
    ln(Q(16, 7)) - 4 * ln(2) + ln(7),
    root(8) - 2 * root(2),
    root(Q(1, 2)) - root(2) / 2,
    root(Q(8, 18)) - Q(2, 3),
    ln(3) / root(2) - root(2) * ln(3) / 2,
    1 / (1 + root(2)) - root(2) + 1,
    (1 + root(2) + root(3)) * (1 / (1 + root(2) + root(3))) - 1,
    root(2) * root(3) - root(6),
    root(6) * root(10) - 2 * root(15),
    root(2) * ln(9) - 2 * root(2) * ln(3),
    ln(Q(1, 3)) + ln(3),
    ln(10**400) - 400 * ln(10),
    ln(1 + Q(1, 10**400)) - ln(10**400 + 1) + 400 * ln(10),
    Level("1/3") - Q(1, 3),
    (2 + root(3)) ** 2 - 4 * root(3) - 7,
]


@pytest.mark.parametrize("level", ZEROS, ids=range(len(ZEROS)))
def test_a_sum_that_is_zero_is_found_to_be_zero(level):
    assert level.sign() == 0
    assert level == 0
    assert not level
    assert level.is_rational
    assert hash(level) == hash(0)
    assert math.copysign(1, float(level)) == 1
    assert float(level) == 0.0
    assert level.exp() == 1


@pytest.mark.parametrize("digits", [12, 15, 17, 30, 60, 120, 200, 320])
@pytest.mark.parametrize("up", [True, False])
def test_near_ties_are_decided_at_any_depth(digits, up):
    """A rational within 10^-digits of ln 2 + √3, on a known side."""
    with ctx.workprec(2000):
        scaled = (arb(2).log() + arb(3).sqrt()) * ball(10**digits)
        near = Q(int(scaled.floor().unique_fmpz()) + up, 10**digits)
    value = ln(2) + root(3)
    assert (value < near) is up
    assert (value > near) is not up
    assert value != near
    assert (value - near).sign() == (-1 if up else 1)


def test_a_near_tie_between_logarithms_alone():
    # 2^a and 3^b differ by one part in 10^200 after a continued fraction of ln 2 / ln 3.
    with ctx.workprec(2000):
        ratio = arb(2).log() / arb(3).log()
        approx = Q(int((ratio * ball(10**300)).floor().unique_fmpz()), 10**300)
        close = approx.limit_denominator(10**100)
        truth = ball(close.denominator) * arb(2).log() - ball(close.numerator) * arb(3).log()
        sign = 1 if truth > 0 else -1
        assert abs(truth) < ball(Q(1, 10**95))
    assert (close.denominator * ln(2) - close.numerator * ln(3)).sign() == sign


@pytest.mark.parametrize(
    ("level", "sign"),
    [
        # Doubles underflow somewhere in each of these, so a quick estimate must not be trusted.
        (Level("7e-324") * root(2) - Level("8e-324"), 1),
        (Level("1e300") * ln(Q(10**400 + 1, 10**400)) - Level("1e-150"), 1),
        (Level("1e300") * ln(1 + Q(1, 10**320)) - Level("0.999e-20"), 1),
        (Level("1e300") * ln(1 + Q(1, 10**320)) - Level("1.00000001e-20"), -1),
        (Level("1e-4000"), 1),
        (-Level("1e-4000") * root(2), -1),
        (Level("1e4000") * root(2) - Level("1e4000"), 1),
        (Level("1e4000") * root(2) - Level("2e4000"), -1),
    ],
)
def test_signs_where_doubles_underflow_or_overflow(level, sign):
    assert level.sign() == sign


def test_roots_of_integers_beyond_the_doubles():
    n = primorial(2000)  # square-free and about 10^800: its root overflows nothing, itself would
    assert n > 10**400
    assert root(n).sign() == 1
    assert root(n) < math.isqrt(n) + 1
    assert root(n) > math.isqrt(n)
    assert Level("1e-330") * root(n) > Level("1e-200")


def test_the_root_of_a_number_too_hard_to_factor_is_refused_not_waited_for():
    with pytest.raises(Uncertified, match="digits cannot be kept exact"):
        root((10**60 + 7) * (10**70 + 33))
    p = 10**70 + 33
    assert root(3 * p * p) == p * root(3)  # but squares of large numbers are seen


# -------------------------------------------------------------------------- hash, eq and order

SAME = [
    [Level("1/2"), Q(1, 2), 0.5, Decimal("0.5"), np.float32(0.5), np.float64(0.5)],
    [Level(3), 3, 3.0, Q(3), np.int64(3), np.uint8(3), ln(4) / ln(2) + 1],
    [Level(0), 0, 0.0, -0.0, Q(0), False, ln(1), root(0)],
    [Level(1), 1, True, 1.0, root(1)],
    [ln(4), 2 * ln(2), Level("ln 4"), ln(8) - ln(2), -ln(Q(1, 4)), ln("4")],
    [root(8), 2 * root(2), Level("sqrt 8"), 4 / root(2), root(2) * 2],
    [ln(3) / root(2), root(2) * ln(3) / 2, root(Q(1, 2)) * ln(3), root(2) * ln(9) / 4],
]


@pytest.mark.parametrize("group", SAME, ids=range(len(SAME)))
def test_equal_numbers_are_equal_and_hash_alike_however_they_are_written(group):
    for a in group:
        for b in group:
            if not isinstance(a, Level) and not isinstance(b, Level):
                continue
            if isinstance(a, Decimal) or isinstance(b, Decimal):
                continue
            assert a == b
            assert (a != b) is False
            assert hash(a) == hash(b)
            assert a in {b}
            assert not a < b
            assert a <= b
            assert a >= b
        assert as_level(int(a) if isinstance(a, bool) else a) == group[0]


def test_unequal_things_are_unequal():
    assert ln(2) != 0.6931471805599453
    assert ln(2) != "ln 2"
    assert ln(2) != None  # noqa: E711
    assert Level(1) != math.inf
    assert (Level(1) == math.nan) is False  # noqa: PLW0177
    assert Level(1) != np.float32("inf")
    assert Level(1) != np.float32("nan")
    assert root(2) != Q(14142135623730951, 10**16)
    assert Level(0) != 1
    assert len({ln(2), ln(4) / 2, "ln 2", 0.6931471805599453}) == 3


@pytest.mark.parametrize("inf", [math.inf, np.float32("inf"), np.float64("inf")])
def test_order_with_infinity(inf):
    for level in (Level(0), ln(2), -ln(2), Level("1e4000"), Level("1e4000") * root(2)):
        assert level < inf
        assert level <= inf
        assert inf > level
        assert level > -inf
        assert level >= -inf
        assert not level > inf
        assert not level < -inf
        assert max(level, inf) == inf
        assert min(inf, level) == level


def test_order_is_that_of_the_reals():
    ascending = [
        Level(-3), -root(2), -ln(2), Level(0), Level("1e-300"), ln(Q(3, 2)), root(Q(1, 4)),
        ln(2), ln(Q(5, 2)), Level(1), ln(3), 2 * ln(2) + Q(1, 10**30), root(2), root(3), ln(7),
    ]  # fmt: skip
    for a, b in pairwise(ascending):
        assert a < b
        assert b > a
        assert a != b
        assert not b <= a
    assert sorted(ascending, key=lambda _: 0) == ascending
    assert sorted(reversed(ascending)) == ascending


def test_comparing_with_something_else_is_a_type_error():
    for other in ("1", None, [1], 1j):
        for compare in (operator.lt, operator.le, operator.gt, operator.ge):
            with pytest.raises(TypeError):
                compare(ln(2), other)
            with pytest.raises(TypeError):
                compare(other, ln(2))
    with pytest.raises(BadLevel):
        operator.lt(ln(2), math.nan)


# ---------------------------------------------------------------------------------- arithmetic


def test_mixed_arithmetic_with_rationals_and_floats_is_exact():
    assert Q(1, 3) + ln(2) == ln(2) + Q(1, 3)
    assert 1 - ln(2) == -(ln(2) - 1)
    assert 0.1 + ln(2) - ln(2) == Q(0.1)
    assert (ln(2) * 3) / 3 == ln(2)
    assert 3 * ln(2) / ln(2) == 3
    assert np.float64(0.5) + Level("1/2") == 1
    assert np.int64(2) * ln(2) == ln(4)
    assert isinstance(Q(1, 2) * ln(2), Level)


@pytest.mark.parametrize("other", ["1", None, [1], 1j])
def test_arithmetic_with_something_else_is_a_type_error(other):
    for attempt in (
        lambda: ln(2) + other,
        lambda: ln(2) - other,
        lambda: other - ln(2),
        lambda: ln(2) * other,
    ):
        with pytest.raises((TypeError, Uncertified)):
            attempt()


def test_numpy_integers_do_not_overflow():
    big = np.int64(2**62)
    assert Level(big) * Level(big) == 2**124
    assert Level(np.uint64(2**64 - 1)) + 1 == 2**64


def test_a_product_of_two_logarithms_is_refused_unless_one_is_really_rational():
    with pytest.raises(Uncertified, match=r"product of two logarithms.*ln\(2\).*ln\(3\)"):
        ln(2) * ln(3)
    assert (ln(4) - 2 * ln(2) + 5) * ln(3) == 5 * ln(3)
    assert ln(3) * (ln(4) - 2 * ln(2)) == 0


def test_floor_ceil_trunc_round():
    values = [Q(7, 2), Q(-7, 2), Q(5, 2), Q(10**60) + Q(1, 2), Q(-3), Q(0), Q(1, 3)]
    for q in values:
        for function in (math.floor, math.ceil, math.trunc, round):
            assert function(Level(q)) == function(q), (function, q)
    assert math.floor(Level(10**60) * root(2)) == math.isqrt(2 * 10**120)
    assert math.floor(-Level(10**60) * root(2)) == -math.isqrt(2 * 10**120) - 1
    assert math.ceil(ln(2)) == 1
    assert math.trunc(-ln(20)) == -2
    assert round(ln(20)) == 3
    assert round(-ln(20)) == -3
    assert round(ln(4) - 2 * ln(2) + 7) == 7
    assert round(ln(2), 3) == 0.693


def test_floor_division_and_modulo():
    assert ln(100) // ln(10) == 2
    assert ln(1000) % ln(10) == 0
    assert 7 // root(5) == 3
    assert (Level(7) % root(5)) == 7 - 3 * root(5)
    assert root(50) // 2 == 3


def test_powers():
    assert root(2) ** 2 == 2
    assert (1 + root(2)) ** 3 == 7 + 5 * root(2)
    assert ln(2) ** 1 == ln(2)
    assert ln(2) ** 0 == 1
    assert 2 ** Level(3) == 8.0
    assert math.isclose(ln(2) ** 0.5, math.sqrt(math.log(2)))


def test_division_by_a_level_that_is_zero():
    with pytest.raises(ZeroDivisionError):
        ln(2) / (ln(4) - 2 * ln(2))
    with pytest.raises(ZeroDivisionError):
        1 / Level(0)


def test_abs_neg_pos_bool():
    assert abs(-ln(2)) == ln(2)
    assert abs(ln(2) - 1) == 1 - ln(2)
    assert +ln(2) == ln(2)
    assert -(ln(2) - 1) == 1 - ln(2)
    assert ln(2)
    assert not (ln(2) - ln(2))


# --------------------------------------------------------------------------------- float and exp


def test_float_is_the_nearest_double():
    assert float(ln(2)) == 0.6931471805599453  # 0.693147180559945309417...
    assert float(root(2)) == 1.4142135623730951
    assert float(ln(Q(16, 7))) == float("0.82667857318446789")
    for q in (Q(1, 3), Q(2**53 + 1), Q(2**54 + 3, 3), Q(1, 10**330), Q(5, 10**324), Q(10**22 + 1)):
        assert float(Level(q)) == float(q)


def test_float_of_a_rational_hidden_behind_logarithms_terminates_at_a_tie():
    hidden = ln(4) - 2 * ln(2) + (2**53 + 1)
    assert float(hidden) == float(2**53)
    assert hidden.is_rational
    assert hash(hidden) == hash(2**53 + 1)


@pytest.mark.parametrize("level", [ln(7) * 3, root(2), Level("3/7"), ln(6) - ln(2) - ln(3) + 5])
def test_a_hash_is_computed_once(level, monkeypatch):
    first = hash(level)
    monkeypatch.setattr(Level, "is_rational", property(lambda self: pytest.fail("decided again")))
    assert hash(level) == first
    assert level in {level}


@pytest.mark.parametrize(
    ("level", "rational"),
    [
        (Level(0), True),
        (ln(2), False),
        (root(2), False),
        (root(2) * ln(2), False),
        (ln(4) - 2 * ln(2) + 3, True),
        (ln(4) - ln(2) + 3, False),
    ],
)
def test_which_numbers_are_rational(level, rational):
    assert level.is_rational is rational


def test_float_beyond_the_doubles_is_infinite():
    assert float(Level("1e4000")) == math.inf
    assert float(-Level("1e4000") * root(2)) == -math.inf


def test_exp_is_rational_exactly_when_it_should_be():
    assert (ln(4) / 2).exp() == 2
    assert (ln(2) / 2).exp() is None
    assert (ln(8) * Q(2, 3)).exp() == 4
    assert (ln(12) / 2).exp() is None
    assert (ln(12) / 2 - ln(3) / 2).exp() == 2
    assert (ln(Q(9, 4)) / 2).exp() == Q(3, 2)
    assert (ln(6) / 2 + ln(Q(3, 2)) / 2).exp() == 3
    assert (ln(72) / 3 + ln(3) / 3).exp() == 6
    assert ln(Q(16, 7)).exp() == Q(16, 7)
    assert (-3 * ln(2)).exp() == Q(1, 8)
    assert Level(0).exp() == 1
    assert Level(1).exp() is None
    assert root(2).exp() is None
    assert (root(2) * ln(2)).exp() is None
    assert (ln(2) + 1).exp() is None
    assert (ln(2) + root(2) * ln(3)).exp() is None


def test_exp_sees_through_terms_that_cancel():
    assert (root(2) * ln(4) - 2 * root(2) * ln(2) + ln(3)).exp() == 3
    assert (ln(3) + root(8) - 2 * root(2)).exp() == 3


def test_exp_of_something_huge_is_none_and_quick():
    assert (10**9 * ln(2)).exp() is None
    assert (Level("1e300") * ln(2)).exp() is None
    assert (-(10**12) * ln(Q(3, 2))).exp() is None
    assert Level("1e300").exp() is None
    assert (10**5 * ln(2)).exp() == 2**100000


# -------------------------------------------------------------------------------- reading and not


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float32("inf"), Decimal("NaN"),
                                 Decimal("sNaN"), Decimal("Infinity")])  # fmt: skip
def test_what_is_not_finite_is_refused(bad):
    for read in (Level, as_level, as_eps, ln, root):
        with pytest.raises(BadLevel, match="finite"):
            read(bad)


@pytest.mark.parametrize(
    "bad", [True, False, None, np.True_, [1], (), b"1", 1j, np.array([1.0, 2.0]), {}]
)
def test_what_is_no_number_is_refused(bad):
    for read in (Level, as_level, as_eps, ln, root):
        with pytest.raises(BadLevel, match="must be a number or a string"):
            read(bad)


def test_decimals_are_exact():
    assert Level(Decimal("0.1")) == Q(1, 10)
    assert Level(Decimal("-1.25E+3")) == -1250
    assert ln(Decimal("1.5")) == ln(Q(3, 2))
    with pytest.raises(BadLevel):
        Level(Decimal("1e1000000000"))


def test_floats_stand_for_their_binary_value():
    assert Level(0.1) == Q(3602879701896397, 36028797018963968)
    assert Level(0.1) != Q(1, 10)
    assert Level("0.1") == Q(1, 10)


@pytest.mark.parametrize(
    "bad", [0, "0", -1, "-ln 2", "ln 1", "ln(1/2)", Q(-1, 10**30), -0.0, ln(4) - 2 * ln(2)]
)
def test_as_eps_refuses_what_is_not_positive(bad):
    with pytest.raises(BadLevel, match="greater than 0"):
        as_eps(bad)


def test_as_eps_with_zero_allowed():
    assert as_eps(0, zero=True) == 0
    assert as_eps(ln(4) - 2 * ln(2), zero=True) == 0
    assert as_eps("1e-4000") > 0
    with pytest.raises(BadLevel, match="at least 0, not -1"):
        as_eps(-1, zero=True)


@pytest.mark.parametrize("bad", [0, -2, "0", "ln 2", root(2), Q(-1, 2)])
def test_ln_needs_a_positive_rational(bad):
    with pytest.raises(BadLevel, match="ln needs a positive rational"):
        ln(bad)


@pytest.mark.parametrize("bad", [-1, "-1/4", ln(2), root(2)])
def test_root_needs_a_rational_not_negative(bad):
    with pytest.raises(BadLevel, match="root needs a rational number that is not negative"):
        root(bad)


def test_ln_and_root_accept_rationals_in_disguise():
    assert ln(ln(4) / ln(2)) == ln(2)
    assert root(root(4)) == root(2)
    assert ln("16/7") == ln(Q(16, 7))


@pytest.mark.parametrize("level", [Level(0), Level("3/7"), ln(2), -root(2) * ln(Q(16, 7)) + 1])
def test_pickling_and_copying(level):
    for twin in (pickle.loads(pickle.dumps(level)), copy.copy(level), copy.deepcopy(level)):
        assert twin == level
        assert hash(twin) == hash(level)
        assert str(twin) == str(level)
    float(level)
    assert pickle.loads(pickle.dumps(level)) == level


def test_a_level_is_read_as_itself():
    level = ln(2)
    assert Level(level) is level
    assert as_level(level) is level


def test_simplified_and_rational():
    assert (ln(4) - 2 * ln(2) + Q(1, 2)).simplified == Q(1, 2)
    assert isinstance((ln(4) / ln(2)).simplified, Q)
    assert isinstance(ln(2).simplified, Level)
    assert (ln(2) + Q(1, 3)).rational == Q(1, 3)
    assert not (ln(2) + Q(1, 3)).is_rational


def test_format():
    assert f"{ln(2):.3f}" == "0.693"
    assert f"{ln(2)}" == "ln(2)"
    assert repr(ln(2)) == "Level('ln(2)')"


def test_bounds_enclose():
    with ctx.workprec(2000):
        truth = arb(3).sqrt() * (ball(Q(16, 7)).log()) / 3 - 1
        level = root(3) * ln(Q(16, 7)) / 3 - 1
        for bits in (16, 53, 64, 200, 1000):
            low, high = level.bounds(bits)
            assert ball(low) < truth < ball(high)
            assert high - low < Q(8, 2 ** (bits - 2))
