"""How levels are written and read."""

import contextlib
import sys
from fractions import Fraction as Q

import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadLevel, DPrivacyError
from dprivacy.numbers import Level, ln, root


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/2", Q(3, 2)),
        ("0.5", Q(1, 2)),
        (".5", Q(1, 2)),
        ("5.", 5),
        ("1e-3", Q(1, 1000)),
        ("2.5E+2", 250),
        ("  7 ", 7),
        ("-3", -3),
        ("--3", 3),
        ("2 - -3", 5),
        ("2 -3", -1),
        ("2(3)", 6),
        ("(1+2)(3)", 9),
        ("2*3/4", Q(3, 2)),
        ("1-2-3", -4),
        ("1/2/2", Q(1, 4)),
        ("ln 2", ln(2)),
        ("ln2", ln(2)),
        ("log 2", ln(2)),
        ("ln(16/7)", ln(Q(16, 7))),
        ("ln((16)/(7))", ln(Q(16, 7))),
        ("1/2 ln 3", ln(3) / 2),
        ("0.5·ln(5/4) + sqrt(2)", ln(Q(5, 4)) / 2 + root(2)),
        ("3 × ln 2", 3 * ln(2)),
        ("(ln 2)/3", ln(2) / 3),
        ("ln(2)/3", ln(2) / 3),
        ("ln(2)*3", 3 * ln(2)),
        ("√2 ln 3", root(2) * ln(3)),
        ("sqrt 2 * ln 3", root(2) * ln(3)),
        ("ln sqrt 4", ln(2)),
        ("ln 0.5", -ln(2)),
        ("1/(1+sqrt 2)", root(2) - 1),
        ("ln(8)/ln(2)", 3),
        ("ln 1", 0),
        ("-ln 2", -ln(2)),
        ("2\n+\t3", 5),
    ],
)
def test_reads(text, value):
    assert Level(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("ln 16/7", "two things"),
        ("2 ln 3/2", "two things"),
        ("sqrt 2/3", "two things"),
        ("1/ln 2/5", "two things|exact form"),
        ("ln 2*3", "two things"),
        ("ln 2 (3)", "two things"),
        ("log2(8)", "two things"),
        ("log10(5)", "two things"),
        ("ln -2", "missing before '-'"),
        ("ln(-2)", "positive rational"),
        ("ln 0", "positive rational"),
        ("ln ln 2", "positive rational"),
        ("sqrt(0-1)", "positive rational"),
        ("ln", "ends too soon"),
        ("2 *", "ends too soon"),
        ("2 +", "ends too soon"),
        ("*2", "missing before"),
        ("+2", "missing before"),
        ("1/0", "divides by zero"),
        ("1/(ln 4 - 2 ln 2)", "divides by zero"),
        ("nan", "not understood"),
        ("inf", "not understood"),
        ("NaN", "not understood"),
        ("e", "not understood"),
        ("2 3", "does not belong"),
        ("2 .5", "does not belong"),
        ("0.5.5", "does not belong"),
        ("1,5", "not understood"),
        ("1_000", "not understood"),
        ("50%", "not understood"),
        ("ln(2", "not closed"),
        ("((1)", "not closed"),
        ("ln 2)", "does not belong"),
        ("()", "missing before"),
        ("1e5000", "out of range"),
        ("1e-99999999999", "out of range"),
        ("0x10", "not understood"),
        ("2 \u0663", "not understood"),  # an Arabic-Indic digit is not read as a factor
        ("1/ln 2", "no exact form"),
        ("ln 2 ln 3", "no exact form"),
        ("sqrt(1e70+7)", "cannot be kept exact"),
        ("True", "not understood"),
        ("2**3", "missing before"),
        ("2^3", "not understood"),
    ],
)
def test_refuses_and_says_why(text, why):
    with pytest.raises(BadLevel, match=why) as caught:
        Level(text)
    assert repr(text)[:10] in str(caught.value)


def test_too_long_is_refused_without_reading_it():
    with pytest.raises(BadLevel, match="401 characters is too long"):
        Level("1" * 401)
    assert Level("1" * 400) == int("1" * 400)


@pytest.mark.parametrize("text", ["(" * 199 + "1" + ")" * 199, "-" * 399 + "1", "ln " * 133 + "2"])
def test_deep_nesting_is_an_answer_or_a_bad_level_never_a_crash(text):
    def below(depth):
        return Level(text) if depth == 0 else below(depth - 1)

    with pytest.raises(BadLevel, match=r"nested too deeply|positive rational"):
        below(sys.getrecursionlimit() - 400)


def test_a_product_that_would_explode_is_refused():
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
    with pytest.raises(BadLevel, match="too many terms"):
        Level("".join(f"(1+√{p})" for p in primes))
    with pytest.raises(BadLevel, match="too long a sum"):
        Level("1/(" + "+".join(f"√{p}" for p in primes) + ")")


@given(st.text(alphabet="0123456789./*-+() lnsqrt√·e", max_size=25))
def test_any_text_is_a_level_or_a_bad_level(text):
    try:
        level = Level(text)
    except BadLevel:
        return
    assert Level(str(level)) == level


@given(st.text(max_size=20))
def test_any_unicode_is_a_level_or_a_dprivacy_error(text):
    with contextlib.suppress(DPrivacyError):
        Level(text)


# ------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (Level(0), "0"),
        (Level("3/2"), "3/2"),
        (ln(2), "ln(2)"),
        (-ln(2), "-ln(2)"),
        (3 * ln(2), "ln(8)"),
        (ln(Q(16, 7)), "ln(16/7)"),
        (ln(2) - ln(7) + 3 * ln(2), "ln(16/7)"),
        (ln(2) / 2, "1/2*ln(2)"),
        (root(2), "sqrt(2)"),
        (root(8), "2*sqrt(2)"),
        (root(2) * ln(3), "sqrt(2)*ln(3)"),
        (-root(2) * ln(3), "-sqrt(2)*ln(3)"),
        (1 - root(2), "1 - sqrt(2)"),
        (1000 * ln(2), "1000*ln(2)"),
        (ln(4) - 2 * ln(2), "0"),
        (ln(3) / 4 + ln(3) / 4, "1/2*ln(3)"),
        (ln(9) / 4 + ln(3) / 4, "3/4*ln(3)"),
        (ln(9) / 8 + ln(3) / 4, "1/2*ln(3)"),
        (ln(9) + ln(3) / 2, "5/2*ln(3)"),
        (ln(9) / 4 + ln(3) / 2, "ln(3)"),
        (ln(9) / 4 - ln(3) / 2, "0"),
        (ln(Q(9, 4)) / 3 + ln(Q(3, 2)) / 3, "ln(3/2)"),
        (root(2) * ln(9) + root(2) * ln(3), "3*sqrt(2)*ln(3)"),
        (ln(9) / 4 + ln(2) / 2 + ln(27) / 4, "5/4*ln(3) + 1/2*ln(2)"),
    ],
)
def test_writes(level, text):
    assert str(level) == text


def test_huge_numbers_are_outlined_instead_of_crashing():
    for level in (
        Level(Q(1, 10**5000)),
        ln(3**5000),
        Level(10**5000) * root(2),
        Level(10**5000) * ln(2),
    ):
        text = str(level)
        assert "digits" in text
        assert len(text) < 200
    assert str(ln(3**5000)).startswith("5493.06144334")  # 5000·ln 3


def test_the_refusal_of_a_huge_negative_level_is_still_a_bad_level():
    from dprivacy.numbers import as_eps

    with pytest.raises(BadLevel, match="greater than 0"):
        as_eps(Level(-(10**5000)))
