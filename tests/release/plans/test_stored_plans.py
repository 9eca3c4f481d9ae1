"""Plans as stored nouns: they come back as they went, and name no files."""

import pytest

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.release import Plan, plan_body, plan_from
from dprivacy.release.plans import stored_plans
from dprivacy.release.plans.stored_plans import plan_hash, plan_in, plan_out
from dprivacy.store import load, save
from support.release_tables import LETTERS, NUMBERS, TREE, plan_of


@pytest.mark.parametrize("spec", [LETTERS, TREE, {**NUMBERS, "epsilon": 0.5, "grid": 0.25}])
def test_a_plan_comes_back(tmp_path, spec):
    plan = plan_of(spec, drop=["d"], title="Größe")
    save(plan, tmp_path / "plan.json")
    back = load(tmp_path / "plan.json")
    assert back.raw == plan.raw
    assert plan_hash(back.raw) == plan_hash(plan.raw)
    assert back.columns[0].mechanism.guarantee.eps == plan.columns[0].mechanism.guarantee.eps


def test_doubles_stay_doubles():
    raw = {"columns": {"double": {"type": "categories", "values": [0.1, 2.5], "epsilon": 0.5}}}
    assert plan_in(plan_out(raw)) == raw


def test_a_stored_plan_names_no_file():
    body = {"columns": {"h": {"type": "stored", "file": "/dev/zero"}}}
    with pytest.raises(BadFile, match="names a file"):
        plan_from(body)


def test_a_plan_made_by_hand_cannot_be_stored():
    with pytest.raises(NotApplicable, match="put together by hand"):
        plan_body(Plan(plan_of().columns))


def test_a_long_plan_is_refused_before_it_is_parsed(monkeypatch):
    """A mebibyte of TOML may take a second, and is the most that is parsed."""
    monkeypatch.setattr(stored_plans.tomllib, "loads", lambda text: {"read": len(text)})
    assert stored_plans.parsed_toml("#" * (1 << 20), "p") == {"read": 1 << 20}
    with pytest.raises(BadFile, match=r"longer than 1,048,576 characters, too long .*stored plan"):
        stored_plans.parsed_toml("#" * (1 << 20) + "#", "p")
