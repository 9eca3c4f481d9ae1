"""Releases: a protected copy of a table, and the card that says what it protects."""

from dprivacy.release.card import ReleaseCard
from dprivacy.release.forecasting import Forecast, forecast, needed_eps, transition_summary
from dprivacy.release.jobs import sanitise_file
from dprivacy.release.joint import JointGuarantee, joint_guarantee
from dprivacy.release.ledger import Account, Amount, Ledger, LedgerReport, LedgerVerdict, Receipt
from dprivacy.release.permanent import PermanentAnswers
from dprivacy.release.plan import ColumnPlan, Plan
from dprivacy.release.proposal import propose
from dprivacy.release.querying import Answer, query
from dprivacy.release.receive import Release
from dprivacy.release.sanitiser import Sanitiser
from dprivacy.release.spark import sanitise_spark, sanitise_spark_file
from dprivacy.release.spark_receive import SparkRelease
from dprivacy.release.tables import Sanitised, sanitise, sanitise_with_card
from dprivacy.release.transformer import ProtectColumns
from dprivacy.release.workplace import card_path

__all__ = [
    "Account",
    "Amount",
    "Answer",
    "ColumnPlan",
    "Forecast",
    "JointGuarantee",
    "Ledger",
    "LedgerReport",
    "LedgerVerdict",
    "PermanentAnswers",
    "Plan",
    "ProtectColumns",
    "Receipt",
    "Release",
    "ReleaseCard",
    "Sanitised",
    "Sanitiser",
    "SparkRelease",
    "card_path",
    "forecast",
    "joint_guarantee",
    "needed_eps",
    "propose",
    "query",
    "sanitise",
    "sanitise_file",
    "sanitise_spark",
    "sanitise_spark_file",
    "sanitise_with_card",
    "transition_summary",
]
