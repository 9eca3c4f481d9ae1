"""Statistics as an answer: printed, in words, as plain data, in long form."""

import math

import pytest

from dprivacy.errors import NotApplicable, UnknownCategory
from dprivacy.estimation.scores.statistics_result import Statistic, Statistics, figure

NORTH = Statistic(("north",), 1234.5678, 12.345, 1210.0, 1259.0, spread=0.5)
SOUTH = Statistic(("south",), 0.5, 0.012, 0.47, 0.53, "maximum likelihood", 9.0, "it is rough")
BOTH = Statistics("count", ("region",), (NORTH, SOUTH), "table", 0.95, 2000, ("one row a person",))


def test_two_digits_of_the_error_are_shown():
    assert figure(1234.5678, 12.345) == "1,235"
    assert figure(0.123456, 0.00123) == "0.1235"
    assert figure(3.0, 0.0) == "3"
    assert [figure(v, 1.0) for v in (math.nan, math.inf, -math.inf)] == ["unknown", "∞", "−∞"]


def test_it_prints_a_table_and_explains_itself():
    text = str(BOTH)
    assert text.splitlines()[0] == "count, of the table (2,000 rows)"
    assert "1,235      12  1,210 … 1,259" in text
    words = BOTH.explain()
    assert "by score and maximum likelihood" in words
    assert "One row a person." in words
    assert "South: it is rough." in words
    alone = Statistics(
        "mean of age", (), (Statistic((), 40.0, 1.0, 38.0, 42.0),), "population", 0.9, 9
    )
    assert "It is 40 with a standard error of 1 (90 % interval 38 … 42)." in alone.explain()
    assert (alone.value, alone.standard_error, alone.interval) == (40, 1, (38, 42))


def test_groups_are_found_by_their_labels():
    assert BOTH.at("south") is SOUTH
    with pytest.raises(UnknownCategory, match="no group has the labels 'west'"):
        BOTH.at("west")
    with pytest.raises(NotApplicable, match="2 groups; say which"):
        _ = BOTH.value


def test_the_long_form_and_plain_data():
    long = BOTH.long_form()
    assert long.columns == ("region", "estimate", "standard_error", "low", "high", "of", "method")
    assert long.rows[0] == ("north", 1234.5678, 12.345, 1210.0, 1259.0, "table", "score")
    assert long.notes == ("one row a person", "south: it is rough")
    data = BOTH.to_dict()
    assert data["groups"][1]["note"] == "it is rough"
    assert data["groups"][0]["spread"] == 0.5


def test_a_long_table_is_cut_and_says_so():
    many = Statistics(
        "count", ("k",), tuple(Statistic((k,), 1, 1, 0, 2) for k in range(80)), "table", 0.95, 9
    )
    assert "… and 20 more" in str(many)
