"""What a channel really guarantees: d-privacy, (ε, δ), error bounds, and the same in words."""

from dprivacy.verify.bounds import error_floor, expected_error, hamming_error_bounds
from dprivacy.verify.distinguish import distinguishability, smallest_eps
from dprivacy.verify.privacy import PrivacyVerdict, Triple, privacy
from dprivacy.verify.profile import PrivacyProfile, delta_at, eps_at, privacy_profile
from dprivacy.verify.semantics import ball_change, odds_change
from dprivacy.verify.sufficient import checks_needed, sufficient_partition, sufficient_set

__all__ = [
    "PrivacyProfile",
    "PrivacyVerdict",
    "Triple",
    "ball_change",
    "checks_needed",
    "delta_at",
    "distinguishability",
    "eps_at",
    "error_floor",
    "expected_error",
    "hamming_error_bounds",
    "odds_change",
    "privacy",
    "privacy_profile",
    "smallest_eps",
    "sufficient_partition",
    "sufficient_set",
]
