"""Where a ledger lies: a few small tables, the same in SQLite and in PostgreSQL."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from dprivacy.errors import BrokenLedger
from dprivacy.release.ledger.stores.hash_chain import Entry

FORMAT = "dprivacy ledger 5"
TABLES = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "head": "CREATE TABLE head (sequence BIGINT NOT NULL, hash TEXT NOT NULL)",
    "entries": "CREATE TABLE entries (sequence BIGINT PRIMARY KEY, body TEXT NOT NULL, "
    "hash TEXT NOT NULL, seal TEXT NOT NULL)",
    "balances": "CREATE TABLE balances (account TEXT NOT NULL, person TEXT NOT NULL, "
    "body TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (account, person))",
    "sources": "CREATE TABLE sources (tag TEXT NOT NULL, sequence BIGINT NOT NULL, "
    "PRIMARY KEY (tag, sequence))",
    "people": "CREATE TABLE people (sequence BIGINT NOT NULL, person TEXT NOT NULL, "
    "PRIMARY KEY (sequence, person))",
    "answers": "CREATE TABLE answers (mark TEXT NOT NULL, person TEXT NOT NULL, value TEXT NOT NULL, "
    "sequence BIGINT NOT NULL, PRIMARY KEY (mark, person, value))",
    "outputs": "CREATE TABLE outputs (sequence BIGINT PRIMARY KEY, sha256 TEXT NOT NULL)",
}
_AT_ONCE = 500  # values in one question

Stored = tuple[str, str]  # a balance's text and its seal
Answer = tuple[str, str, str]  # a question's mark, a person and a value, all keyed hashes


class Store(ABC):
    """The tables of a ledger, inside a transaction.

    `entries` is the chain; `balances`, `sources`, `people`, `answers` (which values each person has
    had) and `outputs` (what came out of a spend) hold what follows from it, so that spending need not
    read it all; `head` says where it ends.
    """

    name: str  # for messages: never with a password

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[None]:
        """One transaction, committed at the end and rolled back after an error.

        Only one that writes runs at a time; what one that reads sees is one moment's state. After
        LedgerInterrupted nobody knows whether it was committed, until the next one that writes has
        begun: it waits for what is left of this one.
        """

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether nothing is there yet; BrokenLedger when something else is."""

    @abstractmethod
    def damage(self) -> str:
        """What the database itself finds wrong with its tables; "" when that is nothing."""

    @abstractmethod
    def close(self) -> None:
        """Give the connection back."""

    @abstractmethod
    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a question, whose values are marked by question marks."""

    @abstractmethod
    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for each of many rows."""

    def create(self, about: Mapping[str, str]) -> None:
        """The tables, empty but for what the ledger says of itself."""
        for sql in TABLES.values():
            self._many(sql, [()])
        self._many("INSERT INTO about VALUES (?, ?)", about.items())
        self._many("INSERT INTO head VALUES (?, ?)", [(0, "")])

    def about(self) -> dict[str, str]:
        """What the ledger says of itself."""
        return {_text(name): _text(value) for name, value in self._rows("SELECT * FROM about")}

    def head(self) -> tuple[int, str]:
        """The number and the hash of the last entry."""
        found = self._rows("SELECT sequence, hash FROM head")
        if len(found) != 1:
            raise BrokenLedger(f"{self.name}: the ledger does not say where it ends")
        return _number(found[0][0]), _text(found[0][1])

    def entry(self, sequence: int) -> Entry | None:
        """One entry."""
        sql = "SELECT sequence, body, hash, seal FROM entries WHERE sequence = ?"
        found = self._rows(sql, [sequence])
        return _entry(found[0]) if found else None

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The entries after one, in order."""
        sql = "SELECT sequence, body, hash, seal FROM entries WHERE sequence > ? ORDER BY sequence"
        yield from map(_entry, self._rows(sql, [since]))

    def append(self, entry: Entry) -> None:
        """One more entry."""
        row = (entry.sequence, entry.text, entry.hash, entry.seal)
        self._many("INSERT INTO entries VALUES (?, ?, ?, ?)", [row])
        self._many("UPDATE head SET sequence = ?, hash = ?", [(entry.sequence, entry.hash)])

    def balances(self, account: str, people: Sequence[str]) -> dict[str, Stored]:
        """The stored balances of an account's people ("" is the account itself)."""
        sql = "SELECT person, body, seal FROM balances WHERE account = ? AND person IN ({})"
        found: dict[str, Stored] = {}
        for at in range(0, len(people), _AT_ONCE):
            some = people[at : at + _AT_ONCE]
            rows = self._rows(sql.format(", ".join("?" * len(some))), [account, *some])
            found |= {_text(person): (_text(body), _text(seal)) for person, body, seal in rows}
        return found

    def every_balance(self) -> Iterator[tuple[str, str, Stored]]:
        """All balances, as (account, person, text and seal)."""
        sql = "SELECT account, person, body, seal FROM balances ORDER BY account, person"
        for account, person, body, seal in self._rows(sql):
            yield _text(account), _text(person), (_text(body), _text(seal))

    def put_balances(self, account: str, balances: Mapping[str, Stored]) -> None:
        """Replace balances of an account."""
        self._many(
            "INSERT INTO balances VALUES (?, ?, ?, ?) ON CONFLICT (account, person) "
            "DO UPDATE SET body = excluded.body, seal = excluded.seal",
            ((account, person, *stored) for person, stored in balances.items()),
        )

    def released(self, tags: Iterable[str]) -> dict[str, int]:
        """The last entry in which each source was released, for those that were."""
        sql = "SELECT max(sequence) FROM sources WHERE tag = ?"
        found = {tag: self._rows(sql, [tag])[0][0] for tag in tags}
        return {tag: _number(sequence) for tag, sequence in found.items() if sequence is not None}

    def every_source(self) -> Iterator[tuple[int, str]]:
        """All released sources, as (entry, tag)."""
        for tag, sequence in self._rows("SELECT tag, sequence FROM sources"):
            yield _number(sequence), _text(tag)

    def put_sources(self, sequence: int, tags: Iterable[str]) -> None:
        """Remember what an entry released."""
        self._many("INSERT INTO sources VALUES (?, ?)", ((tag, sequence) for tag in tags))

    def drop_sources(self, sequence: int) -> None:
        """Forget what an entry was to release, since it did not."""
        self._many("DELETE FROM sources WHERE sequence = ?", [(sequence,)])

    def people(self, sequence: int) -> list[str]:
        """Whom an entry was charged to."""
        sql = "SELECT person FROM people WHERE sequence = ? ORDER BY person"
        return [_text(person) for (person,) in self._rows(sql, [sequence])]

    def put_people(self, sequence: int, people: Iterable[str]) -> None:
        """Remember whom an entry was charged to."""
        self._many("INSERT INTO people VALUES (?, ?)", ((sequence, one) for one in people))

    def every_person(self) -> Iterator[tuple[int, str]]:
        """All charges to people, as (entry, person), in order."""
        for sequence, person in self._rows(
            "SELECT sequence, person FROM people ORDER BY sequence, person"
        ):
            yield _number(sequence), _text(person)

    def answers(self, mark: str, people: Sequence[str]) -> dict[str, set[str]]:
        """The values that people have had under a mark so far."""
        sql = "SELECT person, value FROM answers WHERE mark = ? AND person IN ({})"
        found: dict[str, set[str]] = {}
        for at in range(0, len(people), _AT_ONCE):
            some = people[at : at + _AT_ONCE]
            for person, value in self._rows(sql.format(", ".join("?" * len(some))), [mark, *some]):
                found.setdefault(_text(person), set()).add(_text(value))
        return found

    def put_answers(self, sequence: int, answers: Iterable[Answer]) -> None:
        """Remember which values are new with an entry."""
        self._many("INSERT INTO answers VALUES (?, ?, ?, ?)", ((*a, sequence) for a in answers))

    def drop_answers(self, sequence: int) -> None:
        """Forget the values of an entry that released nothing."""
        self._many("DELETE FROM answers WHERE sequence = ?", [(sequence,)])

    def every_answer(self) -> Iterator[tuple[int, Answer]]:
        """All values that people have had, as (entry, answer), in order of entries."""
        sql = "SELECT sequence, mark, person, value FROM answers ORDER BY sequence"
        for sequence, mark, person, value in self._rows(sql):
            yield _number(sequence), (_text(mark), _text(person), _text(value))

    def output(self, sequence: int) -> str | None:
        """The hash of what came out of an entry; "" where nothing did, None as long as nobody knows."""
        found = self._rows("SELECT sha256 FROM outputs WHERE sequence = ?", [sequence])
        return _text(found[0][0]) if found else None

    def put_output(self, sequence: int, sha256: str) -> None:
        """Remember what came out of an entry."""
        self._many("INSERT INTO outputs VALUES (?, ?)", [(sequence, sha256)])

    def every_output(self) -> Iterator[tuple[int, str]]:
        """All outputs, as (entry, hash)."""
        for sequence, sha256 in self._rows("SELECT sequence, sha256 FROM outputs"):
            yield _number(sequence), _text(sha256)


def _entry(row: Sequence[Any]) -> Entry:
    return Entry(_number(row[0]), *map(_text, row[1:]))


def _text(value: Any) -> str:
    """A damaged file may hold anything where a text should be."""
    if not isinstance(value, str):
        raise BrokenLedger("the ledger holds something else where a text should be")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise BrokenLedger("the ledger holds something else where a number should be")
    return value
