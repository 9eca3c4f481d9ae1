"""Columns that will be crossed, and what each counts: from a file to the page, and back into a plan."""

import tomllib
from dataclasses import replace

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import BadPlan
from dprivacy.release import Plan, plan_body
from dprivacy.web.board.crossed_columns import CROSSED, crossed_words, with_crossed
from dprivacy.web.pages.plan_form import ColumnForm, Whole, forms_of, plan_mapping, plan_text
from dprivacy.web.pages.protect_page import described_in

COLUMNS = """
drop = []
pass_through = []
[columns.smokes]
type = "categories"
values = ["yes", "no"]
{smokes}
[columns.hobby]
type = "categories"
values = ["chess", "music", "running"]
{hobby}
[columns.health]
type = "ordered"
values = ["bad", "fair", "good"]
{health}
"""
ALONE = {"smokes": "", "hobby": "", "health": ""}
SHARED = 'row = "ln 9"\n' + COLUMNS.format(**ALONE | {"smokes": "importance = 4"})
TICKED = (
    'row = "ln 9"\n'
    + COLUMNS.format(**ALONE | {"hobby": "importance = 2.5"})
    + '[joint."smokes and health"]\ncolumns = ["smokes", "health"]\nimportance = 3\n'
)
NAMED = (
    COLUMNS.format(**ALONE | {"hobby": 'epsilon = "ln 3"'})
    + '[joint.crossed]\ncolumns = ["health", "smokes"]\nepsilon = "ln 9"\nnote = "the purpose"\n'
)
TWO = (
    COLUMNS.format(**ALONE)
    + '[columns.tea]\ntype = "categories"\nvalues = ["yes", "no"]\n'
    + '[joint.a]\ncolumns = ["smokes", "health"]\nepsilon = "ln 9"\n'
    + '[joint.b]\ncolumns = ["hobby", "tea"]\nepsilon = "ln 5"\n'
)


@pytest.mark.parametrize("text", [SHARED, TICKED, NAMED, TWO])
@pytest.mark.parametrize("level", ["ln 3", "ln 9"])
def test_a_plan_file_comes_out_of_the_page_as_it_went_in(text, level):
    if text in (SHARED, TICKED):
        level = "ln 9"  # the slider is the row's
    forms, whose = described_in({"plan": text, "eps": level})
    again = plan_mapping(forms, level, whose)
    assert plan_body(Plan.read(again)) == plan_body(Plan.parse(text))
    assert tomllib.loads(plan_text(again)) == again


def test_ticks_make_the_plan_that_a_file_would_give():
    forms = [
        ColumnForm("smokes", values="yes\nno", importance="3", crossed=CROSSED),
        ColumnForm("hobby", values="chess\nmusic\nrunning", importance="2.5"),
        ColumnForm("health", "ordered", "bad\nfair\ngood", mechanism="geometric", crossed=CROSSED),
    ]
    made = plan_mapping(forms, "ln 9", Whole(shared=True))
    assert plan_body(Plan.read(made)) == plan_body(Plan.parse(TICKED))
    # for one answer the table has the slider's level, and nobody shares anything
    alone = plan_mapping(forms, "ln 9")
    assert alone["joint"] == {
        "smokes and health": {"columns": ["smokes", "health"], "epsilon": "ln 9"}
    }
    assert Plan.read(alone).column("hobby").spec["epsilon"] == "ln 9"


def test_the_slider_moves_the_level_of_a_table_that_had_its_level():
    forms, whose = described_in({"plan": NAMED, "eps": "ln 9"})
    assert plan_mapping(forms, "ln 2", whose)["joint"]["crossed"]["epsilon"] == "ln 2"
    assert plan_mapping(forms, "ln 2", whose)["columns"]["hobby"]["epsilon"] == "ln 3"


@pytest.mark.parametrize("other", [{"crossed": ""}, {"kind": "drop"}, {"kind": "numbers"}])
def test_a_single_column_is_not_drawn_with_others(other):
    one, two = forms_of(tomllib.loads(NAMED))[0], forms_of(tomllib.loads(NAMED))[2]
    made = plan_mapping([one, replace(two, **other)], "ln 9")
    assert "joint" not in made
    assert made["columns"]["smokes"]["epsilon"] == "ln 9"
    assert crossed_words(made, ["smokes"]).startswith("smokes will be crossed with another column")


def test_codes_beside_classes_are_values_of_a_table():
    degree = {"type": "ordered", "values": [1, 2], "codes": ["N"], "epsilon": "ln 3"}
    tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    both = {"degree": "x", "tea": "x"}
    plan = Plan.read(with_crossed({"columns": {"degree": degree, "tea": tea}}, both, {}, "ln 3"))
    assert len(plan.column("x").values) == 6


@pytest.mark.parametrize("words", ["much", "0", "-1", "nan", "inf"])
def test_an_importance_that_is_none_is_refused(words):
    forms = [ColumnForm("smokes", values="yes\nno", importance=words)]
    with pytest.raises(BadPlan, match="importance should be a number above 0"):
        Plan.read(plan_mapping(forms, "ln 9", Whole(shared=True)))
    Plan.read(plan_mapping(forms, "ln 9"))  # where every column has a level of its own, none counts
