"""Merging proportional columns: what an adversary cannot tell apart is one observation."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dprivacy.model.plain_data import shown
from dprivacy.numbers import Mat


def proportional_groups(matrix: Mat) -> list[list[int]]:
    """Columns of the same direction, taken together; columns of zeros belong to no group."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for j, column in enumerate(matrix.entries.T.tolist()):
        if any(column):
            groups.setdefault(_direction(column, exact=matrix.exact), []).append(j)
    return list(groups.values())


def summed_groups(matrix: Mat, groups: Sequence[Sequence[int]]) -> Mat:
    """The matrix of the sums of groups of columns."""
    sums = [matrix.entries[:, list(group)].sum(axis=1) for group in groups]
    return Mat(np.stack(sums, axis=1), matrix.den)


def merge_proportional(labels: Sequence[Any], matrix: Mat) -> tuple[list[Any], Mat]:
    """Columns of the same direction added up, columns of zeros dropped; first come, first kept.

    A merged column is named after all that went into it.
    """
    groups = proportional_groups(matrix)
    taken = {labels[group[0]] for group in groups if len(group) == 1}
    names: list[Any] = []
    for group in groups:
        name = labels[group[0]]
        if len(group) > 1:
            name = " | ".join(shown(labels[j]) for j in group)
            while name in taken:
                name = f"({name})"
            taken.add(name)
        names.append(name)
    return names, summed_groups(matrix, groups)


def _direction(column: Sequence[Any], *, exact: bool) -> tuple[Any, ...]:
    """A key shared by exactly the positive multiples of a column that is not 0."""
    if exact:
        common = math.gcd(*column)
        return tuple(value // common for value in column)
    largest = max(column)
    return tuple(value / largest for value in column)
