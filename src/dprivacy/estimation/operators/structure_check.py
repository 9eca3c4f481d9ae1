"""Which operator a channel or a mechanism is: structure is read off the numbers and then checked."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.estimation.operators.channel_operator import Dense, Operator
from dprivacy.estimation.operators.report_operators import HyperplaneOperator, SeenSets
from dprivacy.estimation.operators.structured_operators import LineGeometric, ResponseLike
from dprivacy.mechanisms import GridNoise, HyperplaneReports, LocalMechanism
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Floats

_DENSE_BELOW = 48  # points up to which a matrix is as fast as any structure
_MOST_POINTS = 10_000_000
_ALIKE = 1e-12  # relative difference up to which an entry fits the structure


class Known:
    """A channel ready to be estimated from: labels, an operator, and the exact matrix if there is one.

    Parameters
    ----------
    source
        A channel, a mechanism with one, anything `as_channel` reads, `laplace` noise on a grid with
        too many points for a matrix, or a local mechanism over a finite geometry.
    seen
        For a local mechanism of other sets: the different cells that hold its reports.
    """

    def __init__(self, source: Any, *, seen: Sequence[Any] | None = None) -> None:
        self.channel: Channel | None = None
        if isinstance(source, GridNoise) and source.inner is None:
            self.rows, self.operator = _grid_noise(source)
            self.columns = self.rows
        elif isinstance(source, LocalMechanism) and isinstance(source.reports, HyperplaneReports):
            self.operator = HyperplaneOperator(source.reports)  # or refused, before they are listed
            self.rows, self.columns = source.labels, tuple(range(source.reports.outputs))
        elif isinstance(source, LocalMechanism) and seen is not None:
            self.operator = SeenSets(source, seen)
            self.rows, self.columns = source.labels, tuple(seen)
        else:
            self.channel = as_channel(source)
            self.rows, self.columns = self.channel.rows, self.channel.columns
            self.operator = operator_of(self.channel)

    @property
    def exact(self) -> Channel | None:
        """The channel if its entries are rationals."""
        return self.channel if self.channel is not None and self.channel.exact else None


def operator_of(channel: Channel) -> Operator:
    """The fastest operator that is this channel.

    Notes
    -----
    1. Small or rectangular channels are dense.
    2. Randomised response is recognised by a·I + 1·bᵀ, geometric noise (in the order of a line) by
       the ratios next to the diagonal.
    3. Every entry is compared with the structure; one that differs, by more than rounding, makes
       the channel dense.
    """
    floats = channel.matrix.floats
    n, m = floats.shape
    if n != m or n < _DENSE_BELOW:
        return Dense(channel)
    return response_in(floats) or line_in(floats) or Dense(channel)


def response_in(floats: Floats) -> ResponseLike | None:
    """The channel as a·I + 1·bᵀ, if it is one."""
    drawn = np.concatenate([floats[1, :1], floats[0, 1:]])
    kept = float(floats[0, 0] - drawn[0])
    if kept <= 0 or not _same(floats, drawn + kept * np.eye(len(drawn))):
        return None
    return ResponseLike(kept, drawn)


def line_in(floats: Floats) -> LineGeometric | None:
    """The channel as geometric noise along the order of its labels, if it is that."""
    diagonal = np.diagonal(floats)
    above = np.diagonal(floats, 1)  # C[x, x+1] = α·C[x+1, x+1]
    if not (diagonal > 0).all():
        return None
    ratios = above / diagonal[1:]
    if not ((ratios > 0) & (ratios < 1)).all():
        return None
    along = np.concatenate([[0.0], np.cumsum(-np.log(ratios))])
    with np.errstate(under="ignore"):
        shape = np.exp(-np.abs(along[:, None] - along))
    operator = LineGeometric(ratios)
    fits = _same(floats, shape * np.exp(operator.column_logs), _ALIKE * max(1.0, along[-1]))
    return operator if fits else None


def _same(floats: Floats, structured: Floats, relative: float = _ALIKE) -> bool:
    return bool((np.abs(floats - structured) <= relative * floats + 1e-300).all())


def _grid_noise(noise: GridNoise) -> tuple[tuple[Any, ...], Operator]:
    grid = noise.grid
    if grid.low is None or grid.high is None:
        raise NotApplicable(
            f"noise on all multiples of {grid.step} has no finite list of outputs to estimate on; "
            "declare a range with laplace(low, high, eps=…, grid=…), which clamps to it"
        )
    count = int((grid.high - grid.low) / grid.step) + 1
    if count > _MOST_POINTS:
        raise TooLarge(
            f"{count:,} grid points are more than the {_MOST_POINTS:,} that can be estimated; declare "
            "a coarser grid"
        )
    alpha = math.exp(-float(noise.rate * grid.step))
    low, step = Fraction(grid.low), Fraction(grid.step)
    labels = tuple(low + k * step for k in range(count))
    return labels, LineGeometric(np.full(count - 1, alpha))
