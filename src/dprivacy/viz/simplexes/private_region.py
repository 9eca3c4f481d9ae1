"""The private region inside the simplex of two, three or four secrets: corners and edges."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dprivacy.errors import TooLarge
from dprivacy.numbers import Floats, as_eps
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import LevelLike

_NEAR = 1e-9
MOST_SECRETS = 4


@dataclass(frozen=True)
class Region:
    """Corners (one a row, probabilities in the order of the labels) and the edges between them.

    With three secrets the corners go round the polygon.
    """

    corners: Floats
    edges: tuple[tuple[int, int], ...]


def region(space: FiniteSpace, eps: LevelLike) -> Region:
    """The posteriors that ε·d-privacy allows, p_x ≤ e^(ε·d(x, z))·p_z, in floats for drawing.

    `dprivacy.polytope.vertices` lists the same corners exactly, where e^ε is rational; this is for any
    ε and any distances, with up to four secrets.

    Notes
    -----
    1. The constraints, with p ≥ 0, as rows G·p ≥ 0.
    2. A corner makes n − 1 independent rows equalities: all choices are solved at once and those that
       meet every constraint are kept, each once.
    3. Two corners share an edge when n − 2 independent rows are equalities at both.
    """
    n = len(space)
    if n > MOST_SECRETS:
        raise TooLarge(f"a picture has room for {MOST_SECRETS} secrets at most, not {n}")
    rows = _constraints(space.distances.floats, float(as_eps(eps, zero=True)))
    corners = _solved(rows, n)
    tight = np.abs(corners @ rows.T) <= _NEAR
    ones = np.ones((1, n))
    edges = tuple(
        (i, j)
        for i, j in combinations(range(len(corners)), 2)
        if np.linalg.matrix_rank(np.vstack([ones, rows[tight[i] & tight[j]]]), tol=_NEAR) == n - 1
    )
    return _round(Region(corners, edges)) if n == 3 else Region(corners, edges)


def _constraints(distances: Floats, eps: float) -> Floats:
    n = len(distances)
    rows = list(np.eye(n))
    for i in range(n):
        for j in range(n):
            if i != j and np.isfinite(distances[i, j]):
                row = np.zeros(n)
                # Divided by e^(ε·d), so that rows have size 1 at every ε.
                row[i], row[j] = -np.exp(-eps * distances[i, j]), 1.0
                rows.append(row)
    return np.array(rows)


def _solved(rows: Floats, n: int) -> Floats:
    if n == 1:
        return np.ones((1, 1))
    chosen = np.array(list(combinations(range(len(rows)), n - 1)))
    systems = np.concatenate([np.ones((len(chosen), 1, n)), rows[chosen]], axis=1)
    right = np.zeros((len(chosen), n, 1))
    right[:, 0] = 1.0
    regular = np.abs(np.linalg.det(systems)) > _NEAR
    found = np.linalg.solve(systems[regular], right[regular])[:, :, 0]
    inside = (found @ rows.T >= -_NEAR).all(axis=1)
    kept: list[Floats] = []
    for corner in found[inside]:
        if all(np.abs(corner - other).max() > 1e-7 for other in kept):
            kept.append(np.clip(corner, 0.0, 1.0))
    return np.array(kept)


def _round(found: Region) -> Region:
    """The corners of a polygon in order of their angle, and its sides."""
    flat = found.corners @ np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
    centred = flat - flat.mean(axis=0)
    order = np.argsort(np.arctan2(centred[:, 1], centred[:, 0]), kind="stable")
    count = len(order)
    sides = tuple((k, (k + 1) % count) for k in range(count)) if count > 2 else ((0, 1),)
    return Region(found.corners[order], sides[: count if count > 1 else 0])
