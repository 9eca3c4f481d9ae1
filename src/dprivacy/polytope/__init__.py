"""The geometry of private mechanisms: vertices, kernels, and the extreme points of local privacy.

The posteriors of ε·d-private channels form a polytope. Channels whose posteriors are vertices of it
and independent are the kernels: all private channels are made of them. For the discrete metric on n
inputs and n outputs the private channels themselves form a polytope, and its extreme points are known.
Everything is exact; e^ε has to be rational wherever entries are listed.
"""

from dprivacy.polytope.cone import Inequality, inequalities
from dprivacy.polytope.counts import ExtremePointCount, KernelCount
from dprivacy.polytope.decompose import Decomposition, decompose
from dprivacy.polytope.extreme_count import count_extreme_points
from dprivacy.polytope.extreme_points import extreme_points
from dprivacy.polytope.extreme_test import ExtremeVerdict, is_extreme, kernel_of
from dprivacy.polytope.kernel_test import KernelVerdict, is_kernel, is_vertex_mechanism
from dprivacy.polytope.kernels import count_kernels, kernels
from dprivacy.polytope.local import (
    MembershipVerdict,
    Tight,
    local_privacy,
    loose_entries,
    nonzero_columns,
    tight_constraints,
)
from dprivacy.polytope.vertices import PosteriorVerdict, posterior_privacy, vertices

__all__ = [
    "Decomposition",
    "ExtremePointCount",
    "ExtremeVerdict",
    "Inequality",
    "KernelCount",
    "KernelVerdict",
    "MembershipVerdict",
    "PosteriorVerdict",
    "Tight",
    "count_extreme_points",
    "count_kernels",
    "decompose",
    "extreme_points",
    "inequalities",
    "is_extreme",
    "is_kernel",
    "is_vertex_mechanism",
    "kernel_of",
    "kernels",
    "local_privacy",
    "loose_entries",
    "nonzero_columns",
    "posterior_privacy",
    "tight_constraints",
    "vertices",
]
