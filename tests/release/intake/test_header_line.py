"""The first line: a record with odd words in it is not taken for names."""

import random
from itertools import permutations

import pytest

from dprivacy.release.intake.cell_kinds import kind_of
from dprivacy.release.intake.header_line import header_of

ODD = ["gone", "sick", "see note", "won't say", "moved", "various", "x-ray", "abroad"]


def rows_of(n=200, seed=3, rare=0):
    """People with a name of their own, a town, an age and an income; every so often an odd word."""
    rng = random.Random(seed)
    rows = [
        [f"Ann Miller {k}", rng.choice(["Ulm", "Bern"]), str(rng.randint(18, 99)), f"{k}.5"]
        for k in range(n)
    ]
    for k in range(rare):
        rows[rng.randrange(n)][rng.choice((2, 3))] = f"odd {ODD[k]}"
    return rows


@pytest.mark.parametrize("n", [5, 30, 200, 1000])
@pytest.mark.parametrize("town", ["Ulm", "Basel"])
def test_a_record_with_odd_words_for_both_its_numbers(n, town):
    """Its name, and perhaps its town, look like those below it."""
    for one, other in permutations(ODD[:4], 2):
        assert not header_of([["Bob Jones 7", town, one, other], *rows_of(n)])[0]


def test_a_record_of_numbers_alone_with_odd_words_where_others_have_some_too():
    """Other odd words, and no names: the column holds words, so that two more say nothing."""
    rows = [row[2:] for row in rows_of(rare=3)]
    for one, other in permutations(ODD, 2):
        assert not header_of([[one, other], *rows])[0]


@pytest.mark.parametrize(
    "odd",
    [["90+", ">100000"], ["<LOD", "gone"], ["12 kg", "won't say"], ["~50", "***"], ["inf", "gone"]],
)
def test_odd_answers_above_numbers_alone_are_no_names(odd):
    """No other column of words is there to compare with."""
    rows = [row[2:] for row in rows_of()]
    for first in permutations(odd):
        assert not header_of([[*first], *rows])[0]
    assert header_of([["age_2", "income (€)"], *rows])[0]


def test_one_word_above_a_single_column_of_numbers_is_asked_about():
    assert header_of([["gone"], *([row[2]] for row in rows_of())])[0] is None


def test_among_many_names_above_numbers_some_may_begin_with_a_digit():
    rows = [[str(k), f"{k}.5", str(k % 7), str(k % 5)] for k in range(40)]
    assert header_of([["lot", "1st_floor", "year", "price"], *rows])[0]


@pytest.mark.parametrize(
    "word", ["refused", "Unknown", "don't know", "keine Angabe", "K.A.", "#N/A"]
)
def test_words_for_no_answer_are_no_names(word):
    rows = [row[2:] for row in rows_of()]
    assert header_of([["age", word], *rows])[0] is None
    assert header_of([["age", "income"], *rows])[0]


@pytest.mark.parametrize("name", ["name", "Name", "full name", "NAME"])
def test_names_above_many_rows_are_a_header(name):
    assert header_of([[name, "town", "age", "income"], *rows_of()])[0]
    assert header_of([[name, "Town", "Age", "Income"], *rows_of()])[0]


def test_a_word_above_a_column_in_which_all_come_again():
    rows = [[str(k), "yes" if k % 3 else "no"] for k in range(40)]
    assert header_of([["age", "smokes"], *rows])[0]
    assert header_of([["age", "smokes"], *rows[:9]])[0] is None


@pytest.mark.parametrize(
    "first",
    [
        ["Survey 2026", "", "", ""],  # a title
        ["name", "town", "age", "age"],
        ["# made by hand", "town", "age", "n/a"],
        ["name", "town", "age"],  # R leaves the first name out
        ["name", "town", "age", "income", ""],
    ],
)
def test_lines_that_may_be_more_or_less_than_names_are_asked_about(first):
    assert header_of([first, *rows_of()])[0] is None


@pytest.mark.parametrize(
    "first",
    [
        ["Bob Jones", "Ulm", "44", "gone"],
        ["Bob Jones", "Ulm", "gone", "30-Oct-1995"],
        ["Bob Jones", "Ulm", "gone", "1 234,50"],
        ["Bob Jones", "Ulm", "gone", "12 %"],
    ],
)
def test_one_number_or_date_is_enough(first):
    assert header_of([first, *rows_of()])[0] is False


def test_a_line_of_units_below_the_names_is_asked_about():
    """It would be taken for a record, and the names above its words for another."""
    assert (
        header_of([["Name", "Town", "age", "income"], ["", "", "years", "€"], *rows_of()])[0]
        is None
    )


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("1'234.50", "number"), ("1 234,5", "number"), ("-.5e3", "number"), ("12 %", "number"),
        ("2020-01-02T03:04", "date"), ("30-Oct-1995", "date"), ("1. Mai 2020", "date"),
        ("1/1/13 0:00", "date"), ("Refused", "missing"), ("--", "missing"), ("Ann", "text"),
        ("40 to 50", "text"), ("90+", "text"),
    ],
)  # fmt: skip
def test_kinds(cell, kind):
    assert kind_of(cell) == kind
