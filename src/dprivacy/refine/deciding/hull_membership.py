"""Is a posterior of B in the convex hull of A's posteriors? One small problem for each output of B.

A column of B is a non-negative mixture of columns of A exactly when its posterior lies in the hull of
theirs, since posteriors are columns divided by their sums.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.numbers import Mat, feasible, to_flint
from dprivacy.refine.deciding.ball_systems import pivots
from dprivacy.refine.deciding.channel_pairs import integer_rows
from dprivacy.refine.deciding.separating_gains import Bet, Number, exact_bet, float_bet
from dprivacy.sources import result

_SMALL = 4000  # entries up to which the exact program may be asked
_CLEARLY = 1e-14
_THRESHOLDS = (1e-12, 1e-9, 1e-7, 1e-5)


@dataclass(frozen=True)
class Place:
    """Where a column of B lies: inside (with the mixture), outside (with the bet), or undecided.

    `gap` is how far, in floats, the nearest mixture is from the column.
    """

    inside: bool | None
    mixture: list[Number] | None = None
    bet: Bet | None = None
    gap: float = 0.0


@result("T", "Thm 4.1")
def place_in_hull(a: Mat, b: Mat, j: int, *, rounding: float = 0.0) -> Place:
    """Where column j of B lies with respect to the columns of A.

    Notes
    -----
    1. Non-negative least squares gives the nearest mixture λ and the residual r = b − A·λ.
    2. If r is not small it is a direction that separates: λ is nearest exactly when r·A ≤ 0. Rounded,
       it is checked in integers.
    3. Otherwise the equations are solved exactly on the columns that λ uses.
    4. If neither is settled, a linear program with exact certificates decides small cases.
    """
    mixture, gap = _nearest(a.floats, b.floats[:, j])
    wrong = b.floats[:, j] - a.floats @ mixture
    if not a.exact:
        return _measured(a, b, j, mixture, wrong, rounding)
    bet = exact_bet(a, b, j, wrong.tolist()) if gap > _CLEARLY else None
    if bet is not None:
        return Place(False, bet=bet, gap=gap)
    whole = integer_rows(a, b)
    for threshold in _THRESHOLDS:
        exact = solved_on(*whole, j, np.flatnonzero(mixture > threshold * mixture.max()).tolist())
        if exact is not None:
            return Place(True, exact)
    if a.shape[0] * (a.shape[0] + a.shape[1]) > _SMALL:
        return Place(None, mixture.tolist(), gap=gap)
    outcome = feasible(a, [Fraction(value) for value in b.transposed.row(j)])
    if outcome.status == "optimal":
        return Place(True, list(outcome.x))
    bet = exact_bet(a, b, j, outcome.y)
    return Place(None if bet is None else False, bet=bet, gap=gap)


def clearly_outside(a: Mat, b: Mat, rounding: float = 0.0) -> Bet | None:
    """A bet on an output of B that floats find outside the hull (checked exactly); None if none is."""
    for j in range(b.shape[1]):
        mixture, gap = _nearest(a.floats, b.floats[:, j])
        if gap > _CLEARLY:
            wrong = b.floats[:, j] - a.floats @ mixture
            bet = (
                exact_bet(a, b, j, wrong.tolist())
                if a.exact
                else float_bet(a, b, j, wrong, rounding)
            )
            if bet is not None:
                return bet
    return None


def _nearest(a: Any, column: Any) -> tuple[Any, float]:
    from scipy.optimize import nnls

    sums = a.sum(axis=0)
    total = column.sum()
    try:
        mixture, gap = nnls(a / sums, column / total, maxiter=30 * a.shape[1])
    except RuntimeError:  # it did not settle; the uniform mixture is as good a start as any
        mixture = np.full(a.shape[1], 1 / a.shape[1])
        gap = float(np.linalg.norm((a / sums) @ mixture - column / total))
    return mixture * total / sums, float(gap)


def solved_on(a: Mat, b: Mat, j: int, columns: list[int]) -> list[Number] | None:
    """The exact mixture of the given columns that is column j of B, if it is one."""
    if not columns:
        return None
    chosen = a.take(columns=columns)
    kept = [columns[k] for k in pivots(chosen)]
    left = a.take(columns=kept)
    rows = pivots(left.transposed)
    right = b.take(columns=[j])
    solution = to_flint(left.take(rows=rows)).solve(to_flint(right.take(rows=rows)))
    values = [Fraction(int(v.p), int(v.q)) for v in solution.entries()]
    if min(values) < 0:
        return None
    if len(rows) < a.shape[0] and to_flint(left) * solution != to_flint(right):
        return None
    mixture: list[Number] = [Fraction(0)] * a.shape[1]
    for k, value in zip(kept, values, strict=True):
        mixture[k] = value
    return mixture


def _measured(a: Mat, b: Mat, j: int, mixture: Any, wrong: Any, rounding: float) -> Place:
    """Floats: outside by more than rounding, inside a simplex by more than rounding, or undecided."""
    gap = float(np.abs(wrong).max())
    bet = float_bet(a, b, j, wrong, rounding)
    if bet is not None:
        return Place(False, bet=bet, gap=gap)
    used = np.flatnonzero(mixture > 0)
    inside = None
    if len(used) == a.shape[0]:
        square = a.floats[:, used]
        least = float(np.linalg.svd(square, compute_uv=False)[-1])
        column = b.floats[:, j]
        moved = rounding * (np.linalg.norm(column) + np.linalg.norm(square) * mixture.max())
        if (
            rounding * np.linalg.norm(square) < 0.5 * least
            and float(mixture[used].min()) > 2 * float(np.linalg.norm(wrong) + moved) / least
        ):
            inside = True
    if inside is None and (a.floats == b.floats[:, [j]]).all(axis=0).any():
        inside = True
    return Place(inside, mixture.tolist(), gap=gap)
