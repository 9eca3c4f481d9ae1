"""Charging a run to a ledger: once, however often the run is resumed."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.release.columns.answered_values import Answered
from dprivacy.release.jobs.job_journal import Journal, Spent
from dprivacy.release.ledger.ledger_book import Account
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.release_spending import Terms, spend_release
from dprivacy.release.unordered.shuffled_block import ShuffledTable


class Charge:
    """What a run of a file job spends.

    Parameters
    ----------
    journal
        The journal of the run.
    account
        What is charged; None without a ledger.
    terms
        On what terms the table is released.

    Notes
    -----
    1. The entry in the ledger has a mark of the run, under which the ledger spends once.
    2. The receipt goes into the journal. A run that finds it there spends nothing.
    3. A run that stopped between 1 and 2, or lost the ledger when it spent, asks again and is given the
       receipt of its entry.
    4. The hash of the output goes into the ledger before the output is put in place.
    """

    def __init__(self, journal: Journal, account: Account | None, terms: Terms) -> None:
        self._journal, self._account, self._terms = journal, account, terms

    def spend(
        self,
        digest: bytes,
        *,
        people: Callable[[], Iterable[Any]],
        answered: Callable[[], Answered],
        shuffled: ShuffledTable | None = None,
    ) -> dict[str, Any]:
        """Spend unless it is done; the receipt, as a card has it."""
        journal, account = self._journal, self._account
        if journal.spent is not None:
            return journal.spent.receipt
        if account is None:
            return {}
        receipt = spend_release(
            account,
            self._terms,
            {"the file": digest},
            people=people,
            answered=answered,
            shuffled=None if shuffled is None else lambda: shuffled,
            run=bytes.fromhex(journal.run.mark),
        )
        journal.append(Spent(receipt.to_dict()))
        return receipt.to_dict()

    def settle(self, sha256: str) -> None:
        """Note the hash of the output, which is about to appear."""
        if self._journal.spent is not None and self._account is not None:
            receipt = Receipt.from_dict(self._journal.spent.receipt)
            self._account.ledger.settle(receipt, sha256)

    def take_back(self, reason: BaseException) -> None:
        """Cancel the entry: the table was refused, and nothing came out.

        Only the kind of error is recorded. An entry that cannot be cancelled stays, on the safe side.
        """
        if self._journal.spent is None or self._account is None:
            return
        with suppress(DPrivacyError):
            receipt = Receipt.from_dict(self._journal.spent.receipt)
            self._account.ledger.cancel(receipt, because=type(reason).__name__)
