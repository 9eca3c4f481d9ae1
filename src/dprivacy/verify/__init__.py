"""What a channel really guarantees: d-privacy, (ε, δ), error bounds, and the same in words."""

from dprivacy.verify.audit import audit, audit_counts
from dprivacy.verify.audit_result import AuditResult
from dprivacy.verify.binomial import bernoulli_divergence, binomial_alpha, binomial_tail_bound
from dprivacy.verify.bounds import error_floor, expected_error, hamming_error_bounds
from dprivacy.verify.certificate import Certificate, exactly
from dprivacy.verify.concentrated import ConcentratedVerdict, concentrated_privacy
from dprivacy.verify.distinguish import distinguishability, smallest_eps
from dprivacy.verify.extended import ExtendedVerdict, WorstSet, extended_privacy
from dprivacy.verify.hash_loss import (
    lshrr_chernoff,
    lshrr_concentrated,
    lshrr_hoeffding,
    lshrr_loss,
)
from dprivacy.verify.implications import (
    ConcentratedGuarantee,
    ExtendedGuarantee,
    extended_from_probabilistic,
    probabilistic_from_concentrated,
)
from dprivacy.verify.loss import PrivacyLoss, privacy_loss, with_shared_randomness
from dprivacy.verify.mending import Mending, mended
from dprivacy.verify.privacy import PrivacyVerdict, Triple, privacy
from dprivacy.verify.probabilistic import ProbabilisticVerdict, probabilistic_privacy
from dprivacy.verify.profile import PrivacyProfile, delta_at, eps_at, privacy_profile
from dprivacy.verify.samplers import command_sampler
from dprivacy.verify.semantics import ball_change, odds_change
from dprivacy.verify.subgaussian import SubgaussianScale, subgaussian_scale
from dprivacy.verify.sufficient import checks_needed, sufficient_partition, sufficient_set

__all__ = [
    "Mending",
    "mended",
    "AuditResult",
    "Certificate",
    "ConcentratedGuarantee",
    "ConcentratedVerdict",
    "ExtendedGuarantee",
    "ExtendedVerdict",
    "PrivacyLoss",
    "PrivacyProfile",
    "PrivacyVerdict",
    "ProbabilisticVerdict",
    "SubgaussianScale",
    "Triple",
    "WorstSet",
    "audit",
    "audit_counts",
    "ball_change",
    "bernoulli_divergence",
    "binomial_alpha",
    "binomial_tail_bound",
    "checks_needed",
    "command_sampler",
    "concentrated_privacy",
    "delta_at",
    "distinguishability",
    "eps_at",
    "error_floor",
    "exactly",
    "expected_error",
    "extended_from_probabilistic",
    "extended_privacy",
    "hamming_error_bounds",
    "lshrr_chernoff",
    "lshrr_concentrated",
    "lshrr_hoeffding",
    "lshrr_loss",
    "odds_change",
    "privacy",
    "privacy_loss",
    "privacy_profile",
    "probabilistic_from_concentrated",
    "probabilistic_privacy",
    "smallest_eps",
    "subgaussian_scale",
    "sufficient_partition",
    "sufficient_set",
    "with_shared_randomness",
]
