"""Records of a noisy table with everything that their corrected moments need."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.estimation.operators.structured_operators import Axes
from dprivacy.estimation.scores.signed_rows import ColumnScores, table_scores
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.estimation.scores.total_variances import Totals, score_totals
from dprivacy.numbers import Floats, Sealed

_MOST_CELLS = 20_000_000  # of a table of functions, all of them together


@dataclass(frozen=True, eq=False)
class ScoredRecords(Sealed):
    """The released values of some columns, record by record, with weights, strata, clusters and groups.

    Parameters
    ----------
    columns
        The protected columns that a function may depend on.
    codes
        The places of the released values among their outputs, of shape (n, number of columns).
    public
        The number of each record's combination of public values that a function may depend on.
    combinations
        How many there are.
    design
        Weights and design.
    groups, count
        The number of each record's group, and how many groups there are.
    """

    columns: tuple[ColumnScores, ...]
    codes: NDArray[np.intp]
    public: NDArray[np.intp]
    combinations: int
    design: Records
    groups: NDArray[np.intp]
    count: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a function's table: public combinations first, then true values."""
        return (self.combinations, *(len(column.inputs) for column in self.columns))

    @property
    def operator(self) -> Axes:
        """The channel of all protected columns together."""
        return Axes([column.known.operator for column in self.columns])

    @property
    def cells(self) -> NDArray[np.intp]:
        """The number of each record's cell among the released ones, public values left out."""
        shape = tuple(len(column.outputs) for column in self.columns)
        return np.asarray(np.ravel_multi_index(tuple(self.codes.T), shape), dtype=np.intp)

    def scores(self, f: Floats) -> Floats:
        """The score of a function, a table of `shape`, for every record."""
        scored = np.moveaxis(table_scores(self.columns, np.moveaxis(f, 0, -1)), -1, 0)
        return np.asarray(scored[(self.public, *self.codes.T)])

    def totals(self, functions: Sequence[Floats]) -> Totals:
        """The totals of several functions in every group, with their covariances.

        Two functions of the same columns are multiplied before they are scored, never after.
        """
        k = len(functions)
        if math.prod(self.shape) * k * k > _MOST_CELLS:
            widest = max(self.columns, key=lambda column: len(column.inputs))
            raise TooLarge(
                f"{math.prod(self.shape):,} combinations of true values are too many; leave out the "
                f"column with {len(widest.inputs):,} values, or a public one"
            )
        g = np.stack([self.scores(f) for f in functions], axis=1)
        h = np.zeros((len(g), k, k))
        for a in range(k):
            for b in range(a, k):
                both = functions[a] * functions[b]
                same = np.array_equal(both, functions[a])  # of indicators, whose squares they are
                h[:, a, b] = h[:, b, a] = g[:, a] if same else self.scores(both)
        return score_totals(g, h, self.design, self.groups, self.count)

    def within(self, group: int) -> tuple[Floats, float, float]:
        """Of one group: weighted shares of the released cells, Σw, and how many rows it is worth."""
        inside = self.groups == group
        weights, squares = self.design.weights[inside], self.design.squares[inside]
        size = math.prod(len(column.outputs) for column in self.columns)
        shares = np.bincount(self.cells[inside], weights, minlength=size).astype(np.float64)
        total = float(weights.sum())
        if total == 0:
            return shares, 0.0, 0.0
        return shares / total, total, total**2 / float(squares.sum())
