"""A book in a file: runs of ids, one collector at a time, nothing about people in it."""

import os
import secrets
import sqlite3

import pytest

from dprivacy.collecting import open_book
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
    with pytest.raises(NotStored, match="send them again later"):
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


@pytest.mark.slow
def test_memory_does_not_grow_with_reports():
    """Ten million reports of one day: memory at the end is what it was at the first million."""
    done = run_program("ten_million_reports")
    assert done.returncode == 0, done.stderr
    first, last = map(int, done.stdout.split())
    assert last - first < 32 << 20
