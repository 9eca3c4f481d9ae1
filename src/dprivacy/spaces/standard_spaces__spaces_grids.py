"""Grids in the plane, with the Euclidean, Manhattan or Chebyshev distance."""

from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.numbers import as_eps, root
from dprivacy.spaces.distance_matrix import Distance, Distances, require_fits
from dprivacy.spaces.finite_space import FiniteSpace


def grid(rows: int, columns: int, *, metric: str = "euclidean", step: Any = 1) -> FiniteSpace:
    """Cells (row, column) of a grid, `step` apart.

    Parameters
    ----------
    rows, columns
        How many.
    metric
        "euclidean" (√(a²+b²), kept exact), "manhattan" (a+b) or "chebyshev" (max(a, b)).
    step
        The side of a cell: a number, a Fraction or a string.

    Notes
    -----
    The pairs that matter are known without a search: neighbours for "manhattan" (4) and "chebyshev"
    (8), and for "euclidean" the offsets (a, b) without a common divisor, since otherwise another
    cell lies on the segment.
    """
    if rows < 1 or columns < 1:
        raise Malformed(f"a grid needs at least one row and one column, not {rows}×{columns}")
    require_fits(f"a grid of {rows}×{columns}", rows, columns)
    side = as_eps(step)
    row, column = (axis.ravel() for axis in np.indices((rows, columns)))
    down, across = np.abs(row[:, None] - row), np.abs(column[:, None] - column)

    def length(number: int) -> Distance:
        return (side * number).simplified

    def euclidean(square: int) -> Distance:
        return (side * root(Fraction(square))).simplified

    if metric == "euclidean":
        distances = Distances.coded(down**2 + across**2, euclidean)
        needed = np.gcd(down, across) == 1
    elif metric == "manhattan":
        distances = Distances.coded(down + across, length)
        needed = down + across == 1
    elif metric == "chebyshev":
        distances = Distances.coded(np.maximum(down, across), length)
        needed = np.maximum(down, across) == 1
    else:
        raise Malformed(f"metric must be 'euclidean', 'manhattan' or 'chebyshev', not {metric!r}")
    edges = np.argwhere(np.triu(needed))
    labels = list(zip(row.tolist(), column.tolist(), strict=True))
    return FiniteSpace(labels, distances, edges=edges)
