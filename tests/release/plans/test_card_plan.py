"""A plan that may come from anybody is read again within bounds; what is too large is said to be."""

import json
from itertools import pairwise

import pytest

from dprivacy.errors import BadFile, TooLarge, UnprovedWarning
from dprivacy.release import Plan, prove_card, received, sanitise_file
from dprivacy.release.plans import card_plan
from dprivacy.release.plans.card_plan import MOST_WORK, plan_on, work_of
from support.card_edits import sealed

PLAIN = {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"}
LONG = [f"v{k}" for k in range(1000)]
FAR = [[0 if i == j else f"ln({10**4 + i + j})" for j in range(200)] for i in range(200)]
HOSTILE = {
    "a thousand values, every pair": {"type": "ordered", "values": LONG, "mechanism": "exponential"},
    "a thousand values in blocks": {"type": "categories", "values": LONG, "blocks": [LONG]},
    "a thousand values with a delta": {"type": "categories", "values": LONG, "delta": "1/9"},
    "a steep level": {"type": "ordered", "values": LONG[:100], "epsilon": "10000"},
    "a steep range": {"type": "numbers", "low": 0, "high": 10**9, "grid": 10**7, "epsilon": "1"},
    "a level of many digits": {"type": "categories", "values": LONG, "epsilon": f"1/{10**3999}"},
    "logarithms": {"type": "distances", "values": LONG[:200], "distances": FAR},
    "a graph": {"type": "graph", "edges": [[a, b] for a, b in pairwise(LONG)]},
    "a tree": {"type": "tree", "tree": {"x": LONG[:500], "y": LONG[500:]}},
    "a mechanism": {"type": "stored", "stored": "0x1f, " * 10**6},
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_what_takes_minutes_is_refused_before_it_is_begun(what):
    plan = {"columns": {"c": {"epsilon": "ln 2", **HOSTILE[what]}}}
    with pytest.raises(TooLarge, match="to be proved again"):
        plan_on(plan)


def test_many_columns_count_together():
    spec = {"type": "numbers", "low": 0, "high": 1000, "grid": 1, "epsilon": "1/50"}
    assert work_of(spec) < MOST_WORK < 20 * work_of(spec)
    with pytest.raises(TooLarge):
        plan_on({"columns": {f"c{k}": spec for k in range(20)}})


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "categories", "values": LONG, "epsilon": "ln 3"},
        {"type": "numbers", "low": 0, "high": 10**6, "grid": 1, "epsilon": "1/100"},
        {"type": "tree", "tree": {"x": LONG[:80], "y": LONG[80:150]}, "epsilon": "ln 2"},
        {"type": "ordered", "values": LONG[:200], "mechanism": "exponential", "epsilon": 0.5},
    ],
)
def test_what_people_release_is_proved(spec):
    assert work_of(spec) < MOST_WORK / 2


def test_a_plan_on_a_card_names_columns():
    for columns in (1, None, ["a"]):
        with pytest.raises(BadFile, match="names no columns"):
            plan_on({"columns": columns})


def test_a_receiver_is_told_what_was_not_proved(tmp_path, monkeypatch):
    """A forged column behind one that takes all the time is not believed in silence."""
    (tmp_path / "in.csv").write_text("big,small\na,a\nb,b\n")
    plan = Plan.read({"columns": {"big": PLAIN, "small": PLAIN}})
    sanitise_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    card = tmp_path / "out.csv.card.json"
    document = json.loads(card.read_text(encoding="utf-8"))
    document["body"]["mechanisms"]["small"]["eps"] = "1/10"
    card.write_text(sealed(document), encoding="utf-8")
    with pytest.raises(BadFile, match=r"mechanisms\.small\.eps"):
        received(tmp_path / "out.csv")
    for module in ("card_plan", "card_proof"):
        path = {"card_plan": card_plan.__name__, "card_proof": prove_card.__module__}[module]
        monkeypatch.setattr(f"{path}.MOST_WORK", 1.5 * work_of(PLAIN))
    with pytest.warns(UnprovedWarning, match="of small is not proved"):
        received(tmp_path / "out.csv")
    found = prove_card(card)
    assert not found
    assert "to be proved again" in found.explain()
