"""The built-in survey: invented, the same every time, and never written over somebody's work."""

from collections import Counter

import pytest

from dprivacy.errors import Malformed
from dprivacy.release import Plan, received, sanitise_file
from dprivacy.release.columns.demo_survey import PLAN, ROWS, survey, write_demo


def test_the_survey_has_the_shares_it_says():
    found = survey()
    assert {len(column) for column in found.values()} == {ROWS}
    assert Counter(found["hobby"])["sports"] == 420
    assert Counter(found["smokes"]) == {"yes": 264, "no": 936}
    assert len(set(found["name"])) == ROWS
    assert found == survey()


def test_the_plan_covers_it():
    plan = Plan.parse(PLAN)
    assert {*plan.protected, *plan.drop, *plan.pass_through} == set(survey())
    for column in plan.columns:
        assert set(survey()[column.name]) <= set(column.space.labels)


def test_written_sanitised_and_estimated(tmp_path):
    table, plan = write_demo(tmp_path / "demo")
    sanitise_file(table, Plan.read(plan), tmp_path / "out.csv")
    release = received(tmp_path / "out.csv")
    for name in ("hobby", "smokes", "health"):
        found, truth = release.estimate(name), Counter(survey()[name])
        for label in truth:
            assert abs(found.counts[label] - truth[label]) < 5 * found.standard_errors[label] + 1


def test_it_may_be_written_again_but_not_over_something_else(tmp_path):
    assert write_demo(tmp_path) == write_demo(tmp_path)
    (tmp_path / "plan.toml").write_text("mine")
    with pytest.raises(Malformed, match=r"plan\.toml already exists and is not the demo's"):
        write_demo(tmp_path)
    assert (tmp_path / "plan.toml").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Malformed, match="cannot be written to"):
        write_demo(tmp_path / "file")
