"""Tables of several randomised columns: every cell and every marginal, with standard errors.

The channel of a whole row is the product of its columns' channels, applied one axis at a time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    NotInvertible,
    SpaceMismatch,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.estimation.counts.bayesian_update import climb
from dprivacy.estimation.counts.standard_errors import EDGE, OF, SCALES, Of, Scale, quantile
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.operators.structured_operators import Axes
from dprivacy.estimation.tabular_answer import Rows, TabularAnswer
from dprivacy.model import Pictured, counted, plain, shown
from dprivacy.numbers import Floats
from dprivacy.typing import ChannelLike


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

    def _printed(self) -> tuple[str, Rows]:
        size = "×".join(str(len(axis)) for axis in self.labels)
        head = f"TableEstimate({self.estimator}, n = {self.n:g}, {size})"
        if self.counts.ndim > 2 or max(self.counts.shape) > 12:
            return head, []
        counts, errors = np.atleast_2d(self.counts), np.atleast_2d(self.standard_errors)
        names = self.labels[0] if self.counts.ndim == 2 else ("",)
        rows = [["", *(shown(label) for label in self.labels[-1])]]
        rows += [[shown(x), *_cells(counts[i], errors[i])] for i, x in enumerate(names)]
        if self.counts.ndim == 2:  # the margins, with errors of their own
            down, across = self.marginal(0), self.marginal(1)
            ends = _cells(down.counts, down.standard_errors)
            rows = [[*row, end] for row, end in zip(rows, ["all", *ends], strict=True)]
            rows.append(["all", *_cells(across.counts, across.standard_errors), f"{self.n:g}"])
        return head, [*rows]


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


def estimated_table(
    channels: Sequence[ChannelLike | None],
    counts: Any,  # what np.asarray reads
    *,
    estimator: str,
    confidence: float,
    squares: Floats | None = None,
    rows: float | None = None,
    **climbing: Any,
) -> TableEstimate:
    """The true table behind a noisy one whose columns were randomised independently.

    Parameters
    ----------
    channels
        One channel (or mechanism) for each axis; None for a column that was not randomised.
    counts
        The noisy table: an array of shape (outputs of the first, outputs of the second, …), in the
        order of the channels' outputs.
    estimator
        "ibu" or "inverse".
    confidence
        Of the intervals.
    squares, rows
        For sums of weights in place of counts: see `table_spread`.
    **climbing
        What `climb` takes.

    Notes
    -----
    1. The channel of the whole row of data is the product of the channels. It is applied along one axis
       after another, and so is its inverse B₁⊗B₂⊗…, and the inverse with its entries squared: for
       d columns of k labels O(d·k^(d+1)) instead of O(k^(2d)).
    2. The rest is as for one column.
    """
    UnknownName.require("the estimator of a table", estimator, ("ibu", "inverse"))
    table = _read_table(counts)
    if len(channels) != table.ndim or not channels:
        raise SpaceMismatch(
            f"a table with {table.ndim} axes needs as many channels, not {len(channels)}; give None "
            "for a column that was not randomised"
        )
    parts = tuple(
        Known(np.eye(table.shape[axis]) if channel is None else channel)
        for axis, channel in enumerate(channels)
    )
    if hasattr(counts, "index") and hasattr(counts, "columns"):  # of pandas
        _require_order(channels, parts, (counts.index, counts.columns))
    wanted = tuple(len(part.columns) for part in parts)
    if wanted != table.shape:
        raise SpaceMismatch(
            f"the table should have the channels' shape {wanted}, not {table.shape}"
        )
    n = float(table.sum())
    centres, variances, drawn, words = table_spread(
        parts, table, strict=estimator == "inverse", squares=squares, rows=rows
    )
    gap, iterations, converged = None, 0, True
    found = centres
    if estimator == "ibu":
        operator = Axes([part.operator for part in parts])
        climbed = climb(operator, table.ravel() / n, **climbing)
        found = climbed.p.reshape(operator.shape_in) * n
        gap, iterations, converged = climbed.gap, climbed.iterations, climbed.converged
        if (climbed.p < EDGE * climbed.p.max()).any() and centres is not None:
            words += ", because the estimate lies on the boundary"
    assert found is not None
    return TableEstimate(
        tuple(part.rows for part in parts),
        found,
        n,
        estimator,
        found if centres is None else centres,
        variances,
        drawn,
        confidence,
        gap,
        iterations,
        converged,
        words,
        parts,
        table,
        squares,
        rows,
    )


def weighted_table(
    channels: Sequence[ChannelLike | None],
    sums: Floats,
    *,
    squares: Floats,
    rows: float,
    estimator: str,
    confidence: float,
) -> TableEstimate:
    """A table of weighted counts, from the sums of weights and of their squares in released cells."""
    climbing = {"tolerance": 1e-9, "max_iterations": 100_000, "accelerate": True}
    given = {"squares": squares, "rows": rows, "estimator": estimator, "confidence": confidence}
    return estimated_table(channels, sums, **given, **climbing)  # type: ignore[arg-type]


def _require_order(
    channels: Sequence[ChannelLike | None], parts: Sequence[Known], named: Sequence[Any]
) -> None:
    """Refuse a table whose own names say that its cells stand in another order."""
    for channel, part, labels in zip(channels, parts, named, strict=True):
        numbered = type(labels).__name__ == "RangeIndex"
        if channel is not None and not numbered and tuple(labels) != part.columns:
            raise SpaceMismatch(
                f"the names along the table should be {', '.join(map(repr, part.columns))}, in this "
                f"order, not {', '.join(map(repr, labels))}; bring it there with reindex"
            )


def _read_table(counts: Any) -> Floats:
    try:
        table = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise WrongKind(
            f"a table of counts should be an array of numbers, not {type(counts).__name__}"
        ) from None
    if table.ndim == 0:
        raise WrongShape(
            f"a table of counts should have an axis for each channel, not {table.ndim}"
        )
    if not np.isfinite(table).all() or (table < 0).any():
        raise BadNumber(f"counts should be finite and at least 0, not {table.min():.6g}")
    if not table.sum() > 0:
        raise NotApplicable(
            f"there are no answers to estimate from: all {table.size:,} counts are 0"
        )
    return table
