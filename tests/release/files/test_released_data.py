"""The one writer: data with their card beside them, or nothing at all."""

import os
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, NotApplicable, OutputExists, PrivacyLeakWarning, Unfinished
from dprivacy.release import Card, Released, received, sanitise
from dprivacy.release.files import released_data
from dprivacy.release.files.own_files import Workplace, file_hash
from dprivacy.release.files.released_data import write_released, write_text
from dprivacy.release.plans.release_card import StatedGuarantee, read_card
from support.release_tables import left_over, plan_of

STATED = StatedGuarantee("ln(2)", sentence="At most 2.")
CARD = Card.of("text", STATED, count=2, secure=True, mechanisms={"": {"radius": Fraction(1, 2)}})
LETTERS = ["a", "b", "c", "a"] * 30


def test_the_card_says_what_was_written(tmp_path):
    card = write_released(Released("good day", CARD, write_text), tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "good day"
    assert card.output == {"name": "letter.txt", "sha256": file_hash(tmp_path / "letter.txt")}
    assert read_card(tmp_path / "letter.txt.card.json") == card
    assert left_over(tmp_path) == []


def test_what_exists_is_kept(tmp_path):
    released = Released("good day", CARD, write_text)
    for taken in ("letter.txt", "letter.txt.card.json"):
        (tmp_path / taken).write_text("old")
        with pytest.raises(OutputExists, match="already exists; choose another name"):
            released.save(tmp_path / "letter.txt")
        assert (tmp_path / taken).read_text() == "old"
        released.save(tmp_path / "letter.txt", replace=True)
        for path in tmp_path.iterdir():
            path.unlink()
    (tmp_path / "letter.txt").mkdir()
    with pytest.raises(BadFile, match="is a folder"):
        released.save(tmp_path / "letter.txt", replace=True)


def test_no_data_without_a_card(tmp_path, monkeypatch):
    """Whatever fails, at whichever step: the card is there before the data, or neither is."""
    real, steps = os.replace, []

    def replace(source, target):
        steps.append(target.name)
        if len(steps) == 2:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(BadFile, match="No space left"):
        Released("good day", CARD, write_text).save(tmp_path / "letter.txt")
    assert steps == ["letter.txt.card.json", "letter.txt"]
    assert not (tmp_path / "letter.txt").exists()
    assert left_over(tmp_path) == []


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    def broken(data, file, path):
        file.write(b"half")
        raise BadFile("no")

    with pytest.raises(BadFile):
        Released("good day", CARD, broken).save(tmp_path / "letter.txt")
    assert list(tmp_path.iterdir()) == []


def test_two_writers_do_not_meet(tmp_path):
    with Workplace(tmp_path / "letter.txt").held(), pytest.raises(Unfinished):
        Released("good day", CARD, write_text).save(tmp_path / "letter.txt")


def test_only_the_owner_may_read_while_it_is_written(tmp_path):
    seen = []

    def watched(data, file, path):
        seen.append(Workplace(path).output_part.stat().st_mode & 0o077)
        file.write(data.encode())

    Released("good day", CARD, watched).save(tmp_path / "letter.txt")
    assert seen == [0]


def test_what_has_no_writer_says_so(tmp_path):
    with pytest.raises(NotApplicable, match="a release of str cannot be saved"):
        Released("good day", CARD).save(tmp_path / "letter.txt")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "table", [pd.DataFrame({"h": LETTERS}), pl.DataFrame({"h": LETTERS}), pa.table({"h": LETTERS})]
)
def test_tables_of_every_kind(tmp_path, table, ending):
    released = sanitise(table, plan_of())
    released.save(tmp_path / f"out.{ending}")
    file, hand = received(tmp_path / f"out.{ending}"), received(released)
    assert file.counts(["h"]) == hand.counts(["h"])
    assert file.estimate("h").counts == hand.estimate("h").counts


def test_an_index_and_metadata_stay_behind(tmp_path):
    frame = pd.DataFrame({"h": LETTERS}, index=range(1000, 1120))
    with pytest.warns(PrivacyLeakWarning, match="the index is not published"):
        sanitise(frame, plan_of()).save(tmp_path / "out.parquet")
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert (schema.names, schema.metadata) == (["h"], None)


def test_sanitise_writes_where_it_is_told(tmp_path):
    released = sanitise(pa.table({"h": LETTERS}), plan_of(), output=tmp_path / "out.csv")
    assert released.card == read_card(tmp_path / "out.csv.card.json")
    assert received(tmp_path / "out.csv").counts(["h"]) == received(released).counts(["h"])


def test_categories_in_hand_are_counted(tmp_path):
    frame = pd.DataFrame({"h": pd.Categorical(LETTERS)})
    assert sum(received(sanitise(frame, plan_of())).counts(["h"]).values()) == len(LETTERS)


def test_other_endings(tmp_path):
    with pytest.raises(BadFile, match=r"\.csv, \.parquet or \.jsonl, not as '\.xls'"):
        sanitise(pa.table({"h": LETTERS}), plan_of()).save(tmp_path / "out.xls")
    assert list(tmp_path.iterdir()) == []
    assert released_data.as_arrow(pl.DataFrame({"h": ["a"]})).num_rows == 1


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize(
    "column", [["CANARY", 2], [{"a": 1}, [1]], [1j, 2], pd.arrays.SparseArray([0, 1])]
)
def test_columns_that_no_file_can_hold(tmp_path, column, ending):
    plan = plan_of(pass_through=["x"])
    released = sanitise(pd.DataFrame({"h": ["a", "b"], "x": column}), plan)
    with pytest.raises(BadFile, match="cannot hold a column that is passed through") as refused:
        released.save(tmp_path / f"out{ending}")
    assert "CANARY" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []
