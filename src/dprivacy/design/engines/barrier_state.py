"""The state of the structured interior point, and one round of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.design.problems.approximation import Flows
from dprivacy.numbers import Floats, Whole

_STEEPEST = 60.0  # ε·d beyond which a pair is left to the repair: e^−60 is below every rounding
_STEP = 0.995  # how far towards the boundary
_SHARES = (1.0, 0.5, 0.2)  # of a correction; the one that allows the longest steps is taken
_CORRECTIONS = 1  # after Mehrotra's
_DETOUR = 1.1  # a pair waits for its turn when a third point is that nearly between
_NEAREST = 8  # neighbours of a point whose pairs have weights from the start
_BLOCK = 1 << 18  # constraints looked at in one go, so that they fit the cache
_CLOSE, _CLOSING = 0.2, 0.5  # relative room, and its fall in a round, at which a pair joins

Bounds = tuple[float, float]


class Barrier:
    """Columns z (m × n), weights μ of the pairs in the working sets and ν of z ≥ 0, multipliers λ.

    Pairs of all outputs stand in one list: entry k is the constraint b·z[y, j] − z[y, i]/b ≥ 0. What
    belongs to them are flat arrays over that list. Costs are scaled to at most 1 inside.
    """

    def __init__(self, scaled: Floats, costs: Floats, pairs: Whole | None) -> None:
        n, m = costs.shape
        if pairs is None:
            pairs = np.stack(np.triu_indices(n, 1), axis=1).astype(np.int64)
        pairs = pairs[scaled[pairs[:, 0], pairs[:, 1]] <= _STEEPEST]
        self.n, self.m = n, m
        self.all_i = np.concatenate([pairs[:, 0], pairs[:, 1]])
        self.all_j = np.concatenate([pairs[:, 1], pairs[:, 0]])
        self.all_b = np.exp(scaled[self.all_i, self.all_j] / 2)
        self.size = float(costs.max()) or 1.0
        self.c = np.ascontiguousarray(costs.T) / self.size
        self.z = np.full((m, n), 1.0 / m)
        self.waiting: NDArray[np.bool_] = np.ones((m, len(self.all_i)), dtype=bool)
        self.i = self.j = self.y = np.empty(0, dtype=np.int64)
        self.b = self.mu = np.empty(0)
        first = np.flatnonzero(_first(scaled, self.all_i, self.all_j))
        count = m * (len(first) + n)
        self.centre = 0.1 * max(float((self.c * self.z).sum()), 1e-6) / count
        self._admit(np.repeat(np.arange(m), len(first)), np.tile(first, m), self.centre)
        self.nu = self.centre / self.z
        self.factors = np.empty((m, n, n))
        self.lam = (self.c - self.pull(self.mu) - self.nu).mean(axis=0)
        self.dz, self.dmu, self.dnu = self.z, self.mu, self.nu
        self.bound = -np.inf
        self.multipliers = self.lam
        self._best: tuple[int, Floats] = (0, self.mu[:0])
        self._measure()

    # -- the working sets ------------------------------------------------------------------------

    def _admit(self, y: Whole, k: Whole, product: float) -> None:
        """Give weights to pairs k of outputs y, so that room·weight is `product`."""
        self.waiting[y, k] = False
        i, j, b = self.all_i[k], self.all_j[k], self.all_b[k]
        self.y, self.i, self.j = (
            np.concatenate(both) for both in ((self.y, y), (self.i, i), (self.j, j))
        )
        room = b * self.z[y, j] - self.z[y, i] / b
        self.b = np.concatenate([self.b, b])
        self.mu = np.concatenate([self.mu, product / room])
        self.low = self.y * self.n + self.j
        self.high = self.y * self.n + self.i

    def _blocks(self) -> list[slice]:
        step = max(1, _BLOCK // max(len(self.all_i), 1))
        return [slice(at, at + step) for at in range(0, self.m, step)]

    def _room(self, z: Floats) -> Floats:
        """b·z[j] − z[i]/b on all pairs, for some columns."""
        return np.asarray(z[:, self.all_j] * self.all_b - z[:, self.all_i] / self.all_b)

    def _reach(self) -> float:
        """How far the columns may go before a pair outside the working sets is broken."""
        down = 0.0
        for at in self._blocks():
            out = self.waiting[at]
            if out.any():
                down = min(
                    down, float((self._room(self.dz[at])[out] / self._room(self.z[at])[out]).min())
                )
        return min(1.0, _STEP / max(-down, 1e-300))

    def _join(self, before: Floats) -> None:
        """Take up the pairs that have lost most of their room."""
        found = []
        for at in self._blocks():
            out = self.waiting[at]
            if out.any():
                top = self.all_b * self.z[at][:, self.all_j]
                was = self.all_b * before[at][:, self.all_j]
                share = self._room(self.z[at]) / top
                close = (share < _CLOSE) | (share < _CLOSING * self._room(before[at]) / was)
                y, k = np.nonzero(out & close)
                found.append((y + at.start, k))
        if any(len(y) for y, _ in found):
            y, k = (np.concatenate(side) for side in zip(*found, strict=True))
            self._admit(y, k, 0.01 * self.centre)

    # -- the cone --------------------------------------------------------------------------------

    def slack(self, z: Floats) -> Floats:
        """G·z on the working sets."""
        flat = z.ravel()
        return np.asarray(flat[self.low] * self.b - flat[self.high] / self.b)

    def pull(self, weights: Floats) -> Floats:
        """Gᵀ·weights."""
        return self._sums(weights * self.b, -weights / self.b)

    def _sums(self, low: Floats, high: Floats) -> Floats:
        cells = self.m * self.n
        total = np.bincount(self.low, low, cells) + np.bincount(self.high, high, cells)
        return np.asarray(total.reshape(self.m, self.n))

    # -- where it stands -------------------------------------------------------------------------

    def _measure(self) -> None:
        """Loss and bound as they stand; the best weights are remembered."""
        self.pulled = self.pull(self.mu)
        self.loss = float((self.c * self.z).sum()) * self.size
        rest = (self.c - self.pulled).min(axis=0) * self.size
        if float(rest.sum()) > self.bound:
            self.bound, self.multipliers = float(rest.sum()), rest
            self._best = (len(self.mu), self.mu.copy())

    def flows(self, gap: float) -> Flows:
        """The weights that matter, as flows f = μ/b on the constraints without scaling."""
        count, mu = self._best
        amounts = mu / self.b[:count] * self.size
        tiny = 1e-3 * gap * abs(self.loss) * self.m / max(count, 1)
        kept = np.flatnonzero(amounts > tiny)
        return Flows(self.y[kept], self.i[kept], self.j[kept], amounts[kept])

    # -- one round -------------------------------------------------------------------------------

    def advance(self) -> bool:
        """Predict, correct, step; False when the numbers give out."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._advance()

    def _advance(self) -> bool:
        whole = self._factorise()
        if whole is None:
            return False
        s = self.slack(self.z)
        off = self.c - self.pulled - self.lam - self.nu
        rows = 1.0 - self.z.sum(axis=0)
        self.dz, dlam = self._newton(whole, -off - self.pulled - self.nu, rows)
        self.dmu = -self.mu * (1 + self.slack(self.dz) / s)
        self.dnu = -self.nu * (1 + self.dz / self.z)
        steps = self._steps(s, self.slack(self.dz), self.dmu, self.dz, self.dnu)
        before, after = self._products(s, *steps)
        self.centre = max((after / before) ** 3, 1e-6) * before / (self.mu.size + self.nu.size)
        for trial in range(_CORRECTIONS + 1):
            # First Mehrotra's correction, then Gondzio's: outliers among the products are pulled in.
            aim = None if trial == 0 else [min(1.0, 1.08 * step + 0.08) for step in steps]
            better = self._corrected(whole, s, aim, steps)
            if better is None:
                break
            turn_lam, steps = better
            dlam = dlam + turn_lam
            if min(steps) > 0.9:
                break
        if not np.isfinite(self.dz).all() or max(steps) < 1e-10:
            return False
        self._move(min(steps[0], self._reach()), steps[1], dlam)
        return True

    def _move(self, along: float, across: float, dlam: Floats) -> None:
        before = self.z
        self.z = before + along * self.dz
        self.lam = self.lam + across * dlam
        self.nu = self.nu + across * self.dnu
        self.mu = self.mu + across * self.dmu
        self._join(before)
        self._measure()

    def _corrected(
        self, whole: Any, s: Floats, aim: list[float] | None, steps: Bounds
    ) -> tuple[Floats, Bounds] | None:
        """Turn the direction so that longer steps are possible; None when that fails."""
        ds = self.slack(self.dz)
        pairs = _target(s, ds, self.mu, self.dmu, self.centre, aim)
        signs = _target(self.z, self.dz, self.nu, self.dnu, self.centre, aim)
        right = self.pull(pairs / s) + signs / self.z
        turn, turn_lam = self._newton(whole, right, np.zeros(self.n))
        bend = self.slack(turn)
        dmu, dnu = (pairs - self.mu * bend) / s, (signs - self.nu * turn) / self.z
        tried = [
            self._steps(
                s, ds + w * bend, self.dmu + w * dmu, self.dz + w * turn, self.dnu + w * dnu
            )
            for w in _SHARES
        ]
        best = int(np.argmax([along * across for along, across in tried]))
        if aim is not None and np.prod(tried[best]) < 1.01 * np.prod(steps):
            return None
        w = _SHARES[best]
        self.dz, self.dmu, self.dnu = self.dz + w * turn, self.dmu + w * dmu, self.dnu + w * dnu
        return w * turn_lam, tried[best]

    def _steps(self, s: Floats, ds: Floats, dmu: Floats, dz: Floats, dnu: Floats) -> Bounds:
        """How far columns and weights may go."""
        down = min(float((ds / s).min(initial=0.0)), float((dz / self.z).min()))
        fall = min(float((dmu / self.mu).min(initial=0.0)), float((dnu / self.nu).min()))
        return min(1.0, _STEP / max(-down, 1e-300)), min(1.0, _STEP / max(-fall, 1e-300))

    def _products(self, s: Floats, along: float, across: float) -> Bounds:
        """Σ slack·weight now, and after a step."""
        before = float(s @ self.mu + (self.z * self.nu).sum())
        after = float((s + along * self.slack(self.dz)) @ (self.mu + across * self.dmu))
        after += float(((self.z + along * self.dz) * (self.nu + across * self.dnu)).sum())
        return before, max(after, 0.0)

    # -- the linear algebra ----------------------------------------------------------------------

    def _factorise(self) -> Any:
        """Cholesky factors of all H_y in place, and that of Σ H_y⁻¹."""
        from scipy.linalg import cho_factor
        from scipy.linalg.lapack import dpotrf, dpotri

        n = self.n
        weight = self.mu / self.slack(self.z)
        flat = self.factors.reshape(-1)
        flat[:] = 0.0
        flat[self.high * n + self.j] -= weight
        flat[self.low * n + self.i] -= weight
        at = np.arange(n)
        self.factors[:, at, at] = (
            self._sums(weight * self.b**2, weight / self.b**2) + self.nu / self.z
        )
        if not np.isfinite(self.factors[:, at, at]).all():
            return None
        total = np.zeros((n, n))
        for h in self.factors:
            factor = _lower(h, dpotrf)
            if factor is None:
                return None
            h[:] = factor
            total += dpotri(factor, lower=1)[0]
        total = np.tril(total) + np.tril(total, -1).T
        for nudge in (0.0, 1e-14, 1e-12, 1e-10):
            try:
                return cho_factor(total + np.diag(nudge * np.diag(total)), lower=True)
            except (np.linalg.LinAlgError, ValueError):
                continue
        return None

    def _newton(self, whole: Any, right: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """Δz and Δλ with H_y·Δz_y = Δλ + right_y and Σ Δz = rows; the last is refined once."""
        from scipy.linalg import cho_solve

        dlam = cho_solve(whole, rows - self._solve(right).sum(axis=0))
        dz = self._solve(right + dlam)
        again = cho_solve(whole, rows - dz.sum(axis=0))
        dz += self._solve(np.broadcast_to(again, dz.shape))
        return dz, dlam + again

    def _solve(self, right: Floats) -> Floats:
        from scipy.linalg.lapack import dpotrs

        found = np.empty(right.shape)
        for y, factor in enumerate(self.factors):
            found[y] = dpotrs(factor, right[y], lower=1)[0]
        return found


def _target(
    s: Floats, ds: Floats, u: Floats, du: Floats, centre: float, aim: list[float] | None
) -> Floats:
    """By how much products slack·weight should change: Mehrotra's second order, or Gondzio's pull."""
    if aim is None:
        return np.asarray(centre - ds * du)
    product = (s + aim[0] * ds) * (u + aim[1] * du)
    pull = np.clip(product, 0.1 * centre, 10.0 * centre) - product
    return np.asarray(np.maximum(pull, -10.0 * centre))


def _lower(h: Floats, dpotrf: Any) -> Floats | None:
    """A Cholesky factor; the diagonal is raised a little where rounding has made it indefinite."""
    nudge = 0.0
    while nudge < 1e-4:
        raised = h if not nudge else h + np.diag(nudge * np.diag(h))
        factor, fault = dpotrf(raised, lower=1, clean=1)
        if fault == 0:
            return np.asarray(factor)
        nudge = max(nudge * 100, 1e-15)
    return None


def _first(scaled: Floats, i: Whole, j: Whole) -> NDArray[np.bool_]:
    """The pairs that have weights from the start: near, and without a third point nearly between."""
    n = len(scaled)
    open_ended = scaled + np.diag(np.full(n, np.inf))
    detour = np.empty((n, n))
    for x in range(n):
        detour[x] = (open_ended[x][:, None] + open_ended).min(axis=0)
    ranks = open_ended.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    near = np.minimum(ranks[i, j], ranks[j, i]) < _NEAREST
    direct = detour[i, j] > _DETOUR * scaled[i, j]
    return np.asarray(near & direct)
