"""Receipts: what a ledger gives for an entry, and what a release card carries of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import Malformed


@dataclass(frozen=True)
class Receipt:
    """That an entry was made, and where the chain stood then.

    Whoever holds a receipt can find out later whether the ledger still says the same up to that entry.

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
    """

    ledger: str
    sequence: int
    head: str
    account: str = ""
    time: str = ""
    spent: Mapping[str, str] | None = None

    def explain(self) -> str:
        """The receipt in words."""
        lines = [
            f"Entry {self.sequence} of ledger {self.ledger}, account {self.account}, {self.time}."
        ]
        lines += [f"Column {name}: {words}." for name, words in (self.spent or {}).items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """What goes onto a card: where the entry is, and nothing of what it says."""
        return {"ledger": self.ledger, "sequence": self.sequence, "head": self.head}

    @classmethod
    def from_dict(cls, data: Any, *, name: str = "the receipt") -> "Receipt":
        """A receipt from a card."""
        ledger, sequence, head = (
            data.get(key) if isinstance(data, Mapping) else None
            for key in ("ledger", "sequence", "head")
        )
        if not isinstance(ledger, str) or type(sequence) is not int or not isinstance(head, str):
            raise Malformed(f"{name}: is not a receipt of a ledger")
        return cls(ledger, sequence, head)
