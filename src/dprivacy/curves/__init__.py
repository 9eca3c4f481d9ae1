"""Curves: days of a meter and other sampled functions, protected as wholes."""

from dprivacy.curves.basis import Basis, make_basis, principal_basis
from dprivacy.curves.days import example_days
from dprivacy.curves.files import Days, read_days
from dprivacy.curves.linkage import Linkage, linkage
from dprivacy.curves.mechanism import CurveMechanism, curve_mechanism
from dprivacy.curves.profile import Profile
from dprivacy.curves.protect import ProtectedCurves, protect_curves
from dprivacy.curves.size import SizeChoice, choose_size

__all__ = [
    "Basis",
    "CurveMechanism",
    "Days",
    "Linkage",
    "Profile",
    "ProtectedCurves",
    "SizeChoice",
    "choose_size",
    "curve_mechanism",
    "example_days",
    "linkage",
    "make_basis",
    "principal_basis",
    "protect_curves",
    "read_days",
]
