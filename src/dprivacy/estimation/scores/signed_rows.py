"""Unbiased scores of one noisy column: what each released value is worth on average over the truth.

With C·B = I, row y of B is a signed measure on the true values whose expectation, over the noise, is
the point mass at the truth. So for any f of the true value the score g = B·f has E[g(y) | x] = f(x),
and a released row can be replaced by a few signed pseudo-rows (x, B[y, x]) on which f is
computed as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotInvertible, SpaceMismatch
from dprivacy.estimation.operators.channel_operator import left_inverse
from dprivacy.estimation.operators.report_operators import ReportOperator, SeenSets
from dprivacy.estimation.operators.structure_check import Known, line_in, response_in
from dprivacy.estimation.operators.structured_operators import LineGeometric, ResponseLike
from dprivacy.numbers import Floats, Frozen, Mat, rank
from dprivacy.typing import ChannelLike, Label

_ROUNDING = 2.0**-53
_NEGLIGIBLE = 1e-15  # of the largest entry of B: below this, rounding of an exact 0
_ESTIMABLE = 1e-9  # relative distance of C·B·f from f up to which f counts as estimable


@dataclass(frozen=True, eq=False)
class RowScore:
    """The score of a function, and how far its expectation may be from the function.

    Parameters
    ----------
    values
        g(y) for every released value y.
    residual
        An upper bound of max_x |Σ_y C[x, y]·g(y) − f(x)|, rounding included. The bias of a total
        Σ w·g is at most Σ|w| times this.
    """

    values: Floats
    residual: float


class ColumnScores(Frozen):
    """The unbiased scores of one column's channel; made by `column_scores`.

    Parameters
    ----------
    known
        The channel, with its labels.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> scores = column_scores(geometric(5, eps="ln 2"))
    >>> scores.score([0, 1, 4, 9, 16]).values.round().astype(int).tolist()
    [-1, -3, 0, 5, 23]
    """

    known: Known
    inputs: tuple[Label, ...]
    outputs: tuple[Label, ...]

    def __init__(self, known: Known) -> None:
        self._set(known=known, inputs=known.rows, outputs=known.columns)

    @cached_property
    def _form(self) -> ResponseLike | LineGeometric | ReportOperator | None:
        """The closed form of the channel, where it has one."""
        if self.known.channel is None:
            operator = self.known.operator
            return operator if isinstance(operator, LineGeometric | ReportOperator) else None
        floats = self.known.channel.matrix.floats
        n, m = floats.shape
        return None if n != m or n < 2 else response_in(floats) or line_in(floats)

    @property
    def kind(self) -> str:
        """How the scores are made: "response", "line" (three non-zeros a row), "sets" or "matrix"."""
        if self._form is None:
            return "matrix"
        if isinstance(self._form, ReportOperator):
            return "sets"
        return "response" if isinstance(self._form, ResponseLike) else "line"

    @cached_property
    def full(self) -> bool:
        """Whether every function of the true value can be estimated: the rows are independent."""
        return self._form is not None or self._inverse[1]

    @cached_property
    def _inverse(self) -> tuple[Floats, bool]:
        """B, and whether C·B = I; of least variance where there are more outputs than inputs."""
        channel = self.known.channel
        assert channel is not None
        floats = channel.matrix.floats
        try:
            return left_inverse(floats), True
        except NotInvertible:
            average = floats.mean(axis=0)
            weighted = np.divide(floats, average, out=np.zeros_like(floats), where=average > 0)
            return (
                np.linalg.pinv(weighted @ floats.T, rcond=1e-11, hermitian=True) @ weighted
            ).T, False

    def score(self, f: Sequence[float] | Floats) -> RowScore:
        """The score of f, which has one number for each of `inputs`; NotInvertible if it has none."""
        wanted = np.asarray(f, dtype=np.float64)
        if wanted.shape != (len(self.inputs),):
            raise SpaceMismatch(
                f"a function of this column needs {len(self.inputs):,} numbers, one for each true "
                f"value, not an array of shape {wanted.shape}"
            )
        if not self.estimable(wanted):
            raise NotInvertible(
                "the released values do not determine this statistic: the channel has "
                f"{len(self.inputs)} inputs but only rank {self.rank}, and truths with different "
                "answers look the same after the noise; ask for a function that is constant on values "
                'that look alike, or use estimator="ibu", which gives one of the answers'
            )
        values = self.apply(wanted)
        return RowScore(values, self._residual(values, wanted))

    def apply(self, table: Floats, axis: int = 0) -> Floats:
        """B along one axis of a table of true cells: scores along that axis, nothing checked."""
        turned = np.moveaxis(np.asarray(table, dtype=np.float64), axis, -1)
        form = self._form
        scored = turned @ self._inverse[0].T if form is None else form.scores(turned)
        return np.moveaxis(scored, -1, axis)

    def pseudo_rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """B row by row: `start`, `candidate`, `weight`.

        The pseudo-rows of output y are the true values ``candidate[start[y]:start[y + 1]]`` with the
        weights at the same places. They sum to 1.
        """
        return self._pseudo_rows

    @cached_property
    def _pseudo_rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        form = self._form
        if isinstance(form, LineGeometric):
            y = np.repeat(np.arange(len(self.outputs)), 3)
            x = y + np.tile([-1, 0, 1], len(self.outputs))
            b = np.stack(form.inverse_bands, axis=1).ravel()
            there = (x >= 0) & (x < len(self.inputs))
            y, x, b = y[there], x[there], b[there]
        else:
            dense = self._inverse[0] if form is None else form.inverse
            y, x = np.nonzero(np.abs(dense) > _NEGLIGIBLE * np.abs(dense).max())
            b = dense[y, x]
        start = np.searchsorted(y, np.arange(len(self.outputs) + 1))
        return start, x.astype(np.intp), np.asarray(b)

    @property
    def rank(self) -> int:
        """The rank of the channel."""
        if self.full or self.known.channel is None:
            return len(self.inputs)
        return rank(self.known.channel.matrix)

    def estimable(self, f: Sequence[float] | Floats) -> bool:
        """Whether f has a score: whether it is a combination of the channel's columns.

        Decided in rationals for an exact channel and whole numbers, up to 1e-9 otherwise.
        """
        if self.full:
            return True
        wanted = np.asarray(f, dtype=np.float64)
        channel = self.known.channel
        assert channel is not None
        if channel.exact and (wanted == np.round(wanted)).all():
            both = [
                [*row, int(value)]
                for row, value in zip(channel.matrix.rows(), wanted.tolist(), strict=True)
            ]
            return rank(Mat.of(both)) == self.rank  # type: ignore[arg-type]
        missed = np.abs(channel.matrix.floats @ self.apply(wanted) - wanted).max()
        return bool(missed <= _ESTIMABLE * max(np.abs(wanted).max(), 1e-300))

    def _residual(self, g: Floats, f: Floats) -> float:
        """max |C·g − f|, every rounding counted against us (n·u·|C|·|g| for a sum of n terms)."""
        n = len(g) + 3
        if isinstance(self.known.operator, SeenSets):
            return self.known.operator.residual(f)
        if self.known.channel is not None:
            floats = self.known.channel.matrix.floats
            seen, size = floats @ g, np.abs(floats) @ np.abs(g)
        else:  # a recursion, each step of which rounds four times
            n, scale = 4 * n, np.exp(self.known.operator.column_logs)
            seen = self.known.operator.backward(g * scale)
            size = self.known.operator.backward(np.abs(g) * scale)
        rounding = n * _ROUNDING / (1 - n * _ROUNDING) * size + 2 * _ROUNDING * np.abs(f)
        return float((np.abs(seen - f) * (1 + 4 * _ROUNDING) + rounding).max())


def column_scores(channel: ChannelLike | Known) -> ColumnScores:
    """The scores of a column that went through a channel.

    Parameters
    ----------
    channel
        A channel, a mechanism with one, noise on a grid with too many points for a matrix, or a local
        mechanism over a finite geometry.

    Returns
    -------
    ColumnScores
        With closed forms for randomised response, for reports that are sets, and for geometric noise on
        a line, equal gaps or not; a solved matrix for any other channel, that of least variance where
        outputs outnumber inputs.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = column_scores(randomised_response(["yes", "no"], eps="ln 3"))
    >>> coin.score([1, 0]).values.tolist()
    [1.5, -0.5]
    """
    return ColumnScores(channel if isinstance(channel, Known) else Known(channel))


def table_scores(columns: Sequence[ColumnScores], f: Floats) -> Floats:
    """Scores of a function of several columns, which is a table with an axis for each.

    The noises are independent given the truth, so that B is applied along one axis after the other.
    Two uses of the same column must be combined in f: a product's score is not the product of scores.
    """
    scores = np.asarray(f, dtype=np.float64)
    for axis, column in enumerate(columns):
        if not column.full:
            flat = np.moveaxis(scores, axis, 0).reshape(len(column.inputs), -1)
            for one in np.unique(flat, axis=1).T:
                column.score(one)
        scores = column.apply(scores, axis)
    return scores
