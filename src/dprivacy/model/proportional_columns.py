"""Merging proportional columns: what an adversary cannot tell apart is one observation."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dprivacy.model.plain_data import shown
from dprivacy.numbers import Mat


def merge_proportional(labels: Sequence[Any], matrix: Mat) -> tuple[list[Any], Mat]:
    """Columns of the same direction added up, columns of zeros dropped; first come, first kept.

    A merged column is named after all that went into it.
    """
    groups: dict[Any, list[int]] = {}
    for j, column in enumerate(matrix.entries.T):
        direction = _direction(column.tolist(), exact=matrix.exact)
        if direction is not None:
            groups.setdefault(direction, []).append(j)
    taken = {labels[group[0]] for group in groups.values() if len(group) == 1}
    names: list[Any] = []
    for group in groups.values():
        name = labels[group[0]]
        if len(group) > 1:
            name = " | ".join(shown(labels[j]) for j in group)
            while name in taken:
                name = f"({name})"
            taken.add(name)
        names.append(name)
    merged = [matrix.entries[:, group].sum(axis=1) for group in groups.values()]
    return names, Mat(np.stack(merged, axis=1), matrix.den)


def _direction(column: list[Any], *, exact: bool) -> tuple[Any, ...] | None:
    """A key shared by exactly the positive multiples of a column; None for zero."""
    if not any(column):
        return None
    if exact:
        common = math.gcd(*column)
        return tuple(value // common for value in column)
    largest = max(column)
    return tuple(value / largest for value in column)
