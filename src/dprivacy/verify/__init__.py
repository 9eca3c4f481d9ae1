"""What a channel really guarantees: d-privacy, (ε, δ), error bounds, and the same in words."""

from dprivacy.verify.auditing.audit_findings import AuditResult as AuditResult
from dprivacy.verify.auditing.black_box import audit as audit, audit_counts as audit_counts
from dprivacy.verify.auditing.command_samplers import command_sampler as command_sampler
from dprivacy.verify.composing.renyi_charges import (
    renyi_budget as renyi_budget,
    renyi_charge as renyi_charge,
    renyi_eps as renyi_eps,
)
from dprivacy.verify.composing.tight_composition import (
    Composition as Composition,
    compose as compose,
)
from dprivacy.verify.losses.binomial_tails import (
    bernoulli_divergence as bernoulli_divergence,
    binomial_alpha as binomial_alpha,
    binomial_tail_bound as binomial_tail_bound,
)
from dprivacy.verify.losses.concentrated_loss import (
    ConcentratedVerdict as ConcentratedVerdict,
    concentrated_privacy as concentrated_privacy,
)
from dprivacy.verify.losses.extended_levels import (
    ExtendedVerdict as ExtendedVerdict,
    WorstSet as WorstSet,
    extended_privacy as extended_privacy,
)
from dprivacy.verify.losses.hash_loss import (
    lshrr_chernoff as lshrr_chernoff,
    lshrr_concentrated as lshrr_concentrated,
    lshrr_hoeffding as lshrr_hoeffding,
    lshrr_loss as lshrr_loss,
)
from dprivacy.verify.losses.implied_guarantees import (
    ConcentratedGuarantee as ConcentratedGuarantee,
    ExtendedGuarantee as ExtendedGuarantee,
    extended_from_probabilistic as extended_from_probabilistic,
    probabilistic_from_concentrated as probabilistic_from_concentrated,
)
from dprivacy.verify.losses.privacy_loss_law import (
    PrivacyLoss as PrivacyLoss,
    privacy_loss as privacy_loss,
    with_shared_randomness as with_shared_randomness,
)
from dprivacy.verify.losses.probabilistic_loss import (
    ProbabilisticVerdict as ProbabilisticVerdict,
    probabilistic_privacy as probabilistic_privacy,
)
from dprivacy.verify.losses.subgaussian_loss import (
    SubgaussianScale as SubgaussianScale,
    subgaussian_scale as subgaussian_scale,
)
from dprivacy.verify.metric.blind_mending import Mending as Mending, mended as mended
from dprivacy.verify.metric.d_privacy import privacy as privacy
from dprivacy.verify.metric.delta_profile import (
    PrivacyProfile as PrivacyProfile,
    delta_at as delta_at,
    eps_at as eps_at,
    privacy_profile as privacy_profile,
)
from dprivacy.verify.metric.error_bounds import (
    error_floor as error_floor,
    expected_error as expected_error,
    hamming_error_bounds as hamming_error_bounds,
)
from dprivacy.verify.metric.induced_metric import (
    distinguishability as distinguishability,
    smallest_eps as smallest_eps,
)
from dprivacy.verify.metric.odds_and_balls import (
    ball_change as ball_change,
    odds_change as odds_change,
)
from dprivacy.verify.metric.outward_rounding import Certificate as Certificate, exactly as exactly
from dprivacy.verify.metric.privacy_verdict import (
    PrivacyVerdict as PrivacyVerdict,
    Triple as Triple,
)
from dprivacy.verify.metric.sufficient_sets import (
    checks_needed as checks_needed,
    sufficient_partition as sufficient_partition,
    sufficient_set as sufficient_set,
)
from dprivacy.verify.shuffling.column_products import shuffled_columns as shuffled_columns
from dprivacy.verify.shuffling.distance_table import (
    ShuffledDistance as ShuffledDistance,
    ShuffledDistances as ShuffledDistances,
    shuffled_distances as shuffled_distances,
)
from dprivacy.verify.shuffling.shuffled_curve import shuffled_profile as shuffled_profile
from dprivacy.verify.shuffling.shuffled_reports import (
    Shuffled as Shuffled,
    shuffled as shuffled,
)
from dprivacy.verify.shuffling.size_table import (
    ShuffledSize as ShuffledSize,
    ShuffledSizes as ShuffledSizes,
    shuffled_sizes as shuffled_sizes,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.verify.composing.grid_law import in_billionths as in_billionths
from dprivacy.verify.composing.loss_atoms import (
    LossAtoms as LossAtoms,
    atoms_of_level as atoms_of_level,
    atoms_of_profile as atoms_of_profile,
)
from dprivacy.verify.composing.renyi_charges import (
    as_order as as_order,
    level_charge as level_charge,
)
from dprivacy.verify.composing.telling_apart import ToldApart as ToldApart, told_apart as told_apart
from dprivacy.verify.losses.implied_guarantees import rounded_up as rounded_up
from dprivacy.verify.metric.induced_metric import (
    Eps as Eps,
    larger_rate as larger_rate,
    log_ratio as log_ratio,
    tightest as tightest,
)
from dprivacy.verify.metric.outward_rounding import (
    bits_for as bits_for,
    enclosure as enclosure,
    round_outward as round_outward,
    weights_hash as weights_hash,
)
from dprivacy.verify.metric.row_ratios import Ratio as Ratio, RowRatios as RowRatios
from dprivacy.verify.shuffling.blanket_pairs import blankets as blankets
from dprivacy.verify.shuffling.column_products import record_pairs as record_pairs
from dprivacy.verify.shuffling.shuffled_curve import record_profile as record_profile
from dprivacy.verify.shuffling.two_outputs import peak as peak
from dprivacy.verify.sums.count_law import CountLaw as CountLaw
