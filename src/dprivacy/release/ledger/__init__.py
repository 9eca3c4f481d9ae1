"""The ledger of releases: what was spent on whom, refused past a budget, kept in a chain of hashes."""

from dprivacy.release.ledger.amounts import Amount
from dprivacy.release.ledger.book import EVERYONE, Ledger
from dprivacy.release.ledger.check import Finding, LedgerVerdict
from dprivacy.release.ledger.metric import Charge
from dprivacy.release.ledger.receipt import Receipt
from dprivacy.release.ledger.report import LedgerReport
from dprivacy.release.ledger.spending import (
    Account,
    column_digests,
    opened,
    plan_hash,
    spend_release,
)
from dprivacy.release.ledger.without_plan import charged, per_unit

__all__ = [
    "EVERYONE",
    "Account",
    "Amount",
    "Charge",
    "Finding",
    "Ledger",
    "LedgerReport",
    "LedgerVerdict",
    "Receipt",
    "charged",
    "column_digests",
    "opened",
    "per_unit",
    "plan_hash",
    "spend_release",
]
