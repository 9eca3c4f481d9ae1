"""Which of two channels is the safer: refinement orders with witnesses, and their lattices."""

from dprivacy.refine.block_order import BlockRefinement as BlockRefinement
from dprivacy.refine.breaks.verdict_intervals import (
    RefinementBreaks as RefinementBreaks,
    refinement_breaks as refinement_breaks,
)
from dprivacy.refine.deciding.refinement_verdicts import (
    AverageRefinement as AverageRefinement,
    MaxRefinement as MaxRefinement,
    PrivateRefinement as PrivateRefinement,
    Refinement as Refinement,
)
from dprivacy.refine.hasse_diagram import Order as Order, order as order
from dprivacy.refine.joins_and_meets import join as join, meet as meet
from dprivacy.refine.lowering.lowering_verdict import (
    Lowering as Lowering,
    exponential_monotone as exponential_monotone,
)
from dprivacy.refine.refinement import refines as refines
from dprivacy.refine.restricted_order import RestrictedRefinement as RestrictedRefinement
