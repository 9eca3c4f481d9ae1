"""What the room Collect says of a book, without a browser."""

import os

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.collecting import charge, findings, new_book, open_book
from dprivacy.errors import BadFile, NotApplicable
from dprivacy.release import Ledger, prove_card, received
from dprivacy.web.pages import live_collection as live
from dprivacy.web.shell.desk import Desk
from support.collections_asked import asked

DAY = 20_000


@pytest.fixture
def drawer(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    desk = Desk()
    yield desk.drawer()
    desk.close()


def filled(folder, reports, collection=None):
    book = new_book(str(folder / "book.db"), collection or asked("response", name="drink"))
    book.add([os.urandom(16) for _ in reports], reports, DAY)
    return book


def test_what_it_says_is_what_the_command_line_says(tmp_path):
    book = filled(tmp_path, [0] * 400 + [1] * 300 + [2, 3, 4] * 100)
    look, found = live.Look.at(book), findings(book.tally())
    book.release()
    assert look.headline() == "1,000 reports; the collection is open"
    errors = found.estimate.errors()
    assert [row[0] for row in look.rows()][:2] == ["tea", "coffee"]
    for label, people, error, _ in look.rows():
        assert people == f"{float(found.estimate.counts[label]):,.0f}"
        assert error == f"{errors[label]:,.0f}"
    # Two counts are moved apart by 1/(p − q) = 7/2 people a report: 350 people are 100 reports.
    assert look.leads()[0] == (
        "“tea” is ahead of “coffee” by 350: as few as 100 fake reports could have done that."
    )
    bars = look.bars()
    assert bars["data"][0]["y"] == [float(n) for n in sorted(found.estimate.counts.values())[::-1]]
    assert bars["layout"]["xaxis"]["ticktext"][:2] == ["tea", "coffee"]


def test_estimates_are_made_anew_only_where_there_is_something_new(tmp_path):
    book = filled(tmp_path, [0, 1])
    before = live.Look.at(book)
    assert before.since(book) is before
    book.add([os.urandom(16)], [2], DAY)
    after = before.since(book)
    assert (after.n, after.closed) == (3, False)
    book.close_collection()
    assert after.since(book).closed
    book.release()


def test_an_empty_book(tmp_path):
    book = filled(tmp_path, [])
    look = live.Look.at(book)
    book.release()
    assert look.headline() == "There are no reports yet"
    assert look.rows() == look.leads() == []


def test_reports_that_are_counted_by_label_give_estimates_and_no_table(tmp_path):
    book = new_book(str(tmp_path / "book.db"), asked("wide unary"))
    assert "Estimates are all that it can give: unary_response(40 labels" in live.promised(book)
    book.release()


def test_looking_takes_the_book_from_nobody(tmp_path):
    book = filled(tmp_path, [0])
    looking = live.opened(f" {book.name} ", "")
    assert live.Look.at(looking).n == 1
    book.add([os.urandom(16)], [0], DAY)
    assert live.Look.at(looking).n == 2
    looking.release()
    book.release()


@pytest.mark.parametrize("place", ["", "  ", "nowhere.db", "/", "/etc/passwd"])
def test_what_is_no_book_is_refused_in_words(place):
    with pytest.raises(BadFile):
        live.opened(place, "")


def test_the_invented_collection_becomes_a_release(drawer):
    book = live.invented(drawer)
    assert live.promised(book) == (
        "3 answers, each reported with ε = 1. The table will have one column, “texting”."
    )
    assert book.collection.wire.hash in live.snippet(book)
    card, output = live.released(book, drawer, "")
    assert live.Look.at(book).headline() == "2,000 reports; the collection is closed"
    again, same = live.released(book, drawer, "")
    assert (again.count, same) == (card.count, output)
    book.release()
    assert card.count == 2000
    assert output.parent == drawer.folder
    assert prove_card(received(output).card, file=output)


def test_a_ledger_that_was_charged_gives_its_receipt(tmp_path, drawer, monkeypatch):
    monkeypatch.delenv("DPRIVACY_LEDGER", raising=False)
    asked_for = asked("response", name="drink").charged("students")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.budget("students", "ln 8", unit="row")
        charge(asked_for, ledger, "students")
    book = filled(tmp_path, [0] * 9, asked_for)
    assert "charged to account “students”" in live.promised(book)
    with pytest.raises(NotApplicable, match="name that ledger"):
        live.released(book, drawer, "")
    assert not book.is_closed()
    card, _ = live.released(book, drawer, str(tmp_path / "ledger.db"))
    assert card.receipt
    book.release()


def test_a_name_that_is_a_path_stays_in_the_drawer(tmp_path, drawer):
    book = filled(tmp_path, [0] * 9, asked("response", name="../../outside"))
    _, output = live.released(book, drawer, "")
    book.release()
    assert output.parent == drawer.folder


def test_a_book_in_use_can_be_closed_by_who_looks(tmp_path):
    book = filled(tmp_path, [0] * 9)
    looking = live.opened(book.name, "")
    looking.close_collection()
    with pytest.raises(NotApplicable, match="closed"):
        book.add([os.urandom(16)], [0], DAY)
    looking.release()
    book.release()
    assert open_book(book.name, reading=True).is_closed()
