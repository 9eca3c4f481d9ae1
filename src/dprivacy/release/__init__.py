"""Releases: a protected copy of a table, and the card that says what it protects."""

from dprivacy.release.card import ReleaseCard
from dprivacy.release.files import card_path, sanitise_file
from dprivacy.release.forecast import Forecast, forecast, needed_eps, transition_summary
from dprivacy.release.joint import JointGuarantee, joint_guarantee
from dprivacy.release.permanent import PermanentAnswers
from dprivacy.release.plan import ColumnPlan, Plan
from dprivacy.release.proposal import propose
from dprivacy.release.query import Answer, query
from dprivacy.release.receive import Release
from dprivacy.release.tables import Sanitiser, sanitise
from dprivacy.release.transformer import ProtectColumns

__all__ = [
    "Answer",
    "ColumnPlan",
    "Forecast",
    "JointGuarantee",
    "PermanentAnswers",
    "Plan",
    "ProtectColumns",
    "Release",
    "ReleaseCard",
    "Sanitiser",
    "card_path",
    "forecast",
    "joint_guarantee",
    "needed_eps",
    "propose",
    "query",
    "sanitise",
    "sanitise_file",
    "transition_summary",
]
