"""The card of a table that came noisy: its noise was drawn elsewhere, by the mechanisms of a plan."""

from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_card import table_card
from dprivacy.release.plans.table_plan import Plan


def card_of_noisy(plan: Plan, *, rows: int, receipt: Receipt | None = None) -> Card:
    """The card of noisy rows, on the word of those who drew the noise."""
    place = None if receipt is None else receipt.to_dict()
    return table_card(plan, rows=rows, secure=True, receipt=place)
