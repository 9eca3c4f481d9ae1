"""Curves: days of a meter and other sampled functions, protected as wholes."""

from dprivacy.curves.basis_size import SizeChoice as SizeChoice, choose_size as choose_size
from dprivacy.curves.coefficient_noise import (
    CurveMechanism as CurveMechanism,
    curve_mechanism as curve_mechanism,
)
from dprivacy.curves.curve_basis import (
    Basis as Basis,
    make_basis as make_basis,
    principal_basis as principal_basis,
)
from dprivacy.curves.curve_files import (
    Days as Days,
    example_days as example_days,
    read_days as read_days,
)
from dprivacy.curves.matching_attack import Linkage as Linkage, linkage as linkage
from dprivacy.curves.mean_profile import Profile as Profile
from dprivacy.curves.protecting_curves import protect_curves as protect_curves
from dprivacy.curves.released_curves import ProtectedCurves as ProtectedCurves
