"""Sanitising on a real standalone cluster: the law, and what survives a lost machine."""

import glob
import itertools
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.release import Plan, prove_card
from dprivacy.release.spark import spark_drawing, spark_files, spark_scan
from dprivacy.release.spark.spark_task import Run, protected
from support.patience import pause, wait_until
from support.release_tables import with_card
from support.spark_frames import (
    HOBBIES,
    KEY,
    MARK,
    PEOPLE,
    PLAN,
    bytes_of,
    counted,
    leftovers,
    made,
    parts,
    slow,
    transitions,
)
from support.spark_standalone import everything_below


def require_same_law(spark, n, partitions, out):
    frame = made(spark, n, partitions)
    clean, card = with_card(frame, PLAN, output=out)
    seen = counted(clean)
    assert seen.sum() == n == card.count == clean.count()
    channel = Plan.read(PLAN).columns[0].mechanism.channel
    for i, x in enumerate(HOBBIES):
        wanted = [float(channel.row(x)[y]) * seen[i].sum() for y in HOBBIES]
        assert stats.chisquare(seen[i], wanted).pvalue > 1e-6
    frame.write.parquet(f"{out}.true")
    table = pq.read_table(f"{out}.true")
    alone, other = with_card(table, PLAN)
    grouped = alone.group_by(["truth", "hobby"]).aggregate([([], "count_all")]).to_pydict()
    beside = transitions(zip(grouped["truth"], grouped["hobby"], grouped["count_all"], strict=True))
    for i in range(5):
        assert stats.chi2_contingency([seen[i], beside[i]]).pvalue > 1e-6
    mine, theirs = card.to_dict(), other.to_dict()
    assert mine.pop("output")["name"] == Path(out).name
    assert "output" not in theirs
    assert mine == theirs


class TestLaw:
    def test_the_law_and_the_card_are_those_of_one_machine(self, spark, tmp_path):
        require_same_law(spark, 300_000, 4, f"{tmp_path}/out.parquet")

    @pytest.mark.slow
    def test_ten_million_rows(self, spark, tmp_path):
        require_same_law(spark, 10_000_000, 16, f"{tmp_path}/out.parquet")

    def test_every_row_has_the_noise_of_its_partition_and_place(self, spark, tmp_path, fixed):
        frame = made(spark, 90_000, 3)
        with_card(frame, PLAN, output=tmp_path / "out")
        frame.select("id", "hobby", "truth", "health").write.parquet(str(tmp_path / "in"))
        run = Run.of(Plan.read(PLAN), ["id", "hobby", "truth", "health", "name"], KEY)
        before = parts(tmp_path / "in")
        assert sorted(before) == [0, 1, 2]
        noisy = [protected(table.to_batches(), run, k) for k, table in before.items()]
        wanted = pa.concat_tables(itertools.chain(*noisy)).sort_by("id")
        found = pa.concat_tables(parts(tmp_path / "out").values())
        assert found.sort_by("id").to_pydict() == wanted.to_pydict()

    def test_two_actions_see_the_same_rows(self, spark, tmp_path):
        shuffled = made(spark, 20_000).repartition(3, "id")  # rows come in another order each time
        clean, _ = with_card(shuffled, PLAN, output=tmp_path / "out")
        first, again = (
            sorted(map(tuple, clean.select("id", "hobby", "health").collect())) for _ in range(2)
        )
        assert first == again
        assert [row[0] for row in first] == list(range(20_000))

    def test_types_and_missing_values_as_on_one_machine(self, spark, tmp_path):
        from pyspark.sql import functions as f

        plan = {
            "columns": {
                "a.b": {
                    "type": "categories", "values": ["x", "y"], "epsilon": "ln 3",
                    "nulls": "category",
                },
                "n": {"type": "numbers", "low": 0, "high": 50, "grid": "0.5", "epsilon": "0.1"},
                "where": {"type": "place", "columns": ["lon", "lat"], "epsilon": "1", "grid": "0.5"},
                "bits": {"type": "bits", "bits": 3, "epsilon": "ln 2"},
                "gone": {
                    "type": "numbers", "low": 0, "high": 9, "grid": 1, "epsilon": "1",
                    "nulls": {"replace": 5},
                },
            },
            "pass_through": ["when", "list", "cost"],
        }  # fmt: skip
        id_ = f.col("id")
        frame = spark.range(3000).select(
            f.when(id_ % 3 == 0, "x").when(id_ % 3 == 1, "y").alias("a.b"),
            (id_ % 100 / 2).alias("n"),
            (id_ % 7 / 2).cast("float").alias("lon"),
            (id_ % 5 / 2).alias("lat"),
            f.lpad(f.conv((id_ % 8).cast("string"), 10, 2), 3, "0").alias("bits"),
            f.when(id_ % 2 == 0, id_ % 10).cast("short").alias("gone"),
            f.timestamp_seconds(id_).alias("when"),
            f.array(id_, id_ + 1).alias("list"),
            (id_ / 8).cast("decimal(9,3)").alias("cost"),
        )
        clean, _ = with_card(frame, plan, output=tmp_path / "out")
        wanted = {**dict(frame.dtypes), "lon": "double", "gone": "bigint"}
        assert clean.dtypes == [(name, wanted[name]) for name in frame.columns]
        kept = [f"`{name}`" for name in plan["pass_through"]]
        before, after = (
            sorted(map(tuple, table.select(*kept).collect())) for table in (frame, clean)
        )
        assert before == after
        seen = {row[0]: row[1] for row in clean.groupBy("`a.b`").count().collect()}
        assert set(seen) == {"x", "y", None}
        for name, count in seen.items():
            assert abs(count - 1000) < 200, name
        assert clean.filter("n < 0 or n > 50 or n * 2 != floor(n * 2)").count() == 0
        assert clean.filter("not bits rlike '^[01]{3}$' or gone is null").count() == 0

    def test_permanent_answers_repeat_themselves(self, spark, tmp_path):
        plan = {**PLAN, "unit": "name", "drop": []}
        frames = [
            with_card(made(spark, 5000, k), plan, permanent_key=KEY, output=tmp_path / f"out{k}")[0]
            for k in (2, 3)
        ]
        one, two = (sorted(map(tuple, t.select("id", "hobby").collect())) for t in frames)
        assert one == two


def drafts_in(folder):
    """Drafts that are whole, wherever the run keeps them."""
    return [
        name for name in glob.glob(f"{folder}/.dprivacy-*/[0-9s]*") if "." not in Path(name).name
    ]


class TestFailures:
    def killed(self, cluster, folder, work):
        """Do some work, and kill a worker when two tasks have written something down."""
        job = threading.Thread(target=work)
        job.start()
        wait_until(lambda: len(drafts_in(folder)) >= 2 or not job.is_alive(), step=0.02)
        cluster.kill_worker("two")
        alive = job.is_alive()
        cluster.start_worker("two")
        job.join()
        assert alive, "the job was over before the worker was killed"

    def test_a_worker_killed_changes_nothing(self, cluster, spark, tmp_path, fixed, monkeypatch):
        monkeypatch.setattr(spark_files, "ROWS", 100_000)
        frame = made(spark, 400_000, 8)
        with_card(frame, PLAN, output=tmp_path / "calm")
        out = tmp_path / "killed"
        self.killed(cluster, out, lambda: with_card(slow(frame, 1.5), PLAN, output=out))
        assert len(bytes_of(out)) == 4
        assert bytes_of(out) == bytes_of(tmp_path / "calm")
        assert not leftovers(tmp_path)

    def test_a_worker_killed_while_files_are_scanned(
        self, cluster, spark, tmp_path, fixed, monkeypatch
    ):
        monkeypatch.setattr(spark_drawing, "_TASK", 500)
        made(spark, 60_000, 2).write.option("parquet.block.row.count.limit", "500").parquet(
            str(tmp_path / "in")
        )
        frame = spark.read.parquet(str(tmp_path / "in"))
        pieces = spark_scan.bare_pieces(frame, frame.columns, 500)
        assert len(pieces) == 120
        with_card(frame, PLAN, output=tmp_path / "calm")
        out = tmp_path / "killed"
        self.killed(cluster, out, lambda: with_card(frame, PLAN, output=out))
        assert bytes_of(out) == bytes_of(tmp_path / "calm")
        assert not leftovers(tmp_path)

    def test_a_worker_killed_while_people_are_counted(self, cluster, spark, tmp_path, fixed):
        frame = made(spark, 40_000, 8)
        with_card(frame, PEOPLE, output=tmp_path / "calm")
        out = tmp_path / "killed"
        self.killed(cluster, out, lambda: with_card(slow(frame, 1.5), PEOPLE, output=out))
        assert bytes_of(out) == bytes_of(tmp_path / "calm")

    def test_rows_in_another_order_at_every_attempt_have_one_noise(self, cluster, spark, tmp_path):
        out = tmp_path / "killed"
        frame = made(spark, 40_000, 8).repartition(6, "id")
        self.killed(cluster, out, lambda: with_card(slow(frame, 1.5), PLAN, output=out))
        rows = pq.read_table(out).sort_by("id")
        assert rows["id"].to_pylist() == list(range(40_000))
        assert prove_card(out / "_card.json", file=out)

    @pytest.mark.parametrize("how", ["stall", "break"])
    def test_a_task_that_is_repeated_gives_the_same_rows(self, spark, tmp_path, fixed, how):
        frame = made(spark, 300_000, 4)  # two batches each
        with_card(frame, PLAN, output=tmp_path / "calm")
        marks = tmp_path / how
        with_card(slow(frame, 0, str(marks)), PLAN, output=tmp_path / "out")
        began = {p.name for p in tmp_path.glob(f"{how}.*")}
        assert {f"{how}.0", f"{how}.1"} <= began  # Spark may start a third on a busy machine
        assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "calm")

    def test_a_failed_run_leaves_nothing_and_spares_the_old_output(self, spark, tmp_path):
        frame, out = made(spark, 10_000), tmp_path / "out"
        with_card(frame, PLAN, output=out)
        before = everything_below(out)
        with pytest.raises(Malformed, match="exists"):
            with_card(frame, PLAN, output=out)
        bad = frame.replace("cars", MARK, subset=["hobby"])
        late = slow(frame, 3).union(bad)  # other tasks are still at work when one is refused
        with pytest.raises(UnknownCategory):
            with_card(late, PLAN, output=out, replace=True)
        assert everything_below(out) == before
        assert not leftovers(tmp_path)
        pause(4)
        assert not leftovers(tmp_path)
        with_card(frame, PLAN, output=out, replace=True)
        assert everything_below(out) != before
        assert not leftovers(tmp_path)
