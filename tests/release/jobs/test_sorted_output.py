"""Shuffled file jobs: the same rows as without, sorted whole, in flat memory, through crashes."""

import csv
import tracemalloc
import warnings
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import (
    BadNumber,
    BadPlan,
    NotApplicable,
    PrivacyLeakWarning,
    Unfinished,
    UnknownName,
)
from dprivacy.release import Ledger, sanitise_file
from dprivacy.release.files import row_chunks, table_files
from dprivacy.release.jobs import job_start
from dprivacy.release.unordered import code_tally
from support.programs import run_program
from support.release_tables import LETTERS, left_over, stopped_after

KEY = bytes(range(32))
ROWS = 3000
NUMBERS = {"type": "numbers", "low": 0, "high": 4, "grid": 1, "epsilon": "1/4"}
SPEC = {"columns": {"h": LETTERS, "n": NUMBERS}, "pass_through": ["town"], "drop": ["who"]}
SHUFFLED = {"shuffle": True, "delta": "1e-7"}
ENDINGS = pytest.mark.parametrize("ending", ["csv", "parquet"])


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Many chunks, one key, and so little memory that runs are merged."""
    monkeypatch.setattr(row_chunks, "CHUNK", 200)
    monkeypatch.setattr(row_chunks, "GROUP", 400)
    monkeypatch.setattr(code_tally, "HELD", 1 << 9)
    monkeypatch.setattr(job_start, "run_key", lambda seed: KEY)


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    return pa.table({
        "h": np.array(["a", "b", "c"])[rng.integers(0, 3, ROWS)],
        "who": [f"p{k}" for k in range(ROWS)],
        "town": np.array(["Ulm", "Bonn", "Aachen"])[rng.integers(0, 3, ROWS)],
        "n": rng.integers(0, 5, ROWS),
    })  # fmt: skip


def written(folder, table, ending):
    source = folder / f"in.{ending}"
    (pacsv.write_csv if ending == "csv" else pq.write_table)(table, source)
    return source


def read(path):
    found = pacsv.read_csv(path) if path.suffix == ".csv" else pq.read_table(path)
    return [tuple(row.values()) for row in found.to_pylist()]


@ENDINGS
def test_the_same_rows_come_out_sorted_from_left_to_right(tmp_path, table, ending):
    source = written(tmp_path, table, ending)
    plain, done = tmp_path / f"plain.{ending}", tmp_path / f"out.{ending}"
    sanitise_file(source, SPEC, plain)
    card = sanitise_file(source, SPEC, done, again="sorted", **SHUFFLED).card
    rows = read(done)
    assert Counter(rows) == Counter(read(plain))
    assert rows == sorted(rows)
    assert rows != read(plain)
    smallest = min(Counter(table.column("town").to_pylist()).values())
    assert (card.shuffled["n"], card.shuffled["smallest_group"]) == (ROWS, smallest)
    assert left_over(tmp_path) == []


@ENDINGS
def test_the_order_of_the_source_leaves_no_trace(tmp_path, table, ending):
    """The released rows are drawn again by hand: what comes out depends on the multiset alone."""
    outputs = []
    for k, order in enumerate((np.arange(ROWS), np.arange(ROWS)[::-1])):
        folder = tmp_path / str(k)
        folder.mkdir()
        # Noise belongs to a place: columns without noise show what order alone does.
        still = table.take(pa.array(order)).select(["town", "h"])
        spec = {"columns": {"h": {**LETTERS, "epsilon": "60"}}, "pass_through": ["town"]}
        source = written(folder, still, ending)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            sanitise_file(source, spec, folder / f"out.{ending}", **SHUFFLED)
        outputs.append((folder / f"out.{ending}").read_bytes())
    assert outputs[0] == outputs[1]


def test_row_groups_depend_on_the_number_of_rows_alone(tmp_path, table):
    source = written(tmp_path, table, "parquet")
    sanitise_file(source, SPEC, tmp_path / "out.parquet", **SHUFFLED)
    found = pq.ParquetFile(tmp_path / "out.parquet").metadata
    sizes = [found.row_group(k).num_rows for k in range(found.num_row_groups)]
    assert sizes == [400] * 7 + [200]


def test_declared_values_are_stored_in_their_order_whatever_occurs(tmp_path):
    letters = {**LETTERS, "values": ["c", "never", "a", "b"]}
    table = pa.table({"h": ["a", "b"] * 500, "n": [1, 3] * 500})
    source = written(tmp_path, table, "parquet")
    spec = {"columns": {"h": letters, "n": NUMBERS}}
    sanitise_file(source, spec, tmp_path / "out.parquet", **SHUFFLED)
    with pq.ParquetFile(tmp_path / "out.parquet", read_dictionary=["h"]) as file:
        assert file.read()["h"].chunk(0).dictionary.to_pylist() == letters["values"]
        assert all(file.metadata.row_group(0).column(k).has_dictionary_page for k in (0, 1))
    assert pq.read_table(tmp_path / "out.parquet").schema.types == [pa.string(), pa.int64()]


def test_counting_writes_nothing_but_the_output(tmp_path, table, monkeypatch):
    monkeypatch.setattr(code_tally, "HELD", 32 << 20)
    monkeypatch.setattr(code_tally, "open_own", None)
    source = written(tmp_path, table, "csv")
    assert sanitise_file(source, SPEC, tmp_path / "out.csv", **SHUFFLED).card.holds


def test_a_sorted_source_is_not_warned_of(tmp_path):
    source = written(tmp_path, pa.table({"h": ["a"] * 500 + ["b"] * 500}), "csv")
    spec = {"columns": {"h": LETTERS}}
    with pytest.warns(PrivacyLeakWarning, match="sorted or grouped"):
        sanitise_file(source, spec, tmp_path / "plain.csv")
    sanitise_file(source, spec, tmp_path / "out.csv", again="sorted", **SHUFFLED)


class TestStopped:
    @ENDINGS
    @pytest.mark.parametrize("rows", [1, 1000, ROWS])
    def test_a_job_goes_on_with_the_same_noise(self, tmp_path, table, ending, rows):
        source, output = written(tmp_path, table, ending), tmp_path / f"out.{ending}"

        def run(**options):
            return sanitise_file(source, SPEC, output, **SHUFFLED, **options)

        stopped_after(rows, run)
        assert not output.exists()
        assert not any("runs" in name for name in left_over(tmp_path))
        run(resume=True)
        again = tmp_path / f"again.{ending}"
        sanitise_file(source, SPEC, again, again="to compare", **SHUFFLED)
        assert output.read_bytes() == again.read_bytes()
        assert left_over(tmp_path) == []

    def test_it_does_not_go_on_otherwise(self, tmp_path, table):
        source, output = written(tmp_path, table, "csv"), tmp_path / "out.csv"
        stopped_after(1, lambda **more: sanitise_file(source, SPEC, output, **SHUFFLED, **more))
        for other in ({}, {"shuffle": True, "delta": "1e-8"}):
            with pytest.raises(Unfinished, match=r"shuffle .* or its delta"):
                sanitise_file(source, SPEC, output, resume=True, **other)

    def test_runs_that_a_crash_left_are_removed(self, tmp_path, table):
        """Where a file keeps its name while it is open."""
        source, output = written(tmp_path, table, "csv"), tmp_path / "out.csv"
        stopped_after(1, lambda **more: sanitise_file(source, SPEC, output, **SHUFFLED, **more))
        left = tmp_path / ".out.csv.dprivacy-runs"
        left.write_bytes(b"rows")
        left.chmod(0o600)
        sanitise_file(source, SPEC, output, resume=True, **SHUFFLED)
        assert left_over(tmp_path) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("form", ["sorted csv", "sorted parquet"])
    def test_killed_at_named_points(self, tmp_path, form):
        done = run_program("crash_jobs", tmp_path, form, "points", 11)
        *complaints, last = done.stdout.splitlines() or [""]
        assert not complaints, "\n".join(complaints[:20])
        assert int(last.split()[1]) >= 14

    @pytest.mark.slow
    @pytest.mark.parametrize("form", ["sorted csv", "sorted parquet"])
    def test_killed_at_every_call_of_the_system(self, tmp_path, form):
        done = run_program("crash_jobs", tmp_path, form, "calls", 13, 2, 1)
        *complaints, last = done.stdout.splitlines() or [""]
        assert not complaints, "\n".join(complaints[:20])
        assert int(last.split()[1]) >= 90


class TestRefused:
    """Before anything is drawn or charged, with the way out, and nothing left behind."""

    def refused(self, folder, table, kind, words, spec=SPEC, **options):
        source = written(folder, table, "csv")
        with pytest.raises(kind, match=words):
            sanitise_file(source, spec, folder / "out.csv", **{**SHUFFLED, **options})
        assert sorted(path.name for path in folder.iterdir()) == ["in.csv"]

    def test_a_row_that_is_alone(self, tmp_path, table):
        towns = ["Ulm"] * (ROWS - 1) + ["Bonn"]
        alone = table.set_column(2, "town", [towns])
        self.refused(
            tmp_path, alone, NotApplicable, "some row is alone there; leave such columns out"
        )

    def test_an_identifier_in_the_output(self, tmp_path, table):
        spec = {**SPEC, "pass_through": ["town", "who"], "drop": [], "unit": "who"}
        self.refused(tmp_path, table, BadPlan, "'who' says whose a row is .* list it in drop", spec)
        spec = {**spec, "unit": "row"}
        self.refused(tmp_path, table, NotApplicable, "some row is alone there", spec)

    def test_permanent_answers(self, tmp_path, table):
        self.refused(
            tmp_path, table, NotApplicable, "leave out the permanent key", permanent_key=b"k" * 32
        )

    def test_a_missing_delta(self, tmp_path, table):
        self.refused(tmp_path, table, BadNumber, "at most 1/n²", delta=None)

    def test_a_strange_table(self, tmp_path, table):
        other = table.rename_columns(["h", "who", "city", "n"])
        self.refused(tmp_path, other, UnknownName, "the table has no column 'town'")

    def test_nothing_is_charged(self, tmp_path, table):
        source = written(tmp_path, table, "csv")
        spec = {**SPEC, "pass_through": ["town", "who"], "drop": []}
        with Ledger(tmp_path / "ledger.db", open=True) as ledger:
            with pytest.raises(NotApplicable, match="alone"):
                sanitise_file(source, spec, tmp_path / "out.csv", ledger=ledger, **SHUFFLED)
            assert ledger.spent().is_zero


def test_a_large_delta_is_warned_of(tmp_path, table):
    source = written(tmp_path, table, "csv")
    with pytest.warns(PrivacyLeakWarning, match="1/n or more for n = .* choose at most 1/n²"):
        sanitise_file(source, SPEC, tmp_path / "out.csv", shuffle=True, delta="1/900")


def test_the_local_guarantee_comes_first_and_is_unchanged(tmp_path, table):
    source = written(tmp_path, table, "csv")
    plain = sanitise_file(source, SPEC, tmp_path / "plain.csv").card
    card = sanitise_file(source, SPEC, tmp_path / "out.csv", again="sorted", **SHUFFLED).card
    assert card.guarantee == plain.guarantee
    before, after = plain.explain().splitlines(), card.explain().splitlines()
    assert after[: len(before)] == before
    assert after[len(before) :] == [card.shuffled["sentence"]]


def test_the_ledger_is_charged_the_local_level(tmp_path, table):
    source = written(tmp_path, table, "csv")
    with Ledger(tmp_path / "ledger.db", open=True) as ledger:
        sanitise_file(source, SPEC, tmp_path / "plain.csv", ledger=ledger.account("plain"))
        sanitise_file(
            source, SPEC, tmp_path / "out.csv", ledger=ledger.account("out"), again="x", **SHUFFLED
        )
        assert ledger.spent("out") == ledger.spent("plain")


def test_memory_is_flat(tmp_path, monkeypatch):
    """Four times the rows, all different, take no more memory at their peak, but for a little."""
    monkeypatch.setattr(row_chunks, "CHUNK", 1 << 12)
    monkeypatch.setattr(table_files, "_BLOCK", 1 << 13)  # Arrow may read 32 blocks ahead
    monkeypatch.setattr(code_tally, "HELD", 1 << 17)
    spec = {"columns": {"bits": {"type": "bits", "bits": 40, "epsilon": "1/40"}}}
    peaks = []
    for rows in (20_000, 80_000):
        cells = [f"{k:040b}" for k in range(rows)]
        source = tmp_path / f"{rows}.csv"
        pacsv.write_csv(pa.table({"bits": cells}), source)
        tracemalloc.start()
        sanitise_file(source, spec, tmp_path / f"out{rows}.csv", **SHUFFLED)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_whoever_has_a_csv_file_can_check_its_order(tmp_path, table):
    """With the standard library: texts as texts, categories and numbers as the plan lists them."""
    source = written(tmp_path, table, "csv")
    sanitise_file(source, SPEC, tmp_path / "out.csv", **SHUFFLED)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = [(row["h"], row["town"], int(row["n"])) for row in csv.DictReader(file)]
    assert len(rows) == ROWS
    assert all(one <= other for one, other in pairwise(rows))
