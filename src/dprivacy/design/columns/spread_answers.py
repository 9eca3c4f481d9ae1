"""An answer for some of the secrets, spread over all of them: others are as low as it allows."""

import numpy as np

from dprivacy.design.columns.column_pool import Columns
from dprivacy.design.trees.spanning_trees import Trees
from dprivacy.numbers import Floats, Whole

_IN_USE = 1e-3  # of the mean weight: a column with more is taken over


def spread_trees(lengths: Floats, kept: Whole, trees: Trees) -> Trees:
    """Trees of all secrets from those of the ones that are `kept`."""
    rest = np.setdiff1d(np.arange(len(lengths)), kept)
    m, n = len(trees.parents), len(lengths)
    parents = np.empty((m, n), dtype=np.int64)
    signs = np.full((m, n), -1, dtype=np.int64)
    potentials = np.empty((m, n))
    far = np.ascontiguousarray(lengths[np.ix_(rest, kept)])
    for y in range(m):
        height = trees.potentials[y] - far
        at = height.argmax(axis=1)
        parents[y, rest] = kept[at]
        potentials[y, rest] = height[np.arange(len(rest)), at]
    above = trees.parents
    parents[:, kept] = np.where(above >= 0, kept[above], -1)
    signs[:, kept] = trees.signs
    potentials[:, kept] = trees.potentials
    return Trees(parents, signs, potentials)


def spread_columns(
    lengths: Floats, kept: Whole, outputs: Whole, columns: Columns, weights: Floats
) -> tuple[Whole, Floats, Floats]:
    """The columns in use, by their outputs, on all secrets, and their weights."""
    used = np.nonzero(weights > _IN_USE * weights.mean())[0]
    with np.errstate(divide="ignore"):  # what is too low for a float is raised by the others
        logs = np.log(columns.rays[used])
    rays = np.empty((len(used), len(lengths)))
    far = np.ascontiguousarray(lengths[:, kept])
    for k, row in enumerate(logs):
        rays[k] = (row - far).max(axis=1)
    rays = np.exp(rays)
    mean = rays.mean(axis=1)
    return outputs[columns.owners[used]], rays / mean[:, None], weights[used] * mean
