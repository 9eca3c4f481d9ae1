"""A row that is not protected as a whole says so on every face, in the same words."""

import json
import re

import pyarrow as pa
import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.tables import plan as plan_verb, sanitise as sanitise_verb
from dprivacy.errors import PrivacyLeakWarning
from dprivacy.release import Plan, joint_guarantee, received, sanitise
from dprivacy.web.board.plan_outlook import outlook

TEN = {
    f"q{k}": {"type": "categories", "values": ["yes", "no"], "epsilon": "29/10"} for k in range(10)
}
SAID = (
    "The whole row is not protected in any sense that matters: the odds between two sets of answers "
    "may change by a factor of e^29 ≈ 4·10^12."
)
HOUSEHOLD = (
    "Together, the 10 rows of a person are not protected in any sense that matters: the odds between "
    "two sets of answers may change by a factor of e^290 ≈ 9·10^125."
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(",".join(TEN) + "\n" + ",".join(["yes"] * 10) + "\n")
    lines = [
        f'[columns.{name}]\ntype = "categories"\nvalues = ["yes", "no"]\nepsilon = "29/10"\n'
        for name in TEN
    ]
    (tmp_path / "plan.toml").write_text("\n".join(lines))
    return tmp_path


def test_plan(folder):
    done = CliRunner().invoke(plan_verb, ["plan.toml"])
    assert done.output.startswith(
        "NEXT TO NONE. The whole row is not protected in any sense that matters."
    )
    told = json.loads(CliRunner().invoke(plan_verb, ["plan.toml", "--json"]).output)
    assert SAID in told["guarantee"]["sentence"]


def test_sanitise_its_card_and_who_receives_it(folder):
    done = CliRunner().invoke(sanitise_verb, ["in.csv", "-p", "plan.toml", "-o", "out.csv"])
    assert f"warning: {SAID}" in done.stderr
    assert SAID in done.stdout
    assert SAID in received("out.csv").card.explain()


def test_python():
    table = pa.table({name: ["yes"] for name in TEN})
    with pytest.warns(PrivacyLeakWarning, match=re.escape(SAID)):
        released = sanitise(table, {"columns": TEN})
    assert SAID in released.explain()


def test_rows_of_a_person_count():
    plan = Plan.read({"columns": TEN, "rows_per_person": 10})
    assert HOUSEHOLD in joint_guarantee(plan).explain()
    assert "release fewer columns or fewer rows of a person" in joint_guarantee(plan).warning


def test_the_page():
    """The whole row is the headline, also for one column; the exact words are one click away."""
    for spec in (TEN, {"q": {**TEN["q0"], "epsilon": "29"}}):
        found = outlook({"columns": spec}, 9)
        assert found.band.lines()[0] == (
            "NEXT TO NONE. The whole row is not protected in any sense that matters."
        )
        assert found.band.lines()[1].endswith("it rules out nothing.")
        assert SAID in found.ahead.guarantee.explain()
    quiet = outlook({"columns": {"q": {**TEN["q0"], "epsilon": "ln 2"}}}, 9)
    assert quiet.band.tone == "good"


def test_a_row_that_is_protected_says_nothing():
    plan = Plan.read({"columns": {"q": TEN["q0"]}, "rows_per_person": 3})
    assert joint_guarantee(plan).warning == ""
    assert "in any sense" not in joint_guarantee(plan).explain()


def test_a_row_without_a_bound_says_that(folder):
    home = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"}
    joint = joint_guarantee({"columns": {"q": TEN["q0"], "home": home}})
    assert joint.total is None
    assert joint.explain().splitlines()[0] == (
        "No factor bounds the whole record: home can differ without limit, and records that are far "
        "apart there are not hidden from each other."
    )
