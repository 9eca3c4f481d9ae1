"""The polynomials of a small step against Q = E⁻¹·∂E/∂α in fractions, and against each other."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.numbers import Mat, from_flint, to_flint
from dprivacy.refine.lowering.interval_signs import negative_at
from dprivacy.refine.lowering.step_polynomials import entry_conditions, tree_conditions


def path_metric(n, edges):
    far = np.full((n, n), n, dtype=np.int64)
    np.fill_diagonal(far, 0)
    for i, j in edges:
        far[i, j] = far[j, i] = 1
    for k in range(n):
        far = np.minimum(far, far[:, [k]] + far[[k], :])
    return far


def small_step(distances, alpha):
    """α·Q in fractions, from the definition."""
    n = len(distances)
    K = [[alpha ** int(d) for d in row] for row in distances]
    E = [[v / sum(row) for v in row] for row in K]
    mean = [
        sum(e * int(d) for e, d in zip(*rows, strict=True))
        for rows in zip(E, distances, strict=True)
    ]
    moved = [[E[x][y] * (int(distances[x, y]) - mean[x]) for y in range(n)] for x in range(n)]
    return from_flint(to_flint(Mat.of(E)).solve(to_flint(Mat.of(moved))))


SPACES = {
    "line": path_metric(4, [(0, 1), (1, 2), (2, 3)]),
    "ring": path_metric(6, [(k, (k + 1) % 6) for k in range(6)]),
    "fork": path_metric(5, [(0, 1), (1, 2), (2, 3), (1, 4)]),
    "two and three": path_metric(5, [(i, j) for i in (0, 1) for j in (2, 3, 4)]),
    "uneven": np.abs(np.subtract.outer([0, 1, 4, 6], [0, 1, 4, 6])),
}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("alpha", [Q(1, 5), Q(1, 2), Q(4, 5)])
def test_entries_have_the_signs_of_the_step(name, alpha):
    distances = SPACES[name]
    det, entries = entry_conditions(distances)
    step = small_step(distances, alpha)
    n = len(distances)
    off = [Q(step[x, y]) for x in range(n) for y in range(n) if x != y]

    def at(p):
        return sum(int(c) * alpha**k for k, c in enumerate(p.coeffs()))

    sums = {tuple(np.bincount(row).tolist()) for row in distances}
    scale = at(det) * math.prod(sum(c * alpha**k for k, c in enumerate(s)) for s in sums)
    assert {at(p) / scale for p in entries} == set(off)


def all_trees(n):
    """Every tree on n points, perhaps several times: each new point hangs from an earlier one."""
    edges = [[]]
    for point in range(1, n):
        edges = [[*tree, (above, point)] for tree in edges for above in range(point)]
    return [path_metric(n, tree) for tree in edges]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_trees_two_ways(n):
    """The condition of a vertex and a neighbour is that of every pair through them."""
    for distances in all_trees(n):
        by_vertex = [negative_at(p) is None for p in tree_conditions(distances)]
        det, entries = entry_conditions(distances)
        assert negative_at(det) is None
        assert all(by_vertex) == all(negative_at(p) is None for p in entries)


def test_the_hub_of_a_double_star():
    """For k leaves at either hub the condition has the sign of α⁴k² − α³k² + αk + 1."""
    for k in (2, 7, 8, 9, 12):
        edges = [(0, 1), *((0, 2 + i) for i in range(k)), *((1, 2 + k + i) for i in range(k))]
        conditions = list(tree_conditions(path_metric(2 * k + 2, edges)))
        assert all(negative_at(p) is None for p in conditions) == (k <= 8)
