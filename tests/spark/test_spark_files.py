"""Files made from what tasks wrote down: every row once, in the order of its place, without Spark."""

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, OutputExists, WrongShape
from dprivacy.release import Plan
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.spark import spark_files, spark_folder
from dprivacy.release.spark.spark_drafts import (
    BLOCKS,
    Drafts,
    by_place,
    in_order,
    order_of,
    rows_between,
)
from dprivacy.release.spark.spark_store import Disk, Objects
from dprivacy.release.spark.spark_task import Run, drawn, place_name
from support.services import require

KEY, STREAM, FASTER = bytes(range(32)), "shake-256 1", "aes-256-ctr 1"
PLACE = place_name(["id", "tea"])
PLAN = Plan.read({
    "columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}},
    "pass_through": ["id"],
})  # fmt: skip


@pytest.fixture(params=[STREAM, FASTER])
def drafts(request, tmp_path):
    if request.param == FASTER:
        pytest.importorskip("cryptography")
    (tmp_path / "room").mkdir()
    return Drafts(Disk(str(tmp_path)), "room", KEY, request.param)


def table(n, dictionary=False):
    tea = pa.array(["yes", "no"]).take(pa.array(np.arange(n) % 2))
    return pa.table({"id": np.arange(n), "tea": tea.dictionary_encode() if dictionary else tea})


def spilled(drafts, sizes):
    """What tasks with so many rows each wrote down."""
    spills, first = [], 0
    run = Run.of(PLAN, ["id", "tea"], KEY)
    for partition, n in enumerate(sizes):
        mine = table(sum(sizes)).slice(first, n)
        *_, told = drawn(mine.to_batches(), run, partition, drafts)
        spills += [tuple(spill) for spill in json.loads(told["told"][0].as_py())["spills"]]
        first += n
    return spills


class TestDrafts:
    @pytest.mark.parametrize("dictionary", [False, True])
    def test_blocks_come_back_as_they_were(self, drafts, dictionary):
        rows = table(5000, dictionary)
        places = np.random.default_rng(1).integers(0, 2**64, 5000, dtype=np.uint64)
        spill = drafts.write("x", by_place(rows, places, "___"))
        for first, last in ((0, BLOCKS), (7, 8), (200, 256), (3, 3)):
            mine = (places >> np.uint64(56) >= first) & (places >> np.uint64(56) < last)
            found = drafts.read(spill, first, last)
            assert sorted(found["___"].to_pylist()) == sorted(places[mine].tolist())
            wanted = rows.append_column("___", pa.array(places)).filter(pa.array(mine))
            assert found.sort_by("id").to_pydict() == wanted.to_pydict()
            assert found.schema == wanted.schema

    def test_they_are_unreadable_without_the_key(self, drafts, tmp_path):
        rows = pa.table({"id": ["CANARY" * 40] * 900})
        spill = drafts.write("x", in_order(rows))
        assert b"CANARY" not in (tmp_path / spill[0]).read_bytes()
        assert b"CANARY" in drafts.read(spill, 0, 1)["id"][0].as_py().encode()

    def test_equal_rows_have_other_bytes_under_every_name(self, drafts, tmp_path):
        names = [drafts.write("x", in_order(table(900)))[0] for _ in range(2)]
        one, two = ((tmp_path / name).read_bytes()[-4096:] for name in names)
        assert one != two

    def test_bytes_come_back_too(self, drafts, tmp_path):
        for data in (b"", b"CANARY!?", b"CANARY!?" * 1000):
            name = drafts.hide("x", data)
            assert drafts.show(name) == data
            assert b"CANARY" not in (tmp_path / name).read_bytes()
            other = dataclasses.replace(drafts, key=bytes(32)).show(name)
            assert len(other) == len(data)
            assert not data or other != data

    def test_rows_by_their_number(self, drafts, monkeypatch):
        monkeypatch.setattr("dprivacy.release.spark.spark_drafts.SPILL", 4 * BLOCKS)
        rows = table(2500)
        cuts = ((0, 1024), (1024, 1000), (2024, 476))
        spills = [drafts.write("x", in_order(rows.slice(a, n))) for a, n in cuts]
        for start, end in ((0, 2500), (0, 1), (1000, 1100), (1023, 2025), (2499, 2500)):
            found = pa.concat_tables(rows_between(drafts, spills, start, end))
            assert found["id"].to_pylist() == list(range(start, end))


class TestOrder:
    HIGH = np.random.default_rng(2).integers(0, 2**32, 500, dtype=np.uint64) << np.uint64(32)

    @pytest.mark.parametrize(
        "places",
        [
            np.random.default_rng(1).integers(0, 2**64, 5000, dtype=np.uint64),
            np.repeat(HIGH, 3),  # equal places
            np.repeat(HIGH, 2) + np.arange(1000, dtype=np.uint64)[::-1],  # that agree in 32 bits
            HIGH[:1],
            HIGH[:0],
        ],
    )
    def test_equal_places_stay_in_their_order(self, places):
        assert order_of(places).tolist() == np.argsort(places, kind="stable").tolist()


class TestFiles:
    def test_every_row_is_in_one_file_in_the_order_of_its_place(self, drafts, tmp_path):
        spills = spilled(drafts, [700, 1, 1299])
        whole = pa.concat_tables(drafts.read(spill, 0, BLOCKS) for spill in spills)
        wanted = whole.sort_by(PLACE).drop_columns(PLACE)
        files = [spark_files.spread_file(drafts, spills, k, 3) for k in range(3)]
        found = pa.concat_tables(pq.read_table(tmp_path / file.name) for file in files)
        assert found.equals(spark_files.without_dictionaries(wanted))
        assert sorted(found["id"].to_pylist()) == list(range(2000))
        declared = wanted["tea"].chunk(0).dictionary
        for file in files:
            coded = pq.read_table(tmp_path / file.name, read_dictionary=["tea"])
            assert coded["tea"].chunk(0).dictionary.equals(declared)
        assert [file.rows for file in files] == [
            pq.read_metadata(tmp_path / file.name).num_rows for file in files
        ]

    def test_the_cuts_of_tasks_leave_no_trace(self, drafts, tmp_path, monkeypatch):
        """Given the same noise and places, files are the same bytes whatever task drew a row."""
        rows = table(2000)
        places = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64)
        found = []
        for cuts in ([2000], [300, 1700], [1, 999, 1000]):
            order = np.random.default_rng(len(cuts)).permutation(2000)
            parts = np.split(order, np.cumsum(cuts)[:-1])
            spills = [
                drafts.write("x", by_place(rows.take(pa.array(part)), places[part], PLACE))
                for part in parts
            ]
            found.append([spark_files.spread_file(drafts, spills, k, 2) for k in range(2)])
        assert found[0] == found[1] == found[2]

    def test_a_file_has_a_million_rows_and_a_release_at_most_256(self):
        counts = [spark_files.number_of_files(n) for n in (1, 2**20, 2**20 + 1, 10**12)]
        assert counts == [1, 1, 2, 256]

    def test_sorted_files_have_so_many_rows(self, drafts, tmp_path):
        halves = table(1000).slice(0, 600), table(1000).slice(600)
        spills = [drafts.write("x", in_order(half)) for half in halves]
        files = [spark_files.sorted_file(drafts, spills, k, 300) for k in range(4)]
        found = [pq.read_table(tmp_path / file.name)["id"].to_pylist() for file in files]
        assert found == [[*range(a, min(a + 300, 1000))] for a in (0, 300, 600, 900)]

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
    def test_dictionaries_come_back_after_sorting(self, drafts, kind):
        (spill,) = spilled(drafts, [500])
        drawn = drafts.read(spill, 0, BLOCKS).drop_columns(PLACE)
        plain = pa.table({"id": drawn["id"], "tea": drawn["tea"].cast(pa.string()).cast(kind)})
        plain = pa.concat_tables([plain.slice(7), plain.slice(0, 7)])
        like = drafts.without_rows(spill)
        found = spark_files.with_dictionaries(plain, like)
        assert found.schema.field("tea").type == drawn.schema.field("tea").type
        assert found["tea"].chunk(0).dictionary.to_pylist() == ["yes", "no"]
        assert found.to_pydict() == plain.to_pydict()
        gone = plain.set_column(1, "tea", pa.array([None] * 500, kind))
        assert spark_files.with_dictionaries(gone, like)["tea"].null_count == 500
        with pytest.raises(WrongShape, match="'tea' holds a value that the plan does not declare"):
            spark_files.with_dictionaries(
                plain.set_column(1, "tea", pa.array(["?"] * 500, kind)), like
            )


def commit(address, files, card="{}", **how):
    sizes = {file.name: file.bytes for file in files}
    spark_folder._commit(address, ".dprivacy-w", card, sizes, replace=how.get("replace", False))


class TestCommit:
    """What happens at the store around a run, on a disk and in an object store's memory."""

    @pytest.fixture(params=["disk", "objects"])
    def store(self, request, tmp_path, monkeypatch):
        kept = Disk(str(tmp_path / "out"))
        if request.param == "objects":
            require("objects")
            from obstore.store import MemoryStore

            kept = Objects(MemoryStore())
        monkeypatch.setattr(spark_folder, "store_at", lambda address: kept)
        return kept

    def run(self, store, word, *, replace=False):
        spark_folder._claim("out", f".dprivacy-{word}", replace=replace)
        drafts = Drafts(store, f".dprivacy-{word}", KEY, STREAM)
        spills = spilled(drafts, [300, 200])
        return [spark_files.spread_file(drafts, spills, k, 2) for k in range(2)]

    def test_the_card_comes_last_and_is_all_that_is_left_beside_the_files(self, store):
        files = self.run(store, "w")
        assert CARD_NAME not in store.sizes()
        commit("out", files)
        assert set(store.sizes()) == {CARD_NAME, *(file.name for file in files)}
        commit("out", files)  # a second try at the same comes to the same
        with pytest.raises(OutputExists, match="another release by now"):
            commit("out", files, '{"other": 1}')
        assert store.read(CARD_NAME) == b"{}"

    def test_what_a_killed_attempt_left_half_written_goes(self, store):
        files = self.run(store, "w")
        store.put(f".{files[0].name.replace('-', '-w')}-0123", b"half")
        commit("out", files)
        assert set(store.sizes()) == {CARD_NAME, *(file.name for file in files)}

    def test_a_folder_belongs_to_one_run(self, store):
        for _ in range(2):  # a task may do it twice
            spark_folder._claim("out", ".dprivacy-w", replace=False)
        self.run(store, "w")
        for replace in (False, True):
            with pytest.raises(OutputExists, match="another run is writing there"):
                spark_folder._claim("out", ".dprivacy-v", replace=replace)

    def test_a_folder_of_something_else_is_left_alone(self, store):
        store.prepare("room")
        store.put("letter.txt", b"dear")
        for replace in (False, True):
            with pytest.raises(OutputExists, match="not empty and holds no release"):
                spark_folder._claim("out", ".dprivacy-v", replace=replace)

    def test_a_file_that_is_missing_or_cut_is_not_committed(self, store):
        files = self.run(store, "w")
        store.put(files[0].name, b"half")
        with pytest.raises(BadFile, match="not all files"):
            commit("out", files)
        assert CARD_NAME not in store.sizes()

    def test_what_a_broken_run_leaves_is_removed(self, store):
        files = self.run(store, "w")
        spark_folder._abandon("out", ".dprivacy-w", files[0].name.split("-")[2][:16], made=True)
        assert store.sizes() == {}

    def test_replacing_exchanges_the_card_and_then_the_files(self, store):
        commit("out", self.run(store, "w"))
        with pytest.raises(OutputExists, match="already exists"):
            self.run(store, "v")
        store.put("part-00000-old.parquet", b"old")
        files = self.run(store, "v", replace=True)
        assert store.read(CARD_NAME) == b"{}"
        spark_folder._commit(
            "out", ".dprivacy-v", '{"new": 1}', {f.name: f.bytes for f in files}, replace=True
        )
        assert store.read(CARD_NAME) == b'{"new": 1}'
        assert set(store.sizes()) == {CARD_NAME, *(file.name for file in files)}
