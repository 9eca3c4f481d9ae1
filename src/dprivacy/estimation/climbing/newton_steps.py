"""The maximum of the likelihood from inside: a few Newton steps where the update needs thousands."""

import numpy as np

from dprivacy.estimation.operators.channel_operator import Operator
from dprivacy.numbers import Floats

_STEPS = 100
_SHRINK = 0.1  # of the complementarity, per step
_BACK_OFF = 0.995  # of the way to the boundary
_STALLED = 20  # steps without a better gap, after which rounding has won


def interior(operator: Operator, q: Floats, tolerance: float) -> tuple[Floats, int] | None:
    """A distribution near the maximum of Σ_y q_y·ln (pC)_y, and the steps taken.

    None where the curvature cannot be solved with quickly.

    Notes
    -----
    Scaling p moves the likelihood in a known way, so that the maximum over distributions is also the
    minimum of f(p) = Σ_x p_x − Σ_y q_y·ln (pC)_y over all p ≥ 0. Its conditions are
    1 − g(p) = s, s ≥ 0, p·s = 0, and its curvature C·diag(q/r²)·Cᵀ with r = pC.

    1. Start from the uniform distribution, s = max(1 − g, 1/10).
    2. Newton's step towards p·s = μ/10, where μ is the mean of p·s now:
       (C·diag(q/r²)·Cᵀ + diag(s/p))·dp = g − 1 + μ/(10p).
    3. Go 99.5 % of the way to where some p or s would vanish.
    4. Stop at the tolerance (the gap of p/Σp), or when rounding lets the gap shrink no further.

    Cost: 10 to 20 steps, whatever the channel. A step solves with the curvature: O(n³) for a dense
    channel, O(n) for geometric noise on a line, whose inverse is tridiagonal.
    """
    if not operator.solvable:
        return None
    p = np.full(operator.inputs, 1 / operator.inputs)
    s = np.zeros(0)
    seen = q > 0
    best, least, since, taken = p, np.inf, 0, 0
    for step in range(_STEPS):
        r = operator.forward(p)
        w = np.divide(q, r, out=np.zeros_like(q), where=seen)
        g = operator.backward(w)
        if not step:
            s = np.maximum(1 - g, 0.1)
        gap = float(g.max() * p.sum()) - 1
        since = 0 if gap < least else since + 1
        if gap < least:
            best, least = p / p.sum(), gap
        if gap <= tolerance or since > _STALLED or not np.isfinite(gap):
            break
        taken += 1
        pull = _SHRINK * float(p @ s) / len(p) / p
        weight = np.divide(w, r, out=np.zeros_like(q), where=seen)
        try:
            dp = operator.curvature(weight, s / p)(g - 1 + pull)
        except np.linalg.LinAlgError:
            break
        ds = pull - s - s / p * dp
        p = p + _length(p, dp) * dp
        s = s + _length(s, ds) * ds
    return best, taken


def _length(at: Floats, direction: Floats) -> float:
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, _BACK_OFF * float((-at[falling] / direction[falling]).min()))
