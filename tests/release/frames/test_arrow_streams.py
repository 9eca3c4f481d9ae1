"""Streams: drawn once while they are read, charged once before, and never held as a whole."""

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from dprivacy.errors import (
    BudgetExceeded,
    InsecureSeedWarning,
    NotApplicable,
    PrivacyLeakWarning,
    UnknownCategory,
    WrongKind,
    WrongShape,
)
from dprivacy.numbers import ln
from dprivacy.release import Ledger, prove_card, sanitise, sanitise_stream
from dprivacy.release.files import row_chunks
from support.release_tables import plan_of

CANARY = "CANARY-7f3a"
TABLE = pa.table({"h": ["a", "b", "c"] * 40, "x": list(range(120))})
PLAN = plan_of(pass_through=["x"])


class Counted:
    """A stream that notes how many batches were taken from it."""

    def __init__(self, *columns):
        self.taken = 0
        self.schema = pa.schema([("h", pa.string())])
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.RecordBatchReader.from_batches(self.schema, self.made()).__arrow_c_stream__()

    def made(self):
        for column in self.columns:
            self.taken += 1
            yield pa.record_batch({"h": pa.array(column, pa.string())})


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(row_chunks, "CHUNK", 10)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.db") as found:
        found.budget("survey", "ln 4")
        yield found


@pytest.mark.parametrize(
    "made",
    [
        lambda: TABLE.to_reader(max_chunksize=7),
        lambda: TABLE,
        lambda: pl.from_arrow(TABLE),
        lambda: duckdb.from_arrow(TABLE),
    ],
    ids=["reader", "table", "Polars", "DuckDB"],
)
def test_the_rows_are_those_of_the_table(made, small):
    with pytest.warns(InsecureSeedWarning):
        whole = sanitise(TABLE, PLAN, insecure_seed=5)
    with pytest.warns(InsecureSeedWarning):
        parts = sanitise_stream(made(), PLAN, insecure_seed=5)
    found = parts.data.read_all()
    assert [len(chunk) for chunk in found["h"].chunks] == [10] * 12
    assert found.schema == whole.data.schema
    assert found["x"].to_pylist() == list(range(120))
    assert parts.card.to_dict() == whole.card.to_dict()


@pytest.mark.parametrize("way", ["stream", "table"])
def test_texts_of_polars_are_views_and_are_taken(way, small):
    """In a column of texts, of categories, and in one that is passed through, in several pieces."""
    frame = pl.DataFrame({
        "h": pl.Series(list("abc") * 8, dtype=pl.Categorical),
        "e": pl.Series(list("xy") * 12, dtype=pl.Enum(["x", "y", "secret"])),
        "note": ["the king", "a river", ""] * 8,
    })  # fmt: skip
    note = {"type": "text", "epsilon": 2, "length": 3}
    values = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"}
    plan = {"columns": {"h": values, "note": note}, "pass_through": ["e"]}
    reader = pa.RecordBatchReader.from_stream(pl.concat([frame, frame], rechunk=False))
    table = reader.read_all()
    assert "string_view" in str(table.schema)
    with pytest.warns(PrivacyLeakWarning):
        found = (
            sanitise_stream(table, plan).data.read_all()
            if way == "stream"
            else sanitise(table, plan).data
        )
    assert found["e"].to_pylist() == ["x", "y"] * 24
    assert not any("secret" in each.dictionary.to_pylist() for each in found["e"].chunks)
    assert set(found["h"].to_pylist()) <= set("abc")
    assert {len(words.split()) for words in found["note"].to_pylist()} == {3}


def test_the_noise_is_that_of_the_plan(small):
    found = sanitise_stream(pa.table({"h": ["a"] * 6000}), plan_of()).data.read_all()
    kept = found["h"].to_pylist().count("a") / 6000
    assert kept == pytest.approx(1 / 2, abs=0.04)  # six standard errors


def test_batches_are_taken_as_they_are_needed(small):
    stream = Counted(*[["a", "b"] * 5] * 20)
    released = sanitise_stream(stream, plan_of())
    for read in range(1, 20):
        released.data.read_next_batch()
        assert stream.taken <= read + 1
    with pytest.raises(NotApplicable, match="was not read to its end"):
        _ = released.card
    assert "200 rows" not in str(released.explain())
    assert len(released.data.read_all()) == 10
    assert released.card.count == 200
    assert prove_card(released.card)


def test_cuts_do_not_depend_on_the_pieces(small):
    for sizes in ([25], [1] * 25, [3, 0, 21, 1]):
        stream = Counted(*[["a"] * size for size in sizes])
        released = sanitise_stream(stream, plan_of())
        assert [batch.num_rows for batch in released.data] == [10, 10, 5]


def test_duckdb_and_polars_take_it_and_cannot_draw_it_twice():
    released = sanitise_stream(duckdb.from_arrow(TABLE), PLAN)
    connection = duckdb.connect()
    connection.register("stream", released.data)
    connection.execute("CREATE TABLE clean AS FROM stream")
    assert connection.sql("SELECT count(*), sum(x) FROM clean").fetchall() == [(120, 7140)]
    assert released.card.count == 120
    with pytest.raises(duckdb.Error, match="already been consumed"):
        connection.sql("FROM stream").fetchall()
    frame = pl.DataFrame(sanitise_stream(pl.from_arrow(TABLE), PLAN).data)
    assert frame["x"].to_list() == list(range(120))


class DrawsAgain:
    """The planted fault: a stream that is sanitised anew whenever somebody asks."""

    def __init__(self):
        self.drawn = []

    def __arrow_c_stream__(self, requested_schema=None):
        self.drawn.append(sanitise_stream(TABLE, PLAN))
        return self.drawn[-1].data.__arrow_c_stream__(requested_schema)


def test_why_a_reader_comes_out_and_not_an_object_with_the_interface():
    """DuckDB asks such an object for its types and again for its rows, and all would be drawn anew."""
    fault, connection = DrawsAgain(), duckdb.connect()
    connection.register("stream", fault)
    connection.execute("CREATE TABLE clean AS FROM stream")
    assert len(fault.drawn) > 1


def test_a_ledger_is_charged_once_before_anything_is_drawn(small, ledger):
    released = sanitise_stream(TABLE, PLAN, ledger=ledger.account("survey"))
    assert ledger.spent("survey").eps == ln(2)
    released.data.read_all()
    assert ledger.spent("survey").eps == ln(2)
    assert released.card.receipt["nonce"]
    sanitise_stream(TABLE, PLAN, ledger=ledger.account("survey"))
    with pytest.raises(BudgetExceeded):
        sanitise_stream(TABLE, PLAN, ledger=ledger.account("survey"))


def test_what_was_charged_stays_once_rows_have_left(small, ledger):
    """A first batch that is refused costs nothing; a later one does, since others are out."""
    with pytest.raises(UnknownCategory, match="row 1"):
        sanitise_stream(Counted(["a", CANARY]), plan_of(), ledger=ledger.account("survey"))
    assert ledger.spent("survey").is_zero
    stream = Counted(["a"] * 10, ["b", CANARY])
    released = sanitise_stream(stream, plan_of(), ledger=ledger.account("survey"))
    assert released.data.read_next_batch().num_rows == 10
    with pytest.raises(UnknownCategory, match="row 11") as refused:
        released.data.read_next_batch()
    assert CANARY not in str(refused.value)
    assert ledger.spent("survey").eps == ln(2)
    with pytest.raises(NotApplicable, match="not read to its end"):
        _ = released.card


def test_what_another_library_says_of_a_refusal_quotes_no_cell(small):
    released = sanitise_stream(Counted(["a"] * 10, ["b", CANARY]), plan_of())
    with pytest.raises(duckdb.Error, match="UnknownCategory") as refused:
        duckdb.connect().from_arrow(released.data).fetchall()
    assert CANARY not in str(refused.value)


def test_a_stream_that_breaks_quotes_no_cell():
    class Breaks(Counted):
        def made(self):
            yield pa.record_batch({"h": ["a"]})
            raise ValueError(CANARY)

    with pytest.raises(WrongKind, match=r"cannot be read \(ArrowInvalid\)") as refused:
        sanitise_stream(Breaks(), plan_of())
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    ("stream", "plan", "error", "words"),
    [
        (TABLE, plan_of(unit="x"), NotApplicable, "known at the end of a stream alone"),
        (Counted([]), plan_of(), WrongShape, "the stream holds no rows"),
        ([["a"]], plan_of(), WrongKind, "a stream is a RecordBatchReader .* not list"),
        (pa.chunked_array([["a"]]), plan_of(), WrongKind, "cannot be read"),
    ],
)
def test_refusals(stream, plan, error, words):
    with pytest.raises(error, match=words):
        sanitise_stream(stream, plan)
