"""Receipts: what a ledger gives for an entry, and what a release card carries of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.model import Answer, require_keys

ROWS = "rows without order"  # what a shuffled table is charged as
PLACE = {"ledger": str, "sequence": int, "head": str, "nonce": str}  # what a card holds of it


@dataclass(frozen=True)
class Receipt(Answer):
    """That an entry was made, and where the chain stood then.

    With a receipt one can find out later whether the ledger still says the same up to that entry. It is
    good for one output, whose hash the ledger notes (`settle`).

    Parameters
    ----------
    ledger
        The ledger's own name, drawn when it was made.
    sequence
        The number of the entry.
    head
        The entry's hash, which depends on all entries before it.
    nonce
        Drawn for the entry, so that it is like no other, made in the same second for the same release.
    account
        What it was charged to.
    time
        When, in UTC.
    spent
        What the entry cost each column, in words; permanent answers that were paid for before cost
        nothing, and it says so.
    book
        Notes the hash of the output in the ledger; not stored with the receipt.

    Examples
    --------
    >>> told = {"account": "survey", "time": "2026-03-01T12:00:00Z", "spent": {"tea": "ln(2)"}}
    >>> print(Receipt("7f3a", 4, "00" * 32, "1b" * 16, **told))
    Entry 4 of ledger 7f3a, account survey, 2026-03-01T12:00:00Z.
    Column tea: ln(2).
    >>> receipt = Receipt("7f3a", 4, "00" * 32, "1b" * 16, **told)
    >>> Receipt.from_dict(receipt_body(receipt)) == receipt
    True
    >>> from dataclasses import replace
    >>> given = replace(receipt, book=lambda receipt, sha256: print(receipt.sequence, sha256[:4]))
    >>> given.settle("00" * 32)
    4 0000
    """

    ledger: str
    sequence: int
    head: str
    nonce: str
    account: str = ""
    time: str = ""
    spent: Mapping[str, str] = field(default_factory=dict)
    book: "Callable[[Receipt, str], None] | None" = field(default=None, repr=False, compare=False)

    exact = True  # the sums behind it are

    def settle(self, sha256: str) -> None:
        """Note in the ledger that this is the hash of the one output that the receipt is for.

        The ledger is opened again for it. Refused when the receipt was used for another output.
        """
        if self.book is None:
            raise NotApplicable(
                f"the receipt of entry {self.sequence} does not know where its ledger is; save the "
                "release where it was made, or call settle of the ledger"
            )
        self.book(self, sha256)

    def explain(self) -> str:
        """The receipt in words."""
        lines = [
            f"Entry {self.sequence} of ledger {self.ledger}, account {self.account}, {self.time}."
        ]
        schedule = f"schedule {self.sequence}"
        for name, words in self.spent.items():
            what = "Rows without order" if name == ROWS else f"Column {name}"
            lines.append(f"{words}." if name == schedule else f"{what}: {words}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """What goes onto a card: where the entry is, and nothing of what it says."""
        return {key: getattr(self, key) for key in PLACE}

    @classmethod
    def from_dict(cls, data: Any, *, name: str = "the receipt") -> "Receipt":
        """A receipt from a card."""
        if not isinstance(data, Mapping):
            raise BadFile(f"{name}: is not a receipt of a ledger but a {type(data).__name__}")
        return receipt_from(dict(data), name=name)

    def __getstate__(self) -> dict[str, Any]:
        """All but the way to the ledger, which may hold a password."""
        return {**self.__dict__, "book": None}


def receipt_body(receipt: Receipt) -> dict[str, Any]:
    """A receipt as the body of a stored noun."""
    told = {"account": receipt.account, "time": receipt.time, "spent": dict(receipt.spent)}
    return receipt.to_dict() | {key: value for key, value in told.items() if value}


def receipt_from(body: dict[str, Any], *, name: str = "the receipt") -> Receipt:
    """The receipt of a body."""
    optional = {"account": str, "time": str, "spent": dict}
    require_keys(body, PLACE, optional, f"{name}, a ledger's receipt")
    spent = body.get("spent", {})
    if not all(isinstance(words, str) for words in spent.values()):
        raise BadFile(f"{name}: what was spent should be texts by column, not {str(spent)[:60]}")
    return Receipt(**body)
