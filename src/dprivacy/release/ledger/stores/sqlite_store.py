"""A ledger in one file: SQLite, synced at every commit."""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, BrokenLedger, LedgerInterrupted
from dprivacy.release.ledger.stores.ledger_store import TABLES, Store

_PATIENCE = 120.0  # seconds to wait for others who write


class SQLiteStore(Store):
    """A ledger in a SQLite file that its owner alone may read.

    The rollback journal (not the write-ahead log) leaves everything in one file between
    transactions, so that a copy of it is a copy of the ledger. With ``synchronous=EXTRA`` a commit is
    on the disk, folder entry included, before a single value is sampled.

    Parameters
    ----------
    path
        The file.
    create
        Whether to make it when it is not there.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.name = str(path)
        _prepare(path, create)
        with self._errors():
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                # A file from elsewhere may hold triggers and views; nothing of the kind is run.
                for pragma in ("trusted_schema=OFF", "synchronous=EXTRA", "cell_size_check=ON"):
                    self._connection.execute(f"PRAGMA {pragma}")
            except sqlite3.Error:
                self._connection.close()
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's errors, in words."""
        try:
            yield
        except sqlite3.OperationalError as reason:
            text = str(reason)
            if "locked" in text:
                raise LedgerInterrupted(
                    f"{self.name}: others have been writing to the ledger for {_PATIENCE:.0f} seconds; "
                    "try again"
                ) from None
            if any(word in text for word in ("readonly", "unable to open", "disk", "full")):
                raise LedgerInterrupted(
                    f"{self.name}: cannot be opened or written ({text})"
                ) from None
            raise BrokenLedger(f"{self.name}: the ledger is damaged, or is not one") from None
        except (sqlite3.Error, UnicodeDecodeError, OverflowError):
            raise BrokenLedger(f"{self.name}: the ledger is damaged, or is not one") from None

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[None]:
        """One transaction."""
        with self._errors():
            # one that failed, and could not even be rolled back
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            try:
                self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def is_empty(self) -> bool:
        """Whether the file holds no tables; BrokenLedger when it holds other ones than ours."""
        rows = self._rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        found = {(kind, name): sql for kind, name, sql in rows}
        if found and found != {("table", name): sql for name, sql in TABLES.items()}:
            raise BrokenLedger(f"{self.name}: is not a ledger of this version")
        return not found

    def damage(self) -> str:
        """What SQLite itself finds wrong with the file; nothing is "" here."""
        told = [str(row[0]) for row in self._rows("PRAGMA integrity_check(3)")]
        return "" if told == ["ok"] else "; ".join(told)

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql, values).fetchall()

    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._errors():
            for row in rows:
                self._connection.execute(sql, row)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _prepare(path: Path, create: bool) -> None:
    """See that there is a plain file, made for its owner alone."""
    try:
        if create:
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        told = path.stat()
    except FileNotFoundError:
        what = "its folder does not exist" if create else "the ledger does not exist"
        raise BadFile(
            f"{path}: {what}; `dprivacy ledger budget` or Ledger(path) makes a ledger"
        ) from None
    except (OSError, ValueError) as reason:
        raise BadFile(
            f"{str(path)!r}: cannot be opened ({getattr(reason, 'strerror', None) or 'no such name'})"
        ) from None
    if not stat.S_ISREG(told.st_mode):
        raise BadFile(f"{path}: is not a file, so it cannot be a ledger")
