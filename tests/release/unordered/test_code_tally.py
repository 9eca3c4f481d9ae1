"""Counting codes: the sorted multiset, however little is held in memory; the file has no name."""

import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadFile
from dprivacy.release.unordered import code_tally
from dprivacy.release.unordered.code_tally import Tally


def sorted_rows(codes):
    return sorted(tuple(row) for row in codes.tolist())


@given(
    st.integers(1, 3),
    st.lists(st.integers(0, 60), max_size=12),
    st.sampled_from([1, 200, 1 << 20]),
    st.integers(1, 50),
    st.integers(0, 2**32),
)
def test_all_codes_come_back_sorted(tmp_path_factory, words, sizes, held, size, seed):
    rng = np.random.default_rng(seed)
    parts = [rng.integers(0, 9, size=(n, words)).astype(np.uint64) for n in sizes]
    with Tally(tmp_path_factory.getbasetemp() / "runs", held=held) as tally:
        for part in parts:
            tally.add(part)
        found = [row for some in tally.repeated(size) for row in some.tolist()]
    assert [tuple(row) for row in found] == sorted(
        tuple(row) for part in parts for row in part.tolist()
    )


def test_codes_use_all_64_bits(tmp_path):
    codes = np.array([[2**64 - 1, 0], [0, 2**64 - 1], [2**63, 1], [2**64 - 1, 0]], dtype=np.uint64)
    with Tally(tmp_path / "runs", held=1) as tally:
        tally.add(codes)
        assert tally.spilled
        found = [row for some in tally.repeated(2) for row in some.tolist()]
    assert [tuple(row) for row in found] == sorted_rows(codes)


def test_few_different_codes_are_counted_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(code_tally, "open_own", None)
    with Tally(tmp_path / "runs", held=1 << 10) as tally:
        for _ in range(50):
            tally.add(np.arange(20, dtype=np.uint64)[:, None])
        (codes,), (counts,) = zip(*tally.counted(), strict=True)
    assert codes[:, 0].tolist() == list(range(20))
    assert set(counts.tolist()) == {50}


def test_ten_times_the_rows_of_few_different_ones_hold_no_more(tmp_path):
    peaks = []
    for chunks in (100, 1000):
        with Tally(tmp_path / "runs") as tally:
            tracemalloc.start()
            for _ in range(chunks):
                tally.add(np.arange(2000, dtype=np.uint64)[:, None])
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            ((_, counts),) = tally.counted()
        assert set(counts.tolist()) == {chunks}
    assert peaks[1] < 1.1 * peaks[0]


def test_the_file_of_runs_is_the_owners_and_has_no_name(tmp_path, monkeypatch):
    modes = []
    real = code_tally.open_own

    def noted(path, flags):
        handle = real(path, flags)
        modes.append(os.fstat(handle).st_mode & 0o777)
        return handle

    monkeypatch.setattr(code_tally, "open_own", noted)
    with Tally(tmp_path / "runs", held=1) as tally:
        tally.add(np.arange(100, dtype=np.uint64)[:, None])
        assert tally.spilled
        assert list(tmp_path.iterdir()) == []
    assert modes == [0o600]


def test_a_strange_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "elsewhere").write_text("x")
    (tmp_path / "runs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFile, match="look at it, and remove it"), Tally(
        tmp_path / "runs", held=1
    ) as tally:  # fmt: skip
        tally.add(np.arange(100, dtype=np.uint64)[:, None])


def test_nothing_counted_is_nothing(tmp_path):
    with Tally(tmp_path / "runs") as tally:
        assert list(tally.repeated(10)) == []
