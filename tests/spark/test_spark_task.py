"""What a task does, without Spark: a function of the run, the partition and its rows alone."""

import base64
import gc
import itertools
import json
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from dprivacy.errors import Malformed, MissingExtra, UnknownCategory
from dprivacy.release import Plan
from dprivacy.release.domains import planned_column
from dprivacy.release.files.row_chunks import CHUNK
from dprivacy.release.spark.spark_drafts import BLOCKS, Drafts
from dprivacy.release.spark.spark_files import without_dictionaries
from dprivacy.release.spark.spark_session import MARK, _set_aside, told_errors
from dprivacy.release.spark.spark_store import Disk
from dprivacy.release.spark.spark_task import Run, _read, drawn, fingerprint, place_name, protected

KEY = bytes(range(32))
HOBBIES = ["sports", "cars", "reading"]
HOBBY = {"type": "categories", "values": HOBBIES, "epsilon": "ln 3"}
PLAN = Plan.read({
    "columns": {
        "hobby": HOBBY,
        "age": {"type": "numbers", "low": 0, "high": 100, "grid": 1, "epsilon": "0.2"},
        "far": {"type": "numbers", "low": 0, "high": 1000000, "grid": 1, "epsilon": "0.001"},
        "place": {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"},
        "answers": {"type": "bits", "bits": 4, "epsilon": "ln 2"},
    },
    "pass_through": ["id"],
})  # fmt: skip
NAMES = ("id", "hobby", "age", "far", "x", "y", "answers")
RUN = Run.of(PLAN, NAMES, KEY)
ONE = Plan.read({"columns": {"hobby": HOBBY}})


def rows(n, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table({
        "id": np.arange(n),
        "hobby": pa.array(HOBBIES).take(pa.array(rng.integers(0, 3, n))),
        "age": rng.integers(0, 101, n),
        "far": rng.integers(0, 10**6, n),
        "x": rng.integers(0, 9, n) / 2,
        "y": rng.integers(0, 9, n) / 2,
        "answers": [f"{k:04b}" for k in rng.integers(0, 16, n)],
    })  # fmt: skip


def noisy(table, partition=0, run=RUN, size=10_000):
    return pa.concat_tables(protected(table.to_batches(size), run, partition)).combine_chunks()


class TestNoise:
    def test_noise_does_not_depend_on_how_batches_are_cut(self):
        table = rows(CHUNK + 5_000)
        whole = noisy(table, size=10**9)
        for size in (777, 10_000, CHUNK):
            assert noisy(table, size=size).equals(whole)

    @given(cuts=st.lists(st.integers(0, 300), max_size=6))
    @settings(max_examples=25)
    def test_cutting_anywhere_changes_nothing(self, cuts):
        table = rows(300)
        edges = [0, *sorted(cuts), 300]
        pieces = [table.slice(a, b - a) for a, b in itertools.pairwise(edges)]
        batches = [batch for piece in pieces for batch in piece.to_batches()]
        assert pa.concat_tables(protected(batches, RUN, 3)).equals(noisy(table, 3))

    def test_noise_of_a_chunk_does_not_depend_on_the_rows_before_it(self):
        table = rows(2 * CHUNK)
        other = pa.concat_tables([rows(CHUNK, seed=2), table.slice(CHUNK)])
        assert noisy(table).slice(CHUNK).equals(noisy(other).slice(CHUNK))
        assert not noisy(table).slice(0, CHUNK).equals(noisy(other).slice(0, CHUNK))

    def test_partitions_chunks_and_keys_have_streams_of_their_own(self):
        same = pa.table({"hobby": ["sports"] * CHUNK * 2})
        run = Run.of(ONE, ["hobby"], KEY)
        drawn = [noisy(same, p, run).column(0).combine_chunks() for p in range(3)]
        drawn.append(noisy(same, 0, Run.of(ONE, ["hobby"], KEY[::-1])).column(0).combine_chunks())
        halves = [half for d in drawn for half in (d[:CHUNK], d[CHUNK:])]
        for i, one in enumerate(halves):
            for other in halves[:i]:
                alike = np.mean(np.asarray(one) == np.asarray(other))
                # two independent draws from (3/5, 1/5, 1/5) agree with probability 11/25
                assert abs(alike - 0.44) < 6 * np.sqrt(0.44 * 0.56 / CHUNK)

    def test_law_is_the_channels(self):
        table = rows(200_000)
        out = noisy(table, 5)
        assert out.column("id").equals(table.column("id"))
        channel = ONE.columns[0].mechanism.channel
        for x in HOBBIES:
            mine = np.asarray(out.column("hobby"))[np.asarray(table.column("hobby")) == x]
            seen = [int((mine == y).sum()) for y in channel.columns]
            wanted = [float(channel.row(x)[y]) * len(mine) for y in channel.columns]
            assert stats.chisquare(seen, wanted).pvalue > 1e-6

    def test_types_stay_and_declared_values_come_in_dictionaries(self):
        found = noisy(rows(50))
        assert without_dictionaries(found).schema.equals(rows(50).schema)
        assert found["hobby"].chunk(0).dictionary.to_pylist() == HOBBIES
        assert found["age"].chunk(0).dictionary.to_pylist() == [*range(101)]

    def test_a_worker_makes_the_tables_of_a_plan_once(self, monkeypatch):
        made, real = [], planned_column.ShortSampler
        monkeypatch.setattr(
            planned_column, "ShortSampler", lambda rows: made.append(len(rows)) or real(rows)
        )
        _read.cache_clear()
        for partition in range(3):
            noisy(rows(50), partition)
        assert sorted(made) == [len(HOBBIES), 101]


class TestRun:
    def test_key_is_not_shown(self):
        text = repr(RUN)
        assert all(s not in text for s in (str(KEY), KEY.hex(), base64.b64encode(KEY).decode()))

    def test_plan_must_have_been_read(self):
        with pytest.raises(Malformed, match=r"by Plan\.read"):
            Run.of(Plan(ONE.columns), ["hobby"], KEY)

    def test_only_what_is_needed_travels(self):
        plan = Plan.read(
            {
                "columns": {"hobby": HOBBY},
                "pass_through": ["region"],
                "drop": ["name"],
                "unit": "who",
            }
        )
        names = ["name", "who", "region", "hobby", "other"]
        assert Run.of(plan, names, KEY).columns == ("who", "region", "hobby")
        rows_alone = Plan.read({**plan.raw, "unit": "row", "drop": ["name", "who"]})
        assert Run.of(rows_alone, names, KEY).columns == ("region", "hobby")

    @pytest.mark.parametrize("kept", [[], ["who"]])
    def test_who_a_row_belongs_to_is_told_and_stays_behind(self, kept):
        plan = Plan.read({"columns": {"hobby": HOBBY}, "unit": "who", "pass_through": kept})
        seen, table = [], pa.table({"who": np.arange(90), "hobby": ["cars"] * 90})
        run = Run.of(plan, table.column_names, KEY)
        out = pa.concat_tables(protected(table.to_batches(), run, 0, seen.append))
        assert out.column_names == [*kept, "hobby"]
        assert pa.concat_arrays(seen).equals(table["who"].combine_chunks())

    def test_another_mechanism_than_the_drivers_is_refused(self):
        weaker = Plan.read({"columns": {"hobby": {**HOBBY, "epsilon": "ln 4"}}})
        assert fingerprint(weaker) != fingerprint(ONE)
        run = Run.of(ONE, ["hobby"], KEY)
        forged = Run(Run.of(weaker, ["hobby"], KEY).plan, run.fingerprint, ("hobby",), "", KEY)
        with pytest.raises(Malformed, match="another mechanism here than it did on the driver"):
            noisy(pa.table({"hobby": ["cars"]}), run=forged)

    def test_permanent_answers_do_not_depend_on_the_partition(self):
        plan = Plan.read({"columns": {"hobby": HOBBY}, "unit": "who"})
        run = Run.of(plan, ["who", "hobby"], KEY, b"p" * 32)
        table = pa.table({"who": np.arange(500), "hobby": ["cars"] * 500})
        assert noisy(table, 0, run).equals(noisy(table, 7, run))
        assert noisy(table, 0, run).schema.names == ["hobby"]


class TestReports:
    FAMILIES = ("projective_response", "hashed_response", "subset_response", "unary_response")

    @pytest.mark.parametrize("family", FAMILIES)
    def test_reports_depend_on_the_chunk_alone_and_permanent_ones_not_even_on_that(self, family):
        plan = Plan.read({"columns": {"hobby": {**HOBBY, "mechanism": family}}, "unit": "who"})
        table = pa.table({"who": np.arange(700), "hobby": ["cars", "reading"] * 350})
        run = Run.of(plan, ["who", "hobby"], KEY)
        whole = noisy(table, 3, run)
        assert whole.equals(noisy(table, 3, run, size=17))
        assert not whole.equals(noisy(table, 4, run))
        kept = Run.of(plan, ["who", "hobby"], KEY, b"p" * 32)
        assert noisy(table, 0, kept).equals(noisy(table, 7, kept))

    def test_another_size_of_sets_is_another_mechanism(self):
        plans = [
            Plan.read({"columns": {"hobby": {**HOBBY, "mechanism": "subset_response", "size": d}}})
            for d in (1, 2)
        ]
        assert fingerprint(plans[0]) != fingerprint(plans[1])


class TestPlaces:
    def drafts(self, folder, table, partition=0, size=10_000):
        (folder / "room").mkdir(exist_ok=True)
        drafts = Drafts(Disk(str(folder)), "room", KEY, RUN.stream)
        *_, told = drawn(table.to_batches(size), RUN, partition, drafts)
        line = json.loads(told["told"][0].as_py())
        read = pa.concat_tables(drafts.read(spill, 0, BLOCKS) for spill in line["spills"])
        assert line["rows"] == read.num_rows == table.num_rows
        assert told["part"].to_pylist() == [partition]
        return read

    def places(self, folder, table, **how):
        ordered = self.drafts(folder, table, **how).sort_by("id")
        return ordered.column(place_name(table.column_names)).to_numpy()

    def test_what_is_written_down_is_the_noise_of_the_partition(self, tmp_path):
        table = rows(CHUNK + 500)
        read = self.drafts(tmp_path, table, partition=3).sort_by("id")
        assert read.drop_columns(place_name(table.column_names)).equals(noisy(table, 3))

    def test_every_row_has_a_number_of_its_own_and_the_same_at_every_attempt(self, tmp_path):
        table = rows(CHUNK + 5000)
        found = self.places(tmp_path, table)
        assert len(set(found.tolist())) == len(found)
        assert (self.places(tmp_path, table, size=777) == found).all()
        assert not set(found.tolist()) & set(self.places(tmp_path, table, partition=1).tolist())

    def test_places_are_uniform_and_say_nothing_of_the_rows(self, tmp_path):
        found = self.places(tmp_path, rows(200_000))
        assert (self.places(tmp_path, rows(200_000, seed=2)) == found).all()
        assert stats.kstest(found / 2**64, stats.uniform.cdf).pvalue > 1e-6
        assert abs(stats.spearmanr(found, np.arange(len(found))).statistic) < 6 / np.sqrt(200_000)


class TestErrors:
    def work(self, run, batches):
        with told_errors(4):
            list(protected(batches, run, 4))

    def test_unseen_category_is_named_by_its_place(self):
        table = pa.table({"hobby": ["cars"] * (CHUNK + 10) + ["CANARY"]})
        with pytest.raises(UnknownCategory) as error:
            self.work(Run.of(ONE, ["hobby"], KEY), table.to_batches(1000))
        where = f"partition 4, column 'hobby', row {CHUNK + 10}"
        assert str(error.value).startswith(
            f"{MARK} UnknownCategory: {where}: holds a value outside"
        )
        assert "CANARY" not in str(error.value)

    def test_whatever_else_goes_wrong_is_not_quoted(self):
        def broken():
            yield pa.record_batch({"hobby": ["cars"]})
            raise RuntimeError("cannot read CANARY")

        with pytest.raises(Malformed) as error:
            self.work(Run.of(ONE, ["hobby"], KEY), broken())
        assert str(error.value) == (
            f"{MARK} NotApplicable: partition 4 cannot be done; a RuntimeError was raised"
        )

    def test_what_another_machine_wrote_must_be_seen(self, tmp_path):
        drafts = Drafts(Disk(str(tmp_path)), "room", KEY, RUN.stream)
        with pytest.raises(Malformed, match="see the folder under the same name"), told_errors():
            drafts.read(("room/00000-0", 5, 900), 0, 1)


def test_libraries_are_kept_out_of_the_search_for_garbage(monkeypatch):
    """Once, however many tasks a worker has, and again where another library was loaded."""
    looked, loaded = [], dict(sys.modules)
    monkeypatch.setattr(gc, "collect", lambda: looked.append(1))
    monkeypatch.setattr(sys, "modules", loaded)
    _set_aside.cache_clear()
    try:
        for _ in range(3):
            with told_errors(0):
                pass
        assert (len(looked), gc.get_freeze_count() > 1000) == (1, True)
        loaded["another library"] = sys
        with told_errors():
            pass
        assert len(looked) == 2
    finally:
        gc.unfreeze()


def test_without_pyspark_the_extra_is_named(monkeypatch):
    from dprivacy.release import sanitise_file
    from dprivacy.release.spark.spark_session import session_of

    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (
        lambda: session_of(object()),
        lambda: sanitise_file("a.parquet", ONE, "b", engine="spark").card,
    ):
        with pytest.raises(MissingExtra, match=r"pip install 'dprivacy\[spark\]'"):
            call()
