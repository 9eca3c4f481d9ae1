"""A folder that Spark wrote: nothing but the released cells depends on what is protected or dropped."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.release import sanitise
from dprivacy.release.spark import spark_drawing, spark_files
from support.noninterference import Exit, differences, what_leaves

WORDS = ["a", "an answer that is much longer than the others"]
PLAN = {
    "columns": {
        "word": {"type": "categories", "values": WORDS, "epsilon": "ln 2", "nulls": "category"},
        "age": {
            "type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1/2",
            "nulls": {"replace": 5},
        },
    },
    "pass_through": ["who"],
    "drop": ["name"],
}  # fmt: skip
ROWS = 300


def table(*, long_names=(), answer="a", age=3, sort=False):
    """Rows of a survey: one person's answers, and what is dropped of whom, as said."""
    noise = random.Random(1)
    rows = [
        {
            "who": who,
            "word": answer if who == 17 else WORDS[who % 2],
            "age": age if who == 17 else who % 11,
            "name": noise.randbytes(60).hex() if who in long_names else "n",
        }
        for who in range(ROWS)
    ]
    if sort:
        rows.sort(key=lambda row: (row["word"] or "", row["age"]))
    return pa.Table.from_pylist(rows)


HERE = table()
NEIGHBOURS = {
    "a longer answer": table(answer=WORDS[1]),
    "no answer": table(answer=None, age=None),
    "another type": table(age=3.5),
    "other names": table(long_names=range(150, ROWS)),
    "sorted by answers": table(sort=True),
}


def blind(by):
    """Tasks that give each person the same noise, and a place by the person, or by the partition."""

    def drawn(batches, run, partition, drafts):
        import numpy as np
        import pyarrow as pa

        from dprivacy.release.spark import spark_task

        protected, by_place = spark_task.protected, spark_task.by_place

        def same(*given):
            for table in protected(*given):
                who = table.column("who").to_numpy()
                cells = {
                    "who": pa.array(who),
                    "word": pa.array(["a"] * len(who)),
                    "age": pa.array(who % 7),
                }
                yield pa.table({name: cells[name] for name in table.column_names})

        def placed(table, places, name):
            who = table.column("who").to_numpy().astype(np.uint64)
            spread = np.uint64(0x9E3779B97F4A7C15)
            places = who * spread if by == "person" else np.full_like(who, partition) * spread + who
            return by_place(table, places, name)

        spark_task.protected, spark_task.by_place = same, placed
        try:
            yield from spark_task.drawn(batches, run, partition, drafts)
        finally:
            spark_task.protected, spark_task.by_place = protected, by_place

    return drawn


@pytest.fixture
def same_cells(monkeypatch, fixed):
    monkeypatch.setattr(spark_drawing, "drawn", blind("person"))
    monkeypatch.setattr(spark_files, "ROWS", 100)


@pytest.fixture(params=["files", "frame"])
def way(request, spark, same_cells, monkeypatch):
    """From Parquet files, which Spark cuts and orders by their bytes, to a folder."""
    cuts = {"spark.sql.files.maxPartitionBytes": "3000", "spark.sql.files.openCostInBytes": "0"}
    before = {name: spark.conf.get(name) for name in cuts}
    for name, value in cuts.items():
        spark.conf.set(name, value)
    monkeypatch.setattr(spark_drawing, "_TASK", 25)
    change = (
        (lambda frame: frame) if request.param == "files" else (lambda frame: frame.where("true"))
    )
    yield Exit("Spark", lambda source, folder: leave(change, spark, source, folder))
    for name, value in before.items():
        spark.conf.set(name, value)


def written(source, folder):
    """Two files of a source, in small groups of rows."""
    (folder / "in").mkdir(parents=True)
    for name, half in (("a", source.slice(0, 150)), ("b", source.slice(150))):
        pq.write_table(half, folder / "in" / f"{name}.parquet", row_group_size=25)
    return str(folder / "in")


def leave(change, spark, source, folder):
    """Everything that left, byte for byte."""
    frame = change(spark.read.parquet(written(source, folder)))
    sanitise(frame, PLAN, output=folder / "out")
    return {path.name: path.read_bytes() for path in (folder / "out").rglob("*")}


def layout(spark, source, folder):
    """How many rows of whom each partition of a source has."""
    from pyspark.sql import functions as f

    frame = spark.read.parquet(written(source, folder))
    return [tuple(row) for row in frame.select(f.spark_partition_id(), "who").collect()]


@pytest.mark.parametrize("other", NEIGHBOURS)
def test_neighbours_leave_the_same_folder(way, tmp_path, other):
    assert differences(way, HERE, NEIGHBOURS[other], tmp_path / "place") == []


def test_a_folder_has_files_by_the_number_of_rows(way, tmp_path):
    left = what_leaves(way, HERE, tmp_path / "place")
    files = sorted(name for name in left if name.startswith("part-"))
    assert [name.split("-")[1] for name in files] == ["00000", "00001", "00002"]
    assert left["warnings"] == []
    tables = [pq.read_table(pa.BufferReader(left[name])) for name in files]
    found = [who for table in tables for who in table["who"].to_pylist()]
    assert found != sorted(found) == list(range(ROWS))


def test_a_folder_in_the_partitions_of_the_source_is_caught(way, spark, tmp_path, monkeypatch):
    names = NEIGHBOURS["other names"]
    assert layout(spark, HERE, tmp_path / "one") != layout(spark, names, tmp_path / "other")
    monkeypatch.setattr(spark_drawing, "drawn", blind("partition"))
    other = NEIGHBOURS["sorted by answers"]
    assert differences(way, HERE, other, tmp_path / "place") != []
