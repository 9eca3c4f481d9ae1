"""A book in a file: runs of ids, one collector at a time, nothing about people in it."""

import json
import os
import secrets
import sqlite3
from contextlib import closing, contextmanager

import pytest

from dprivacy.collecting import close_book, open_book
from dprivacy.collecting.books import sqlite_book
from dprivacy.collecting.books.sqlite_book import SQLiteBook
from dprivacy.errors import BadFile, NotStored
from support.collections_asked import asked
from support.programs import run_program

DAY = 20_000


@pytest.fixture
def book(tmp_path):
    made = SQLiteBook(tmp_path / "book.db", asked("projective"))
    yield made
    made.release()


def ids(n):
    return [secrets.token_bytes(16) for _ in range(n)]


def test_repeats_are_found_in_runs_of_every_level(book, monkeypatch):
    monkeypatch.setattr(sqlite_book, "_RECENT", 10)
    monkeypatch.setattr(sqlite_book, "_RUNS", 3)
    every = []
    for _ in range(53):
        some = ids(7)
        every += some
        assert all(book.add(some, [0] * 7, DAY))
    levels = {level for (level,) in book._connection.execute("SELECT level FROM seen")}
    assert levels == {0, 1, 2}
    assert sum(map(len, book._recent.values())) < 10
    for some in every:
        assert book.add([some], [1], DAY) == [False]
    assert book.tally().counters == {0: 371}
    again = SQLiteBook(book._path)
    assert again.add(every, [1] * 371, DAY + 1) == [False] * 371
    assert again.add(every[:3], [1] * 3, DAY + 2) == [True] * 3
    assert again.tally().n == 374
    again.release()


def test_only_who_opened_the_book_last_counts(book, tmp_path):
    other = open_book(str(tmp_path / "book.db"))
    with pytest.raises(NotStored, match="another collector has opened this book"):
        book.add(ids(1), [0], DAY)
    assert other.add(ids(1), [0], DAY) == [True]
    other.release()


def test_who_only_looks_takes_nothing_away(book, tmp_path):
    looking = open_book(str(tmp_path / "book.db"), reading=True)
    assert book.add(ids(1), [0], DAY) == [True]
    assert looking.tally().n == 1
    with pytest.raises(NotStored, match="another collector"):
        looking.add(ids(1), [0], DAY)
    looking.release()


def test_a_file_that_was_removed_takes_nothing(book):
    os.remove(book.name)
    with pytest.raises(NotStored, match="the disk refuses"):
        book.add(ids(1), [0], DAY)


def test_a_full_disk_counts_nothing_and_forgets_nothing(book):
    kept = ids(5)
    book.add(kept, [0] * 5, DAY)
    pages = book._connection.execute("PRAGMA page_count").fetchone()[0]
    book._connection.execute(f"PRAGMA max_page_count={pages}")
    sent = ids(2000)
    with pytest.raises(NotStored, match="try again later"):
        book.add(sent, [1] * 2000, DAY)
    assert book.tally().counters == {0: 5}
    book._connection.execute("PRAGMA max_page_count=1000000")
    assert all(book.add(sent, [1] * 2000, DAY))
    assert book.add(kept, [0] * 5, DAY) == [False] * 5
    assert book.tally().counters == {0: 5, 1: 2000}


def test_only_the_owner_may_read_it(book):
    assert os.stat(book.name).st_mode & 0o777 == 0o600


def test_it_syncs_every_commit_to_a_log(book):
    ask = book._connection.execute
    assert ask("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert ask("PRAGMA journal_mode").fetchone() == ("wal",)


def test_it_holds_counters_days_and_sorted_ids_and_nothing_else(book, tmp_path):
    some = ids(50)
    book.add(some, [0] * 50, DAY)
    with sqlite3.connect(tmp_path / "book.db") as other:
        names = {
            name
            for (name,) in other.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")
        }
        (row,) = other.execute("SELECT day, ids FROM seen").fetchall()
        about = {name for (name,) in other.execute("SELECT name FROM about")}
    other.close()
    assert names == {"about", "counts", "seen"}
    assert row == (DAY, b"".join(sorted(some)))
    assert about == {"format", "collection", "closed", "holder"}


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(200)])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "other.db").write_bytes(content)
    with pytest.raises(BadFile, match="is not the book"):
        open_book(str(tmp_path / "other.db"))


def facts(**told):
    """A change of what a book says is asked."""

    def change(run):
        (text,) = run("SELECT value FROM about WHERE name = 'collection'").fetchone()
        kept = {**json.loads(text), **told}
        run("UPDATE about SET value = ? WHERE name = 'collection'", [json.dumps(kept)])

    return change


def sql(text):
    return lambda run: run(text)


CHANGES = {
    "no JSON": sql("UPDATE about SET value = '{' WHERE name = 'collection'"),
    "a list": sql("UPDATE about SET value = '[]' WHERE name = 'collection'"),
    "nested": sql(f"UPDATE about SET value = '{'[' * 100_000}' WHERE name = 'collection'"),
    "another key": facts(more=1),
    "numbers": facts(mechanism=1, question=2, name=3),
    "a question that is a list": facts(question=["?"]),
    "a ledger that is a number": facts(ledger=5),
    "a mark that is none": facts(mark="zz"),
    "another mechanism": facts(mechanism="{}"),
    "neither open nor closed": sql("DELETE FROM about WHERE name = 'closed'"),
    "a counter outside": sql("INSERT INTO counts VALUES (7, 1)"),
    "a counter below": sql("INSERT INTO counts VALUES (-2, 1)"),
    "a negative number": sql("UPDATE counts SET n = -1 WHERE slot = 0"),
    "a text": sql("UPDATE counts SET n = 'x' WHERE slot = 0"),
    "a fraction": sql("UPDATE counts SET n = 1.5 WHERE slot = 0"),
    "a number beyond": sql("UPDATE counts SET n = 9223372036854775807 WHERE slot = 0"),
    "another sum": sql("UPDATE counts SET n = 500 WHERE slot = -1"),
    "a table is missing": sql("DROP TABLE counts"),
    "a view": lambda run: (run("DROP TABLE counts"), run("CREATE VIEW counts AS SELECT 0, 1")),
    "a trigger": sql("CREATE TRIGGER t AFTER INSERT ON seen BEGIN DELETE FROM counts; END"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_book_that_somebody_changed_is_refused_in_words_and_not_closed(book, change):
    book.add(ids(5), range(5), DAY)
    book.release()
    with other_hand(book) as run:
        CHANGES[change](run)
    for use in (SQLiteBook.tally, close_book):
        with pytest.raises(BadFile), closing_book(book.name) as found:
            use(found)
    with other_hand(book) as run:
        closed = "SELECT count(*) FROM about WHERE name = 'closed' AND value = 'yes'"
        assert run(closed).fetchone() == (0,)


@contextmanager
def other_hand(book):
    """What runs SQL on a book, past the library."""
    with closing(sqlite3.connect(book.name, isolation_level=None)) as connection:
        yield connection.execute


@contextmanager
def closing_book(name):
    found = open_book(name, reading=True)
    try:
        yield found
    finally:
        found.release()


@pytest.mark.parametrize("ids", ["x'0011'", "'sixteen letters!'", "5"])
def test_ids_that_somebody_changed_are_refused(book, ids):
    book.release()
    with other_hand(book) as run:
        run(f"INSERT INTO seen VALUES (9, x'00', {DAY}, 1, {ids})")
    with pytest.raises(BadFile, match="its ids cannot be read"):
        open_book(book.name)


def test_what_cannot_be_read_is_said_in_words(book):
    """SQLite's own errors would leave the library, and stop a collector's answer."""
    with other_hand(book) as run:
        run("DROP TABLE counts")
    with pytest.raises(NotStored, match="refuses to read counters"):
        book.tally()


def test_what_is_forgotten_is_in_no_file(book, tmp_path):
    old, kept = ids(200), ids(200)
    book.add(old, [0] * 200, DAY)
    book.add(kept, [0] * 200, DAY + 2)
    book.release()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(ident in written for ident in old)
    assert all(ident in written for ident in kept)
    with closing_book(book.name) as again:
        again.close_collection()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(ident in written for ident in kept)


def test_nothing_says_which_of_a_commit_came_first(book):
    some = sorted(ids(9))
    book.add(some[::-1], [0] * 9, DAY)
    (first,) = book._connection.execute("SELECT first FROM seen").fetchone()
    assert first == some[0]


def test_a_clock_that_is_put_back_makes_nothing_count_twice(book):
    late, early = ids(3), ids(3)
    book.add(late, [0] * 3, DAY + 1)
    book.add(early, [0] * 3, DAY)
    for day in (DAY, DAY + 1):
        assert book.add([*late, *early], [1] * 6, day) == [False] * 6


def test_one_who_only_looks_forgets_nothing(book, tmp_path):
    some = ids(1)
    book.add(some, [0], DAY)
    with pytest.raises(NotStored), closing_book(book.name) as looking:
        looking.add(ids(1), [0], DAY + 9)
    again = SQLiteBook(tmp_path / "book.db")
    assert again.add(some, [0], DAY) == [False]
    again.release()


@pytest.mark.parametrize("refused", [1, 2, 3, 4])
def test_a_disk_that_is_full_while_runs_are_made_forgets_nothing(book, monkeypatch, refused):
    """At midnight there are two days to make runs of; either may fail, as may the list of runs."""
    monkeypatch.setattr(sqlite_book, "_RECENT", 12)
    first, second = ids(6), ids(6)
    book.add(first, [0] * 6, DAY)
    calls = iter(range(1, 100))

    def refusing(work):
        def done(*told):
            if next(calls) == refused:
                raise sqlite3.OperationalError("database or disk is full")
            return work(*told)

        return done

    with monkeypatch.context() as full:
        for name in ("_merge", "_look_up"):
            full.setattr(book, name, refusing(getattr(book, name)))
        assert all(book.add(second, [0] * 6, DAY + 1))
    for _ in range(2):  # also after runs were made at last
        assert book.add([*first, *second], [1] * 12, DAY + 1) == [False] * 12
        assert book.add(ids(12), [0] * 12, DAY + 1) == [True] * 12


def test_a_book_that_cannot_be_made_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_book, "TABLES", ("CREATE TABLE",))
    with pytest.raises(BadFile):
        SQLiteBook(tmp_path / "book.db", asked("projective"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_memory_does_not_grow_with_reports():
    """Ten million reports of one day: memory at the end is what it was at the first million."""
    done = run_program("ten_million_reports")
    assert done.returncode == 0, done.stderr
    first, last = map(int, done.stdout.split())
    assert last - first < 32 << 20
