"""The best mechanism for a purpose, with proofs: optimal channels, remaps, minimax, universality.

`optimal` finds the private channel with the least expected loss and proves both. What it returns can be
drawn from at once. `universally_optimal` turns the question round: for whom is a mechanism the best?
"""

from dprivacy.design.approximate import Approximation
from dprivacy.design.columns import column_generation
from dprivacy.design.interior import interior_point
from dprivacy.design.laplace_geometric import (
    LaplaceRefinement,
    LossDifference,
    laplace_against_geometric,
    refined_by_laplace,
)
from dprivacy.design.laplace_loss import geometric_loss, laplace_loss
from dprivacy.design.minimax import Minimax, minimax
from dprivacy.design.mixture import as_kernels, kernel_losses
from dprivacy.design.one_loss import LossOptimality, universally_optimal_for
from dprivacy.design.optimal import optimal
from dprivacy.design.ordered import OrderedVerdict, is_ordered
from dprivacy.design.pairs import PairVerdict, best_on_pair
from dprivacy.design.paths import GeometricPath, geometric_paths
from dprivacy.design.pixelation import IntervalLoss, gathered, laplace_on_interval
from dprivacy.design.preference import BestKernel, Preference, best_kernel
from dprivacy.design.prior_file import read_prior_file
from dprivacy.design.problem import Problem
from dprivacy.design.remap import Remap, expected_loss, remap, worst_case_loss
from dprivacy.design.result import OptimalityCertificate, Optimum
from dprivacy.design.universal import LossClass, Universality, universally_optimal

__all__ = [
    "Approximation",
    "BestKernel",
    "GeometricPath",
    "IntervalLoss",
    "LaplaceRefinement",
    "LossClass",
    "LossDifference",
    "LossOptimality",
    "Minimax",
    "OptimalityCertificate",
    "Optimum",
    "OrderedVerdict",
    "PairVerdict",
    "Preference",
    "Problem",
    "Remap",
    "Universality",
    "as_kernels",
    "best_kernel",
    "best_on_pair",
    "column_generation",
    "expected_loss",
    "gathered",
    "geometric_loss",
    "geometric_paths",
    "interior_point",
    "is_ordered",
    "kernel_losses",
    "laplace_against_geometric",
    "laplace_loss",
    "laplace_on_interval",
    "minimax",
    "optimal",
    "read_prior_file",
    "refined_by_laplace",
    "remap",
    "universally_optimal",
    "universally_optimal_for",
    "worst_case_loss",
]
