"""How much blur must be blended into B until it is a post-processing of A: an interior point.

The program is min τ subject to A·R + τ·(B − A·U) = B, R stochastic, where U answers uniformly
whatever it is given. τ = 0 is refinement; τ > 0 is the share of B that has to be given up, and the
dual solution is a gain function that prefers B.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats

_STEPS = 80
_CLOSE = 1e-13
_INSIDE = 1e-3  # how far from 0 (of a uniform share) an early end must stay
_REFINED = 2  # rounds of iterative refinement of each direction


@dataclass(frozen=True)
class Blend:
    """The end of the path: τ between `bound` and `share`, R (A's outputs × B's), and prices.

    `prices` (secrets × outputs of B) is dual feasible: Σ B·prices − Σ_k max_j (Aᵀ·prices)_kj is at
    least `bound`.
    """

    share: float
    bound: float
    r: Floats
    prices: Floats


def blended(a: Floats, b: Floats) -> Blend | None:
    """The smallest share of blur, by a primal–dual interior point that uses the structure.

    None when some output of A cannot become any output of B without breaking one of B's zeros.

    Notes
    -----
    0. Where B[x, j] = 0 and A[x, k] > 0, R[k, j] must be 0; only the other entries are free.
    1. R has one block for each output j of B: A·R_j + τ·h_j = b_j. The blocks meet only in Σ_j R_j = 1
       and in τ.
    2. Start: R uniform, τ = 1; prices 0, u = −1. Both sides are strictly feasible.
    3. Each step solves the normal equations block by block: M_j = A·D_j·Aᵀ with D = R/s, then a Schur
       complement for u, then one scalar for τ. A predictor and a corrector share the factors.
    4. It stops when share and bound meet, when the bound proves that blur is needed, or as soon as R,
       corrected by the pseudo-inverse so that A·R = B, is positive.
    Cost a step: O(k·(n²m + nm²)) for n secrets, m outputs of A and k of B.
    """
    free = (a.T @ (b == 0) == 0).T
    if not free.any(axis=0).all():
        return None
    path = _Path(a, b, free)
    right_inverse = np.linalg.pinv(a) if free.all() and a.shape[0] <= a.shape[1] else None
    for _ in range(_STEPS):
        if right_inverse is not None:
            r = path.r.T + right_inverse @ (b - a @ path.r.T)
            if r.min() > _INSIDE / b.shape[1] and np.abs(a @ r - b).max() < _CLOSE:
                return Blend(0.0, 0.0, r, path.v.T.copy())
        if path.done() or not path.advance():
            break
    return Blend(path.tau, path.bound(), path.r.T.copy(), path.prices().T.copy())


class _Path:
    """The iterate: r, tau, v, u and the slacks s, s_tau; blocks are indexed first."""

    def __init__(self, a: Floats, b: Floats, free: NDArray[np.bool_]) -> None:
        n, m = a.shape
        k = b.shape[1]
        self.a, self.b, self.free = a, np.ascontiguousarray(b.T), free
        self.r, self.tau = free / free.sum(axis=0), 1.0
        self.h = self.b - self.r @ a.T
        self.v, self.u = np.zeros((k, n)), -np.ones(m)
        self.s, self.s_tau = np.ones((k, m)), 1.0

    def bound(self) -> float:
        worth = np.where(self.free, self.v @ self.a, -np.inf)
        return float((self.v * self.b).sum() - worth.max(axis=0).sum())

    def prices(self) -> Floats:
        """The dual vector, made to respect the entries that are not free as well.

        A price on a cell where B is 0 costs B nothing: it is lowered until no such entry pays.
        """
        if self.free.all():
            return self.v
        ruled_out = self.b == 0
        hit = ruled_out @ self.a
        worth = self.v @ self.a
        excess = np.where(self.free, 0.0, worth - np.where(self.free, worth, -np.inf).max(axis=0))
        most = float((np.maximum(excess, 0) / np.where(self.free, 1.0, hit)).max())
        lowered: Floats = self.v - 1.01 * most * ruled_out
        return lowered

    def done(self) -> bool:
        gap = float((self.r * self.s).sum()) + self.tau * self.s_tau
        return gap < _CLOSE or (self.bound() > 1e-6 and gap < 0.05 * self.bound())

    def advance(self) -> bool:
        """One predictor–corrector step; False when no progress is possible."""
        a, r, s, free, count = self.a, self.r, self.s, self.free, int(self.free.sum()) + 1
        self.safe = np.where(free, r, 1.0)
        self.d, self.d_tau = r / s, self.tau / self.s_tau
        primal = self.b - r @ a.T - self.tau * self.h
        dual = np.where(free, -(self.v @ a) - self.u - s, 0.0)
        dual_tau = 1 - float((self.v * self.h).sum()) - self.s_tau
        self.gaps = (primal, 1 - r.sum(axis=0), dual, dual_tau)
        mu = (float((r * s).sum()) + self.tau * self.s_tau) / count
        try:
            self._factor()
        except np.linalg.LinAlgError:
            return False
        first = self._direction(-r * s, -self.tau * self.s_tau)
        if first is None:
            return False
        near, far = self._lengths(first, 1.0)
        ahead = float(((r + near * first[0]) * (s + far * first[4])).sum())
        ahead += (self.tau + near * first[1]) * (self.s_tau + far * first[5])
        target = (ahead / count / mu) ** 3 * mu
        second = self._direction(
            target - r * s - first[0] * first[4],
            target - self.tau * self.s_tau - first[1] * first[5],
        )
        if second is None:
            return False
        near, far = self._lengths(second, 0.995)
        if max(near, far) < 1e-8:
            return False
        self.r, self.tau = r + near * second[0], self.tau + near * second[1]
        self.v, self.u = self.v + far * second[2], self.u + far * second[3]
        self.s, self.s_tau = s + far * second[4], self.s_tau + far * second[5]
        return bool(np.isfinite(self.r).all() and np.isfinite(self.v).all())

    def _factor(self) -> None:
        self.weighted = self.a * self.d[:, None, :]
        self.blocks = self.weighted @ self.a.T
        n, m = self.a.shape
        diagonal = np.arange(n)
        shifted = self.blocks.copy()
        shifted[:, diagonal, diagonal] *= 1 + 1e-12
        shifted[:, diagonal, diagonal] += 1e-20
        self.inverses = np.linalg.inv(shifted)
        self.solved = self.inverses @ self.weighted
        self.total = self.d.sum(axis=0)
        flat = self.weighted.reshape(-1, m)
        schur = np.diag(self.total * (1 + 1e-11)) - flat.T @ self.solved.reshape(-1, m)
        self.schur = np.linalg.inv(schur)
        self.h_v, self.h_u = self._base(self.h, np.zeros(m))

    def _base(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        """The normal equations for f (blocks) and g (row sums), refined because they are singular."""
        v, u = self._once(f, g)
        for _ in range(_REFINED):
            left = f - np.einsum("jxz,jz->jx", self.blocks, v) - self.weighted @ u
            over = g - np.einsum("jxk,jx->k", self.weighted, v) - self.total * u
            step = self._once(left, over)
            v, u = v + step[0], u + step[1]
        return v, u

    def _once(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        y = np.einsum("jxz,jz->jx", self.inverses, f)
        u = self.schur @ (g - np.einsum("jxk,jx->k", self.weighted, y))
        return y - self.solved @ u, u

    def _direction(
        self, target: Floats, target_tau: float
    ) -> tuple[Floats, float, Floats, Floats, Floats, float] | None:
        """Newton's direction for r·s → target: (dr, dtau, dv, du, ds, ds_tau)."""
        primal, sums, dual, dual_tau = self.gaps
        moved = self.d * (dual - target / self.safe)
        shift = self.d_tau * (dual_tau - target_tau / self.tau)
        v, u = self._base(primal + moved @ self.a.T + shift * self.h, sums + moved.sum(axis=0))
        pull = self.d_tau * float((self.h * v).sum())
        pull /= 1 + self.d_tau * float((self.h * self.h_v).sum())
        v, u = v - pull * self.h_v, u - pull * self.h_u
        s = np.where(self.free, dual - v @ self.a - u, 0.0)
        s_tau = dual_tau - float((v * self.h).sum())
        r = np.where(self.free, (target - self.r * s) / self.s, 0.0)
        tau = (target_tau - self.tau * s_tau) / self.s_tau
        if not (np.isfinite(r).all() and np.isfinite(s).all() and np.isfinite(tau)):
            return None
        return r, tau, v, u, s, s_tau

    def _lengths(
        self, direction: tuple[Floats, float, Floats, Floats, Floats, float], share: float
    ) -> tuple[float, float]:
        """How far both sides may go and stay positive."""
        r, tau, _, _, s, s_tau = direction
        near = max(float((-r / self.safe).max()), -tau / self.tau, share)
        far = max(float((-s / self.s).max()), -s_tau / self.s_tau, share)
        return share / near, share / far
