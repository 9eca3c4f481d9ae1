"""A plan may name a mechanism file; what it says then travels with the plan."""

import json
from pathlib import Path

import pytest

from dprivacy.design import optimal
from dprivacy.errors import BadPlan, Malformed, NotPrivate
from dprivacy.mechanisms import mechanism_text, randomised_response
from dprivacy.model import space_body, write_document
from dprivacy.numbers import ln
from dprivacy.release import Plan, card_body, card_from
from dprivacy.spaces import from_table, line
from dprivacy.store import save
from support.release_tables import with_card

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

PLAN = '[columns.age]\ntype = "stored"\nfile = "best.json"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    best = optimal(line([0, 1, 2, 5]), eps=ln(2), prior=["0.4", "0.3", "0.2", "0.1"]).mechanism()
    save(best, tmp_path / "best.json")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_a_stored_optimum_protects_a_column_and_its_card_stands_alone(folder: Path) -> None:
    plan = Plan.read(folder / "plan.toml")
    frame = pandas.DataFrame({"age": [0, 1, 2, 5] * 500})
    out, card = with_card(frame, plan)
    assert set(out["age"]) <= {0, 1, 2, 5}
    assert (out["age"] != frame["age"]).any()
    (folder / "best.json").unlink()
    again = card_from(json.loads(json.dumps(card_body(card))))
    assert again.channel("age") == plan.column("age").mechanism.channel
    assert Plan.read(again.plan).column("age").mechanism.channel == again.channel("age")
    assert "ln(2)" in card.explain()


def test_a_tampered_mechanism_file_is_refused(folder: Path) -> None:
    text = (folder / "best.json").read_text().replace('"eps": "ln(2)"', '"eps": "ln(3/2)"')
    (folder / "best.json").write_text(text)
    with pytest.raises((Malformed, NotPrivate)):
        Plan.read(folder / "plan.toml")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("file = 3", "names one mechanism file"),
        ('file = "none.json"', "cannot be read"),
        ("", "is needed"),
        ('file = "best.json"\nepsilon = "ln(3/2)"', r"guarantees ε = ln\(2\) only"),
        ('file = "best.json"\nmechanism = "geometric"', "does not apply"),
    ],
)
def test_what_does_not_fit_is_said(folder: Path, entry: str, words: str) -> None:
    (folder / "plan.toml").write_text(f'[columns.age]\ntype = "stored"\n{entry}\n')
    with pytest.raises(Malformed, match=words):
        Plan.read(folder / "plan.toml")


def test_answers_outside_the_column_are_refused() -> None:
    space = line(3)
    wide = optimal(space, eps=ln(2), outputs=["low", "high"], loss=[[0, 1, 2], [2, 1, 0]])
    spec = {"type": "stored", "stored": mechanism_text(wide.mechanism())}
    with pytest.raises(Malformed, match="not a value of the column"):
        Plan.read({"columns": {"x": spec}})


def test_distances_that_are_infinite_protect_nothing_and_are_refused() -> None:
    apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
    data = json.loads(mechanism_text(randomised_response(["a", "b"], eps=ln(2))))
    data["body"]["space"] = space_body(apart)
    data["body"]["channel"]["matrix"] = {
        "denominator": "0x1",
        "weights": [["0x1", "0x0"], ["0x0", "0x1"]],
    }
    body = data["body"]
    spec = {"type": "stored", "stored": write_document("mechanism", data["version"], body)}
    with pytest.raises(BadPlan, match="infinite distance"):
        Plan.read({"columns": {"x": spec}})
