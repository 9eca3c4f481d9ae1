"""Which of two channels is the safer: refinement orders with witnesses, and their lattices."""

from dprivacy.refine.average import refines
from dprivacy.refine.hasse import Order, order
from dprivacy.refine.lattices import join_max, join_private, meet_max, meet_private
from dprivacy.refine.maximum import refines_max
from dprivacy.refine.private import refines_private
from dprivacy.refine.restricted import RestrictedRefinement, refines_for
from dprivacy.refine.verdicts import (
    AverageRefinement,
    MaxRefinement,
    PrivateRefinement,
    Refinement,
)

__all__ = [
    "AverageRefinement",
    "MaxRefinement",
    "Order",
    "PrivateRefinement",
    "Refinement",
    "RestrictedRefinement",
    "join_max",
    "join_private",
    "meet_max",
    "meet_private",
    "order",
    "refines",
    "refines_for",
    "refines_max",
    "refines_private",
]
