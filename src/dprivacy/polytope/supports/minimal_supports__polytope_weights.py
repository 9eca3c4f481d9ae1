"""The one way to balance the columns of a minimal support."""

import math
from collections.abc import Sequence

from dprivacy.polytope.cones.private_cone import Column


def balancing(columns: Sequence[Column]) -> tuple[Column, int]:
    """Whole weights w > 0 without a common factor, and t, with Σ_j w_j·v_j = t in every place.

    The columns must have exactly one such balance, as those of a minimal support do.
    """
    from flint import fmpz_mat

    if len(columns) == 1:
        return (1,), columns[0][0]
    rows = [[column[i] - column[0] for column in columns] for i in range(1, len(columns[0]))]
    basis, _ = fmpz_mat(rows).nullspace()
    vector = [int(basis[j, 0]) for j in range(len(columns))]
    common = math.gcd(*vector) * (-1 if vector[0] < 0 else 1)
    weights = tuple(value // common for value in vector)
    total = sum(w * column[0] for w, column in zip(weights, columns, strict=True))
    return weights, total
