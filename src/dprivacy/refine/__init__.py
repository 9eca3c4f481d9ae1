"""Which of two channels is the safer: refinement orders with witnesses, and their lattices."""

from dprivacy.refine.average_order import refines as refines
from dprivacy.refine.deciding.refinement_verdicts import (
    AverageRefinement as AverageRefinement,
    MaxRefinement as MaxRefinement,
    PrivateRefinement as PrivateRefinement,
    Refinement as Refinement,
)
from dprivacy.refine.hasse_diagram import Order as Order, order as order
from dprivacy.refine.joins_and_meets import (
    join_max as join_max,
    join_private as join_private,
    meet_max as meet_max,
    meet_private as meet_private,
)
from dprivacy.refine.max_order import refines_max as refines_max
from dprivacy.refine.privacy_order import refines_private as refines_private
from dprivacy.refine.restricted_order import (
    RestrictedRefinement as RestrictedRefinement,
    refines_for as refines_for,
)
