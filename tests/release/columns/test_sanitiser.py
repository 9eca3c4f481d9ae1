"""Permanent answers through whole tables: the same person's same value, the same noisy answer."""

from pathlib import Path

import pyarrow as pa
import pytest

from dprivacy.errors import Malformed
from dprivacy.release import Plan, card_body, card_from, sanitise, write_permanent_key
from support.command_runs import Run, command
from support.release_tables import with_card

KEY = b"a secret of the curator, 32 byte"
PLAN = {
    "unit": "person",
    "columns": {
        "job": {"type": "categories", "values": ["nurse", "pilot", "cook"], "epsilon": "ln 2"},
        "diet": {"type": "categories", "values": ["nurse", "pilot", "cook"], "epsilon": "ln 2"},
    },
}


def table(n: int = 900) -> pa.Table:
    jobs = [["nurse", "pilot", "cook"][k % 3] for k in range(n)]
    return pa.table({"person": [f"p{k}" for k in range(n)], "job": jobs, "diet": jobs})


def test_two_releases_agree_with_the_key_and_differ_without() -> None:
    first, second = (sanitise(table(), PLAN, permanent_key=KEY).data for _ in range(2))
    assert first.equals(second)
    assert "person" not in first.schema.names
    fresh = sanitise(table(), PLAN).data
    assert not fresh.equals(sanitise(table(), PLAN).data)
    assert not first.equals(sanitise(table(), PLAN, permanent_key=KEY[::-1]).data)


def test_columns_and_orders_of_rows_have_their_own_noise() -> None:
    once = sanitise(table(), PLAN, permanent_key=KEY).data
    assert once.column("job").to_pylist() != once.column("diet").to_pylist()
    backwards = sanitise(table().take(list(range(899, -1, -1))), PLAN, permanent_key=KEY).data
    assert backwards.column("job").to_pylist() == once.column("job").to_pylist()[::-1]


def test_the_card_says_so() -> None:
    _, card = with_card(table(), PLAN, permanent_key=KEY)
    assert card.to_dict()["permanent"] is True
    assert KEY.decode() not in str(card.to_dict())
    assert card_from(card_body(card)).permanent
    assert "Not protected: whether and when the value of a person changes" in card.explain()
    assert "never have more than one value" in card.explain()
    assert "permanent" not in with_card(table(), PLAN)[1].explain()


def test_values_that_change_are_part_of_the_level() -> None:
    """Two columns, three values each over time: six times ln 2, and not without a key."""
    plan = {**PLAN, "values_per_person": 3}
    _, card = with_card(table(), plan, permanent_key=KEY)
    assert card.guarantee.eps == "ln(64)"
    assert "never have more than 3 different values" in card.explain()
    assert "counts 3 times, once for all releases" in card.explain()
    with pytest.raises(Malformed, match="values_per_person = 3 is for permanent answers"):
        sanitise(table(), plan)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"unit": "row", "drop": ["person"]}, "unit"),
        ({"rows_per_person": 2}, "one row"),
    ],
)
def test_plans_that_cannot_have_them(change: dict[str, object], words: str) -> None:
    with pytest.raises(Malformed, match=words):
        sanitise(table(), Plan.read({**PLAN, **change}), permanent_key=KEY)


def test_short_keys_and_unlisted_columns_are_refused() -> None:
    with pytest.raises(Malformed, match="16"):
        sanitise(table(), PLAN, permanent_key=b"short")
    numbers = {"type": "numbers", "low": 0, "high": 9, "grid": 1, "epsilon": 1}
    plan = {"unit": "person", "columns": {"age": numbers}}
    people = pa.table({"person": ["a", "b"], "age": [1, 2]})
    with pytest.raises(Malformed, match="listed"):
        sanitise(people, plan, permanent_key=KEY)


def test_the_command(tmp_path: Path) -> None:
    write_permanent_key(tmp_path / "key")
    (tmp_path / "t.csv").write_text("person,job\nann,nurse\nbob,cook\n")
    (tmp_path / "plan.toml").write_text(
        'unit = "person"\n[columns.job]\ntype = "categories"\n'
        'values = ["nurse", "pilot", "cook"]\nepsilon = "ln 2"\n'
    )

    def run(name: str, key: str) -> Run:
        words = ["sanitise", "t.csv", "-p", "plan.toml", "-o", name, "--permanent-key", key]
        return command(*words, folder=tmp_path)

    for name in ("a.csv", "b.csv"):
        assert run(name, "key").code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    refused = run("c.csv", "nokey")
    assert refused.code == 1
    assert "nokey" in refused.err
    assert not (tmp_path / "c.csv").exists()
