"""What can be said of a table: in Python, in a plan, on the command line."""

import pytest

from dprivacy.errors import BadPlan, NotApplicable, UnknownName
from dprivacy.release import Plan, sanitise_file
from dprivacy.release.intake.table_settings import TableSettings

TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}


@pytest.mark.parametrize(
    ("given", "mark"), [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("semicolon", ";"), ("~", "~")]
)
def test_delimiters(given, mark):
    assert TableSettings(delimiter=given).delimiter == mark


@pytest.mark.parametrize("wrong", ["", ";;", '"', "\n", "é", "semi"])
def test_delimiters_that_are_none(wrong):
    with pytest.raises(BadPlan, match="the delimiter should be one character"):
        TableSettings(delimiter=wrong)


@pytest.mark.parametrize("wrong", ["utf-99", "rot13", "hex", "", "a\0b", 7])
def test_encodings_that_are_none(wrong):
    with pytest.raises(UnknownName, match="is not known"):
        TableSettings(encoding=wrong)


@pytest.mark.parametrize("wrong", [{"header": "yes"}, {"sheet": 3}, {"quote": "'"}, ["header"], 7])
def test_plans_that_say_something_else(wrong):
    with pytest.raises(BadPlan):
        Plan.read({"table": wrong, "columns": {"tea": TEA}})


def test_what_is_said_now_goes_before_what_the_plan_says():
    plan = Plan.read({"table": {"delimiter": ";", "header": False}, "columns": {"tea": TEA}})
    assert plan.table == TableSettings(";", header=False)
    now = plan.read_with(delimiter="|", encoding=None, header=None)
    assert now.table == TableSettings("|", header=False)
    assert now.raw["table"] == {"delimiter": "|", "header": False}
    assert plan.read_with(delimiter=None) is plan


@pytest.mark.parametrize("by", ["plan", "argument"])
def test_a_file_is_read_as_is_said(tmp_path, by):
    (tmp_path / "in.txt").write_text("yes~1\nno~2\nno~3\n", encoding="utf-16")
    said = {"delimiter": "~", "header": False}
    plan = {"columns": {"column 1": TEA}, "drop": ["column 2"]}
    if by == "plan":
        released = sanitise_file(tmp_path / "in.txt", {**plan, "table": said}, tmp_path / "out.csv")
    else:
        released = sanitise_file(tmp_path / "in.txt", plan, tmp_path / "out.csv", **said)
    assert released.card.count == 3
    assert released.card.plan["table"] == said


def test_spark_has_nothing_to_be_told(tmp_path):
    with pytest.raises(NotApplicable, match="Spark reads Parquet alone"):
        sanitise_file("in", {"columns": {"tea": TEA}}, "out", engine="spark", delimiter=";")
