"""One rule for whose a row is: the same person under every spelling, in every place that counts."""

import math
import unicodedata
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadPlan, BudgetExceeded, WrongKind
from dprivacy.geo import protect_places
from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger, PermanentAnswers, sanitise
from dprivacy.release.columns.person_identifiers import person_name, same_person
from support.release_tables import LETTERS

ZOE = "Zo\u00eb"
SPELLINGS = {
    "7": [7, 7.0, np.int64(7), np.float32(7), Decimal(7), Decimal("7.00"), "7", "7.0", " 7\n"],
    "0.5": [0.5, Decimal("0.50"), "0.5"],
    "0": [0, -0.0, Decimal("-0.0"), "0.0", "-0.0"],
    "-12": [-12, -12.0, "-12.00"],
    "100000000000000000000": [10**20, 1e20, Decimal("1E+20")],
    "0.0000001": [1e-7, Decimal("1E-7")],
    "1/2": [Fraction(1, 2)],
    ZOE: [ZOE, unicodedata.normalize("NFD", ZOE), f"\u00a0{ZOE} "],
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings_of_one_person(text):
    assert {same_person(one) for one in SPELLINGS[text]} == {text}


def test_what_stays_apart():
    others = ["007", "1.1", "1.10", "7.5", "ann", "Ann", "1e2", "٧", "7.", "00.0"]
    assert len({person_name(one, 0) for one in [*others, *SPELLINGS]}) == len(others) + len(
        SPELLINGS
    )


@pytest.mark.parametrize("nobody", [None, math.nan, Decimal("nan"), "", " \t"])
def test_nobody(nobody):
    assert same_person(nobody) is None


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_its_value(number):
    """Python's own equality is the truth: numbers are one person if they are equal."""
    assert Fraction(same_person(number)) == Fraction(
        number if number == int(number) else repr(number)
    )
    assert same_person(same_person(number)) == same_person(number)


def test_numbers_of_any_size_end():
    assert len(same_person(Decimal("1E+999999"))) < 20
    assert len(same_person(Decimal("1E-999999"))) < 20


def test_yes_and_no_identify_nobody():
    for one in (True, np.bool_(False)):
        with pytest.raises(WrongKind, match="not by yes or no"):
            person_name(one, 0)


@pytest.mark.parametrize("one", [b"7", bytearray(b"7"), [7], (7,), {"id": 7}])
def test_what_can_be_written_in_many_ways_identifies_nobody(one):
    """The bytes of a 7 would be another person than the text, with a budget of their own."""
    with pytest.raises(WrongKind, match="convert the column"):
        same_person(one)


def test_a_ledger_has_one_budget_for_them(tmp_path):
    rr = randomised_response(["a", "b"], eps="ln 2")
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.budget("users", "ln 2", per="person")
        ledger.spend({"h": rr}, account="users", people=[7, "ann"])
        for one in (7.0, "7", "7.0", "ann ", Decimal(7)):
            assert str(ledger.spent("users", person=one).eps) == "ln(2)"
            with pytest.raises(BudgetExceeded):
                ledger.spend({"h": rr}, account="users", people=[one])


def test_permanent_answers_are_the_same_for_them():
    answers = PermanentAnswers(randomised_response(range(50), eps="ln 2"), b"k" * 32, "x")
    values = list(range(50)) * 2
    first = answers.randomise(values, people=[7] * 50 + ["Zo\u00eb"] * 50)
    assert first == answers.randomise(values, people=["7.0 "] * 50 + ["Zoe\u0308"] * 50)


@pytest.mark.parametrize("people", [["ann", "ann "], ["7", "7.0"], ["Zo\u00eb", "Zoe\u0308"]])
def test_their_rows_and_reports_are_counted_together(people):
    plan = {"columns": {"h": LETTERS}, "unit": "who"}
    with pytest.raises(BadPlan, match="somebody has more rows than rows_per_person = 1"):
        sanitise(pa.table({"h": ["a", "b"], "who": people}), plan)
    with pytest.raises(BudgetExceeded, match="more than 1 report"):
        protect_places([40.7] * 2, [-74.0] * 2, people=people, reports=1)


def test_the_card_says_the_rule():
    plan = {"columns": {"h": LETTERS}, "unit": "who"}
    told = sanitise(pa.table({"h": ["a"], "who": ["ann"]}), plan).explain()
    assert "Rows are of one person where who is the same: texts in the Unicode form NFC" in told
    assert "NFC" not in sanitise(pa.table({"h": ["a"]}), {"columns": {"h": LETTERS}}).explain()
