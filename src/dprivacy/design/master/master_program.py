"""The master program of column generation: mix the columns at hand so that all rows sum to 1.

min q·x subject to A·x = 1, x ≥ 0, with few rows and many dense columns, solved by a primal–dual
interior point to a gap that the caller chooses: far from the end of the column generation a rough,
central dual guides the pricing better than an exact vertex.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.design.master.normal_equations import Solve, Walled, normal_equations
from dprivacy.numbers import Floats, Sparse, solve_in_floats

_STEPS = 80
_FEASIBLE = 1e-9  # error of a row's sum, and of a reduced cost against the largest cost
_BACK_OFF = 0.99  # of the way to the boundary
_INSIDE = 0.05  # of the gap, and of the mean product: how far inside a start is
_APART = 1e-9  # of the largest cost: the least gap to start from
_LAST_DIGITS = 1e-14  # error of a row's sum that is only rounding
_PATIENCE = 30.0  # seconds for a vertex
_LEAST = 1e-30  # weights and reduced costs stay above this


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights of the columns and the multipliers of the rows.

    `sound` is False where rounding won: the equations were too ill-conditioned to come nearer.
    """

    weights: Floats
    multipliers: Floats
    sound: bool


Solver = Callable[[Any, Floats], Solve]
Direction = tuple[Floats, Floats, Floats]


def mixture(
    A: Floats,
    q: Floats,
    gap: float,
    weights: Floats,
    multipliers: Floats,
    *,
    solver: Solver | None = None,
) -> Mixture:
    """Weights x ≥ 0 with A·x = 1 that minimise q·x up to the relative gap, and multipliers.

    With more costs than columns, the others are those of columns of 1 and of −1 for each row.

    The arrays are NumPy's, or another library's that follows its protocols, with a solver that knows
    them (in the place of `normal_equations`).

    Notes
    -----
    Mehrotra's predictor–corrector method. With x·s the products of weights and reduced costs, a step
    solves (A·diag(x/s)·Aᵀ)·dλ = h by Cholesky's factorisation, refined twice, first towards x·s = 0 and
    then towards the mean that this shows to be reachable. Cost of a step: O(rows²·columns).
    """
    whole: Any = A if A.shape[1] == len(q) else Walled(A)
    with np.errstate(all="ignore"):  # steps that are not finite are not taken
        found = _steps(whole, q, gap, weights, multipliers, solver or normal_equations)
    if found.sound:
        return found
    columns = whole.whole() if isinstance(whole, Walled) else whole
    return _vertex(_here(columns), _here(q)) or found


def _here(values: Any) -> Floats:
    """Values as an array of NumPy's."""
    return np.asarray(values.get() if hasattr(values, "get") else values)


def _steps(
    A: Any, q: Floats, gap: float, weights: Floats, multipliers: Floats, solver: Solver
) -> Mixture:
    b = np.ones_like(multipliers)
    x, lam, s = _start(A, q, weights, multipliers)
    sound = True
    for _ in range(_STEPS):
        rp, rd = b - A @ x, q - A.T @ lam - s
        loss = float(q @ x)
        apart = abs(loss - float(b @ lam)) / max(abs(loss), 1e-300)
        off = max(float(np.abs(rp).max()), float(np.abs(rd).max()) / (1 + float(np.abs(q).max())))
        if apart <= gap and off <= max(_FEASIBLE, 0.01 * gap):
            break
        if apart <= 1e-3 * gap or not apart < np.inf:  # further on there is only rounding
            sound = off <= _FEASIBLE
            break
        try:
            towards = _newton(A, x, s, rp, rd, solver)
        except np.linalg.LinAlgError:
            sound = False
            break
        mu = float(x @ s) / len(x)
        dx, dl, ds = towards(-x * s)
        after = float((x + _length(x, dx) * dx) @ (s + _length(s, ds) * ds)) / len(x)
        dx, dl, ds = towards(min(after / mu, 1.0) ** 3 * mu - x * s - dx * ds)
        if not (np.isfinite(dx).all() and np.isfinite(ds).all()):
            sound = False
            break
        near, far = _length(x, dx), _length(s, ds)
        near, far = (1.0 if t == 1.0 else _BACK_OFF * t for t in (near, far))
        x = np.maximum(x + near * dx, _LEAST)
        lam = lam + far * dl
        s = np.maximum(s + far * ds, _LEAST)
    else:
        sound = False
    return Mixture(x, lam, sound)


def _vertex(A: Floats, q: Floats) -> Mixture | None:
    """The mixture at a vertex, by HiGHS: sound, but its multipliers guide less well."""
    rows, columns = A.shape
    whole = Sparse(
        np.arange(0, rows * columns + 1, rows),
        np.tile(np.arange(rows), columns),
        A.T.ravel(),
        by_row=False,
    )
    one = np.ones(rows)
    found = solve_in_floats(q, whole, one, one, tolerance=1e-10, seconds=_PATIENCE)
    return None if found is None else Mixture(np.maximum(found.x, _LEAST), found.prices, True)


def balanced(A: Floats, x: Floats, *, solver: Solver | None = None) -> Floats:
    """The weights, moved so that rows sum to 1 to the last digits; small weights move least.

    Where that fails, as at a vertex, only the columns in use are solved for.
    """
    for _ in range(3):
        short = 1.0 - A @ x
        if np.abs(short).max() < 0.1 * _LAST_DIGITS:
            break
        try:
            with np.errstate(all="ignore"):
                move = x * (A.T @ (solver or normal_equations)(A, x)(short))
        except np.linalg.LinAlgError:
            break
        if not (x + move >= 0).all():  # nor where it is not a number
            break
        x = x + move
    if np.abs(1.0 - A @ x).max() < _LAST_DIGITS:
        return x
    used = np.nonzero(x > 1e-12 * x.max())[0]
    alone = np.zeros_like(x)
    alone[used] = np.linalg.lstsq(A[:, used], np.ones_like(A[:, 0]), rcond=None)[0]
    return alone if (alone >= 0).all() else x


def _newton(
    A: Any, x: Floats, s: Floats, rp: Floats, rd: Floats, solver: Solver
) -> Callable[[Floats], Direction]:
    ratio = x / s
    solve = solver(A, ratio)

    def towards(rc: Floats) -> Direction:
        h = rp + A @ ((x * rd - rc) / s)
        dl = solve(h)
        for _ in range(2):
            dl = dl + solve(h - A @ (ratio * (A.T @ dl)))
        ds = rd - A.T @ dl
        return (rc - x * ds) / s, dl, ds

    return towards


def _start(A: Any, q: Floats, weights: Floats, multipliers: Floats) -> Direction:
    """A point well inside, near weights and feasible multipliers that are known already.

    Σ x·s is then the gap between the two. Reduced costs are kept above a part of it, and products x·s
    above a part of their mean: a start too close to the boundary would be stuck there.
    """
    weights = weights / (A @ weights).mean()
    s = np.maximum(q - A.T @ multipliers, 0.0)
    apart = max(float(weights @ s), _APART * float(np.abs(q).max()))
    s = np.maximum(s, _INSIDE * apart / weights.sum())
    x = np.maximum(weights, _INSIDE * apart / len(s) / s)
    return x, multipliers, s


def _length(at: Floats, direction: Floats) -> float:
    """How far one can go before an entry vanishes, at most 1."""
    steepest = float((-direction / at).max())
    return 1.0 if steepest <= 1.0 else 1.0 / steepest
