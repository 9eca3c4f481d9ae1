"""What becomes of a spend: it is bound to its one output, or taken back."""

import re
from collections.abc import Mapping
from typing import Any

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.release.ledger.balances import each_after
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.stores.hash_chain import Entry

_HASH = re.compile(r"[0-9a-f]{64}")


def bind(pages: Pages, receipt: Receipt, sha256: str) -> None:
    """Append an entry that names the output of a spend; nothing where the same one is named already."""
    if not (type(sha256) is str and _HASH.fullmatch(sha256)):
        raise WrongKind(f"an output is named by its SHA-256 in hexadecimal, not by {sha256!r:.80}")

    def work(_again: bool) -> None:
        entry = spend_behind(pages, receipt)
        known = pages.store.output(entry.sequence)
        if known == sha256:
            return
        if known is not None:
            was = (
                f"was used for another output (SHA-256 {known[:12]}…), and a receipt is for one; copy "
                "or convert the file that was saved"
                if known
                else "was cancelled"
            )
            raise NotApplicable(f"entry {entry.sequence} of the ledger {was}")
        body = {"kind": "settle", "account": entry.body["account"], "output": sha256}
        pages.append({**body, "spend": entry.sequence})
        pages.store.put_output(entry.sequence, sha256)

    pages.lasting(work)


def take_back(pages: Pages, receipt: Receipt, because: str) -> Entry:
    """Append an entry that undoes a spend, unless its output is out or something later relies on it."""

    def work(again: bool) -> Entry:
        entry = spend_behind(pages, receipt)
        known = pages.store.output(entry.sequence)
        if known:
            raise NotApplicable(f"entry {entry.sequence} has an output, so it cannot be cancelled")
        if known == "":
            if again:
                return _cancelling(pages, entry)
            raise NotApplicable(f"entry {entry.sequence} is cancelled already")
        undone, marks = entry.body, _permanent_marks(entry.body)
        for later in pages.store.entries(entry.sequence) if marks else ():
            found = pages.sound(later).body
            if found["kind"] == "spend" and marks & _permanent_marks(found):
                raise NotApplicable(f"entry {later.sequence} relies on entry {entry.sequence}")
        name = undone["account"]
        people = pages.store.people(entry.sequence) if undone["people"] else [""]
        made = pages.append(
            {"kind": "cancel", "account": name, "undone": undone, "because": because}
        )
        pages.keep(name, each_after(pages.balances(name, people), made.body))
        pages.store.drop_sources(entry.sequence)
        pages.store.drop_answers(entry.sequence)
        pages.store.put_output(entry.sequence, "")
        return made

    return pages.lasting(work)


def spend_behind(pages: Pages, receipt: Receipt) -> Entry:
    """The entry that a receipt was given for, if it is one of this ledger and spends."""
    entry = pages.store.entry(receipt.sequence)
    if receipt.ledger != pages.name or entry is None or entry.hash != receipt.head:
        raise NotApplicable(
            f"the receipt is not of an entry of this ledger, {pages.name}, but of entry "
            f"{receipt.sequence} of {receipt.ledger[:40]}"
        )
    if pages.sound(entry).body["kind"] != "spend":
        raise NotApplicable(f"entry {entry.sequence} spends nothing, so nothing can come of it")
    return entry


def _cancelling(pages: Pages, entry: Entry) -> Entry:
    """The entry that undoes another."""
    bodies = ((later, pages.sound(later).body) for later in pages.store.entries(entry.sequence))
    return next(
        later
        for later, body in bodies
        if body["kind"] == "cancel" and body["undone"]["sequence"] == entry.sequence
    )


def _permanent_marks(body: Mapping[str, Any]) -> set[str]:
    return {line["permanent"] for line in body["lines"]} - {None}
