"""The ledger of releases: what was spent on whom, refused past a budget, kept in a chain of hashes."""

from dprivacy.release.ledger.amounts import Amount as Amount
from dprivacy.release.ledger.charged_metric import Charge as Charge
from dprivacy.release.ledger.charging import charged as charged, per_unit as per_unit
from dprivacy.release.ledger.ledger_book import EVERYONE as EVERYONE, Ledger as Ledger
from dprivacy.release.ledger.ledger_check import Finding as Finding, LedgerVerdict as LedgerVerdict
from dprivacy.release.ledger.ledger_report import LedgerReport as LedgerReport
from dprivacy.release.ledger.receipts import Receipt as Receipt
from dprivacy.release.ledger.release_spending import (
    Account as Account,
    column_digests as column_digests,
    opened as opened,
    plan_hash as plan_hash,
    spend_release as spend_release,
)
