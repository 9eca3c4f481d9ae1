"""A channel as something to apply: distributions forward, scores backward, counts inverted.

Estimators never look at entries. They push a distribution through (p → pC), pull scores back
(w → Cw), and some invert (m → mC⁻¹). A channel with structure does each in O(n).
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.model import Channel
from dprivacy.numbers import Floats

_SMALLEST = 1e-290  # columns below this are rescaled exactly, before they underflow
MOST_SOLVED = 1000  # inputs up to which a dense system is solved in a moment
_WORST = 1e13  # condition number beyond which a float inverse has no digits left


class Operator(Protocol):
    """A channel whose columns are divided by their largest entries.

    The maximum of the likelihood does not move when a column is multiplied by a constant, and with
    this choice no column underflows. `column_logs` holds the logarithms of what was divided by (−inf
    for an output that never occurs). All methods act on the last axis.
    """

    inputs: int
    outputs: int
    column_logs: Floats

    def forward(self, p: Floats) -> Floats:
        """Σ_x p_x·C_xy for every y, column scales left out."""
        ...

    def backward(self, w: Floats) -> Floats:
        """Σ_y C_xy·w_y for every x, column scales left out."""
        ...

    def inverted(self, m: Floats) -> Floats:
        """m·C⁻¹, of the channel itself."""
        ...

    def inverted_squares(self, m: Floats) -> Floats:
        """m·(C⁻¹∘C⁻¹): the variances that Poisson counts with means m would have after inversion."""
        ...

    def scores(self, v: Floats) -> Floats:
        """C⁻¹·v: what an output is worth, if inputs are worth v."""
        ...

    @property
    def solvable(self) -> bool:
        """Whether it is small enough, or structured enough, for `curvature` to be quick."""
        ...

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """A function that solves (C·diag(d)·Cᵀ + diag(z))·x = b, column scales left out.

        b is one right-hand side, or several, one a row.
        """
        ...


class Dense:
    """Any channel, as a matrix of doubles."""

    def __init__(self, channel: Channel) -> None:
        floats = channel.matrix.floats
        largest = floats.max(axis=0)
        logs = np.full(len(largest), -np.inf)
        np.log(largest, out=logs, where=largest > 0)
        scaled = np.divide(floats, largest, out=np.zeros_like(floats), where=largest > _SMALLEST)
        if channel.exact:
            for y in np.flatnonzero(largest <= _SMALLEST):
                _rescale(channel, int(y), scaled, logs)
        self.inputs, self.outputs = channel.matrix.shape
        self.column_logs = logs
        self.floats = floats
        self.scaled = np.ascontiguousarray(scaled)
        self._inverse: Floats | None = None

    def forward(self, p: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(p.dot(self.scaled))  # the method: np.dot takes a detour

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(w.dot(self.scaled.T))

    @property
    def solvable(self) -> bool:
        """Whether a system of this size is solved in a moment."""
        return self.inputs <= MOST_SOLVED

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Solve (C·diag(d)·Cᵀ + diag(z))·x = b."""
        return dense_solver(self.scaled, d, z)

    @property
    def inverse(self) -> Floats:
        """C⁻¹; a left inverse by least squares where there are more outputs than inputs."""
        if self._inverse is None:
            self._inverse = left_inverse(self.floats)
        return self._inverse

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(np.dot(m, self.inverse))

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(np.dot(m, self.inverse**2))

    def scores(self, v: Floats) -> Floats:
        """See `Operator`."""
        return np.asarray(np.dot(v, self.inverse.T))


def dense_solver(matrix: Floats, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
    """Solve (C·diag(d)·Cᵀ + diag(z))·x = b, with the diagonal scaled to 1."""
    system = (matrix * d) @ matrix.T
    system[np.diag_indices_from(system)] += z
    scale = 1 / np.sqrt(system.diagonal())
    system = system * scale * scale[:, None]

    def solve(b: Floats) -> Floats:
        return np.asarray(scale * np.linalg.solve(system, (scale * b).T).T, dtype=np.float64)

    return solve


def left_inverse(matrix: Floats) -> Floats:
    """B with C·B = I, whose rows sum to 1; NotInvertible, with the way out, if there is none.

    Notes
    -----
    With more outputs than inputs there are many. Taken is B = D⁻¹Cᵀ(C·D⁻¹Cᵀ)⁻¹, D the diagonal of
    the average row: it keeps totals, and is the efficient one where all inputs are equally common.
    """
    inputs, outputs = matrix.shape
    sizes = np.linalg.svd(matrix, compute_uv=False)
    if inputs > outputs or sizes[-1] * _WORST <= sizes[0]:
        raise not_invertible(inputs, outputs, int((sizes * _WORST > sizes[0]).sum()))
    if inputs == outputs:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    average = matrix.mean(axis=0)
    weighted = np.divide(matrix, average, out=np.zeros_like(matrix), where=average > 0)
    return np.asarray(np.linalg.solve(weighted @ matrix.T, weighted).T, dtype=np.float64)


def not_invertible(inputs: int, outputs: int, rank: int) -> NotInvertible:
    """The refusal, with the way out."""
    return NotInvertible(
        f"this channel cannot be inverted: it has {inputs} inputs and {outputs} outputs, and rank "
        f'{rank}. Use estimator="ibu"; since the rank is less than {inputs}, several distributions '
        "are equally likely, and it returns one of them"
    )


def _rescale(channel: Channel, y: int, scaled: Floats, logs: Floats) -> None:
    """One column whose doubles underflow, scaled in integers."""
    column = [int(value) for value in channel.matrix.entries[:, y]]
    largest = max(column)
    if largest:
        scaled[:, y] = [value / largest for value in column]
        halvings = channel.matrix.den.bit_length() - largest.bit_length()
        logs[y] = np.log((largest << halvings) / channel.matrix.den) - halvings * np.log(2)
