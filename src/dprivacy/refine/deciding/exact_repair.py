"""From an R in floats to an exact one: what is missing is made up on entries that can spare it."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats, Mat, from_flint, to_flint
from dprivacy.refine.deciding.ball_systems import pivots

Known = dict[tuple[int, ...], tuple[list[int], list[int], Any]]

_BITS = 64
_SUPPORTS = (1e-4, 1e-6, 1e-8, 1e-2)


def repaired_near(a: Mat, b: Mat, r: Floats) -> Mat | None:
    """An exact R near a float one, or None when no support that was tried allows it.

    Notes
    -----
    1. Entries that look like 0 are made 0; the others become dyadic, with rows that sum to 1.
    2. E = B − A·R is exact and tiny. One output of B with a large support is the hub.
       Where enough columns of A are used by every output of B, all share one inverse.
    3. For every other output j, z_j with A·z_j = E_j is solved on columns of A that j and the hub both
       use, and taken off the hub. Sums stay 1, and the hub's own equations hold because Σ_j E_j = 0.
    """
    for threshold in _SUPPORTS:
        support = r > threshold / r.shape[1]
        hub = int(support.sum(axis=0).argmax())
        rounded = _dyadic_rows(np.where(support, r, 0.0), hub, support)
        if rounded is None:
            continue
        found = _star(a, b, rounded, support, hub)
        if found is not None and (found.entries >= 0).all() and a @ found == b:
            return found
    return None


def _dyadic_rows(r: Floats, hub: int, support: NDArray[np.bool_]) -> Mat | None:
    whole = [[int(value * 2.0**53) << (_BITS - 53) for value in row] for row in r.tolist()]
    for y, row in enumerate(whole):
        at = hub if support[y, hub] else row.index(max(row))
        row[at] += (1 << _BITS) - sum(row)
        if row[at] <= 0:
            return None
    return Mat.over(1 << _BITS, whole)


def _star(a: Mat, b: Mat, r: Mat, support: NDArray[np.bool_], hub: int) -> Mat | None:
    product = a @ r
    off = b + product.scaled(Fraction(-1))
    left, wrong = to_flint(a), to_flint(off)
    n, k = b.shape
    from flint import fmpq_mat

    whole = to_flint(r)
    inverses: Known = {}
    sizes = r.floats
    everywhere = np.flatnonzero(support.all(axis=1))
    common = everywhere[np.argsort(-sizes[everywhere].min(axis=1))].tolist()
    if common and len(pivots(a.take(columns=common))) < min(a.shape):
        common = []
    for j in range(k):
        if j == hub or not off.entries[:, j].any():
            continue
        shared = np.flatnonzero(support[:, j] & support[:, hub])
        strength = -np.minimum(sizes[shared, j], sizes[shared, hub])
        strongest = common or shared[np.argsort(strength)].tolist()
        kept, rows, inverse = _inverse_on(a, strongest, inverses)
        if inverse is None:
            return None
        part = fmpq_mat(len(rows), 1, [wrong[x, j] for x in rows])
        step = inverse * part
        if len(rows) < n:
            again = fmpq_mat(n, len(kept), [left[x, y] for x in range(n) for y in kept]) * step
            if any(again[x, 0] != wrong[x, j] for x in range(n)):
                return None
        for i, y in enumerate(kept):
            whole[y, j] += step[i, 0]
            whole[y, hub] -= step[i, 0]
    return from_flint(whole)


def _inverse_on(a: Mat, columns: list[int], known: Known) -> tuple[list[int], list[int], Any]:
    """Independent ones among the given columns, rows that settle them, and the exact inverse."""
    if not columns:
        return [], [], None
    kept = [columns[k] for k in pivots(a.take(columns=columns))]
    key = tuple(sorted(kept))
    if key not in known:
        kept = list(key)
        rows = pivots(a.take(columns=kept).transposed)
        known[key] = (kept, rows, to_flint(a.take(rows=rows, columns=kept)).inv())
    return known[key]
