"""What an adversary gains: vulnerability, leakage, capacity and inference."""

from dprivacy.flow import gain, loss
from dprivacy.flow.additive import AdditiveCapacity, additive_capacity
from dprivacy.flow.capacities import additive_bound, capacity, d_capacity, leakage_bound
from dprivacy.flow.classes import (
    LossVerdict,
    is_extended,
    is_pairwise_non_trivial,
    is_trivial,
)
from dprivacy.flow.counting import local_count, oblivious_count
from dprivacy.flow.distance import d_vulnerability
from dprivacy.flow.entropy import (
    guessing_entropy,
    mutual_information,
    posterior_guessing_entropy,
    posterior_shannon_entropy,
    shannon_entropy,
)
from dprivacy.flow.focus import (
    BlockVerdict,
    FocusVerdict,
    focussed,
    is_focussed,
    is_hiding,
    is_insensitive,
    is_revealing,
)
from dprivacy.flow.inferences import Inference, inference
from dprivacy.flow.leaks import leakage
from dprivacy.flow.measures import (
    posterior_uncertainty,
    posterior_vulnerability,
    uncertainty,
    vulnerability,
)
from dprivacy.flow.monotone import MonotonicVerdict, is_monotonic, is_strictly_monotonic
from dprivacy.flow.scenarios import Scenario, count_scenario, scenario
from dprivacy.flow.shannon import ShannonCapacity, shannon_capacity
from dprivacy.flow.strategy import Move, Strategy, strategy
from dprivacy.flow.table import Loss

__all__ = [
    "AdditiveCapacity",
    "BlockVerdict",
    "FocusVerdict",
    "Inference",
    "Loss",
    "LossVerdict",
    "MonotonicVerdict",
    "Move",
    "Scenario",
    "ShannonCapacity",
    "Strategy",
    "additive_bound",
    "additive_capacity",
    "capacity",
    "count_scenario",
    "d_capacity",
    "d_vulnerability",
    "focussed",
    "gain",
    "guessing_entropy",
    "inference",
    "is_extended",
    "is_focussed",
    "is_hiding",
    "is_insensitive",
    "is_monotonic",
    "is_pairwise_non_trivial",
    "is_revealing",
    "is_strictly_monotonic",
    "is_trivial",
    "leakage",
    "leakage_bound",
    "local_count",
    "loss",
    "mutual_information",
    "oblivious_count",
    "posterior_guessing_entropy",
    "posterior_shannon_entropy",
    "posterior_uncertainty",
    "posterior_vulnerability",
    "scenario",
    "shannon_capacity",
    "shannon_entropy",
    "strategy",
    "uncertainty",
    "vulnerability",
]
