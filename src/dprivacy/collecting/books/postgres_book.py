"""A collection in PostgreSQL, by its address: for more ids a day than a file should hold."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dprivacy.collecting.books.collection_book import (
    Book,
    Collection,
    collection_in,
    facts_of,
    refuse_closed,
)
from dprivacy.errors import BadFile, NotStored, OutputExists, UnknownName
from dprivacy.extras import psycopg
from dprivacy.release import safe_name

_TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE counts (slot BIGINT PRIMARY KEY, n BIGINT NOT NULL)",
    "CREATE TABLE seen (id BYTEA PRIMARY KEY, day INTEGER NOT NULL)",
    "CREATE INDEX seen_day ON seen (day)",
)
_WAIT = 10  # seconds for a connection


class NoBook(BadFile):
    """There is none yet."""


class PostgresBook(Book):
    """A book in a schema of a PostgreSQL database; several collectors may count in it at once.

    Parameters
    ----------
    url
        As in ``postgresql://user@host/database``. A password in it is never shown.
    schema
        The schema of this collection.
    collection
        What is asked, for a new book; None opens one that is there.
    """

    _connection: Any

    def __init__(self, url: str, *, schema: str, collection: Collection | None = None) -> None:
        self._psycopg, self._url, self._schema = psycopg(), url, schema
        self.name = safe_name(url)
        self._day = -1
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
            raise UnknownName(f"a schema is named by small letters, digits and _, not {schema!r}")
        try:
            self._connect()
        except NotStored as reason:
            raise BadFile(str(reason)) from None
        try:
            if collection is not None:
                self._make(collection)
            self._open()
        except BaseException as reason:
            self._connection.close()
            if isinstance(reason, self._psycopg.Error):
                raise BadFile(
                    f"{self.name}: schema {schema!r} holds no book of a collection, or this user may "
                    f"not use it ({reason.sqlstate or 'the connection was lost'})"
                ) from None
            raise

    @classmethod
    def is_there(cls, url: str, schema: str) -> bool:
        """Whether the schema holds a book."""
        try:
            cls(url, schema=schema).release()
        except NoBook:
            return False
        return True

    def _connect(self) -> None:
        try:
            self._connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=_WAIT, application_name="dprivacy"
            )
            self._connection.execute("SET synchronous_commit TO on")
            self._connection.execute("SET lock_timeout TO '20s'")
            self._connection.execute("SET statement_timeout TO '60s'")
            self._connection.execute(f"SET search_path TO {self._schema}")
        except (self._psycopg.Error, ValueError, UnicodeError):
            # What libpq says of an address may quote a part of the password.
            raise NotStored(
                f"{self.name}: the database does not answer, or refuses the user; send reports again "
                "later, and try the same address with psql"
            ) from None

    def _open(self) -> None:
        run = self._connection.execute
        there = run("SELECT to_regclass(%s)", [f"{self._schema}.about"]).fetchone()[0]
        if there is None:
            raise NoBook(
                f"{self.name}: no book is in schema {self._schema!r}; `dprivacy collect serve` "
                "begins one"
            )
        self.collection = collection_in(dict(run("SELECT name, value FROM about")), self.name)

    def _make(self, collection: Collection) -> None:
        try:
            with self._transaction():
                self._connection.execute(f"CREATE SCHEMA {self._schema}")
                for table in _TABLES:
                    self._connection.execute(table)
                with self._connection.cursor() as cursor:
                    facts = list(facts_of(collection).items())
                    cursor.executemany("INSERT INTO about VALUES (%s, %s)", facts)
        except self._psycopg.errors.DuplicateSchema:
            raise OutputExists(
                f"{self.name}: schema {self._schema!r} already exists; choose another for a new "
                "collection"
            ) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """One transaction; a connection that broke is made again for the next one."""
        if self._connection.closed:
            self._connect()
        with self._connection.transaction() as done:
            yield
        if done.status is not done.Status.COMMITTED:  # psycopg says nothing of a broken connection
            raise NotStored(f"{self.name}: the connection was lost; send reports again")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as reason:
            raise NotStored(
                f"{self.name}: the database refuses to store reports "
                f"({reason.sqlstate or 'the connection was lost'}); send them again later"
            ) from None

    def add(self, ids: Sequence[bytes], reports: Sequence[Any], day: int) -> list[bool]:
        """Count new reports; see `Book`.

        Rows are locked in rising order, so that two collectors never wait for each other.
        """
        with self._errors(), self._transaction():
            run = self._connection.execute
            (closed,) = run("SELECT value FROM about WHERE name = 'closed' FOR SHARE").fetchone()
            refuse_closed(self.name, closed, "", "")
            if day != self._day:
                run("DELETE FROM seen WHERE day < %s", [day - 1])
            first: dict[bytes, int] = {}
            for at, ident in enumerate(ids):
                first.setdefault(ident, at)
            kept = run(
                "INSERT INTO seen SELECT id, %s FROM unnest(%s::bytea[]) AS id "
                "ON CONFLICT DO NOTHING RETURNING id",
                [day, sorted(first)],
            )
            fresh = {first[bytes(ident)] for (ident,) in kept.fetchall()}
            new = [at in fresh for at in range(len(ids))]
            added = self._added(
                [report for report, is_new in zip(reports, new, strict=True) if is_new]
            )
            if fresh:
                slots, numbers = zip(*added, strict=True)
                run(
                    "INSERT INTO counts SELECT * FROM unnest(%s::bigint[], %s::bigint[]) "
                    "ON CONFLICT (slot) DO UPDATE SET n = counts.n + excluded.n",
                    [list(slots), list(numbers)],
                )
        self._day = day
        return new

    def counted(self) -> dict[int, int]:
        """All counters."""
        with self._errors(), self._transaction():
            return dict(self._connection.execute("SELECT slot, n FROM counts").fetchall())

    def is_closed(self) -> bool:
        """Whether the collection takes no more reports."""
        with self._errors(), self._transaction():
            found = self._connection.execute("SELECT value FROM about WHERE name = 'closed'")
            return bool(found.fetchone()[0])

    def close_collection(self) -> None:
        """Take no more reports, and forget the ids."""
        with self._errors(), self._transaction():
            self._connection.execute("UPDATE about SET value = 'yes' WHERE name = 'closed'")
            self._connection.execute("TRUNCATE seen")

    def release(self) -> None:
        """Give the connection back."""
        self._connection.close()
