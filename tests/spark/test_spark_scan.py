"""Bare files: which of their rows a task reads, and what must go through Spark instead."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.release import sanitise
from dprivacy.release.spark import spark_scan
from dprivacy.release.spark.spark_scan import bare_pieces, rows_of

PLAN = {
    "columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}},
    "pass_through": ["id"],
    "drop": ["more"],
}
WANTED = {"id": "int64", "tea": "string"}


@pytest.fixture
def files(tmp_path):
    table = pa.table({"id": np.arange(1000), "more": [0.5] * 1000, "tea": ["yes", "no"] * 500})
    names = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    pq.write_table(table.slice(0, 650), names[0], row_group_size=100)
    pq.write_table(table.slice(650), names[1], row_group_size=200)
    return names


def test_every_row_is_in_one_piece(files):
    groups = [
        (name, k, n) for name in files for k, n in enumerate(spark_scan._rows_in(name, WANTED))
    ]
    pieces = json.loads(json.dumps(spark_scan._cut(groups, 250)))  # as tasks are told
    assert [sum(last - first for _, first, last in piece) for piece in pieces] == [3, 2, 3, 1]
    found = [
        pa.Table.from_batches(rows_of(piece, ["tea", "id"], ["tea"])).select(["id", "tea"])
        for piece in pieces
    ]
    assert [k for table in found for k in table["id"].to_pylist()] == list(range(1000))
    assert pa.types.is_dictionary(found[0].schema.field("tea").type)
    assert {len(piece) for piece in pieces} == {1, 2}  # one of them reads on in the next file


@pytest.mark.parametrize(
    "wanted", [{"id": "int32"}, {"gone": "int64"}, {"tea": "large_string"}, {"ID": "int64"}]
)
def test_another_type_than_the_frames_is_left_to_spark(files, wanted):
    assert spark_scan._rows_in(files[0], wanted) is None


def test_what_cannot_be_opened_here_is_left_to_spark(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 not really PAR1")
    for name in (str(tmp_path / "x.parquet"), str(tmp_path / "gone"), "s3://nowhere/x.parquet"):
        assert spark_scan._rows_in(name, WANTED) is None


@pytest.mark.service("spark")
class TestOnSpark:
    def test_frames_that_are_files_and_frames_that_are_not(self, spark, files, tmp_path):
        scan = spark.read.parquet(*files)
        (piece,) = bare_pieces(scan, ["id", "tea"], 1000)
        assert [(name.removeprefix("file://"), *groups) for name, *groups in piece] == [
            (files[0], 0, 7), (files[1], 0, 2),
        ]  # fmt: skip
        spark.read.parquet(files[0]).write.partitionBy("tea").parquet(str(tmp_path / "cut"))
        others = [
            scan.where("id < 5"),
            scan.limit(5),
            scan.select("id", "tea"),
            scan.union(scan),
            spark.read.parquet(str(tmp_path / "cut")),
            spark.range(5).selectExpr("id", "'yes' as tea"),
        ]
        assert [bare_pieces(frame, ["id", "tea"], 1000) for frame in others] == [None] * len(others)

    def test_a_few_files_are_looked_into_without_a_job(self, spark, files, monkeypatch):
        scan = spark.read.parquet(*files)
        monkeypatch.setattr(spark_scan, "_FEW", 1)
        by_tasks = bare_pieces(scan, ["id", "tea"], 1000)
        monkeypatch.setattr(spark_scan, "_FEW", 2)
        monkeypatch.setattr(spark_scan, "in_tasks", None)
        assert bare_pieces(scan, ["id", "tea"], 1000) == by_tasks

    def test_files_that_the_driver_cannot_open_are_looked_into_by_tasks(
        self, spark, files, monkeypatch
    ):
        scan = spark.read.parquet(*files)
        monkeypatch.setattr(spark_scan, "_rows_in", lambda *_: None)
        asked = []
        monkeypatch.setattr(
            spark_scan,
            "in_tasks",
            lambda session, work, number: asked.append(number) or [[[f"file://{files[0]}", None]]],
        )
        assert bare_pieces(scan, ["id", "tea"], 1000) is None
        assert asked == [2]

    def test_both_ways_release_every_row_once(self, spark, files, tmp_path):
        scan = spark.read.parquet(*files)
        for name, frame in (("scan", scan), ("frame", scan.where("id >= 0"))):
            sanitise(frame, PLAN, output=tmp_path / name)
            out = pq.read_table(tmp_path / name)
            assert sorted(out["id"].to_pylist()) == list(range(1000))
            assert out.schema.names == ["id", "tea"]
