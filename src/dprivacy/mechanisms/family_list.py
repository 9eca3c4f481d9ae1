"""Every family, in the order of the documentation and of messages; a new one is added here."""

from dprivacy.mechanisms.families import (
    anchored_codes,
    any_finite_metric,
    bitwise,
    exponential_draws,
    geometric_line,
    laplace_grid,
    planar_grid,
    response,
    truncated_laplace,
    vector_noise,
)
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.local.local_families import LOCAL_FAMILIES

FAMILIES: tuple[Family, ...] = (
    response.FAMILY,
    geometric_line.FAMILY,
    exponential_draws.FAMILY,
    any_finite_metric.FAMILY,
    laplace_grid.FAMILY,
    anchored_codes.FAMILY,
    planar_grid.FAMILY,
    vector_noise.FAMILY,
    bitwise.FAMILY,
    laplace_grid.INTEGER_GEOMETRIC,
    geometric_line.OVER_TRUNCATED,
    truncated_laplace.FAMILY,
    *LOCAL_FAMILIES,
)
