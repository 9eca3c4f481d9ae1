"""Rows in the order of a secret column: found in any order of the values, in batches of any size."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprivacy.errors import PrivacyLeakWarning
from dprivacy.release import Plan
from dprivacy.release.columns.row_facts import RowOrder
from dprivacy.release.files import row_chunks, table_files as files
from support.release_tables import LETTERS, NUMBERS, PLACE, plan_of, seeded, seeded_file


def kept(values, size=10**9):
    order = RowOrder()
    for start in range(0, len(values), size):
        order.see(np.asarray(values)[start : start + size])
    return order.kept


@pytest.mark.parametrize("size", [1, 3, 100, 10**9])
@pytest.mark.parametrize(
    ("values", "sorted_"),
    [
        (np.arange(20), True),
        (np.arange(20)[::-1], True),
        (np.arange(19), False),  # too few
        (np.zeros(1000), False),  # one value
        (np.repeat([2, 0, 1], 10), True),  # grouped, in no order of the numbers
        ([0] * 500 + [1] * 499 + [0], True),  # but for one row
        ([0] * 999 + [1], True),
        ([0] * 500 + [1] + [0] * 499, False),
        (np.random.default_rng(0).permutation(5000), False),  # all different: grouped by nature
        (np.random.default_rng(0).integers(0, 3, 5000), False),
        (np.sort(np.random.default_rng(0).normal(size=5000)), True),
        (np.concatenate([np.arange(600), [0]]), True),
        (np.concatenate([np.arange(300), np.random.default_rng(0).permutation(900)]), False),
        ([], False),
    ],
)
def test_orders(values, sorted_, size):
    assert kept(values, size) is sorted_


@pytest.mark.parametrize("swaps", [1, 10, 50])
@pytest.mark.parametrize("kinds", [2, 5, 2000])
def test_a_few_swaps_hide_nothing(swaps, kinds):
    rng = np.random.default_rng(7)
    values = np.sort(rng.integers(0, kinds, 2000))
    for one, other in rng.integers(0, 2000, (swaps, 2)):
        values[[one, other]] = values[[other, one]]
    assert kept(values)
    assert kept(values[::-1])
    assert kept((values * 7) % kinds)


def test_random_tables_hardly_ever_seem_sorted():
    rng = np.random.default_rng(1)
    assert not any(kept(rng.integers(0, k, 40)) for k in (2, 3, 10, 100) for _ in range(500))


def test_a_rare_value_that_is_remembered_by_chance():
    assert not kept([0] * 65_536 + [1] + [0] * 9)


def test_memory_is_bounded():
    order = RowOrder()
    for start in range(0, 10**6, 10**5):
        order.see(np.arange(start, start + 10**5))
    assert order.kept
    assert len(order._some) <= 1 << 12


def table(column):
    return pa.table({"h": column})


@pytest.mark.parametrize("kind", [pa.Table, pd.DataFrame, pl.DataFrame])
def test_tables_in_hand(kind):
    column = ["c"] * 30 + ["a"] * 30
    frame = table(column) if kind is pa.Table else kind({"h": column})
    with pytest.warns(
        PrivacyLeakWarning, match="sorted or grouped by column 'h'.*shuffle the rows"
    ):
        seeded(frame, plan_of())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_over_many_chunks(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(files, "_BLOCK", 1 << 8)
    monkeypatch.setattr(row_chunks, "CHUNK", 100)
    (tmp_path / "in.csv").write_text("h\n" + "b\n" * 300 + "a\n" * 300)
    with pytest.warns(PrivacyLeakWarning, match="sorted or grouped by column 'h'"):
        seeded_file(tmp_path / "in.csv", plan_of(), tmp_path / f"out.{ending}")
    assert (tmp_path / f"out.{ending}").exists()


def test_numbers_and_places():
    with pytest.warns(PrivacyLeakWarning, match="column 'h'"):
        seeded(table(np.linspace(0, 10, 50)), plan_of(NUMBERS))
    rng = np.random.default_rng(0)
    places = pa.table({"x": rng.normal(size=50), "y": np.sort(rng.normal(size=50))})
    with pytest.warns(PrivacyLeakWarning, match="column 'home'"):
        seeded(places, Plan.read({"columns": {"home": PLACE}}))


def test_a_column_that_passes_through_may_be_sorted():
    mixed = pa.table({"h": ["a", "b"] * 50, "x": np.arange(100)})
    assert seeded(mixed, plan_of(LETTERS, pass_through=["x"])).num_rows == 100
