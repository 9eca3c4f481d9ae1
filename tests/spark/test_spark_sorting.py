"""Shuffled frames: sorted over all files, whose sizes depend on the number of rows alone."""

from collections import Counter

import pyarrow.parquet as pq
import pytest

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.release import prove_card, sanitise
from dprivacy.release.spark import spark_files
from support.spark_frames import HOBBIES, made

pytestmark = pytest.mark.service("spark")
PLAN = {
    "columns": {
        "hobby": {"type": "categories", "values": HOBBIES, "epsilon": "ln 5", "nulls": "category"},
        "health": {"type": "ordered", "values": [4, 3, 2, 1], "epsilon": "ln 2"},
    },
    "pass_through": ["truth"],
    "drop": ["name", "id"],
}
SHUFFLED = {"shuffle": True, "delta": "1e-7"}


@pytest.fixture
def small_files(monkeypatch):
    monkeypatch.setattr(spark_files, "ROWS", 300)


def test_a_folder_is_sorted_whole_and_proved(spark, tmp_path, small_files):
    released = sanitise(made(spark, 1000), PLAN, output=tmp_path / "out", **SHUFFLED)
    files = sorted((tmp_path / "out").glob("*.parquet"))
    assert [pq.read_metadata(file).num_rows for file in files] == [300, 300, 300, 100]
    for file in files:  # all declared values in their order, whichever occur
        coded = pq.read_table(file, read_dictionary=["hobby"])["hobby"].chunk(0)
        assert coded.dictionary.to_pylist() == HOBBIES
    verdict = prove_card(tmp_path / "out" / "_card.json", file=tmp_path / "out")
    assert verdict, verdict.explain()
    truth = Counter(row.truth for row in made(spark, 1000).select("truth").collect())
    assert released.card.shuffled["smallest_group"] == min(truth.values())
    assert Counter(row.truth for row in released.data.collect()) == truth
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_partitions_leave_no_trace_in_the_layout(spark, tmp_path, small_files):
    sizes = []
    for k, partitions in enumerate((1, 7)):
        folder = tmp_path / str(k)
        sanitise(made(spark, 1000, partitions), PLAN, output=folder, **SHUFFLED)
        files = sorted(folder.glob("*.parquet"))
        sizes.append([pq.read_metadata(file).num_rows for file in files])
    assert sizes[0] == sizes[1]


def test_a_row_that_is_alone_is_refused(spark, tmp_path):
    plan = {**PLAN, "pass_through": ["truth", "id"], "drop": ["name"]}
    with pytest.raises(NotApplicable, match="some row is alone there"):
        sanitise(made(spark, 100), plan, output=tmp_path / "out", **SHUFFLED)
    assert list(tmp_path.iterdir()) == []


def test_types_that_are_texts_in_several_ways_are_refused(spark, tmp_path):
    frame = made(spark, 100).selectExpr("hobby", "health", "name", "id", "0.5D as truth")
    with pytest.raises(WrongKind, match="'truth' has the type double"):
        sanitise(frame, PLAN, output=tmp_path / "out", **SHUFFLED)
