"""The cuts of a table depend on its number of rows alone."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from dprivacy.release import sanitise_file
from dprivacy.release.columns import column_batches
from dprivacy.release.files import row_chunks, table_files
from dprivacy.release.files.row_chunks import RowGroups, recut
from dprivacy.release.jobs import job_start

ROWS = 200_000
PLAN = {
    "columns": {"q": {"type": "categories", "values": ["yes", "no"], "epsilon": "1/1000"}},
    "drop": ["name"],
}


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 20))
def test_pieces_of_any_size_become_chunks_of_one(sizes, size):
    whole = pa.table({"a": range(sum(sizes))})
    starts = np.cumsum([0, *sizes])
    pieces = [whole.slice(start, n) for start, n in zip(starts, sizes, strict=False)]
    cut = list(recut(pieces, size))
    assert [len(table) for table in cut[:-1]] == [size] * (len(cut) - 1)
    assert [k for table in cut for k in table["a"].to_pylist()] == list(range(sum(sizes)))
    assert all(0 < len(table) <= size for table in cut)


@pytest.mark.parametrize("size", [1, 7, 40, 300])
def test_row_groups_do_not_follow_what_is_written_at_a_time(monkeypatch, tmp_path, size):
    monkeypatch.setattr(row_chunks, "GROUP", 64)
    table = pa.table({"a": range(150), "b": [f"text {k % 9}" for k in range(150)]})
    files = []
    for step in (size, 150):
        path = tmp_path / f"{step}.parquet"
        writer = RowGroups(path, table.schema)
        for start in range(0, 150, step):
            writer.write_table(table.slice(start, step))
        writer.close()
        files.append(path.read_bytes())
        found = pq.read_metadata(path)
        groups = [found.row_group(k) for k in range(found.num_row_groups)]
        assert [group.num_rows for group in groups] == [64, 64, 22]
        assert not any(group.column(k).is_stats_set for group in groups for k in range(2))
    assert files[0] == files[1]


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_row_groups_do_not_count_the_yes(monkeypatch, tmp_path, target):
    """R1: blocks of the source hold more rows the more people say no, and names are shorter."""
    monkeypatch.setattr(table_files, "_BLOCK", 1 << 16)
    sizes = set()
    for k, (share, name) in enumerate([(0.2, "n"), (0.9, "a longer name")]):
        answers = np.where(np.random.default_rng(k).random(ROWS) < share, "yes", "no")
        source = tmp_path / f"{k}.csv"
        source.write_text("q,name\n" + "".join(f"{answer},{name}\n" for answer in answers))
        seen = []
        output = tmp_path / f"out{k}.{target}"
        sanitise_file(source, PLAN, output, progress=lambda *far, seen=seen: seen.append(far))
        if target == "parquet":
            found = pq.read_metadata(output)
            seen += [found.row_group(g).num_rows for g in range(found.num_row_groups)]
            assert seen[-2:] == [131_072, ROWS - 131_072]
        sizes.add(tuple(seen))
    assert len(sizes) == 1


DECLARED = {
    "columns": {
        "h": {"type": "categories", "values": ["z", "b", "a", "never"], "epsilon": 1},
        "n": {"type": "numbers", "low": 0, "high": 9, "grid": 1, "epsilon": 1},
    },
    "pass_through": ["x"],
}


class TestDeclaredOutputs:
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_a_dictionary_holds_all_of_them_in_their_order(self, tmp_path, ending):
        table = pa.table({"h": ["b", "a", "b"] * 50, "n": [1, 3, 2] * 50, "x": range(150)})
        write(table, source := tmp_path / f"in.{ending}")
        sanitise_file(source, DECLARED, output := tmp_path / "out.parquet")
        with pq.ParquetFile(output, read_dictionary=["h"]) as file:
            assert file.read()["h"].chunk(0).dictionary.to_pylist() == ["z", "b", "a", "never"]
            for k, name in enumerate(["h", "n"]):
                about = file.metadata.row_group(0).column(k)
                assert about.path_in_schema == name
                assert about.has_dictionary_page
                assert not about.is_stats_set
        clean = pq.read_table(output)
        kept = pa.string() if ending == "csv" else pa.int64()
        assert clean.schema.types == [pa.string(), pa.int64(), kept]
        assert clean.schema.metadata is None
        assert set(clean["h"].to_pylist()) <= {"z", "b", "a", "never"}

    def test_many_outputs_are_written_plainly(self, tmp_path, monkeypatch):
        monkeypatch.setattr(column_batches, "MOST_LISTED", 3)
        write(pa.table({"h": ["b"] * 9, "n": [1] * 9, "x": range(9)}), tmp_path / "in.parquet")
        sanitise_file(tmp_path / "in.parquet", DECLARED, output := tmp_path / "out.parquet")
        assert set(pq.read_table(output)["h"].to_pylist()) <= {"z", "b", "a", "never"}

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_the_layout_follows_the_number_of_rows_alone(self, tmp_path, monkeypatch, ending):
        """One table, one key: long and short cells beside it, odd blocks and row groups, one output."""
        monkeypatch.setattr(job_start, "run_key", lambda _seed: bytes(range(32)))
        monkeypatch.setattr(table_files, "_BLOCK", 1 << 16)
        monkeypatch.setattr(row_chunks, "CHUNK", 1000)
        monkeypatch.setattr(row_chunks, "GROUP", 2000)
        rows, rng = 7001, np.random.default_rng(4)
        answers = {
            "h": np.array(["z", "b", "a"])[rng.integers(0, 3, rows)],
            "n": rng.integers(0, 10, rows),
        }
        plan = {"columns": DECLARED["columns"], "drop": ["note"]}
        found = set()
        for k, note in enumerate(["", "a long note " * 9, None]):
            notes = [note if note is not None else "x" * (i % 200) for i in range(rows)]
            table = pa.table({**answers, "note": notes})
            write(table, tmp_path / f"{k}.csv")
            pq.write_table(table, tmp_path / f"{k}.parquet", row_group_size=611 + 300 * k)
            pq.write_table(table, tmp_path / f"p{k}.parquet", use_dictionary=False)
            for name in (f"{k}.csv", f"{k}.parquet", f"p{k}.parquet"):
                output = tmp_path / f"out-{name}.{ending}"
                sanitise_file(tmp_path / name, plan, output, again="a test")
                found.add(output.read_bytes())
        assert len(found) == 1


def write(table, path):
    if path.suffix == ".csv":
        pacsv.write_csv(table, path)
    else:
        pq.write_table(table, path)
