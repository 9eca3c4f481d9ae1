"""Channels with structure: randomised response, geometric noise on a line, several columns at once."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from dprivacy.estimation.operators.channel_operator import MOST_SOLVED, Operator, dense_solver
from dprivacy.numbers import Floats


class ResponseLike:
    """a·I + 1·bᵀ: keep the answer, or draw a new one whatever it was. Everything in O(n)."""

    def __init__(self, kept: float, drawn: Floats) -> None:
        self.inputs = self.outputs = len(drawn)
        self.kept, self.drawn = kept, drawn
        largest = kept + drawn
        self.column_logs = np.log(largest)
        self._diagonal, self._shared = kept / largest, drawn / largest

    def forward(self, p: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(self._diagonal * p + p.sum(axis=-1, keepdims=True) * self._shared)

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(self._diagonal * w + (w * self._shared).sum(axis=-1, keepdims=True))

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`: (m − |m|·b)/a."""
        return np.asarray((m - m.sum(axis=-1, keepdims=True) * self.drawn) / self.kept)

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        rest = m.sum(axis=-1, keepdims=True) - m
        return np.asarray((m * (1 - self.drawn) ** 2 + rest * self.drawn**2) / self.kept**2)

    def scores(self, v: Floats) -> Floats:
        """See `Operator`: (v − b·v)/a."""
        return np.asarray((v - (v * self.drawn).sum(axis=-1, keepdims=True)) / self.kept)

    @property
    def inverse(self) -> Floats:
        """C⁻¹, written out."""
        return np.asarray((np.eye(self.inputs) - self.drawn) / self.kept)

    solvable = True

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Solve (C·diag(d)·Cᵀ + diag(z))·x = b in O(n): a diagonal and two outer products."""
        main = self._diagonal**2 * d + z
        mixed = np.stack([self._diagonal * d * self._shared, np.ones(self.inputs)], axis=1)
        small = np.array([[-float(d @ self._shared**2), 1.0], [1.0, 0.0]])
        small = small + mixed.T @ (mixed / main[:, None])

        def solve(b: Floats) -> Floats:
            alone = b / main
            joint = np.linalg.solve(small, mixed.T @ alone.T)
            return np.asarray(alone - (mixed @ joint).T / main)

        return solve


class LineGeometric:
    """α^|x−y| along a line, each column with its own factor: the geometric mechanism in O(n).

    Parameters
    ----------
    ratios
        α between each point and the next, in (0, 1); the gaps need not be equal.

    Notes
    -----
    K = (Π α) has a tridiagonal inverse L·D·Lᵀ, where L is unit bidiagonal with −α below the
    diagonal, and D holds 1/(1−α²), ending in 1. Applying K is two recursions that only add
    positive numbers, so that nothing cancels. The column factor is 1/(1+α) + 1/(1+α') − 1 for the
    ratios on both sides (0 where there is no neighbour), as for the truncated geometric mechanism.
    """

    def __init__(self, ratios: Floats) -> None:
        from scipy.linalg.lapack import dpttrs

        self._solve = dpttrs
        self.inputs = self.outputs = len(ratios) + 1
        self._below = -ratios
        self._weights = np.append(1 / ((1 - ratios) * (1 + ratios)), 1.0)
        sides = np.concatenate([[0.0], ratios, [0.0]])
        # 1/(1+a) + 1/(1+b) − 1 = (1 − a·b)/((1+a)(1+b)), which does not cancel.
        left, right = sides[:-1], sides[1:]
        self._factor = (1 - left * right) / ((1 + left) * (1 + right))
        self.column_logs = np.log(self._factor)
        steep = 1 / ((1 - sides) * (1 + sides))
        self._main = steep[:-1] + steep[1:] - 1
        self._side = -ratios * steep[1:-1]

    def _apply(self, v: Floats) -> Floats:
        flat = np.ascontiguousarray(v).reshape(-1, self.inputs)
        out = self._solve(self._weights, self._below, flat.T)[0]
        return np.asarray(np.asarray(out).T.reshape(v.shape))

    forward = backward = _apply

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`."""
        return _tridiagonal(self._main, self._side, m / self._factor)

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        return _tridiagonal(self._main**2, self._side**2, m / self._factor**2)

    def scores(self, v: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(_tridiagonal(self._main, self._side, v) / self._factor)

    @property
    def inverse_bands(self) -> tuple[Floats, Floats, Floats]:
        """C⁻¹[y, y−1], C⁻¹[y, y] and C⁻¹[y, y+1] for every y; 0 where there is no neighbour."""
        below, above = np.append(0.0, self._side), np.append(self._side, 0.0)
        return below / self._factor, self._main / self._factor, above / self._factor

    solvable = True

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Solve (K·diag(d)·K + diag(z))·x = b in O(n).

        With T = K⁻¹, v = K·x and w = z·x − b it reads d·v + T·w = 0, T·v − w/z = b/z. Taken in turns,
        v₀, w₀, v₁, w₁, …, the unknowns meet only within three places: a band, solved with pivots, in
        which nothing is squared.
        """
        from scipy.linalg import solve_banded

        bands = np.zeros((7, 2 * self.inputs))  # bands[3 + i − j, j] holds entry (i, j)
        bands[3, 0::2], bands[3, 1::2] = d, -1 / z
        bands[2, 1::2] = bands[4, 0::2] = self._main
        bands[2, 2::2] = bands[4, 1:-1:2] = self._side
        bands[0, 3::2] = bands[6, 0:-2:2] = self._side

        def solve(b: Floats) -> Floats:
            right = np.zeros((2 * self.inputs, *b.T.shape[1:]))
            right[1::2] = (b / z).T
            unknowns = solve_banded((3, 3), bands, right)
            return np.asarray((unknowns[1::2].T + b) / z)

        return solve


def _tridiagonal(main: Floats, side: Floats, v: Floats) -> Floats:
    out: Floats = main * v
    out[..., 1:] += side * v[..., :-1]
    out[..., :-1] += side * v[..., 1:]
    return out


class Axes:
    """Several channels at once, each along its own axis of a table: the product, never built."""

    def __init__(self, parts: list[Operator]) -> None:
        self.parts = parts
        self.shape_in = tuple(part.inputs for part in parts)
        self.shape_out = tuple(part.outputs for part in parts)
        logs = np.zeros(self.shape_out)
        for axis, part in enumerate(parts):
            shape = [1] * len(parts)
            shape[axis] = part.outputs
            logs = logs + part.column_logs.reshape(shape)
        self.inputs, self.outputs = int(np.prod(self.shape_in)), int(np.prod(self.shape_out))
        self.column_logs = logs.ravel()

    def _along(self, table: Floats, shape: tuple[int, ...], name: str) -> Floats:
        several = table.shape[:-1]
        cells = table.reshape(several + shape)
        for axis, part in enumerate(self.parts, start=len(several)):
            turned = np.moveaxis(cells, axis, -1)
            cells = np.moveaxis(getattr(part, name)(turned), -1, axis)
        return np.asarray(np.ascontiguousarray(cells).reshape(*several, -1))

    def forward(self, p: Floats) -> Floats:
        """See `Operator`; cells in row-major order."""
        return self._along(p, self.shape_in, "forward")

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        return self._along(w, self.shape_out, "backward")

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`."""
        return self._along(m, self.shape_out, "inverted")

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        return self._along(m, self.shape_out, "inverted_squares")

    def scores(self, v: Floats) -> Floats:
        """See `Operator`."""
        return self._along(v, self.shape_in, "scores")

    @property
    def solvable(self) -> bool:
        """Whether the table is small enough for its product channel to be written out."""
        return max(self.inputs, self.outputs) <= MOST_SOLVED

    @cached_property
    def _written_out(self) -> Floats:
        return self.forward(np.eye(self.inputs))

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Solve (C·diag(d)·Cᵀ + diag(z))·x = b, for small tables only."""
        return dense_solver(self._written_out, d, z)
