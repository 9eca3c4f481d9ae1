"""A receipt is for one output: bound to its hash before it appears, and taken back only without it."""

import copy
import hashlib
import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.curves import protect_curves
from dprivacy.errors import BadFile, NotApplicable, OutputExists, WrongKind
from dprivacy.geo import protect_place_file, protect_places
from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger, Receipt, Released, protect_text, read_card, sanitise
from dprivacy.release.files import released_data
from support.release_tables import plan_of

RR = randomised_response(["a", "b", "c"], eps="ln 2")
PLAN = plan_of()
ONE, OTHER = "1" * 64, "2" * 64
TABLE = pa.table({"h": ["a", "b", "c"] * 4})


def kinds(ledger):
    return [entry.body["kind"] for entry in ledger._pages.store.entries()]


def test_a_receipt_is_used_once(book):
    receipt = book.spend({"h": RR})
    book.settle(receipt, ONE)
    book.settle(receipt, ONE)  # which says nothing new
    receipt.settle(ONE)
    assert kinds(book) == ["open", "spend", "settle"]
    for settle in (receipt.settle, lambda sha256: book.settle(receipt, sha256)):
        with pytest.raises(
            NotApplicable, match="entry 2 of the ledger was used for another output"
        ):
            settle(OTHER)
    with pytest.raises(NotApplicable, match="entry 2 has an output"):
        book.cancel(receipt, because="too late")
    assert kinds(book) == ["open", "spend", "settle"]
    assert book.verify([receipt])


def test_what_cannot_be_settled(book):
    receipt = book.spend({"h": RR})
    for wrong in ("", "1" * 63, "G" * 64, "A" * 64, b"1" * 64, None):
        with pytest.raises(WrongKind, match="SHA-256 in hexadecimal"):
            book.settle(receipt, wrong)
    for strange in (replace(receipt, ledger="0" * 32), replace(receipt, head=ONE)):
        with pytest.raises(NotApplicable, match="not of an entry of this ledger"):
            book.settle(strange, ONE)
    with pytest.raises(NotApplicable, match="spends nothing"):
        book.settle(book.budget("survey", 1), ONE)
    book.cancel(receipt, because="nothing came out")
    with pytest.raises(NotApplicable, match="entry 2 of the ledger was cancelled"):
        book.settle(receipt, ONE)
    with pytest.raises(NotApplicable, match="does not know where its ledger is"):
        Receipt.from_dict(receipt.to_dict()).settle(ONE)
    assert kinds(book) == ["open", "spend", "budget", "cancel"]


def test_a_saved_table_is_bound_to_its_file(book, tmp_path):
    released = sanitise(TABLE, PLAN, ledger=book)
    assert kinds(book) == ["open", "spend"]
    released.save(tmp_path / "out.csv")
    assert kinds(book) == ["open", "spend", "settle"]
    sha256 = hashlib.sha256((tmp_path / "out.csv").read_bytes()).hexdigest()
    assert book._pages.store.output(2) == sha256
    assert read_card(tmp_path / "out.csv.card.json").output["sha256"] == sha256
    released.save(tmp_path / "copy.csv")  # the same bytes
    with pytest.raises(NotApplicable, match="copy or convert the file that was saved"):
        released.save(tmp_path / "out.parquet")
    assert {path.name for path in tmp_path.glob("*out*")} == {"out.csv", "out.csv.card.json"}
    assert book.verify([released.card, *tmp_path.glob("*.card.json")])


def test_the_ledger_may_be_closed_before_the_table_is_saved(where, tmp_path):
    with Ledger(**where, open=True) as ledger:
        released = sanitise(TABLE, PLAN, ledger=ledger)
    released.save(tmp_path / "out.csv")
    with Ledger(**where) as ledger:
        assert kinds(ledger) == ["open", "spend", "settle"]
        assert ledger.verify([tmp_path / "out.csv.card.json"])


def test_an_output_that_exists_is_refused_before_it_is_paid_for(book, tmp_path):
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(OutputExists):
        sanitise(TABLE, PLAN, ledger=book, output=tmp_path / "out.csv")
    assert kinds(book) == ["open"]
    sanitise(TABLE, PLAN, ledger=book, output=tmp_path / "out.csv", replace=True)
    assert kinds(book) == ["open", "spend", "settle"]
    assert book.verify([tmp_path / "out.csv.card.json"])


def test_without_its_ledger_a_release_is_not_saved(book, tmp_path):
    released = sanitise(TABLE.to_pandas(), PLAN, ledger=book)
    bare = Released(released.data, released.card, released.writer)
    with pytest.raises(NotApplicable, match="the receipt of entry 2 of a ledger"):
        bare.save(tmp_path / "out.csv")
    for sent in (pickle.loads(pickle.dumps(released)), copy.deepcopy(released)):
        assert sent.receipt == released.receipt
        with pytest.raises(NotApplicable, match="does not know where its ledger is"):
            sent.save(tmp_path / "out.csv")
    assert not list(tmp_path.glob("*out*"))


def test_a_password_does_not_travel_with_a_receipt(postgres, tmp_path):
    url = postgres.replace("ledger@", "ledger:hunter2canary@")
    with Ledger(url, key=tmp_path / "key", schema="travel", open=True) as ledger:
        receipt = ledger.spend({"h": RR})
    assert "hunter2canary" not in repr(receipt)
    assert b"hunter2canary" not in pickle.dumps(receipt)
    receipt.settle(ONE)


def test_an_output_that_cannot_be_put_in_place_is_not_free(book, tmp_path, monkeypatch):
    """After the hash is noted the entry stays, since part of the output may be there."""
    source = tmp_path / "in.csv"
    source.write_text("lat,lon\n48.1,11.5\n48.2,11.6\n")

    def failing(self):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(released_data.Workplace, "sync", failing)
        with pytest.raises(BadFile):
            protect_place_file(
                source, tmp_path / "out.csv", radius="200 m", region="48,11,50 km", ledger=book
            )
    assert kinds(book) == ["open", "spend", "settle"]
    assert not book.spent(column="places").is_zero


def in_arrow(ledger):
    return sanitise(TABLE, PLAN, ledger=ledger)


def in_pandas(ledger):
    return sanitise(TABLE.to_pandas(), PLAN, ledger=ledger)


def curves(ledger):
    return protect_curves(np.ones((2, 24)), eps=1, grid=1, size=2, bounds=(0, 10), ledger=ledger)


def places(ledger):
    return protect_places([48.1], [11.5], radius="200 m", region="48,11,50 km", ledger=ledger)


def words(ledger):
    return protect_text("we saw the old bridge", eps=8, ledger=ledger)


EXITS = [
    (release, ending)
    for release, endings in {
        in_arrow: ["csv", "parquet"],
        in_pandas: ["csv", "parquet"],
        curves: ["csv", "parquet"],
        places: ["csv", "parquet", "geojson"],
        words: ["txt"],
    }.items()
    for ending in endings
]


@pytest.mark.parametrize(("release", "ending"), EXITS)
def test_every_release_is_bound_and_may_be_saved_again(tmp_path, release, ending):
    with Ledger(tmp_path / "ledger.db", open=True) as ledger:
        released = release(ledger)
        for name in ("one", "two"):
            released.save(tmp_path / f"{name}.{ending}")
        assert kinds(ledger) == ["open", "spend", "settle"]
        verdict = ledger.verify(tmp_path.glob("*.card.json"))
        assert verdict, verdict.explain()
        assert verdict.cards == 2
