"""The best mechanism for a purpose, with proofs: optimal channels, remaps, minimax, universality.

`optimal` finds the private channel with the least expected loss and proves both; `optimal(…).randomise`
draws from it. `universally_optimal` turns the question round: for whom is a mechanism the best?
"""

from dprivacy.design.least_expected_loss import optimal as optimal
from dprivacy.design.least_worst_loss import Minimax as Minimax, minimax as minimax
from dprivacy.design.max_case_optimum import MaxOptimum as MaxOptimum
from dprivacy.design.optimum import (
    OptimalityCertificate as OptimalityCertificate,
    Optimum as Optimum,
    as_kernels as as_kernels,
    kernel_losses as kernel_losses,
)
from dprivacy.design.problems.best_remap import (
    Remap as Remap,
    expected_loss as expected_loss,
    remap as remap,
    worst_case_loss as worst_case_loss,
)
from dprivacy.design.universality.consumer_preference import (
    BestKernel as BestKernel,
    Preference as Preference,
    best_kernel as best_kernel,
)
from dprivacy.design.universality.every_extreme_posterior import (
    max_case_universal as max_case_universal,
)
from dprivacy.design.universality.interval_pixels import (
    IntervalLoss as IntervalLoss,
    gathered as gathered,
    laplace_on_interval as laplace_on_interval,
)
from dprivacy.design.universality.laplace_enclosures import (
    geometric_loss as geometric_loss,
    laplace_loss as laplace_loss,
)
from dprivacy.design.universality.ordered_losses import (
    OrderedVerdict as OrderedVerdict,
    is_ordered as is_ordered,
)
from dprivacy.design.universality.pair_optimality import (
    PairVerdict as PairVerdict,
    best_on_pair as best_on_pair,
)
from dprivacy.design.universality.refined_by_noise import (
    LaplaceRefinement as LaplaceRefinement,
    LossDifference as LossDifference,
    laplace_against_geometric as laplace_against_geometric,
    refined_by_laplace as refined_by_laplace,
)
from dprivacy.design.universality.tight_paths import (
    GeometricPath as GeometricPath,
    geometric_paths as geometric_paths,
)
from dprivacy.design.universality.universal_optimality import (
    universally_optimal as universally_optimal,
)
from dprivacy.design.universality.universality_verdict import (
    LossClass as LossClass,
    Universality as Universality,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.design.columns.arithmetic_device import DEVICES as DEVICES
