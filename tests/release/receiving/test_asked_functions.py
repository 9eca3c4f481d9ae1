"""Questions to a table: values, functions, and conditions in every form."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongKind
from dprivacy.release.receiving.asked_functions import (
    Asked,
    Code,
    Columns,
    read_value,
    read_where,
    with_codes,
)

KNOWN = Columns(("job", "age", "flag"), ("name",))


@pytest.mark.parametrize(
    ("where", "yes", "no"),
    [
        ({"job": "nurse"}, ["nurse"], ["clerk", None]),
        ({"job": ["nurse", "clerk"]}, ["nurse", "clerk"], ["cook"]),
        ({"age": lambda age: age >= 40}, [40, Q(81, 2)], [39, None]),
        ({"age": 40}, [40, "40", Q(40), 40.0], [41, "41", None]),
        ({"flag": True}, [True, "true"], [False, "false"]),
        ({"job": None}, [None], ["nurse"]),
        ("age>=40", [40, "40.5"], [39, None]),
        ("age<40", [39], [40, None]),
        ("age=40..49", [40, Q(49), "45"], [39, 50, None]),
        ("age = 40", [40, "40"], ["nurse"]),
        ("job!=nurse", ["clerk", None], ["nurse"]),
        ("job=", [None], ["nurse"]),
        ("job=01", ["01"], ["1"]),
        ("age>=40", [40, Q(99)], [Code("99"), Code("N")]),
        ("age=40..120", [99], [Code("99")]),
        ({"age": lambda age: age >= 40}, [40], [Code("99"), Code("N")]),
        ("age=99", [99, Code("99")], [Code("N")]),
        ("job=N", [Code("N")], [Code("99")]),
        ("job>=2020-02-01", ["2020-02-01", "2021-01-01"], ["2020-01-31", Code("?"), None]),
        ("job<2020-02-01", ["2020-01-31"], ["2020-02-01", Code("0")]),
        ("job=2020-01-01..2020-01-31", ["2020-01-31"], ["2020-02-01", Code("2020")]),
    ],
)
def test_conditions_hold_for_what_they_say(where, yes, no):
    (found,) = read_where(where, KNOWN)
    assert all(found.call(value) for value in yes)
    assert not any(found.call(value) for value in no)


def test_several_conditions_and_functions_of_several_columns():
    found = read_where(["age>=40", {"job": "nurse", "flag": 1}], KNOWN)
    assert [each.columns for each in found] == [("age",), ("job",), ("flag",)]
    (both,) = read_where(lambda age, job: age > 3 and job == "a", KNOWN)
    assert both.columns == ("age", "job")
    assert both.table([[1, 5], ["a", "b"]]).tolist() == [[0, 0], [1, 0]]
    assert read_where(None, KNOWN) == []


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ("age", WrongKind, "written like age>=40"),
        ("age>=old", WrongKind, "'old' should be a number"),
        ("agee>=40", UnknownName, "age"),
        ({"q": 1}, UnknownName, "q"),
        ({"name": 1}, UnknownName, "'name' was left out of this release"),
        (lambda q: q, UnknownName, "q"),
        (lambda: 1, WrongKind, "parameters named like them"),
        (3, WrongKind, "where should be conditions"),
    ],
)
def test_conditions_that_are_refused(where, error, words):
    with pytest.raises(error, match=words):
        read_where(where, KNOWN)


def test_values_are_numbers_or_refused():
    assert read_value("age", KNOWN).call("40.5") == Q(81, 2)
    with pytest.raises(NotApplicable, match="no sizes to compare or to add"):
        read_value("job", KNOWN).call("nurse")
    with pytest.raises(WrongKind, match="function of columns is needed"):
        read_value(3, KNOWN)
    with pytest.raises(WrongKind, match="should give numbers or truth values, not str"):
        read_value(lambda age: "old", KNOWN).table([[1]])


def test_too_many_combinations_are_refused():
    many = Asked(("age", "job"), lambda a, b: 1.0, "it")
    with pytest.raises(TooLarge, match="4,000,000 combinations"):
        many.table([range(2000), range(2000)])


def test_codes_are_marked_and_have_no_size():
    marked = with_codes([Q(1), "N", None], "numbers")
    assert marked == [Q(1), "N", None]
    assert [type(v) for v in marked] == [Q, Code, type(None)]
    assert [type(v) for v in with_codes(["2020-01-01", "?"], "dates")] == [str, Code]
    worth = read_value("age", KNOWN).call
    assert math.isnan(worth(Code("99")))
    assert worth(Q(99)) == 99
    assert Code("b") > "a"
    assert not Code("b") < 3
