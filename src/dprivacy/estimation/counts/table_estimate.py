"""Tables of several randomised columns: every cell and every marginal, with standard errors.

The channel of a whole row is the product of its columns' channels, applied one axis at a time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np

from dprivacy.errors import (
    BadNumber,
    NotInvertible,
    UnknownName,
)
from dprivacy.estimation.counts.estimate_result import METHODS
from dprivacy.estimation.counts.standard_errors import OF, SCALES, Of, Scale, quantile
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.operators.structured_operators import Axes
from dprivacy.estimation.tabular_answer import LongForm, Rows, TabularAnswer
from dprivacy.model import Pictured, counted, plain, shown
from dprivacy.numbers import Floats

_MOST_ACROSS = 12  # labels of the last axis that stand side by side
_MOST_LINES = 60


@dataclass(frozen=True, eq=False, repr=False)
class TableEstimate(TabularAnswer, Pictured):
    """Estimated counts of every cell of a table, with standard errors.

    Attributes
    ----------
    labels
        The labels of each axis: the inputs of its channel.
    counts
        Estimated true counts.
    n
        The number of answers.
    estimator
        "ibu" or "inverse".
    centres, table_variances, population_variances
        Inverted counts and their variances (see `spread`); infinite where a channel has no inverse.
    confidence
        Confidence level of the intervals.
    gap, iterations, converged
        As for Estimate; None, 0 and True for "inverse".
    errors_from
        What the standard errors rest on.
    names
        The columns, where the table is of named ones.

    Examples
    --------
    >>> from dprivacy.estimation import estimate
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> table = estimate([coin, coin], [[60, 40], [40, 60]], estimator="inverse")
    >>> count, error = table.cell("yes", "no")
    >>> print(count, round(error, 2))
    10.0 16.2
    >>> table.marginal(0).counts.tolist()
    [100.0, 100.0]
    >>> table.shares.tolist(), table.standard_errors.round(2).tolist()
    ([[0.45, 0.05], [0.05, 0.45]], [[16.2, 16.2], [16.2, 16.2]])
    >>> low, high = table.intervals
    >>> low.round(1).tolist(), high.round(1).tolist()
    ([[58.2, -21.8], [-21.8, 58.2]], [[121.8, 41.8], [41.8, 121.8]])
    >>> table.errors(of="population", scale="proportions").round(3).tolist()
    [[0.088, 0.082], [0.082, 0.088]]
    >>> table.ranges(of="population", scale="proportions")[0].round(2).tolist()
    [[0.28, -0.11], [-0.11, 0.28]]
    >>> table.long_form().columns
    ('axis 1', 'axis 2', 'estimate', 'standard_error', 'low', 'high', 'of', 'method')
    """

    labels: tuple[tuple[Any, ...], ...]
    counts: Floats
    n: float
    estimator: str
    centres: Floats
    table_variances: Floats
    population_variances: Floats
    confidence: float
    gap: float | None
    iterations: int
    converged: bool
    errors_from: str
    sources: tuple[Known, ...]
    observed: Floats
    squares: Floats | None = None
    rows: float | None = None
    names: tuple[str, ...] = ()
    exact: ClassVar[bool] = False  # tables are estimated in doubles

    @property
    def shares(self) -> Floats:
        """Estimated proportions."""
        return self.counts / self.n

    @property
    def standard_errors(self) -> Floats:
        """Of the counts among these people."""
        return self.errors()

    def errors(self, *, of: Of = "table", scale: Scale = "counts") -> Floats:
        """Standard errors of every cell; see `Estimate.errors`."""
        UnknownName.require("of", of, OF)
        UnknownName.require("scale", scale, SCALES)
        chosen = self.table_variances if of == "table" else self.population_variances
        return np.asarray(np.sqrt(chosen) / (1.0 if scale == "counts" else self.n))

    def ranges(self, *, of: Of = "table", scale: Scale = "counts") -> tuple[Floats, Floats]:
        """The lower and the upper ends of the intervals; see `Estimate.ranges`."""
        unit = 1.0 if scale == "counts" else self.n
        reach = quantile(self.confidence) * self.errors(of=of)
        low, high = self.centres - reach, self.centres + reach
        if self.estimator != "inverse":
            low, high = np.clip(low, 0, self.n), np.clip(high, 0, self.n)
        return np.minimum(low, self.counts) / unit, np.maximum(high, self.counts) / unit

    @property
    def intervals(self) -> tuple[Floats, Floats]:
        """For the counts among these people."""
        return self.ranges()

    def cell(self, *labels: Any) -> tuple[float, float]:
        """The estimated count of one cell and its standard error, by labels."""
        at = tuple(axis.index(label) for axis, label in zip(self.labels, labels, strict=True))
        return float(self.counts[at]), float(self.standard_errors[at])

    def marginal(self, *axes: int) -> "TableEstimate":
        """The table of some axes: counts summed over the others, with their own standard errors.

        Noisy counts sum over an axis as true ones do, so that the errors are those of estimating from
        the columns that are kept.
        """
        d = len(self.labels)
        kept = [axis % d if -d <= axis < d else d for axis in axes]
        if not kept or d in kept or len(set(kept)) < len(kept):
            raise BadNumber(f"axes should be distinct numbers from 0 to {d - 1}, not {axes}")
        others = tuple(axis for axis in range(d) if axis not in kept)
        turned = np.argsort(np.argsort(kept))
        counts = np.transpose(self.counts.sum(axis=others), turned)
        seen = np.transpose(self.observed.sum(axis=others), turned)
        parts = tuple(self.sources[axis] for axis in kept)
        second = None
        if self.squares is not None:
            second = np.transpose(self.squares.sum(axis=others), turned)
        centres, table, drawn, _ = table_spread(parts, seen, squares=second, rows=self.rows)
        return replace(
            self,
            labels=tuple(part.rows for part in parts),
            counts=counts,
            centres=counts if centres is None else centres,
            table_variances=table,
            population_variances=drawn,
            sources=parts,
            observed=seen,
            squares=second,
            names=tuple(self.names[axis] for axis in kept) if self.names else (),
        )

    def explain(self) -> str:
        """The estimate in words."""
        size = "×".join(str(len(axis)) for axis in self.labels)
        text = f"A table of {size} cells estimated from {self.n:g} answers ({self.estimator})."
        if self.gap is not None:
            end = "Converged" if self.converged else "Not converged"
            text += (
                f" {end} after {counted(self.iterations, 'update')}: the mean log-likelihood is within "
                f"{self.gap:.2g} of its maximum."
            )
        if (self.counts < 0).any():
            negative = int((self.counts < 0).sum())
            text += (
                f" It has {counted(negative, 'negative cell')}: the estimate is unbiased, and not a "
                "possible table."
            )
        return f"{text} Standard errors: {self.errors_from}."

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        low, high = self.intervals
        return {
            **self._told("estimator", "n", "labels", "counts", "standard_errors"),
            "low": plain(low),
            "high": plain(high),
            **self._told("confidence", "gap", "iterations", "converged", "errors_from"),
        }

    def long_form(self) -> LongForm:
        """One row for each cell."""
        low, high = self.intervals
        parts = (self.counts, self.standard_errors, low, high)
        method = METHODS[self.estimator]
        rows = tuple(
            (*labels, *numbers, "table", method)
            for labels, *numbers in zip(
                product(*self.labels), *(part.ravel().tolist() for part in parts), strict=True
            )
        )
        notes = (f"standard errors: {self.errors_from}",)
        return LongForm("count", self._names(), rows, notes)

    def _names(self) -> tuple[str, ...]:
        return self.names or tuple(f"axis {k + 1}" for k in range(len(self.labels)))

    def _printed(self) -> tuple[str, Rows]:
        """Two axes side by side, three in blocks, with margins of their own; else one row a cell."""
        size = "×".join(str(len(axis)) for axis in self.labels)
        head = f"TableEstimate({self.estimator}, n = {self.n:g}, {size})"
        if len(self.labels) > 3 or len(self.labels[-1]) > _MOST_ACROSS:
            return head, self._listed()
        across = [shown(label) for label in self.labels[-1]]
        names = list(self.names[:-1]) if self.names else [""] * (len(self.labels) - 1)
        if len(self.labels) == 1:
            return head, [["", *across], ["", *_cells(self.counts, self.standard_errors)]]
        if len(self.labels) == 2:
            return head, [[*names, *across, "all"], *self._crossed()]
        rows: Rows = [[*names, *across, "all"]]
        for k, label in enumerate(self.labels[0]):
            for line, row in enumerate(self._block(k)):
                rows.append([shown(label) if not line else "", *row])
        for line, row in enumerate(self.marginal(1, 2)._crossed()):
            rows.append(["all" if not line else "", *row])
        return head, rows

    def _crossed(self) -> list[list[str]]:
        """The lines of a table of two axes, with margins that have errors of their own."""
        down, across = self.marginal(0), self.marginal(1)
        ends = _cells(down.counts, down.standard_errors)
        lines = [
            [shown(x), *_cells(self.counts[i], self.standard_errors[i]), ends[i]]
            for i, x in enumerate(self.labels[0])
        ]
        last = ["all", *_cells(across.counts, across.standard_errors), f"{self.n:g}"]
        return [*lines, last]

    def _block(self, k: int) -> list[list[str]]:
        """The lines of one value of the first of three axes."""
        down, across, whole = self.marginal(0, 1), self.marginal(0, 2), self.marginal(0)
        ends = _cells(down.counts[k], down.standard_errors[k])
        lines = [
            [shown(x), *_cells(self.counts[k, i], self.standard_errors[k, i]), ends[i]]
            for i, x in enumerate(self.labels[1])
        ]
        corner = _cells(whole.counts[k : k + 1], whole.standard_errors[k : k + 1])
        last = ["all", *_cells(across.counts[k], across.standard_errors[k]), *corner]
        return [*lines, last]

    def _listed(self) -> Rows:
        """One line a cell, as many as a screen takes."""
        low, high = (side.ravel() for side in self.intervals)
        counts, errors = self.counts.ravel(), self.standard_errors.ravel()
        rows: Rows = [(*self._names(), "count", "± s.e.", f"{100 * self.confidence:g} % interval")]
        for k, labels in enumerate(islice(product(*self.labels), _MOST_LINES)):
            span = f"{low[k]:.1f} … {high[k]:.1f}"
            rows.append((*map(shown, labels), f"{counts[k]:.1f}", f"{errors[k]:.1f}", span))
        left = self.counts.size - _MOST_LINES
        if left > 0:
            rows.append((f"… and {left:,} more", *[""] * (len(rows[0]) - 1)))
        return rows


def _cells(counts: Floats, errors: Floats) -> list[str]:
    return [f"{c:.1f} ± {e:.1f}" for c, e in zip(counts, errors, strict=True)]


def table_spread(
    parts: Sequence[Known],
    table: Floats,
    *,
    strict: bool = False,
    squares: Floats | None = None,
    rows: float | None = None,
) -> tuple[Floats | None, Floats, Floats, str]:
    """Inverted counts, their variances for both questions, and what to say of them.

    Of weighted counts, `squares` are the sums of the squared weights in the released cells, and `rows`
    how many rows there are: with scores g, Σw·g has the noise variance Σw²·(g² − h).
    """
    operator = Axes([part.operator for part in parts])
    flat, second = table.ravel(), (table if squares is None else squares).ravel()
    n = table.sum() if rows is None else rows
    try:
        centres, spread = operator.inverted(flat), operator.inverted_squares(second)
        known = centres if squares is None else operator.inverted(second)
    except NotInvertible:
        if strict:
            raise
        unknown = np.full(operator.shape_in, math.inf)
        return None, unknown, unknown, "infinite, because a channel cannot be inverted"
    shaped = centres.reshape(operator.shape_in)
    noise = np.maximum(spread - known, 0.0).reshape(operator.shape_in)
    drawn = np.maximum((spread - centres**2 / n).reshape(operator.shape_in), noise)
    return shaped, noise, drawn, "those of the inverted counts"
