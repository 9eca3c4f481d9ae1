"""Float channels with independent columns: solved, and judged by what rounding could have done.

A float channel stands for every channel whose entries differ from it by a few units in the last place.
The answer is yes when all of them are refined, no when none is, and undecided otherwise.
"""

import math
from typing import Any

import numpy as np

from dprivacy.numbers import Floats, Mat
from dprivacy.refine.deciding.ball_systems import Enclosed
from dprivacy.refine.deciding.independent_columns import Finding
from dprivacy.refine.deciding.separating_gains import float_bet, residual

_DEPENDENT = 1e13  # a condition number beyond which columns count as dependent
_TINY = 1e-280  # below this, products of doubles may have lost digits to underflow
_PRECISIONS = (192, 384, 768, 1536)


def by_measuring(a: Mat, b: Mat, rounding: float) -> Finding | None:
    """Judge A ⊑ B for float channels where A has independent columns; None where it has not.

    Notes
    -----
    1. R solves A·R = B. A clearly negative entry suggests a bet; it counts if its two values differ by
       more than rounding explains.
    2. If R exceeds ‖A⁻¹‖ times all that rounding can do, every channel nearby is refined too.
    3. Else entry by entry: for relative errors u of the entries of A and B, the solution moves by at
       most u(κ+1)/(1−uκ)·|A⁻¹|B, where |A⁻¹|A·(|A⁻¹|B) ≤ κ·|A⁻¹|B. That bound follows R
       down to its smallest entries (e^−100 for a geometric channel on 200 points), so R itself is
       computed in balls there.
    """
    n, m = a.shape
    if m > n or not np.linalg.cond(a.floats) < _DEPENDENT:
        return None
    left: Floats = np.linalg.pinv(a.floats).astype(np.float64)
    r: Floats = left @ b.floats if m < n else _solution(a, b)
    refuted = _refuted(a, b, r, left, rounding)
    if refuted is not None:
        return refuted
    if m == n:
        if r.min() > _reach(a, b, r, left, rounding):
            return _measured(True, a, b, r)
        return _entry_by_entry(a, b, rounding)
    return _measured(None, a, b, r)


def _solution(a: Mat, b: Mat) -> Floats:
    return np.asarray(np.linalg.solve(a.floats, b.floats), dtype=np.float64)


def _measured(holds: bool | None, a: Mat, b: Mat, r: Floats) -> Finding:
    clean = stochastic(r)
    return Finding(holds, clean, residual(a, b, clean))


def stochastic(r: Floats) -> Mat:
    """The nearest-by matrix without negative entries whose rows sum to 1."""
    kept = np.maximum(r, 0.0)
    return Mat(kept / kept.sum(axis=1, keepdims=True))


def _refuted(a: Mat, b: Mat, r: Floats, left: Floats, rounding: float) -> Finding | None:
    y, j = np.unravel_index(int(r.argmin()), r.shape)
    candidates = [(int(j), -left[y])] if r[y, j] < 0 else []
    gaps = b.floats - a.floats @ r
    if a.shape[0] > a.shape[1]:
        off = int(np.abs(gaps).max(axis=0).argmax())
        candidates.append((off, gaps[:, off]))
    for at, direction in candidates:
        bet = float_bet(a, b, at, direction, rounding)
        if bet is not None:
            return Finding(False, bet=bet)
    return None


def _reach(a: Mat, b: Mat, r: Floats, left: Floats, rounding: float) -> float:
    """How far rounding can move an entry of R, by norms."""
    size = float(np.linalg.norm(left, 2))
    drift = rounding * float(np.linalg.norm(a.floats))
    if not size * drift < 0.5:
        return math.inf
    wrong = float(np.linalg.norm(a.floats @ r - b.floats))
    spread = rounding * float(np.linalg.norm(b.floats) + np.linalg.norm(a.floats @ np.abs(r)))
    return 2 * size * (wrong + spread + rounding)


def _entry_by_entry(a: Mat, b: Mat, rounding: float) -> Finding:
    exact_a, exact_b = binary(a), binary(b)
    n = b.shape[0]
    both = Mat(
        np.concatenate(
            [np.diag([exact_b.den] * n).astype(object), exact_b.entries], axis=1, dtype=object
        ),
        exact_b.den,
    )
    r = _solution(a, b)
    for bits in _PRECISIONS:
        found = Enclosed(exact_a, both, bits)
        if found.balls is None:
            continue
        solution = np.array([[float(ball.mid()) for ball in row] for row in found.balls])
        inverse, r = np.abs(solution[:, :n]), solution[:, n:]
        weight = inverse @ b.floats
        if not weight.min() > _TINY:
            break
        kappa = float(((inverse @ (a.floats @ weight)) / weight).max()) * (1 + 1e-9)
        if not rounding * kappa < 0.5:
            break
        bound = rounding * (kappa + 1) / (1 - rounding * kappa) * weight * (1 + 1e-9)
        radius = np.array([[float(ball.rad()) for ball in row[n:]] for row in found.balls])
        if (r - radius > bound).all():
            return _measured(True, a, b, r)
        if (radius <= 0.01 * bound).all():
            break
    return _measured(None, a, b, r)


def binary(matrix: Mat) -> Mat:
    """A float matrix as the binary fractions that its entries are."""
    mantissas, exponents = np.frexp(matrix.floats)
    whole = (mantissas * 2.0**53).astype(np.int64).tolist()
    powers = (exponents - 53).tolist()
    shift = max(0, -min(power for row in powers for power in row))
    return Mat.over(
        1 << shift,
        [
            [value << (power + shift) if value else 0 for value, power in zip(v, p, strict=True)]
            for v, p in zip(whole, powers, strict=True)
        ],
    )


def same_columns(a: Mat, b: Mat) -> Mat | None:
    """The permutation that takes A to B when they have the very same columns, bit for bit."""
    where: dict[Any, int] = {tuple(column): k for k, column in enumerate(a.entries.T.tolist())}
    order = [where.get(tuple(column)) for column in b.entries.T.tolist()]
    if a.shape != b.shape or None in order or len(set(order)) < len(order):
        return None
    r = np.zeros((a.shape[1], b.shape[1]))
    r[[k for k in order if k is not None], np.arange(len(order))] = 1.0
    return Mat(r)
