"""A collection in one file: SQLite, write-ahead log, synced at every commit."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from dprivacy.collecting.books.collection_book import (
    Book,
    Collection,
    collection_in,
    facts_of,
    refuse_closed,
)
from dprivacy.collecting.books.seen_ids import (
    SIZE,
    IdFilter,
    chunks,
    in_sorted,
    joined,
    sorted_run,
    split,
)
from dprivacy.errors import BadFile, NotStored, OutputExists

TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE counts (slot INTEGER PRIMARY KEY, n INTEGER NOT NULL)",
    "CREATE TABLE seen (run INTEGER NOT NULL, first BLOB NOT NULL, day INTEGER NOT NULL, "
    "level INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY (run, first))",
)
_RECENT = 1 << 16  # ids in memory before they become a run
_RUNS = 16  # short ones that become one long one
_SHORT = 1  # the level of runs that were commits, of level 0, before
_PATIENCE = 20.0  # seconds to wait for who reads


class SQLiteBook(Book):
    """A book in a file that its owner alone may read.

    A commit appends its ids, sorted, as one row: an index of random ids would rewrite a page for each.
    Now and then rows become sorted runs; see `seen_ids`. Only the collector that opened the book last
    counts in it, since what was seen is known in its memory.

    Parameters
    ----------
    path
        The file.
    collection
        What is asked, for a new book; None opens one that is there.
    reading
        Whether only to look: who looks does not take the book from who counts.
    """

    def __init__(
        self, path: Path, collection: Collection | None = None, *, reading: bool = False
    ) -> None:
        self.name, self._path = str(path), path
        if collection is not None:
            _make(path)
        if not path.is_file():
            raise BadFile(f"{path}: no book is here; `dprivacy collect serve` begins one")
        self._connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        self._recent: dict[int, set[bytes]] = {}
        self._filters: dict[int, IdFilter] = {}
        self._runs: list[int] = []
        self._last_run = 0
        self._day = -1
        self._own = ""
        try:
            self._open(collection, reading)
        except BaseException as reason:
            self._connection.close()
            if collection is not None:
                path.unlink()  # nothing is left in the way of another attempt
            if isinstance(reason, sqlite3.Error):
                raise BadFile(f"{path}: is not the book of a collection ({reason})") from None
            raise
        self._inode = os.stat(path).st_ino

    def _open(self, collection: Collection | None, reading: bool) -> None:
        run = self._connection.execute
        for pragma in (
            "trusted_schema=OFF",
            "cell_size_check=ON",
            "synchronous=FULL",
            "secure_delete=ON",  # what is forgotten is overwritten
            "wal_autocheckpoint=4000",
        ):
            run(f"PRAGMA {pragma}")
        if collection is not None:
            run("PRAGMA journal_mode=WAL")
            with self._transaction():
                for table in TABLES:
                    run(table)
                facts = facts_of(collection)
                self._connection.executemany("INSERT INTO about VALUES (?, ?)", facts.items())
        made = {sql for (sql,) in run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if made != set(TABLES):  # no view or trigger of somebody else's
            raise BadFile(f"{self.name}: is not the book of a collection (its tables are others)")
        found = dict(run("SELECT name, value FROM about"))
        self.collection = collection_in(found, self.name)
        if not reading:
            self._own = uuid4().hex
            with self._transaction():
                run("INSERT OR REPLACE INTO about VALUES ('holder', ?)", [self._own])
            self._remember()

    def _remember(self) -> None:
        """Read back which ids were seen."""
        rows = self._connection.execute("SELECT day, level, ids FROM seen")
        for day, level, ids in rows:
            if not (type(day) is type(level) is int and type(ids) is bytes) or len(ids) % SIZE:
                raise BadFile(f"{self.name}: was changed or damaged; its ids cannot be read")
            if level:
                self._filter(day).add(ids)
            else:
                self._recent.setdefault(day, set()).update(split(ids))
        self._look_up()

    def _look_up(self) -> None:
        """Which runs there are."""
        run = self._connection.execute
        self._runs = [n for (n,) in run("SELECT DISTINCT run FROM seen WHERE level > 0")]
        self._last_run = run("SELECT coalesce(max(run), 0) FROM seen").fetchone()[0]

    def _filter(self, day: int) -> IdFilter:
        if day not in self._filters:
            self._filters[day] = IdFilter()
        return self._filters[day]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise

    def add(self, ids: Sequence[bytes], reports: Sequence[Any], day: int) -> list[bool]:
        """Count new reports; see `Book`."""
        with self._errors("store reports"):
            self._require_there()
            with self._transaction():
                self._require_own()
                self._forget(day)
                new = self._new(ids)
                fresh = [ident for ident, is_new in zip(ids, new, strict=True) if is_new]
                counted = [report for report, is_new in zip(reports, new, strict=True) if is_new]
                if fresh:
                    together = joined(fresh)
                    self._append(day, 0, [(together[:SIZE], together)])
                    self._connection.executemany(
                        "INSERT INTO counts VALUES (?, ?) "
                        "ON CONFLICT (slot) DO UPDATE SET n = n + excluded.n",
                        self._added(counted),
                    )
        self._day = day
        self._recent.setdefault(day, set()).update(fresh)
        self._gather()
        return new

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as reason:
            raise NotStored(
                f"{self.name}: the disk refuses to {doing} ({reason}); try again later"
            ) from None

    def _require_there(self) -> None:
        """Refuse to write into a file that was removed: it would be gone when it is closed."""
        if os.stat(self._path).st_ino != self._inode:
            raise FileNotFoundError(2, "another file has its name")

    def _require_own(self) -> None:
        rows = self._connection.execute("SELECT name, value FROM about WHERE name <> 'collection'")
        facts = dict(rows)
        refuse_closed(self.name, facts["closed"], facts.get("holder", ""), self._own)

    def _new(self, ids: Sequence[bytes]) -> list[bool]:
        """For each id whether it was never seen, neither before nor earlier in the row."""
        together = b"".join(ids)
        maybe = [some.maybe(together).tolist() for some in self._filters.values()]
        suspected = [any(told) for told in zip(*maybe, strict=True)] or [False] * len(ids)
        recent = list(self._recent.values())
        here: set[bytes] = set()
        new = []
        for ident, suspect in zip(ids, suspected, strict=True):
            known = (
                ident in here
                or any(ident in some for some in recent)
                or (suspect and self._in_runs(ident))
            )
            new.append(not known)
            here.add(ident)
        return new

    def _in_runs(self, ident: bytes) -> bool:
        sql = "SELECT ids FROM seen WHERE run = ? AND first <= ? ORDER BY first DESC LIMIT 1"
        for run in self._runs:
            found = self._connection.execute(sql, [run, ident]).fetchone()
            if found is not None and in_sorted(ident, found[0]):
                return True
        return False

    def _forget(self, day: int) -> None:
        """Forget ids of days before yesterday, once a day."""
        if day == self._day:
            return
        self._connection.execute("DELETE FROM seen WHERE day < ?", [day - 1])
        for known in (self._recent, self._filters):
            for old in [earlier for earlier in known if earlier < day - 1]:
                del known[old]

    def _gather(self) -> None:
        """Make runs of what is recent, and longer runs of short ones. It can wait when it fails."""
        if sum(map(len, self._recent.values())) < _RECENT:
            return
        with suppress(sqlite3.Error):
            for day in list(self._recent):
                with self._transaction():
                    ids = self._merge(day, 0)
                    sql = "SELECT count(DISTINCT run) FROM seen WHERE day = ? AND level = ?"
                    if self._connection.execute(sql, [day, _SHORT]).fetchone()[0] >= _RUNS:
                        self._merge(day, _SHORT)
                    self._filter(day).add(ids)  # before: who is only suspected is looked up
                self._look_up()
                del self._recent[day]

    def _merge(self, day: int, level: int) -> bytes:
        """One run of the next level instead of all of this one."""
        run = self._connection.execute
        rows = run("SELECT ids FROM seen WHERE day = ? AND level = ?", [day, level])
        ids = sorted_run(b"".join(row[0] for row in rows))
        run("DELETE FROM seen WHERE day = ? AND level = ?", [day, level])
        self._append(day, level + 1, chunks(ids))
        return ids

    def _append(self, day: int, level: int, parts: list[tuple[bytes, bytes]]) -> None:
        self._last_run += 1
        self._connection.executemany(
            "INSERT INTO seen VALUES (?, ?, ?, ?, ?)",
            [(self._last_run, first, day, level, ids) for first, ids in parts],
        )

    def counted(self) -> dict[int, int]:
        """All counters."""
        with self._errors("read counters"):
            return dict(self._connection.execute("SELECT slot, n FROM counts"))

    def is_closed(self) -> bool:
        """Whether the collection takes no more reports."""
        sql = "SELECT value FROM about WHERE name = 'closed'"
        with self._errors("read the book"):
            return bool(self._connection.execute(sql).fetchone()[0])

    def close_collection(self) -> None:
        """Take no more reports, and forget the ids."""
        with self._errors("close the collection"), self._transaction():
            self._connection.execute("UPDATE about SET value = 'yes' WHERE name = 'closed'")
            self._connection.execute("DELETE FROM seen")

    def release(self) -> None:
        """Close the file."""
        self._connection.close()


def _make(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise OutputExists(
            f"{path} already exists; choose another name for a new collection"
        ) from None
    except OSError as reason:
        raise BadFile(f"{path}: cannot be made ({reason.strerror})") from None
