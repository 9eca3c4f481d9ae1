"""Receipts: what a ledger gives for an entry, and what a release card carries of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.model import Answer, require_keys


@dataclass(frozen=True)
class Receipt(Answer):
    """That an entry was made, and where the chain stood then.

    With a receipt one can find out later whether the ledger still says the same up to that entry.

    Parameters
    ----------
    ledger
        The ledger's own name, drawn when it was made.
    sequence
        The number of the entry.
    head
        The entry's hash, which depends on all entries before it.
    account
        What it was charged to.
    time
        When, in UTC.
    spent
        What the entry cost each column, in words; permanent answers that were paid for before cost
        nothing, and it says so.

    Examples
    --------
    >>> print(Receipt("7f3a", 4, "00" * 32, "survey", "2026-03-01T12:00:00Z", {"tea": "ln(2)"}))
    Entry 4 of ledger 7f3a, account survey, 2026-03-01T12:00:00Z.
    Column tea: ln(2).
    """

    ledger: str
    sequence: int
    head: str
    account: str = ""
    time: str = ""
    spent: Mapping[str, str] = field(default_factory=dict)

    exact = True  # the sums behind it are

    def explain(self) -> str:
        """The receipt in words."""
        lines = [
            f"Entry {self.sequence} of ledger {self.ledger}, account {self.account}, {self.time}."
        ]
        lines += [f"Column {name}: {words}." for name, words in self.spent.items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """What goes onto a card: where the entry is, and nothing of what it says."""
        return {"ledger": self.ledger, "sequence": self.sequence, "head": self.head}

    @classmethod
    def from_dict(cls, data: Any, *, name: str = "the receipt") -> "Receipt":
        """A receipt from a card."""
        if not isinstance(data, Mapping):
            raise BadFile(f"{name}: is not a receipt of a ledger but a {type(data).__name__}")
        return receipt_from(dict(data), name=name)


def receipt_body(receipt: Receipt) -> dict[str, Any]:
    """A receipt as the body of a stored noun."""
    told = {"account": receipt.account, "time": receipt.time, "spent": dict(receipt.spent)}
    return receipt.to_dict() | {key: value for key, value in told.items() if value}


def receipt_from(body: dict[str, Any], *, name: str = "the receipt") -> Receipt:
    """The receipt of a body."""
    needed, optional = {"ledger": str, "sequence": int, "head": str}, {"account": str, "time": str}
    require_keys(body, needed, {**optional, "spent": dict}, f"{name}, a ledger's receipt")
    spent = body.get("spent", {})
    if not all(isinstance(words, str) for words in spent.values()):
        raise BadFile(f"{name}: what was spent should be texts by column, not {str(spent)[:60]}")
    return Receipt(**body)
