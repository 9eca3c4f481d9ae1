"""The entries that spend, and those that take back: one transaction each, checked before it writes."""

from collections.abc import Mapping, Sequence
from typing import Any

from dprivacy.errors import AlreadyReleased, NotApplicable
from dprivacy.release.ledger.balances import (
    costs_of,
    each_after,
    marks_of,
    released_before,
    require_kind,
    require_within,
)
from dprivacy.release.ledger.hash_chain import Entry
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.receipts import Receipt


def put_down(
    pages: Pages, asked: Mapping[str, Any], persons: Sequence[str] | None
) -> tuple[Entry, dict[str, str]]:
    """Append a spend if no budget forbids it; the entry, and what each column costs in words.

    Parameters
    ----------
    pages
        The ledger.
    asked
        The body of the entry, but for its place in the chain.
    persons
        Keyed hashes of who is charged; None for everybody in the account.
    """
    name, tags = asked["account"], asked["sources"]
    with pages.transaction(write=True):
        balance = pages.balance(name)
        require_kind(name, balance, asked["part"], persons)
        known = pages.store.released(tags.values())
        body = {**asked, **pages.link()}
        before = pages.balances(name, persons) if persons is not None else {"": balance}
        now = each_after(before, body)
        pairs = {id(old): (old, now[person]) for person, old in before.items()}.values()
        costs = costs_of((old for old, _ in pairs), body)
        if known and not body["again"] and any(costs.values()):
            raise AlreadyReleased(released_before(tags, known))
        whom = f"account {name!r}" if persons is None else f"each person of {name!r}"
        for old, new in pairs:
            require_within(balance.limits, old, new, whom)
        entry = pages.append(body)
        pages.keep(name, now)
        pages.store.put_sources(entry.sequence, marks_of(body))
        pages.store.put_people(entry.sequence, persons or ())
    return entry, costs


def take_back(pages: Pages, receipt: Receipt, because: str) -> Entry:
    """Append an entry that undoes a spend, unless something later relies on it."""
    with pages.transaction(write=True):
        entry = pages.store.entry(receipt.sequence)
        if receipt.ledger != pages.name or entry is None or entry.hash != receipt.head:
            raise NotApplicable(
                f"the receipt is not of an entry of this ledger, {pages.name}, but of entry "
                f"{receipt.sequence} of {receipt.ledger[:40]}"
            )
        undone = pages.sound(entry).body
        if undone["kind"] != "spend":
            raise NotApplicable(f"entry {entry.sequence} spends nothing, so it cannot be cancelled")
        marks = {line["permanent"] for line in undone["lines"]} - {None}
        for later in pages.store.entries(entry.sequence):
            found = pages.sound(later).body
            if found["kind"] == "cancel" and found["undone"]["sequence"] == entry.sequence:
                raise NotApplicable(f"entry {entry.sequence} is cancelled already")
            if found["kind"] == "spend" and marks & {x["permanent"] for x in found["lines"]}:
                raise NotApplicable(f"entry {later.sequence} relies on entry {entry.sequence}")
        name = undone["account"]
        people = pages.store.people(entry.sequence) if undone["people"] else [""]
        made = pages.append(
            {"kind": "cancel", "account": name, "undone": undone, "because": because}
        )
        pages.keep(name, each_after(pages.balances(name, people), made.body))
        pages.store.drop_sources(entry.sequence)
    return made
