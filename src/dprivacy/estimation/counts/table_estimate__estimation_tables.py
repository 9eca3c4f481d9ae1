"""Tables of several randomised columns: the product channel, one axis at a time."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from dprivacy.errors import Malformed, SpaceMismatch
from dprivacy.estimation.counts.bayesian_update import climb
from dprivacy.estimation.counts.noisy_answers import EDGE
from dprivacy.estimation.counts.standard_errors import quantile
from dprivacy.estimation.counts.table_estimate__estimation_table_result import (
    TableEstimate,
    table_spread,
)
from dprivacy.estimation.operators.channel_operator import Floats
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.operators.structured_operators import Axes


def estimate_table(
    channels: Sequence[Any],
    counts: Any,
    *,
    estimator: Literal["ibu", "inverse"] = "ibu",
    confidence: float = 0.95,
    tolerance: float = 1e-8,
    max_iterations: int = 100_000,
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
        "ibu" or "inverse"; see `estimate`.
    confidence, tolerance, max_iterations
        As for `estimate`.

    Returns
    -------
    TableEstimate
        In doubles.

    Notes
    -----
    1. The channel of the whole row of data is the product of the channels. It is applied along one axis
       after another, and so is its inverse B₁⊗B₂⊗…, and the inverse with its entries squared: for
       d columns of k labels O(d·k^(d+1)) instead of O(k^(2d)).
    2. The rest is as for one column.
    """
    if estimator not in ("ibu", "inverse"):
        raise Malformed(f'estimator must be "ibu" or "inverse", not {estimator!r}')
    quantile(confidence)
    table = _read_table(counts)
    if len(channels) != table.ndim or not channels:
        raise SpaceMismatch(f"{len(channels)} channels for a table with {table.ndim} axes")
    parts = tuple(
        Known(np.eye(table.shape[axis]) if channel is None else channel)
        for axis, channel in enumerate(channels)
    )
    wanted = tuple(len(part.columns) for part in parts)
    if wanted != table.shape:
        raise SpaceMismatch(f"the channels give a table of shape {wanted}, not {table.shape}")
    n = float(table.sum())
    centres, variances, drawn, words = table_spread(parts, table, strict=estimator == "inverse")
    gap, iterations, converged = None, 0, True
    found = centres
    if estimator == "ibu":
        operator = Axes([part.operator for part in parts])
        climbed = climb(
            operator, table.ravel() / n, tolerance=tolerance, max_iterations=max_iterations
        )
        found = climbed.p.reshape(operator.shape_in) * n
        gap, iterations, converged = climbed.gap, climbed.iterations, climbed.converged
        if (climbed.p < EDGE * climbed.p.max()).any() and centres is not None:
            words = f"the estimate lies on the boundary, so they are those of {words}"
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
    )


def _read_table(counts: Any) -> Floats:
    try:
        table = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise Malformed("a table of counts is an array of numbers") from None
    if table.ndim == 0:
        raise Malformed("a table of counts needs at least one axis")
    if not np.isfinite(table).all() or (table < 0).any():
        raise Malformed("counts must be finite and not negative")
    if not table.sum() > 0:
        raise Malformed("there are no answers to estimate from: every count is 0")
    return table
