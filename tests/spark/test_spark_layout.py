"""A folder that Spark wrote: nothing but the released cells depends on what is protected or dropped."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.release import sanitise
from dprivacy.release.spark import spark_release as engine
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


@pytest.fixture
def same_cells(monkeypatch):
    """Tasks that give each person the same noise and the same place, whatever the truth is."""

    def blind(batches, run, place):
        import numpy as np
        import pyarrow as pa

        from dprivacy.release.spark.spark_task import task

        for batch in task(batches, run, place):
            who = batch.column("who").to_numpy()
            cells = {
                "who": who,
                "word": pa.array(["a"] * len(who), batch.schema.field("word").type),
                "age": pa.array(who % 7, batch.schema.field("age").type),
                place: who * np.int64(0x9E3779B97F4A7C15 - 2**64),
            }
            yield pa.record_batch([cells[name] for name in batch.schema.names], batch.schema.names)

    monkeypatch.setattr(engine, "task", blind)
    monkeypatch.setattr(engine, "ROWS", 100)


@pytest.fixture
def way(spark, same_cells):
    """From Parquet files, which Spark cuts and orders by their bytes, to a folder."""
    cuts = {"spark.sql.files.maxPartitionBytes": "3000", "spark.sql.files.openCostInBytes": "0"}
    before = {name: spark.conf.get(name) for name in cuts}
    for name, value in cuts.items():
        spark.conf.set(name, value)
    yield Exit("Spark", lambda source, folder: leave(spark, source, folder))
    for name, value in before.items():
        spark.conf.set(name, value)


def written(source, folder):
    """Two files of a source, in small groups of rows."""
    (folder / "in").mkdir(parents=True)
    for name, half in (("a", source.slice(0, 150)), ("b", source.slice(150))):
        pq.write_table(half, folder / "in" / f"{name}.parquet", row_group_size=25)
    return str(folder / "in")


def leave(spark, source, folder):
    frame = spark.read.parquet(written(source, folder))
    card = sanitise(frame, PLAN, output=folder / "out").card.to_dict()
    del card["output"]["sha256"]  # of names that hold a random word of the job
    files = {int(path.name.split("-")[1]): path for path in (folder / "out").glob("part-*")}
    others = [path.name for path in (folder / "out").iterdir() if "part-" not in path.name]
    return {
        "files": sorted(files),
        "others": sorted(others),
        "card": card,
        **{f"file {number}": parsed(path) for number, path in files.items()},
    }


def parsed(path: Path):
    """A file's rows, schema and footer; encodings come in no fixed order from Java."""
    footer = pq.read_metadata(path)
    facts = footer.to_dict()
    for group in facts["row_groups"]:
        for column in group["columns"]:
            column["encodings"] = sorted(column["encodings"])
    columns = [str(footer.schema.column(k)) for k in range(footer.num_columns)]
    return facts, footer.metadata, columns, pq.read_table(path).to_pylist()


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
    assert left["files"] == [0, 1, 2]
    assert left["warnings"] == []
    found = [row["who"] for number in left["files"] for row in left[f"file {number}"][3]]
    assert found != sorted(found) == list(range(ROWS))


def test_a_folder_in_the_partitions_of_the_source_is_caught(way, spark, tmp_path, monkeypatch):
    other = NEIGHBOURS["other names"]
    assert layout(spark, HERE, tmp_path / "one") != layout(spark, other, tmp_path / "other")
    for name in ("repartition", "sortWithinPartitions"):
        monkeypatch.setattr(type(spark.range(1)), name, lambda frame, *given: frame)
    assert differences(way, HERE, other, tmp_path / "place") != []
