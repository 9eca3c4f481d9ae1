"""The pages of a ledger: sealed entries and balances, read and written inside a transaction."""

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from dprivacy.errors import (
    BadFile,
    BrokenLedger,
    LedgerInterrupted,
    NotApplicable,
    UnknownName,
    WrongKind,
)
from dprivacy.release.columns.person_identifiers import same_person
from dprivacy.release.ledger.balances import NOTHING, Balance
from dprivacy.release.ledger.spend_rules import unknown_account
from dprivacy.release.ledger.stores.hash_chain import (
    START,
    Entry,
    LedgerKey,
    entry_of,
    make_key,
    read_key,
)
from dprivacy.release.ledger.stores.ledger_store import FORMAT, Store
from dprivacy.typing import PathArg

KEY_VARIABLE = "DPRIVACY_LEDGER_KEY"
MORE = "`dprivacy ledger verify` says more"
Found = TypeVar("Found")


class Pages:
    """A store and its key: nothing is believed that the key did not seal.

    Parameters
    ----------
    store
        The tables.
    key
        The ledger's key.
    name
        The ledger's own name, drawn when it was made.
    address
        What opens the ledger again, as `Ledger` takes it; a URL may hold a password.
    """

    def __init__(
        self, store: Store, key: LedgerKey, name: str, address: Mapping[str, str] | None = None
    ) -> None:
        self.store, self.key, self.name, self.address = store, key, name, address or {}
        self._lock, self._process = threading.RLock(), os.getpid()

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[None]:
        """One transaction of this thread, in the process that opened the ledger."""
        if os.getpid() != self._process:
            raise NotApplicable(
                f"{self.store.name}: the ledger was opened in process {self._process}; open it where "
                "it is used"
            )
        with self._lock, self.store.transaction(write=write):
            yield

    def lasting(self, work: Callable[[bool], Found]) -> Found:
        """What `work` gives in a transaction that writes, in a second one if the ledger breaks off.

        The first may have been committed all the same. The second waits until that is settled, and
        `work`, called with True, must look for what it has done already.
        """
        try:
            with self.transaction(write=True):
                return work(False)
        except LedgerInterrupted:
            with self.transaction(write=True):
                return work(True)

    def close(self) -> None:
        """Close the store, when no transaction runs."""
        with self._lock:
            self.store.close()

    def link(self) -> dict[str, Any]:
        """What ties the next entry to the last one, which is looked at again."""
        sequence, head = self.store.head()
        last = self.store.entry(sequence) if sequence else None
        if sequence and (last is None or self.sound(last).hash != head):
            raise BrokenLedger(
                f"{self.store.name}: entry {sequence} is not the one the ledger ended with; {MORE}"
            )
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        nonce = secrets.token_hex(16)  # so that two entries differ that are made in the same second
        return {"sequence": sequence + 1, "previous": head or START, "time": now, "nonce": nonce}

    def append(self, body: dict[str, Any]) -> Entry:
        """One more entry, sealed."""
        entry = entry_of(body if "sequence" in body else {**body, **self.link()}, self.key)
        self.store.append(entry)
        return entry

    def sound(self, entry: Entry) -> Entry:
        """The entry, if it is as it was written."""
        faults = entry.faults(self.key)
        if faults:
            raise BrokenLedger(f"{self.store.name}: entry {entry.sequence}: {faults[0]}; {MORE}")
        return entry

    def balance(self, account: str, person: str = "") -> Balance:
        """The balance of an account, or of one person of it."""
        return self.balances(account, [person])[person]

    def known_balance(self, account: str) -> Balance:
        """The balance of an account that has a budget; of any account, where the ledger is open."""
        balance = self.balance(account)
        if not balance.limits and not self.is_open():
            known = {name for name, person, _ in self.store.every_balance() if not person}
            raise unknown_account(account, sorted(known))
        return balance

    def is_open(self) -> bool:
        """Whether the ledger takes charges on accounts without a budget, as its first entry says."""
        first = self.store.entry(1)
        return first is not None and self.sound(first).body.get("open") is True

    def balances(self, account: str, people: Sequence[str]) -> dict[str, Balance]:
        """The balances of people; nothing is spent of those who have none."""
        stored, read = self.store.balances(account, people), dict[str, Balance]()
        for person, (text, _) in stored.items():
            read[text] = self.opened(account, person, stored[person], read.get(text))
        return {p: read[stored[p][0]] if p in stored else NOTHING for p in people}

    def every_balance(self) -> list[tuple[str, str, Balance]]:
        """All balances, as (account, person, balance)."""
        found, read = [], dict[str, Balance]()
        for account, person, stored in self.store.every_balance():
            read[stored[0]] = self.opened(account, person, stored, read.get(stored[0]))
            found.append((account, person, read[stored[0]]))
        return found

    def opened(
        self, account: str, person: str, stored: tuple[str, str], known: Balance | None = None
    ) -> Balance:
        """A stored balance, if its seal is whole; `known` is the balance of that text, if it is."""
        text, seal = stored
        try:
            if self.balance_seal(account, person, text) != seal:
                raise ValueError
            return Balance.from_text(text) if known is None else known
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BrokenLedger(
                f"{self.store.name}: the balance of account {account!r} is not what the ledger wrote; "
                f"{MORE}"
            ) from None

    def balance_seal(self, account: str, person: str, text: str) -> str:
        """The seal on a balance, which ties it to its account and person."""
        return self.key.seal(f"{account}\0{person}\0{text}").decode()

    def keep(self, account: str, balances: Mapping[str, Balance]) -> None:
        """Write balances of an account, by person."""
        sealed = {
            person: (balance.text, self.balance_seal(account, person, balance.text))
            for person, balance in balances.items()
        }
        self.store.put_balances(account, sealed)

    def person(self, account: str, person: Any) -> str:
        """The keyed hash that stands for a person."""
        told = same_person(person)
        if told is None:
            raise NotApplicable(
                f"account {account!r}: a release is charged to nobody, as a person is missing"
            )
        return self.key.tag("person", account.encode(), told.encode("utf-8", "surrogatepass"))

    def answer(self, account: str, mark: str, person: Any, value: int) -> tuple[str, str]:
        """The keyed hashes that stand for a person and for a value of theirs."""
        who = self.person(account, person)
        return who, self.key.tag("value", mark.encode(), who.encode(), str(value).encode())


def open_pages(
    place: PathArg, *, key: PathArg | None, create: bool, is_open: bool, schema: str
) -> Pages:
    """The ledger at a place, made there if it may be; see `Ledger`."""
    store, path = _store(place, key, create=create, schema=schema)
    try:
        with store.transaction(write=False):
            empty = store.is_empty()
        if empty and not create:
            raise BadFile(
                f"{store.name}: the ledger does not exist; `dprivacy ledger budget` makes one"
            )
        if empty:
            _begin(store, path, is_open=is_open)
        secret = read_key(path)
        with store.transaction(write=False):
            about = store.about()
        name = about.get("id", "")
        if about.get("format") != FORMAT or not name:
            raise BrokenLedger(f"{store.name}: is not a ledger of this version")
        if about.get("key") != _check(secret, name):
            raise BrokenLedger(f"{store.name}: was made with another key than {path}")
        where = place if isinstance(place, str) and "://" in place else os.path.abspath(place)
        address = {"place": where, "key": os.path.abspath(path), "schema": schema}
        pages = Pages(store, secret, name, address)
        with store.transaction(write=False):
            if is_open and not pages.is_open():
                raise NotApplicable(
                    f"{store.name}: the accounts of this ledger are a closed list, as it was made; "
                    "give the account a budget, or make another ledger"
                )
    except BaseException:
        store.close()
        raise
    return pages


def _begin(store: Store, path: Path, *, is_open: bool) -> None:
    """Make the tables and the first entry; whoever comes second finds them made."""
    with store.transaction(write=True):
        if store.is_empty():
            key, name = make_key(path), secrets.token_hex(16)
            store.create({"format": FORMAT, "id": name, "key": _check(key, name)})
            Pages(store, key, name).append({"kind": "open", "ledger": name, "open": is_open})


def _check(key: LedgerKey, name: str) -> str:
    """What tells the ledger's key from another."""
    return key.tag("check", name.encode("utf-8", "surrogatepass"))


def _store(
    place: Any,  # what it is is checked here
    key: PathArg | None,
    *,
    create: bool,
    schema: str,
) -> tuple[Store, Path]:
    """The store at a place, and the file of its key."""
    if not (isinstance(place, str | PathLike) and str(place)):
        raise WrongKind(
            "a ledger is the path of a file, or a URL postgresql://user@host/database, not "
            f"{place!r:.60}"
        )
    if not isinstance(place, str) or "://" not in place:
        from dprivacy.release.ledger.stores.sqlite_store import SQLiteStore

        return SQLiteStore(Path(place), create=create), Path(key or f"{place}.key")
    if not place.startswith(("postgresql://", "postgres://")):
        raise UnknownName(  # the address itself may hold a password
            "a ledger's URL begins with postgresql://; a file is named by its path alone"
        )
    from dprivacy.release.ledger.stores.postgres_store import PostgresStore

    chosen = key or os.environ.get(KEY_VARIABLE)
    if not chosen:
        raise BadFile(
            f"a ledger in PostgreSQL needs the file of its key: key=, --key, or {KEY_VARIABLE}"
        )
    return PostgresStore(place, schema=schema, create=create), Path(chosen)
