"""What an adversary gains: vulnerability, leakage, capacity and inference."""

from dprivacy.flow.capacities.additive_search import (
    AdditiveCapacity as AdditiveCapacity,
    additive_capacity as additive_capacity,
)
from dprivacy.flow.capacities.capacity_bounds import (
    additive_bound as additive_bound,
    capacity as capacity,
    d_capacity as d_capacity,
    leakage_bound as leakage_bound,
)
from dprivacy.flow.capacities.shannon_iteration import (
    ShannonCapacity as ShannonCapacity,
    shannon_capacity as shannon_capacity,
)
from dprivacy.flow.gains.loss_classes import (
    LossVerdict as LossVerdict,
    is_extended as is_extended,
    is_pairwise_non_trivial as is_pairwise_non_trivial,
    is_trivial as is_trivial,
)
from dprivacy.flow.gains.loss_table import Loss as Loss
from dprivacy.flow.gains.monotonic_losses import (
    MonotonicVerdict as MonotonicVerdict,
    is_monotonic as is_monotonic,
    is_strictly_monotonic as is_strictly_monotonic,
)
from dprivacy.flow.gains.named_gains import gain as gain, loss as loss
from dprivacy.flow.inferring.correlated_values import Inference as Inference, inference as inference
from dprivacy.flow.inferring.guessed_answers import (
    RowGuesses as RowGuesses,
    row_guesses as row_guesses,
)
from dprivacy.flow.inferring.noise_focus import (
    BlockVerdict as BlockVerdict,
    FocusVerdict as FocusVerdict,
    focussed as focussed,
    is_focussed as is_focussed,
    is_hiding as is_hiding,
    is_insensitive as is_insensitive,
    is_revealing as is_revealing,
)
from dprivacy.flow.inferring.noisy_counts import (
    local_count as local_count,
    oblivious_count as oblivious_count,
)
from dprivacy.flow.inferring.scenarios import (
    Scenario as Scenario,
    count_scenario as count_scenario,
    scenario as scenario,
)
from dprivacy.flow.measures.best_actions import (
    Move as Move,
    Strategy as Strategy,
    strategy as strategy,
)
from dprivacy.flow.measures.distance_vulnerability import d_vulnerability as d_vulnerability
from dprivacy.flow.measures.entropies import (
    guessing_entropy as guessing_entropy,
    mutual_information as mutual_information,
    posterior_guessing_entropy as posterior_guessing_entropy,
    posterior_shannon_entropy as posterior_shannon_entropy,
    shannon_entropy as shannon_entropy,
)
from dprivacy.flow.measures.leaks import leakage as leakage
from dprivacy.flow.measures.vulnerabilities import (
    posterior_uncertainty as posterior_uncertainty,
    posterior_vulnerability as posterior_vulnerability,
    uncertainty as uncertainty,
    vulnerability as vulnerability,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.flow.gains.gain_algebra import mirror as mirror, restrict as restrict
from dprivacy.flow.gains.gain_input import as_gain as as_gain, as_loss as as_loss
from dprivacy.flow.gains.loss_classes import costs as costs
from dprivacy.flow.gains.loss_table import aligned as aligned, finite as finite
