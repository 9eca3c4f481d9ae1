"""Exact numbers: privacy levels, matrices over one denominator, linear algebra, certified programs."""

from dprivacy.numbers.levels import (
    Level as Level,
    as_delta as as_delta,
    as_eps as as_eps,
    as_level as as_level,
    ln as ln,
    root as root,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.numbers.arrays import (
    Floats as Floats,
    Whole as Whole,
    Words as Words,
    largest_in_columns as largest_in_columns,
    product as product,
)
from dprivacy.numbers.double_description import (
    Integers as Integers,
    Ray as Ray,
    Ring as Ring,
    extreme_rays as extreme_rays,
    solutions as solutions,
    spanned as spanned,
)
from dprivacy.numbers.enclosures import (
    ball_precision as ball_precision,
    dyadic as dyadic,
    exp_bounds as exp_bounds,
    float_down as float_down,
    float_up as float_up,
    root_above as root_above,
)
from dprivacy.numbers.exact_algebra import (
    fraction_of as fraction_of,
    from_flint as from_flint,
    inverse as inverse,
    null_space as null_space,
    rank as rank,
    solve as solve,
    to_flint as to_flint,
)
from dprivacy.numbers.factors import (
    Factor as Factor,
    quotient_up as quotient_up,
    within_doubles as within_doubles,
)
from dprivacy.numbers.frozen_values import Frozen as Frozen, Sealed as Sealed
from dprivacy.numbers.integer_facts import power_part as power_part
from dprivacy.numbers.levels import as_rational as as_rational, as_share as as_share
from dprivacy.numbers.linear_programs import (
    FloatSolution as FloatSolution,
    Outcome as Outcome,
    Sparse as Sparse,
    certified as certified,
    feasible as feasible,
    minimise as minimise,
    solve_in_floats as solve_in_floats,
)
from dprivacy.numbers.matrices import Mat as Mat
from dprivacy.numbers.number_input import (
    read_matrix as read_matrix,
    read_number as read_number,
    read_rows as read_rows,
    read_vector as read_vector,
    read_whole as read_whole,
)
from dprivacy.numbers.roots.real_roots import (
    Coefficients as Coefficients,
    Root as Root,
    irreducible_factors as irreducible_factors,
    polynomial_text as polynomial_text,
    roots_above as roots_above,
    samples as samples,
)
