"""Noisy counts of combinations along the axes of a cross-tabulation, and the estimate behind them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import TooLarge, UnknownName
from dprivacy.estimation import Known, TableEstimate, estimate, weighted_table
from dprivacy.model import Channel
from dprivacy.numbers import Floats
from dprivacy.release.receiving.label_positions import positions_of

_MOST_CELLS = 1 << 26


@dataclass(frozen=True)
class Axis:
    """One axis of a cross-tabulation: a protected column, or one that was passed through."""

    name: str
    channel: Channel | Known | None
    values: tuple[Any, ...] = ()

    @property
    def labels(self) -> tuple[Any, ...]:
        """The noisy labels along the axis."""
        return self.values if self.channel is None else self.channel.columns

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The true values."""
        return self.values if self.channel is None else self.channel.rows


def corrected_table(
    found: Mapping[tuple[Any, ...], float],
    axes: Sequence[Axis],
    *,
    estimator: Any,  # of one column's; that not all of them take tables is told where they are
    confidence: float,
    **weighted: Any,
) -> TableEstimate:
    """The estimate behind noisy counts (or sums of weights) of combinations."""
    channels = [axis.channel if axis.channel is not None else _as_is(axis.values) for axis in axes]
    table = placed_counts(found, axes)
    if weighted:
        UnknownName.require("the estimator of a table", estimator, ("ibu", "inverse"))
        return weighted_table(
            channels, table, estimator=estimator, confidence=confidence, **weighted
        )
    return estimate(channels, table, estimator=estimator, confidence=confidence)


def placed_counts(found: Mapping[tuple[Any, ...], float], axes: Sequence[Axis]) -> Floats:
    """Counts of combinations as a table, an axis for each column."""
    shape = [len(axis.labels) for axis in axes]
    if math.prod(shape) > _MOST_CELLS:
        raise TooLarge(
            f"the released table has {math.prod(shape):,} cells, more than {_MOST_CELLS:,}; name fewer "
            "columns, or ask for totals by one of them"
        )
    table = np.zeros(shape)
    sides = [axis.labels for axis in axes]
    for count, where in zip(found.values(), positions_of(found, sides), strict=True):
        table[tuple(where)] += count
    return table


def _as_is(values: Sequence[Any]) -> Channel:
    """The channel that changes nothing."""
    n = len(values)
    return Channel(values, values, [[int(i == j) for j in range(n)] for i in range(n)])
