"""The true table behind a noisy one, whose columns were randomised independently."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    SpaceMismatch,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.estimation.climbing.bayesian_update import climb
from dprivacy.estimation.counts.standard_errors import EDGE
from dprivacy.estimation.counts.table_estimate import TableEstimate, table_spread
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.operators.structured_operators import Axes
from dprivacy.numbers import Floats
from dprivacy.typing import ChannelLike


def estimated_table(
    channels: Sequence[ChannelLike | Known | None],
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
        channel
        if isinstance(channel, Known)
        else Known(np.eye(table.shape[axis]) if channel is None else channel)
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
    channels: Sequence[ChannelLike | Known | None],
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
    channels: Sequence[ChannelLike | Known | None], parts: Sequence[Known], named: Sequence[Any]
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
