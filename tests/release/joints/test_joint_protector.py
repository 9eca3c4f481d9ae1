"""Columns that are drawn together at work: combinations, frames, files, permanent answers, ledger."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dprivacy.errors import BadPlan, UnknownCategory
from dprivacy.release import Ledger, Plan, prove_card, received, sanitise, sanitise_file
from support.release_tables import seeded

COLUMNS = {
    "sex": {"type": "categories", "values": ["f", "m"]},
    "town": {"type": "ordered", "values": [1, 2, 3]},
    "tea": {"type": "categories", "values": ["y", "n"], "epsilon": "ln 3"},
}
PLAN = {"columns": COLUMNS, "joint": {"both": {"columns": ["sex", "town"], "epsilon": "ln 9"}}}


def table(n):
    return pa.table({
        "sex": ["f", "m"] * (n // 2), "town": [1, 2, 3, 1] * (n // 4), "tea": ["y", "n"] * (n // 2),
    })  # fmt: skip


def test_combinations_are_drawn_by_the_channel():
    n = 40_000
    whole = table(n)
    noisy = seeded(whole, Plan.read(PLAN), seed=1)
    true = list(zip(whole["sex"].to_pylist(), whole["town"].to_pylist(), strict=True))
    drawn = list(zip(noisy["sex"].to_pylist(), noisy["town"].to_pylist(), strict=True))
    seen = Counter(zip(true, drawn, strict=True))
    channel = Plan.read(PLAN).columns[0].channel
    for x, times in Counter(true).items():
        for y in channel.columns:
            expected = times * float(channel[x, y])
            assert abs(seen[x, y] - expected) < 5.5 * np.sqrt(expected)
    assert noisy.schema.field("town").type == pa.int64()


def test_frames_keep_their_kinds():
    frame = pd.DataFrame(table(40).to_pydict())
    frame["sex"] = frame["sex"].astype("category")
    out = sanitise(frame, PLAN).data
    assert list(out.columns) == ["sex", "town", "tea"]
    assert list(out["sex"].cat.categories) == ["f", "m"]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_files_and_their_card(name, tmp_path):
    pd.DataFrame(table(4000).to_pydict()).to_csv(tmp_path / "in.csv", index=False)
    sanitise_file(tmp_path / "in.csv", PLAN, tmp_path / name)
    found = received(tmp_path / name)
    assert sum(found.estimate("both").counts.values()) == pytest.approx(4000)
    assert found.estimate("town").n == 4000
    assert found.cross_table(["town", "sex", "tea"]).names == ("sex × town", "tea")


def test_strange_values_are_refused_by_column_and_row():
    frame = pd.DataFrame({"sex": ["f", "m"], "town": [1, 9], "tea": ["y", "y"]})
    with pytest.raises(UnknownCategory, match="column 'town', row 1"):
        sanitise(frame, PLAN)


def test_missing_values_may_be_one_more():
    columns = {**COLUMNS, "sex": {**COLUMNS["sex"], "nulls": "category"}}
    frame = pd.DataFrame({"sex": ["f", None] * 50, "town": [1, 2] * 50, "tea": ["y", "y"] * 50})
    release = sanitise(frame, {**PLAN, "columns": columns})
    assert len(release.card.channel("both").rows) == 9
    assert set(release.data["sex"].dropna()) <= {"f", "m"}


def test_permanent_answers_repeat_the_combination():
    plan = {**PLAN, "unit": "who"}
    frame = pd.DataFrame({**table(40).to_pydict(), "who": range(40)})
    first, second = (sanitise(frame, plan, permanent_key=b"k" * 32).data for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_a_ledger_charges_the_joint(tmp_path):
    with Ledger(tmp_path / "ledger.db", open=True) as ledger:
        card = sanitise(pd.DataFrame(table(40).to_pydict()), PLAN, ledger=ledger).card
        assert ledger.verify().holds
        assert "both" in ledger.report().explain()
    assert prove_card(card).holds


def test_sorted_rows_are_refused():
    with pytest.raises(BadPlan, match="are drawn together, and sorted rows"):
        sanitise(pd.DataFrame(table(40).to_pydict()), PLAN, shuffle=True, delta="1e-9")
