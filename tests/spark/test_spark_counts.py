"""Tables whose rows are of few kinds: counted, and drawn from the counts, whatever way they came."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, NotApplicable, UnknownCategory
from dprivacy.release import Plan, prove_card, sanitise
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.counted import file_shares, spark_counts
from dprivacy.release.counted.file_shares import drawn_file, share
from dprivacy.release.counted.frame_codes import FrameCodes
from dprivacy.release.counted.row_numbers import RowNumbers, shapes_of
from dprivacy.release.spark import spark_files
from dprivacy.release.spark.spark_drawing import Work
from dprivacy.release.spark.spark_scan import bare_pieces
from dprivacy.release.spark.spark_task import Run
from support.release_tables import with_card
from support.spark_frames import KEY, MARK, bytes_of, leftovers, slow
from support.spark_standalone import everything_below

TEAS = ["green", "black", "herbs"]
COLUMNS = {
    "tea": {"type": "categories", "values": TEAS, "epsilon": "ln 3", "nulls": "category"},
    "cups": {"type": "numbers", "low": 0, "high": 9, "grid": 3, "epsilon": "1/2"},
    "rank": {"type": "ordered", "values": [1, 2, 5], "epsilon": "1", "nulls": {"replace": 2}},
}
PLAN = {"columns": COLUMNS, "drop": ["id"]}
NAMES = list(COLUMNS)
STREAM = "shake-256 1"
ROWS = 4000


def table(n=ROWS):
    """Cells of all sorts: missing ones, and numbers beyond and between those on the grid."""
    rng = np.random.default_rng(5)
    teas = pa.array([*TEAS, None]).take(pa.array(rng.integers(0, 4, n)))
    ranks = pa.array([1, 2, 5, None]).take(pa.array(rng.integers(0, 4, n)))
    return pa.table({
        "id": np.arange(n), "tea": teas, "cups": rng.integers(-50, 50, n), "rank": ranks,
    })  # fmt: skip


def numbers(plan=PLAN):
    return RowNumbers(Plan.read(plan), ChunkStreams(KEY, STREAM))


def counts_of(rows):
    known = numbers()
    return np.bincount(known.of(rows.select(NAMES)), minlength=known.kinds).astype(np.int64)


class TestNumbers:
    def test_what_cannot_be_counted(self):
        many = {"type": "categories", "values": [str(k) for k in range(300)], "epsilon": 1}
        others = [
            {"columns": COLUMNS, "pass_through": ["id"]},
            {"columns": COLUMNS, "unit": "id"},
            {"columns": {"a": many, "b": many}},
            {"columns": {"x": {**COLUMNS["cups"], "high": 9_000_000}}},
        ]
        assert [shapes_of(Plan.read(plan)) for plan in others] == [None] * len(others)
        assert shapes_of(Plan.read(PLAN)) == [(4, 4), (4, 4), (3, 3)]

    def test_a_row_is_what_the_plan_reads(self):
        known, rows = numbers(), table()
        found = known.of(rows.select(NAMES))
        teas = np.array([TEAS.index(t) if t else 3 for t in rows["tea"].to_pylist()])
        cups = np.clip(np.rint(rows["cups"].to_numpy() / 3), 0, 3)
        ranks = np.array([[1, 2, 5].index(r or 2) for r in rows["rank"].to_pylist()])
        assert (found == (teas * 4 + cups) * 3 + ranks).all()
        assert found.max() < known.kinds == 48

    def test_sixty_five_thousand_kinds(self):
        wide = {"type": "numbers", "low": 0, "high": 65535, "grid": 1, "epsilon": "1"}
        narrow = {"type": "categories", "values": ["a", "b"], "epsilon": "ln 2"}
        assert shapes_of(Plan.read({"columns": {"n": wide, "c": narrow}})) is None

    def test_noise_has_the_law_of_the_plan(self):
        known, n = numbers(), 60_000
        true = np.full(n, 7, np.uint16)  # (0, 2, 1)
        released = known.table(known.noisy(true), NAMES)
        for column, at in zip(Plan.read(PLAN).columns, (0, 2, 1), strict=True):
            channel = column.channel
            found = Counter(released[column.name].to_pylist())
            outputs = {y: float(channel[channel.rows[at], y]) for y in channel.columns}
            for y, chance in outputs.items():
                value = int(y) if column.name != "tea" and y is not None else y
                error = 6 * (n * chance * (1 - chance)) ** 0.5 + 1
                assert abs(found[value] - n * chance) < error


class TestShares:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(file_shares, "_ROWS", 1003)

    @pytest.mark.parametrize("files", [1, 2, 3, 7, 256])
    def test_every_row_is_in_one_file(self, files):
        counts = counts_of(table())
        counts[[0, 3, -1]] = 0, 900, 0
        parts = [share(counts, KEY, STREAM, k, files) for k in range(files)]
        assert (sum(parts) == counts).all()
        assert min(part.min() for part in parts) == 0

    def test_how_many_rows_a_file_has_depends_on_their_number_alone(self):
        one, other = np.array([ROWS, 0, 0]), np.array([17, 0, ROWS - 17])
        sizes = [[share(c, KEY, STREAM, k, 5).sum() for k in range(5)] for c in (one, other)]
        assert sizes[0] == sizes[1]
        assert all(abs(size - ROWS / 5) < 6 * (ROWS * 0.16) ** 0.5 + 30 for size in sizes[0])

    def test_kinds_are_spread_evenly(self):
        counts = np.array([2000, 0, 2000])
        for k in range(4):
            mine = share(counts, KEY, STREAM, k, 4)
            assert (abs(mine[[0, 2]] - 500) < 6 * 375**0.5).all()


class TestFiles:
    def drawn(self, counts, key=KEY, number=0):
        return drawn_file(Plan.read(PLAN), NAMES, counts, key, STREAM, number)

    def test_a_file_is_the_same_at_every_attempt_and_another_under_another_key(self):
        counts = counts_of(table())
        assert self.drawn(counts).equals(self.drawn(counts))
        for other in (self.drawn(counts, key=bytes(32)), self.drawn(counts, number=1)):
            assert not other.equals(self.drawn(counts))

    def test_order_says_nothing_of_true_rows(self, monkeypatch):
        """Where every cell that comes out is the same, so is the file, whatever the rows were."""
        first = next(iter(np.flatnonzero(counts_of(table()))))
        monkeypatch.setattr(
            RowNumbers, "noisy", lambda self, true: np.arange(len(true), dtype=np.uint64) % 3
        )
        one = np.zeros(48, np.int64)
        one[first] = ROWS
        found = [self.drawn(counts).column("rank").to_pylist() for counts in (one, one[::-1])]
        assert found[0] == found[1] != sorted(found[0])

    def test_true_rows_are_spread_over_a_file(self, monkeypatch):
        """Without noise, rows of two kinds come in random order, not one kind after the other."""
        monkeypatch.setattr(RowNumbers, "noisy", lambda self, true: true.astype(np.uint64) & 1)
        counts = np.zeros(48, np.int64)
        counts[[0, 1]] = 3000
        ranks = np.array(self.drawn(counts).column("rank").to_pylist())
        for part in np.split(ranks == 2, 6):
            assert abs(part.sum() - 500) < 6 * 250**0.5


def test_counts_that_the_driver_does_not_see(tmp_path):
    """A folder that only the workers share is told of as one."""
    (tmp_path / "room").mkdir()
    work = Work(str(tmp_path), "room", Run.of(Plan.read(PLAN), NAMES, KEY))
    counts = np.arange(48, dtype="<i8").tobytes()
    names = [work.drafts().hide(label, counts) for label in ("a", "b")]
    both = spark_counts._added_up(work, names)
    assert np.frombuffer(work.drafts().show(both), "<i8").tolist() == [2 * k for k in range(48)]
    with pytest.raises(BadFile, match="does every machine see the folder under the same name"):
        spark_counts._added_up(work, [*names, "room/of-another-machine"])


@pytest.mark.service("spark")
class TestOnSpark:
    @pytest.fixture
    def source(self, tmp_path, monkeypatch):
        monkeypatch.setattr(spark_files, "ROWS", 1500)
        monkeypatch.setattr(spark_counts, "_TASK", 500)
        (tmp_path / "in").mkdir()
        for k, part in enumerate((table().slice(0, 900), table().slice(900))):
            pq.write_table(part, tmp_path / "in" / f"{k}.parquet", row_group_size=300)
        return str(tmp_path / "in")

    def ways(self, session, source):
        """The same rows as files, as frames that Spark numbers, and as one that it does not."""
        scan = session.read.parquet(source)
        wide = scan.selectExpr("id", "tea", "cast(cups as double) as cups", "rank")
        kept = scan.where("id >= 0")
        ways = {"files": scan, "frame": kept, "sorted": kept.orderBy("tea", "cups"), "wide": wide}
        codes = FrameCodes(Plan.read(PLAN))
        assert [codes.can_tell(frame) for frame in ways.values()] == [True, True, True, False]
        assert len(bare_pieces(scan, NAMES, 500)) == 8
        return ways

    def test_all_ways_release_the_same_bytes(self, spark, client, source, tmp_path, fixed):
        for who, session in (("driver", spark), ("client", client)):
            for way, frame in self.ways(session, source).items():
                out = tmp_path / f"{who}-{way}"
                _, card = with_card(frame, PLAN, output=out)
                assert card.count == ROWS
                assert prove_card(out / "_card.json", file=out)
        assert not leftovers(tmp_path)
        calm = bytes_of(tmp_path / "driver-files")
        assert len(calm) == 3
        for out in tmp_path.glob("*-*"):
            assert bytes_of(out) == calm
        released = pq.read_table(tmp_path / "driver-files")
        assert released.column_names == NAMES
        assert set(released["rank"].to_pylist()) == {1, 2, 5}

    def test_spark_numbers_the_cells_that_a_plan_reads(self, spark):
        """Missing numbers stay missing, and what no double holds is left to whoever reads rows."""
        codes = FrameCodes(Plan.read({"columns": {"cups": COLUMNS["cups"]}}))
        most = 1 << 53
        cells = [None, -most, -1, 0, 4, 9, 10, most, most + 1, -most - 1]
        frame = spark.createDataFrame([(cell,) for cell in cells], "cups long")
        found = [row["code"] for row in codes.of(frame).collect()]
        assert codes.table(np.array(found[:8])).column("cups").to_pylist() == [
            None, -1, -1, 0, 4, 9, 10, 10,
        ]  # fmt: skip
        assert found[8:] == [0, 0]
        assert codes.table(np.array(found)) is None

    def test_missing_numbers_are_refused_or_replaced(self, spark, tmp_path, fixed):
        frame = spark.range(300).selectExpr("cast(if(id = 7, null, 0) as int) as cups")
        plan, missing = {"columns": {"cups": COLUMNS["cups"]}}, r"'cups', row \d+: is missing"
        with pytest.raises(NotApplicable, match=missing):
            sanitise(frame, plan, output=tmp_path / "out")
        replaced = {"columns": {"cups": {**COLUMNS["cups"], "nulls": {"replace": 3}}}}
        filled = frame.fillna(3)
        for name, rows, each in (("null", frame, replaced), ("three", filled, plan)):
            sanitise(rows, each, output=tmp_path / name)
        assert bytes_of(tmp_path / "null") == bytes_of(tmp_path / "three")

    def test_spark_does_not_look_through_long_lists(self, spark, tmp_path, fixed):
        """Cells go to Python then, and the bytes are the same."""
        tea = [f"tea {k}" for k in range(33)]
        frame = spark.range(900).selectExpr("concat('tea ', id % 32) as tea")
        short, long = (
            {"columns": {"tea": {"type": "categories", "values": tea[:k], "epsilon": "1"}}}
            for k in (32, 33)
        )
        assert FrameCodes(Plan.read(short)).can_tell(frame)
        assert not FrameCodes(Plan.read(long)).can_tell(frame)
        frame.write.parquet(str(tmp_path / "in"))
        for way, rows in (("frame", frame), ("files", spark.read.parquet(str(tmp_path / "in")))):
            sanitise(rows, long, output=tmp_path / way)
        assert bytes_of(tmp_path / "frame") == bytes_of(tmp_path / "files")

    def test_a_narrow_column_may_lack_a_value_beyond_its_type(self, spark, tmp_path, fixed):
        """What is put in its place is one that the plan declares, whatever way the rows come."""
        plan = {"columns": {"room": {
            "type": "categories", "values": [1, 200], "epsilon": "1", "nulls": {"replace": 200},
        }}}  # fmt: skip
        frame = spark.range(300).selectExpr("cast(if(id = 7, null, 1) as tinyint) as room")
        frame.write.parquet(str(tmp_path / "in"))
        ways = {"frame": frame, "files": spark.read.parquet(str(tmp_path / "in"))}
        for way, rows in ways.items():
            sanitise(rows, plan, output=tmp_path / way)
        assert bytes_of(tmp_path / "frame") == bytes_of(tmp_path / "files")

    def test_a_value_that_is_not_declared_is_told_by_its_place(self, spark, source, tmp_path):
        frame = spark.read.parquet(source)
        broken = frame.selectExpr("id", f"if(id = 7, '{MARK}', tea) as tea", "cups", "rank")
        with pytest.raises(UnknownCategory, match=r"partition \d, column 'tea', row \d") as error:
            sanitise(broken, PLAN, output=tmp_path / "out")
        assert MARK not in str(error.value)
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("how", ["stall", "break"])
    def test_a_task_that_is_repeated_counts_once(self, spark, tmp_path, fixed, how, monkeypatch):
        monkeypatch.setattr(spark_files, "ROWS", 100_000)
        expressions = "id", "if(id % 3 = 0, 'green', null) as tea", "id % 7 as cups", "1 as rank"
        frame = spark.range(0, 300_000, 1, 4).selectExpr(*expressions)  # two batches each
        _, card = with_card(frame, PLAN, output=tmp_path / "calm")
        assert card.count == 300_000
        marks = tmp_path / how
        with_card(slow(frame, 0, str(marks)), PLAN, output=tmp_path / "out")
        assert {f"{how}.0", f"{how}.1"} <= {p.name for p in tmp_path.glob(f"{how}.*")}
        assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "calm")
        assert not leftovers(tmp_path)

    def test_a_frame_that_changes_keeps_its_number_of_rows(self, spark, tmp_path):
        other = "id", "array('green', 'black', null)[cast(rand() * 3 as int)] as tea"
        frame = spark.range(0, 5000, 1, 3).selectExpr(*other, "7 as cups", "2 as rank")
        _, card = with_card(frame.repartition(4), PLAN, output=tmp_path / "out")
        assert card.count == pq.read_table(tmp_path / "out").num_rows == 5000

    def test_no_key_and_no_row_is_written_anywhere(self, spark, cluster, source, tmp_path, fixed):
        frame = spark.read.parquet(source).where("id >= 0")
        sanitise(frame, PLAN, output=tmp_path / "out")
        written = everything_below(cluster.folder) + everything_below(tmp_path / "out")
        for form in (KEY, KEY.hex().encode()):
            assert form not in written
        codes = FrameCodes(Plan.read(PLAN)).of(frame)  # rows never wait on a disk for a shuffle
        assert "Exchange" not in codes._jdf.queryExecution().executedPlan().toString()
