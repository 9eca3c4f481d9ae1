"""Structural zeros: groups of values that never change into each other."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.mechanisms import ChannelMechanism
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level
from dprivacy.spaces import Distance, Distances, FiniteSpace


def within_blocks(
    space: FiniteSpace,
    blocks: Sequence[Sequence[Any]],
    build: Callable[[FiniteSpace], ChannelMechanism],
) -> ChannelMechanism:
    """One mechanism that works inside each block and never leaves it.

    The guarantee is for two values of the same block. Which block a value is in is not protected at
    all, and the metric says so with infinite distances.

    Parameters
    ----------
    space
        The values and their distances.
    blocks
        Groups of values that cover the space.
    build
        Makes the mechanism of one block with at least two values.
    """
    parts = [build(space.restrict(list(block))) if len(block) > 1 else None for block in blocks]
    where = {value: k for k, block in enumerate(blocks) for value in block}
    outputs = list(dict.fromkeys(
        y
        for block, part in zip(blocks, parts, strict=True)
        for y in (part.channel.columns if part is not None else block)
    ))  # fmt: skip
    rows = []
    for x in space.labels:
        part = parts[where[x]]
        row = part.channel.row(x) if part is not None else {x: Fraction(1)}
        rows.append([row.get(y, Fraction(0)) for y in outputs])
    n = len(space)
    table: list[list[Distance]] = [
        [
            space.distances[i, j] if where[space.labels[i]] == where[space.labels[j]] else math.inf
            for j in range(n)
        ]
        for i in range(n)
    ]
    metric = FiniteSpace(space.labels, Distances.of(table))
    promises = [part.guarantee for part in parts if part is not None]
    eps = max((promise.eps for promise in promises), default=Level(1))
    delta = max((Fraction(promise.delta) for promise in promises), default=Fraction(0))
    guarantee = Guarantee(eps, metric, delta, "each block's own mechanism")
    return ChannelMechanism("within_blocks", Channel(space.labels, outputs, rows), guarantee)
