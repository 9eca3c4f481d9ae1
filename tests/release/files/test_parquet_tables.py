"""Parquet files: honest ones are read whole, and bombs are refused before they go off."""

import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, DPrivacyError, TooLarge
from dprivacy.release.files import parquet_tables
from dprivacy.release.files.parquet_tables import open_parquet
from dprivacy.release.files.table_files import batches_of, whole_table
from support.parquet_bombs import BOMBS, harmless, repeated_text
from support.programs import run_program


def honest(rows: int) -> pa.Table:
    rng = random.Random(rows)
    if rows == 0:
        return honest(1).slice(0, 0)
    return pa.table(
        {
            "name": [f"person {k:07d} of the village" for k in range(rows)],
            "few": [rng.choice(["yes", "no", None]) for _ in range(rows)],
            "long": [rng.choice(["a" * 3000, "b" * 5000]) for _ in range(rows)],
            "number": [rng.random() for _ in range(rows)],
            "whole": list(range(rows)),
            "flag": [rng.choice([True, False, None]) for _ in range(rows)],
            "none": pa.nulls(rows, pa.string()),
            "list": [[k] * (k % 4) for k in range(rows)],
            "words": [["a", "bc"] * (k % 3) for k in range(rows)],
            "nested": [{"a": k, "b": str(k)} for k in range(rows)],
            "fixed": pa.array([b"abcd"] * rows, pa.binary(4)),
            "day": pa.array([k * 1000 for k in range(rows)], pa.timestamp("us")),
        }
    )


def part_of(table):
    return table.select(["long", "words"])


WRITTEN = [
    {},
    {"row_group_size": 700},
    {"data_page_version": "2.0", "compression": "zstd", "data_page_size": 2000},
    {"use_dictionary": False, "compression": "none", "write_statistics": False},
    {"use_dictionary": False, "column_encoding": {
        "name": "DELTA_BYTE_ARRAY", "long": "DELTA_BYTE_ARRAY", "whole": "DELTA_BINARY_PACKED",
        "few": "DELTA_LENGTH_BYTE_ARRAY", "number": "BYTE_STREAM_SPLIT"}},
    {"dictionary_pagesize_limit": 3000, "compression": "gzip"},
]  # fmt: skip


@pytest.mark.parametrize("options", WRITTEN)
@pytest.mark.parametrize("rows", [0, 1, 2500])
def test_honest_files_are_read_as_they_are(tmp_path, options, rows):
    table = honest(rows)
    pq.write_table(table, tmp_path / "t.parquet", **options)
    with open_parquet(tmp_path / "t.parquet") as file:
        assert file.names == table.column_names
        assert file.rows == rows
        read = pa.Table.from_batches(file.batches(), table.schema)
        part = pa.Table.from_batches(file.batches(["long", "words"]), part_of(table).schema)
        file.require_fitting()
    assert read.equals(table)
    assert part.equals(part_of(table))


def test_rows_that_need_more_than_a_little_are_read_in_smaller_batches(tmp_path, monkeypatch):
    table = honest(2500)
    pq.write_table(table, tmp_path / "t.parquet")
    monkeypatch.setattr(parquet_tables, "MOST", 12 << 20)
    monkeypatch.setattr(parquet_tables, "UNPACKING", 0)
    monkeypatch.setattr(parquet_tables, "_SMALL", 1 << 20)
    with open_parquet(tmp_path / "t.parquet") as file:
        batches = list(file.batches())
    assert pa.Table.from_batches(batches).equals(table)
    assert len(batches) > 5
    monkeypatch.setattr(parquet_tables, "MOST", 8 << 20)
    with open_parquet(tmp_path / "t.parquet") as file, pytest.raises(TooLarge, match="unpacks to"):
        file.require_fitting()


def test_the_longest_text_of_a_dictionary_counts_and_not_all_of_them(tmp_path, monkeypatch):
    names = [f"a name of some length, number {k}" for k in range(20_000)]
    pq.write_table(pa.table({"name": names * 2}), tmp_path / "t.parquet")
    monkeypatch.setattr(parquet_tables, "UNPACKING", 0)
    # 20,000 names take less, 40,000 × all more
    monkeypatch.setattr(parquet_tables, "MOST", 12 << 20)
    with open_parquet(tmp_path / "t.parquet") as file:
        assert [batch.num_rows for batch in file.batches()] == [40_000]


def test_the_bombs_are_made_of_what_is_read(tmp_path):
    (tmp_path / "t.parquet").write_bytes(harmless())
    assert whole_table(tmp_path / "t.parquet").column("x").to_pylist() == [b"a" * 20] * 8
    assert pq.read_table(io.BytesIO(harmless())).num_rows == 8


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_before_the_memory_is_taken(tmp_path, name):
    file = tmp_path / "t.parquet"
    file.write_bytes(BOMBS[name]())
    assert file.stat().st_size < 80_000
    done = run_program("bomb_reader", file)
    before, after, _, told = done.stdout.split(" ", 3)
    assert told.startswith(("TooLarge", "BadFile")), done.stderr
    assert int(after) < max(200, int(before) + 100)
    assert str(file) in told


def test_a_table_that_is_held_whole_is_bounded_in_all(tmp_path, monkeypatch):
    monkeypatch.setattr("dprivacy.release.files.table_files.MOST", 1000)
    (tmp_path / "t.parquet").write_bytes(repeated_text(length=3000, rows=50))
    with pytest.raises(TooLarge, match="too much to hold at once"):
        whole_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"\xff\xff\xff\x7fPAR1"])
def test_what_is_no_parquet_file_is_refused(tmp_path, content):
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(DPrivacyError, match=r"t\.parquet"), batches_of(tmp_path / "t.parquet"):
        pass


def test_headers_that_contradict_the_footer_are_refused(tmp_path):
    pq.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "t.parquet", compression="none")
    good = (tmp_path / "t.parquet").read_bytes()
    changed = 0
    for at in range(4, 40):
        for bit in (1, 64):
            (tmp_path / "t.parquet").write_bytes(
                good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :]
            )
            try:
                read = whole_table(tmp_path / "t.parquet")
            except BadFile:
                changed += 1
            else:
                assert read.num_rows == 3
    assert changed > 10
