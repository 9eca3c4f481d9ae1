"""Channels made of channels: side by side on several secrets, or chosen by a coin."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as cartesian
from typing import Any

import numpy as np

from dprivacy.errors import WrongShape, counted
from dprivacy.model.channels import Channel, require_cells
from dprivacy.model.distributions import Dist
from dprivacy.model.noun_input import as_channel
from dprivacy.numbers import Mat
from dprivacy.spaces import require_list, require_same_labels
from dprivacy.typing import ChannelLike, Label, NumberLike


def parallel(*given: ChannelLike) -> Channel:
    """Each channel on its own secret, independently; inputs and outputs are tuples.

    Notes
    -----
    The Kronecker product of the matrices. One channel alone is returned as it is.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> parallel(coin, coin)[(0, 0), (1, 1)]
    Fraction(1, 16)
    """
    channels = [as_channel(C) for C in given]
    if not channels:
        raise WrongShape("parallel needs at least one channel; parallel() has none")
    if len(channels) == 1:
        return channels[0]
    rows = int(np.prod([len(c.rows) for c in channels], dtype=object))
    columns = int(np.prod([len(c.columns) for c in channels], dtype=object))
    require_cells(rows, columns)
    matrix = channels[0].matrix
    for channel in channels[1:]:
        matrix = matrix.kron(channel.matrix)
    inputs = cartesian(*(c.rows for c in channels))
    outputs = cartesian(*(c.columns for c in channels))
    return Channel(inputs, outputs, matrix)


def mixture(
    weights: Sequence[NumberLike], channels: Sequence[ChannelLike], *, visible: bool = False
) -> Channel:
    """One of several channels, chosen by a coin with the given weights.

    Parameters
    ----------
    weights
        Probabilities of the choice, exact or float as the channels are.
    channels
        Channels on the same inputs.
    visible
        Whether the adversary sees which channel was chosen. Outputs are then pairs
        (position of the channel, its output); otherwise equal outputs are added up.

    Examples
    --------
    >>> coin, blank = [["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"], ["1/2", "1/2"]]
    >>> mixture(["1/2", "1/2"], [coin, blank])[0, 0]
    Fraction(5, 8)
    """
    weights = list(require_list(weights, "weights", "numbers"))
    channels = list(require_list(channels, "channels", "channels"))
    if len(weights) != len(channels) or not channels:
        raise WrongShape(
            f"{counted(len(weights), 'weight')} for {counted(len(channels), 'channel')}"
        )
    choice = Dist(range(len(channels)), weights).matrix
    read = [as_channel(C) for C in channels]
    columns: dict[Label, int] = {}
    parts: list[tuple[Mat, list[int]]] = []
    for k, channel in enumerate(read):
        order = require_same_labels(read[0].rows, channel.rows, "mixture: inputs")
        matrix = channel.matrix.take(rows=order)
        matrix._require_same(choice)
        names = [(k, y) if visible else y for y in channel.columns]
        where = [columns.setdefault(y, len(columns)) for y in names]
        parts.append((matrix.scaled(choice[0, k]), where))
    exact = choice.exact
    total: list[list[Any]] = [[Fraction(0) if exact else 0.0] * len(columns) for _ in read[0].rows]
    for matrix, where in parts:
        for i, row in enumerate(matrix.rows()):
            for value, j in zip(row, where, strict=True):
                total[i][j] += value
    return Channel(read[0].rows, list(columns), total)
