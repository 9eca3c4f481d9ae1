"""Derivatives by totals: equal to quotients of differences, and quotients found where they are."""

import duckdb
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release.queries.reading.query_printer import printed
from dprivacy.release.queries.reading.query_tree import (
    NULL,
    Call,
    Cast,
    Column,
    Constant,
    Form,
    number,
)
from dprivacy.release.queries.total_derivatives import quotient, slope, totals_in, unrounded

T0, T1, SEEN, K0 = (Column("", name) for name in ("t0", "t1", "seen0", "k0"))
TWO = Constant("number", "2")


def call(name, *parts):
    return Call(name, parts)


GUARDED = Form("CASE", (Form("=", (SEEN, number(0))), NULL, call("/", T0, T1)))
SMOOTH = [
    T0, call("+", T0, T1), call("-", T0, T1), call("-", TWO, T0), call("-", T1), call("*", T0, T1),
    call("*", T0, call("*", T0, TWO)), call("/", T0, T1), call("/", T0, TWO), call("/", TWO, T1),
    call("**", T0, TWO), call("sqrt", T0), call("exp", call("/", T0, T1)), call("ln", T1),
    call("log10", T1), call("log2", T0), Cast(call("+", T0, K0), "DOUBLE"), GUARDED,
    Form("COALESCE", (GUARDED, number(0))), call("nullif", T1, number(0)),
]  # fmt: skip


def value(of, t0, t1):
    sql = f"SELECT CAST({printed(of)} AS DOUBLE) FROM (SELECT {t0!r}::DOUBLE AS t0, {t1!r}::DOUBLE "
    sql += "AS t1, 1.0::DOUBLE AS seen0, 3.0::DOUBLE AS k0)"
    return duckdb.connect().execute(sql).fetchone()[0]


@pytest.mark.parametrize("of", SMOOTH)
def test_it_is_the_limit_of_differences(of):
    step = 1e-5
    for name, d0, d1 in (("t0", step, 0.0), ("t1", 0.0, step)):
        wanted = (value(of, 5 + d0, 3 + d1) - value(of, 5 - d0, 3 - d1)) / (2 * step)
        found = slope(of, name)
        got = 0.0 if found is None else value(found, 5.0, 3.0)
        assert got == pytest.approx(wanted, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "of",
    [
        call("//", T0, TWO), call("round", T0), call("greatest", T0, T1), Cast(T0, "INTEGER"),
        Form(">", (T0, TWO)), Form("CASE", (Form(">", (T0, TWO)), T0, T1)), call("**", TWO, T0),
        Form("COALESCE", (T0, T1)), Cast(T0, "DOUBLE", True),
    ],
)  # fmt: skip
def test_what_has_no_derivative_is_refused(of):
    with pytest.raises(NotApplicable, match="of an estimate has no standard error"):
        slope(of, "t0")


def test_a_last_rounding_is_left_off():
    assert unrounded(call("round", call("*", T0, TWO), TWO)) == call("*", T0, TWO)
    assert unrounded(T0) == T0


@pytest.mark.parametrize(
    ("of", "found"),
    [
        (call("/", T0, T1), True),
        (GUARDED, True),
        (call("*", TWO, GUARDED), True),
        (call("/", call("*", TWO, T0), call("nullif", T1, number(0))), True),
        (call("/", call("/", T0, T1), TWO), True),
        (call("/", call("-", T0, T1), T1), True),
        (call("/", call("*", T0, T0), T1), False),
        (call("+", T0, T1), False),
        (call("/", T0, TWO), False),
    ],
)
def test_quotients_of_two_sums(of, found):
    parts = quotient(of)
    assert (parts is not None) == found
    if parts is not None:
        top, bottom = parts
        assert value(top, 5.0, 3.0) / value(bottom, 5.0, 3.0) == pytest.approx(value(of, 5.0, 3.0))
        assert totals_in(bottom)
