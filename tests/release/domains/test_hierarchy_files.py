"""Hierarchies in plans: from files and written out, the same space; files that are none are refused."""

import json

import pyarrow as pa
import pytest

from dprivacy.errors import BadFile, BadPlan, DPrivacyError
from dprivacy.release import Plan, sanitise
from dprivacy.release.domains.hierarchy_files import leaves_in, read_parents
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.release.plans.table_plan import plan_body, plan_from
from dprivacy.web.pages.plan_form import require_alone
from support.release_tables import plan_of

PARENTS = {"1": "", "2": "", "11": "1", "12": "1", "21": "2"}
FILE = 'code,parent,label\n1,,Managers\n2,,Experts\n11,1,Chiefs\n12,1,Clerks\n21,2,"Nurses, all"\n'
SPEC = {"type": "tree", "epsilon": "ln 2", "hierarchy": PARENTS}
PLAN = '[columns.h]\ntype = "tree"\nepsilon = "ln 2"\nhierarchy = "{}"\n'


@pytest.mark.parametrize(
    "text",
    [FILE, "\ufeff" + FILE, FILE.replace("\n", "\r\n"), FILE + "\n",
     "label;Parent;Code\nx;;1\nx;;2\nx;1;11\nx;1;12\nx;2;21\n",
     "id\twithin\n1\t\n2\t\n11\t1\n12\t1\n21\t2\n21\t2\n"],
)  # fmt: skip
def test_files_of_codes_are_read(text, tmp_path):
    assert read_parents(text) == PARENTS
    (tmp_path / "codes.csv").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "plan.toml").write_text(PLAN.format("codes.csv"), encoding="utf-8")
    plan = Plan.read(tmp_path / "plan.toml")
    assert plan.raw["columns"]["h"]["hierarchy"] == PARENTS
    assert plan.columns[0].space == plan_of(SPEC).columns[0].space
    assert plan.columns[0].values == ("11", "12", "21")


def test_it_is_the_tree_that_can_be_written_out():
    tree = {"type": "tree", "epsilon": "ln 2", "tree": {"a": ["11", "12"], "b": ["21"]}}
    assert plan_of(tree).columns[0].channel == plan_of(SPEC).columns[0].channel
    assert leaves_in(PARENTS) == leaves_in(tree["tree"]) == 3


def test_codes_are_texts_and_columns_may_hold_them_as_numbers():
    released = sanitise(pa.table({"h": [11, 12, 21] * 20}), plan_of(SPEC))
    assert set(released.data["h"].to_pylist()) <= {"11", "12", "21"}
    assert plan_on(released.card.plan).columns[0].values == ("11", "12", "21")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "should name a column 'code'"),
        ("code,label\n1,x\n", "should name a column 'parent'"),
        ("code,parent\n1\n", "line 2 should have 2 cells and has 1"),
        ("code,parent\n,1\n", "line 2 has no code"),
        ("code,parent\n11,1\n11,2\n", "line 3 gives a code a second parent"),
        ('code,parent\n"1,2\n', "is not a line of a table"),
    ],
)
def test_files_that_are_none_are_refused_by_line(text, words):
    with pytest.raises(BadFile, match=words):
        read_parents(text)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({**SPEC, "hierarchy": ["FR"]}, "a hierarchy is"),
        ({**SPEC, "hierarchy": {"FR": 3}}, "a hierarchy is"),
        ({**SPEC, "hierarchy": {"a": "b", "b": "a", "c": "", "d": ""}}, "circle"),
        ({**SPEC, "tree": {"a": ["b", "c"]}}, "a tree needs"),
        ({"type": "tree", "epsilon": 1}, "a tree needs"),
        ({"type": "tree", "epsilon": 1, "tree": {"a": ["x"], "b": ["x", "y"]}}, "holds 'x' twice"),
    ],
)
def test_plans_that_hold_none_are_refused(spec, words):
    with pytest.raises(DPrivacyError, match=words):
        plan_of(spec)


def test_what_travels_names_no_file():
    body = plan_body(plan_of(SPEC))
    assert plan_from(body).columns[0].values == ("11", "12", "21")
    named = json.loads(json.dumps(body))
    named["columns"]["h"]["hierarchy"] = "/etc/hostname"
    with pytest.raises(BadFile, match="names a file"):
        plan_from(named)
    with pytest.raises(BadPlan, match="which the page does not open"):
        require_alone({"columns": named["columns"]})


def test_a_file_that_is_missing_is_named_with_its_column(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.format("none.csv"), encoding="utf-8")
    with pytest.raises(BadFile, match=r"column 'h': .*none\.csv"):
        Plan.read(tmp_path / "plan.toml")
