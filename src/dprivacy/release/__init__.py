"""Releases: a protected copy of a table, and the card that says what it protects."""

from dprivacy.release.card import ReleaseCard
from dprivacy.release.joint import JointGuarantee, joint_guarantee
from dprivacy.release.plan import ColumnPlan, Plan
from dprivacy.release.tables import Sanitiser, sanitise

__all__ = [
    "ColumnPlan",
    "JointGuarantee",
    "Plan",
    "ReleaseCard",
    "Sanitiser",
    "joint_guarantee",
    "sanitise",
]
