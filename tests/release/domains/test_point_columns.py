"""What a plan says of numbers with codes and of dates: points, codes, refusals, the promise."""

from fractions import Fraction as Q

import pyarrow as pa
import pytest

from dprivacy.errors import DPrivacyError, TooLarge
from dprivacy.mechanisms import coded_laplace, geometric
from dprivacy.numbers import Level
from dprivacy.release import Plan, joint_guarantee, sanitise
from dprivacy.release.domains.point_columns import class_level
from dprivacy.release.plans.card_plan import plan_on
from support.release_tables import plan_of

INCOME = {
    "type": "numbers",
    "low": 0,
    "high": 10,
    "grid": 1,
    "codes": ["N", "999"],
    "epsilon": "ln 2",
}
VISIT = {
    "type": "dates",
    "low": "2020-01-01",
    "high": "2020-01-29",
    "grid": "7 days",
    "epsilon": "1/7",
}
WEEKS = ("2020-01-01", "2020-01-08", "2020-01-15", "2020-01-22", "2020-01-29")


def column(spec):
    return plan_of(spec).columns[0]


def test_the_channel_of_a_column_is_that_of_the_mechanism():
    found = column({**INCOME, "anchor": 2, "code_distance": "5/2"})
    codes = ["N", "999"]
    made = coded_laplace(0, 10, codes=codes, eps="ln 2", grid=1, anchor=2, code_distance="5/2")
    assert found.channel == made.channel
    assert found.listed
    assert found.values == (*range(11), "N", "999")
    assert class_level(found.mechanism) == Level("5/2*ln 2")


def test_codes_may_be_written_as_whole_numbers_and_missing_values_are_one_more():
    found = column({**INCOME, "codes": [998, "999"], "nulls": "category"})
    assert found.points.codes == ("998", "999", None)
    alone = {key: value for key, value in INCOME.items() if key != "codes"}
    assert column({**alone, "nulls": "category"}).points.codes == (None,)
    assert column(alone).points is None


def test_dates_are_points_whose_names_are_dates():
    found = column(VISIT)
    assert found.values == WEEKS
    assert found.channel.matrix == geometric(range(5), eps=1).channel.matrix
    assert found.mechanism.space.distance(WEEKS[0], WEEKS[2]) == 14
    coded = column(
        {**VISIT, "codes": ["unknown"], "anchor": "2020-01-08", "code_distance": "3 days"}
    )
    assert coded.mechanism.space.distance("2020-01-01", "unknown") == 10


def test_blocks_publish_the_class_and_protect_the_numbers():
    found = column({**INCOME, "blocks": "codes"})
    assert found.channel["N", "N"] == 1
    assert found.channel[3, "N"] == 0
    assert found.channel[3, 4] == geometric(range(11), eps="ln 2").channel[3, 4]
    told = joint_guarantee(plan_of({**INCOME, "blocks": "codes"}))
    assert told.open == ("the block of h",)
    assert "is published as it is" in told.explain()


def test_codes_cost_the_row_nothing_and_their_own_factor_is_told():
    told = joint_guarantee(plan_of(INCOME))
    plain = {key: value for key, value in INCOME.items() if key != "codes"}
    assert told.total == joint_guarantee(plan_of(plain)).total
    words = told.explain()
    assert "a code (N, 999), and which code, is protected by a factor of at most 32" in words


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({**INCOME, "codes": ["N", "7"]}, "lies between low and high"),
        ({**INCOME, "codes": ["7.5"]}, "lies between low and high"),
        ({**INCOME, "codes": ["999", "999.0"]}, "listed twice"),
        ({**INCOME, "codes": ["N", "N"]}, "listed twice"),
        ({**INCOME, "codes": []}, "at least one code"),
        ({**INCOME, "codes": [""]}, "an empty cell is a missing value"),
        ({**INCOME, "codes": "N"}, "lists texts"),
        ({**INCOME, "codes": [1.5]}, "lists texts"),
        ({**INCOME, "anchor": "1/2"}, "should be a point of the grid"),
        ({**INCOME, "code_distance": 0}, "greater than 0"),
        ({**INCOME, "delta": "1/10"}, "laplace, not for coded_laplace"),
        ({**INCOME, "mechanism": "laplace"}, "codes is for coded_laplace, not for laplace"),
        ({**INCOME, "blocks": [["N"]]}, 'blocks = "codes"'),
        ({**INCOME, "nulls": {"replace": "X"}}, "which is not a value"),
        ({**INCOME, "grid": "1/200"}, "take a coarser grid"),
        ({**INCOME, "epsilon": "1e9"}, "would take about"),
        ({**INCOME, "code_distance": "1e300"}, "would take about"),
        ({**INCOME, "code_distance": f"1{'0' * 390}"}, "would take about"),
        ({**INCOME, "high": 9.5}, "whole number of steps"),
        ({**INCOME, "columns": ["a", "b"]}, "one column"),
        ({**VISIT, "grid": "1 month"}, "not equally long"),
        ({**VISIT, "high": "2020-01-30"}, "whole number of steps"),
        ({**VISIT, "high": "30.01.2020"}, "should be a date, as 2020-01-31"),
        ({**VISIT, "codes": ["2020-01-02"]}, "is a date"),
        ({**VISIT, "anchor": "2020-01-02", "codes": ["X"]}, "should be a point of the grid"),
        ({**VISIT, "delta": "1/10"}, "delta is for numbers without codes"),
        ({**VISIT, "blocks": "codes"}, "needs codes"),
        ({**VISIT, "format": "%x"}, "each of %d, %m and %Y once"),
        ({"type": "dates", "epsilon": 1, "low": "2020-01-01"}, "high, grid is missing"),
        ({**VISIT, "low": "0001-01-01", "high": "9999-12-25", "grid": 1}, "take a coarser grid"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_column(spec, words):
    with pytest.raises(DPrivacyError) as refusal:
        plan_of(spec)
    assert words in str(refusal.value)
    assert "column 'h'" in str(refusal.value)


def test_codes_beyond_all_numbers_are_words():
    assert column({**INCOME, "codes": ["1e999", "9" * 400]}).points.sized == ()


def test_a_card_that_asks_for_too_much_is_refused_before_it_is_built():
    plan = {"columns": {"h": {**INCOME, "code_distance": f"1{'0' * 390}"}}}
    with pytest.raises(TooLarge, match="too many values, or too steep levels"):
        plan_on(plan)


def test_what_a_missing_value_stands_for():
    points = column(INCOME).points
    values = ("N", "999", 999, 999.0, 3, 3.5, 1e9, "3", True)
    assert [points.place_of(v) for v in values] == [11, 12, 12, 12, 3, 4, 10, None, None]
    dates = column({**VISIT, "format": "%d.%m.%Y"}).points
    assert dates.place_of("9.1.2020") == 1
    assert dates.place_of("2020-01-09") is None
    assert points.line.step == Q(1)


@pytest.mark.parametrize(
    ("spec", "cells"), [(INCOME, ["3.2", "N", "999", "1e9"]), (VISIT, ["2020-01-09"] * 4)]
)
def test_permanent_answers_are_given_again(spec, cells):
    who = {"who": ["ann", "bob", "cyd", "dan"]}
    table, key = pa.table({"h": cells, **who}), b"k" * 32
    plan = Plan.read({"columns": {"h": spec}, "unit": "who"})
    first, again = (sanitise(table, plan, permanent_key=key).data["h"].to_pylist() for _ in "12")
    assert first == again
    moved = [cell.replace("3.2", "2.9") for cell in cells]  # the same point of the grid
    near = pa.table({"h": moved, **who})
    assert sanitise(near, plan, permanent_key=key).data["h"].to_pylist() == first
