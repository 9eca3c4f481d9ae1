"""Questions to a table: values, functions, and conditions in every form."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongKind
from dprivacy.release.receiving.asked_functions import Asked, Columns, read_value, read_where

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
