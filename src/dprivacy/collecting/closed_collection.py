"""What was collected as a release: the noisy answers, sorted, with a card that everybody reads."""

from typing import Any

import numpy as np

from dprivacy.collecting.books.collection_book import Book, Collection
from dprivacy.collecting.report_wire import Tally
from dprivacy.errors import DPrivacyError, NotApplicable
from dprivacy.extras import arrow
from dprivacy.mechanisms import FAMILIES, LocalMechanism
from dprivacy.release import Ledger, Plan, Receipt, Released, card_of_noisy, write_table
from dprivacy.typing import LedgerLike


def release_plan(collection: Collection) -> Plan:
    """The plan that a release of this collection follows: one column, by its mechanism."""
    mechanism = collection.wire.mechanism
    if not collection.wire.by_report:
        raise NotApplicable(
            f"{mechanism!r}: reports are counted by label, and cannot be released as a table; "
            "`dprivacy collect estimate` has all that they say"
        )
    column: dict[str, Any] = {"type": "stored", "stored": collection.mechanism}
    if isinstance(mechanism, LocalMechanism):
        column = {
            "type": "categories",
            "values": list(mechanism.labels),
            "epsilon": str(mechanism.guarantee.eps),
            "mechanism": mechanism.family,
        }
        known = {
            option
            for family in FAMILIES
            if family.name == mechanism.family
            for option in family.options
        }
        column |= {key: value for key, value in mechanism.parameters.items() if key in known}
    title = f"{collection.question} (noise drawn on people's own devices)"
    plan = Plan.read({"title": title, "columns": {collection.name: column}})
    if isinstance(mechanism, LocalMechanism) and plan.columns[0].mechanism != mechanism:
        raise NotApplicable(
            f"{mechanism!r} was made with other settings than a plan can have, so that its reports "
            "cannot be released as a table"
        )
    return plan


def why_no_release(collection: Collection) -> str:
    """Why a collection can be estimated from and not released as a table; empty where it can be."""
    try:
        release_plan(collection)
    except DPrivacyError as reason:
        return str(reason)
    return ""


def charge(collection: Collection, ledger: Ledger, account: str) -> Receipt:
    """Spend what a report costs the people who are asked; to be called before anybody is.

    A collection spends once: its mark is that of the run.
    """
    mark = bytes.fromhex(collection.mark)
    plan = release_plan(collection)
    return ledger.spend(
        plan, account=account, run=mark, sources={"the collection": mark}, note=plan.title
    )


def close_book(book: Book, *, ledger: LedgerLike = None) -> Released[Any]:
    """Close a collection, and give what it collected as a release.

    Nothing is taken afterwards. The rows are the noisy answers, or the reports about them, sorted: when
    each came is not known any more.

    Parameters
    ----------
    book
        The book; closing it again gives the same release.
    ledger
        The ledger that was charged when the collection began.

    Returns
    -------
    Released
        A table of one column, to be saved, with its card.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.collecting import new_book
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> asked = Collection.of(stored_text(coin), question="Do you smoke?", name="smokes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = new_book(f"{folder}/smoking.db", asked)
    ...     _ = book.add([bytes(16), bytes(range(16))], [1, 0], day=20_000)
    ...     released = close_book(book)
    ...     book.release()
    >>> released.data.column("smokes").to_pylist()
    ['yes', 'no']
    """
    collection = book.collection
    plan = release_plan(collection)
    receipt = _receipt(collection, ledger)
    if not book.tally().n:
        raise NotApplicable(f"{book.name}: nothing was collected, so there is nothing to release")
    book.close_collection()
    tally = book.tally()
    card = card_of_noisy(plan, rows=tally.n, receipt=receipt)
    return Released(_table(collection, tally), card, write_table, receipt=receipt)


def _receipt(collection: Collection, ledger: LedgerLike) -> Receipt | None:
    if not collection.ledger:
        return None
    if not isinstance(ledger, Ledger):
        raise NotApplicable(
            f"the collection was charged to account {collection.ledger[0]!r} of a ledger; name that "
            "ledger, so that its receipt goes on the card"
        )
    found = ledger.receipt(bytes.fromhex(collection.mark))
    if found is None:
        raise NotApplicable("this ledger has no entry of the collection; it was charged to another")
    return found


def _table(collection: Collection, tally: Tally) -> Any:
    """A row for each report, in the order of the counters."""
    slots = np.array(sorted(tally.counters), dtype=np.int64)
    times = [tally.counters[slot] for slot in slots.tolist()]
    pa = arrow()
    cells = pa.array(tally.wire.cells(slots))
    at = pa.array(np.repeat(np.arange(len(slots)), times))
    return pa.table({collection.name: cells.take(at)})
