"""A ledger for a team: PostgreSQL, by its URL."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from dprivacy.errors import BadFile, BrokenLedger, LedgerInterrupted, UnknownName
from dprivacy.extras import psycopg
from dprivacy.release.ledger.stores.ledger_store import TABLES, Store

_WAIT = 10  # seconds for a connection


class PostgresStore(Store):
    """A ledger in a schema of a PostgreSQL database.

    Whoever writes holds the lock on the one row of `head` until the commit, so that two spends never
    look at the same balance.

    Parameters
    ----------
    url
        As in ``postgresql://user@host/database``. A password in it is never shown; better keep it in
        ``~/.pgpass`` or ``PGPASSWORD``.
    schema
        The schema of this ledger; several ledgers may share a database.
    create
        Whether to make the schema when it is not there.
    """

    def __init__(self, url: str, *, schema: str, create: bool) -> None:
        self._psycopg, self._url, self._schema = psycopg(), url, schema
        self.name = safe_name(url)
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
            raise UnknownName(f"a schema is named by small letters, digits and _, not {schema!r}")
        self._connect(create=create)

    def _connect(self, *, create: bool) -> None:
        try:
            self._connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=_WAIT, application_name="dprivacy"
            )
        except (self._psycopg.Error, ValueError, UnicodeError):
            # What libpq says of an address may quote a part of the password.
            raise BadFile(
                f"{self.name}: the ledger's server does not answer, or refuses the user, the password "
                "or the database; try the same address with psql"
            ) from None
        try:
            with self._errors():
                self._prepare(create)
        except BaseException:
            self._connection.close()
            raise

    def _connect_again(self) -> None:
        try:
            self._connect(create=False)
        except BadFile as reason:
            raise LedgerInterrupted(str(reason)) from None

    def _prepare(self, create: bool) -> None:
        run = self._connection.execute
        run("SET synchronous_commit TO on")
        run("SET client_encoding TO 'UTF8'")
        run("SET lock_timeout TO '120s'")
        there = run("SELECT 1 FROM pg_namespace WHERE nspname = %s", [self._schema]).fetchone()
        if not there and not create:
            raise BadFile(
                f"{self.name}: the ledger does not exist in schema {self._schema!r}; `dprivacy "
                "ledger budget` or Ledger(url, key=…) makes one"
            )
        if not there:
            with self._connection.transaction():
                run("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"dprivacy {self._schema}"])
                run(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        run(f"SET search_path TO {self._schema}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """The server's errors, in words."""
        try:
            yield
        except self._psycopg.errors.LockNotAvailable:
            raise LedgerInterrupted(f"{self.name}: others hold the ledger; try again") from None
        except self._psycopg.errors.InsufficientPrivilege:
            raise BadFile(
                f"{self.name}: this user may not do that in schema {self._schema!r}"
            ) from None
        except self._psycopg.OperationalError as reason:
            why = (
                "the connection was lost"
                if self._connection.closed
                else f"the server gave up ({reason.sqlstate})"
            )
            raise LedgerInterrupted(
                f"{self.name}: {why}; look in `dprivacy ledger show` what was spent before trying again"
            ) from None
        except self._psycopg.Error:
            raise BrokenLedger(f"{self.name}: the ledger is damaged, or is not one") from None

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[None]:
        """One transaction; one that reads sees a snapshot. A connection that broke is made again."""
        with self._errors(), ExitStack() as stack:
            try:
                made = stack.enter_context(self._connection.transaction())
            except self._psycopg.OperationalError:  # nothing is begun yet
                if not self._connection.broken:
                    raise
                self._connect_again()
                made = stack.enter_context(self._connection.transaction())
            if not write:
                self._connection.execute(
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                )
            elif not self._tables():
                self._connection.execute(
                    "SELECT pg_advisory_xact_lock(hashtext(%s))", [f"dprivacy {self._schema}"]
                )
            else:
                self._connection.execute("SELECT sequence FROM head FOR UPDATE")
            yield
        if made.status is not made.Status.COMMITTED:  # psycopg says nothing of a broken connection
            raise LedgerInterrupted(f"{self.name}: the connection was lost")

    def is_empty(self) -> bool:
        """Whether the schema holds no tables; BrokenLedger when it holds other ones than ours."""
        found = self._tables()
        if found and found != set(TABLES):
            raise BrokenLedger(f"{self.name}: schema {self._schema!r} is not a ledger")
        return not found

    def _tables(self) -> set[str]:
        sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
        return {str(name) for (name,) in self._rows(sql, [self._schema])}

    def damage(self) -> str:
        """Nothing: the server looks after its files."""
        return ""

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._errors():
            return list(self._connection.execute(sql.replace("?", "%s"), values).fetchall())

    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._errors(), self._connection.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s"), list(rows))

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()


_PLAIN = re.compile(r"postgres(?:ql)?://(?:[^/@?#\s]*@)?([\w.-]*(?::\d+)?/\w*)(?:\?[^@]*)?")


def safe_name(url: str) -> str:
    """An address without user, password and options; torn ones are not shown at all."""
    found = _PLAIN.fullmatch(url)
    return f"postgresql://{found[1]}" if found else "the PostgreSQL database"
