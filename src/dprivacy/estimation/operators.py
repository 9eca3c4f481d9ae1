"""A channel as something to apply: distributions forward, scores backward, counts inverted.

Estimators never look at entries. They push a distribution through (p → pC), pull scores back
(w → Cw), and some invert (m → mC⁻¹). A channel with structure does each in O(n).
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotInvertible
from dprivacy.model.channel import Channel

Floats = NDArray[np.float64]

_SMALLEST = 1e-290  # columns below this are rescaled exactly, before they underflow
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
        self.inputs, self.outputs = floats.shape
        self.column_logs = logs
        self.floats = floats
        self._scaled = np.ascontiguousarray(scaled)
        self._turned = np.ascontiguousarray(scaled.T)
        self._inverse: Floats | None = None

    def forward(self, p: Floats) -> Floats:
        """See `Operator`."""
        return np.dot(p, self._scaled)

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        return np.dot(w, self._turned)

    @property
    def inverse(self) -> Floats:
        """C⁻¹; a left inverse by least squares where there are more outputs than inputs."""
        if self._inverse is None:
            self._inverse = left_inverse(self.floats)
        return self._inverse

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`."""
        return np.dot(m, self.inverse)

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        return np.dot(m, self.inverse**2)


class ResponseLike:
    """a·I + 1·bᵀ: keep the answer, or draw a new one whatever it was. Everything in O(n)."""

    def __init__(self, kept: float, drawn: Floats) -> None:
        self.inputs = self.outputs = len(drawn)
        self._kept, self._drawn = kept, drawn
        largest = kept + drawn
        self.column_logs = np.log(largest)
        self._diagonal, self._shared = kept / largest, drawn / largest

    def forward(self, p: Floats) -> Floats:
        """See `Operator`."""
        out: Floats = self._diagonal * p + p.sum(axis=-1, keepdims=True) * self._shared
        return out

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        out: Floats = self._diagonal * w + (w * self._shared).sum(axis=-1, keepdims=True)
        return out

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`: (m − |m|·b)/a."""
        out: Floats = (m - m.sum(axis=-1, keepdims=True) * self._drawn) / self._kept
        return out

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        rest = m.sum(axis=-1, keepdims=True) - m
        out: Floats = (m * (1 - self._drawn) ** 2 + rest * self._drawn**2) / self._kept**2
        return out


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
        return np.asarray(out).T.reshape(v.shape)

    forward = backward = _apply

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`."""
        return _tridiagonal(self._main, self._side, m / self._factor)

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        return _tridiagonal(self._main**2, self._side**2, m / self._factor**2)


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
        cells = table.reshape(shape)
        for axis, part in enumerate(self.parts):
            turned = np.moveaxis(cells, axis, -1)
            cells = np.moveaxis(getattr(part, name)(turned), -1, axis)
        return np.ascontiguousarray(cells).ravel()

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
        inverse: Floats = np.linalg.inv(matrix)
        return inverse
    average = matrix.mean(axis=0)
    weighted = np.divide(matrix, average, out=np.zeros_like(matrix), where=average > 0)
    solved: Floats = np.linalg.solve(weighted @ matrix.T, weighted).T
    return solved


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
