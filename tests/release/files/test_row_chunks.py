"""The cuts of a table depend on its number of rows alone."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from dprivacy.release import sanitise_file
from dprivacy.release.files import row_chunks, table_files
from dprivacy.release.files.row_chunks import RowGroups, recut

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
