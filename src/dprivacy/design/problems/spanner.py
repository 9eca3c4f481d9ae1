"""Greedy spanners: few edges whose paths are never longer than a stated multiple of the distance."""

import numpy as np

from dprivacy.numbers import Floats, Whole


def greedy_spanner(distances: Floats, stretch: float) -> tuple[Whole, Floats]:
    """The edges of a greedy spanner, and the lengths of shortest paths through it.

    Parameters
    ----------
    distances
        A table of finite distances.
    stretch
        The dilation t ≥ 1: paths are at most t·d long.

    Returns
    -------
    tuple
        Pairs i < j, and the table of path lengths.

    Notes
    -----
    Pairs are taken in order of distance; one becomes an edge when the path between its ends through
    the edges so far is longer than t·d. After each edge all paths are updated through it, O(n²).
    """
    n = len(distances)
    first, second = np.triu_indices(n, 1)
    paths = np.full((n, n), np.inf)
    np.fill_diagonal(paths, 0.0)
    edges = []
    for at in np.argsort(distances[first, second], kind="stable").tolist():
        i, j = int(first[at]), int(second[at])
        length = distances[i, j]
        if paths[i, j] > stretch * length * (1 + 1e-12):
            edges.append((i, j))
            there = paths[:, i][:, None] + length + paths[j][None, :]
            np.minimum(paths, there, out=paths)
            np.minimum(paths, there.T, out=paths)
    return np.array(edges, dtype=np.int64).reshape(-1, 2), paths
