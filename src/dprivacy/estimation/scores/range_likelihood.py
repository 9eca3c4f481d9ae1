"""Shares behind much noise by maximum likelihood, with intervals by the likelihood ratio.

Where the unbiased score of a range or of a rare class spreads over many times the whole table, the most
likely distribution is far nearer to the truth, and {θ : 2N·(ℓ_max − max over f·p = θ of ℓ) ≤ χ²₁} holds
the truth at least as often as it says in every simulation that was made, heaped numbers included.
"""

import math
from dataclasses import dataclass

import numpy as np

from dprivacy.estimation.climbing.bayesian_update import climb
from dprivacy.estimation.operators.channel_operator import Operator
from dprivacy.numbers import Floats

_STEPS = 100
_SHRINK = 0.1  # of the complementarity, per step
_BACK_OFF = 0.99  # of the way to the boundary
_STALLED = 6  # steps without a better gap, after which rounding has won
_TOLERANCE = 1e-9
_HALVINGS = 40
_NEAR = 2e-3  # of the interval's half-length: where its ends are near enough


@dataclass(frozen=True)
class LikelyShare:
    """The most likely value of Σ p_x·f(x), and the likelihood-ratio interval."""

    value: float
    low: float
    high: float
    gap: float


class Likelihood:
    """The likelihood of released frequencies, and its maxima with Σ p·f fixed.

    Parameters
    ----------
    operator
        The channel.
    frequencies
        Shares of the released values, summing to 1; weighted ones where rows have weights.
    size
        How many rows they are worth: N, or (Σw)²/Σw² for weights.
    """

    def __init__(self, operator: Operator, frequencies: Floats, size: float) -> None:
        self.operator, self.q, self.size = operator, frequencies, size
        found = climb(operator, frequencies, tolerance=_TOLERANCE, max_iterations=20_000)
        self.p, self.gap = found.p, found.gap
        self.seen = frequencies > 0
        self.top = self._level(operator.forward(found.p))

    def _level(self, r: Floats) -> float:
        return float(self.q[self.seen] @ np.log(r[self.seen]))

    def drop(self, f: Floats, theta: float) -> tuple[float, float]:
        """2N·(ℓ_max − ℓ(θ)), never above the truth, and its derivative in θ."""
        level, slope = self.constrained(f, theta)
        return max(2 * self.size * (self.top - level), 0.0), -2 * self.size * slope

    def constrained(self, f: Floats, theta: float) -> tuple[float, float]:
        """An upper bound of max ℓ(p) over distributions with Σ p·f = θ, and its derivative in θ.

        Notes
        -----
        Primal-dual interior steps, two equations held by multipliers. ℓ is concave with gradient g and
        p·g = 1, so that for any λ no p' with Σ p'·f = θ is likelier than p by more than
        max_x (g_x − λ·(f_x − θ)) − 1: that gap is added, which makes intervals longer, never shorter.
        """
        operator, q, seen = self.operator, self.q, self.seen
        rows = np.stack([np.ones(operator.inputs), f - theta])
        wanted = np.array([1.0, 0.0])
        p = _start(f, theta)
        z = np.ones(operator.inputs)
        multipliers = np.zeros(2)
        best, least, since = (math.inf, 0.0), math.inf, 0
        for _ in range(_STEPS):
            r = operator.forward(p)
            w = np.divide(q, r, out=np.zeros_like(q), where=seen)
            g = operator.backward(w)
            slope = float(multipliers[1])
            total = float(p.sum())
            gap = max(float((g * total - slope * rows[1]).max()) - 1, 0.0)
            feasible = abs(float(rows[1] @ p)) <= 1e-9 * total
            since += 1
            if feasible and gap < least:
                best, least, since = (self._level(r / total) + gap, slope), gap, 0
            if least <= _TOLERANCE or since > _STALLED + (20 if least == math.inf else 0):
                break
            pull = _SHRINK * float(p @ z) / len(p) / p
            weight = np.divide(w, r, out=np.zeros_like(q), where=seen)
            try:
                solve = operator.curvature(weight, z / p)
                steps = solve(np.vstack([g - multipliers @ rows + pull, rows]))
                inner = rows @ steps[1:].T
                change = np.linalg.solve(inner, rows @ steps[0] - (wanted - rows @ p))
            except (np.linalg.LinAlgError, ValueError):
                break
            dp = steps[0] - change @ steps[1:]
            dz = pull - z - z / p * dp
            far = _length(p, dp)
            p, multipliers = p + far * dp, multipliers + far * change
            z = z + _length(z, dz) * dz
        return best if best[0] < math.inf else (self.top, 0.0)

    def share(self, f: Floats, quantile: float) -> LikelyShare:
        """The most likely Σ p·f, and the interval that the quantile √χ² gives."""
        value = float(f @ self.p)
        ends = [self._end(f, value, side, quantile) for side in (-1, 1)]
        return LikelyShare(value, ends[0], ends[1], self.gap)

    def _end(self, f: Floats, value: float, side: int, quantile: float) -> float:
        """Where the drop reaches quantile²: steps of Newton on its root, kept between two bounds."""
        edge = float(f.min() if side < 0 else f.max())
        room = abs(edge - value)
        if room <= 1e-9:
            return edge
        inside, outside = 0.0, room
        at = min(0.02 * float(f.max() - f.min()), 0.5 * room)
        for _ in range(_HALVINGS):
            drop, slope = self.drop(f, value + side * at)
            root, steep = math.sqrt(drop), side * slope
            if root < quantile:
                inside = at
            else:
                outside = at
            if outside - inside <= _NEAR * max(inside, 1e-6):
                break
            jump = (quantile - root) * 2 * root / steep if steep > 0 and root > 0 else math.inf
            middle = at + 1.02 * jump
            if not inside < middle < outside:
                middle = min(2 * at + 1e-6, 0.5 * (inside + outside))
            if middle >= room * (1 - 1e-6):
                return edge
            at = middle
        return value + side * outside if outside < room else edge


def _start(f: Floats, theta: float) -> Floats:
    """A distribution inside, with Σ p·f near θ: an even one, tilted towards high or low values."""
    p = np.full(len(f), 1 / len(f))
    high = f > theta
    if not high.any() or high.all():
        return p
    above, below = float(f[high].mean()) - theta, theta - float(f[~high].mean())
    share = below / (above + below) if above + below > 0 else 0.5
    p[high], p[~high] = share / high.sum(), (1 - share) / (~high).sum()
    return np.asarray(p + 1e-9)


def _length(at: Floats, direction: Floats) -> float:
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, _BACK_OFF * float((-at[falling] / direction[falling]).min()))
