"""Grids against the distances of their coordinates."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel, Malformed, TooLarge
from dprivacy.numbers import Level, as_level, ln, root
from dprivacy.spaces import grid

LENGTH = {
    "euclidean": lambda a, b: root(a * a + b * b),
    "manhattan": lambda a, b: Level(a + b),
    "chebyshev": lambda a, b: Level(max(a, b)),
}


@pytest.mark.parametrize("metric", LENGTH)
@pytest.mark.parametrize("step", [1, "1/3", Q(5, 2), 0.5, "ln 2", "sqrt(2)"])
def test_distances(metric, step):
    space = grid(3, 4, metric=metric, step=step)
    assert space.labels == tuple((r, c) for r in range(3) for c in range(4))
    assert space.exact
    side = as_level(step)
    for r, c in space.labels:
        for s, k in space.labels:
            d = space.distance((r, c), (s, k))
            assert d == side * LENGTH[metric](abs(r - s), abs(c - k))
            assert isinstance(d, Q) or not d.is_rational
    assert space.separation == side


def test_euclidean_distances_are_kept_exact():
    space = grid(4, 5)
    assert space.distance((0, 0), (3, 4)) == 5
    assert isinstance(space.distance((0, 0), (3, 4)), Q)
    assert space.distance((0, 0), (2, 2)) == 2 * space.distance((0, 0), (1, 1)) == root(8)
    assert space.diameter == 5
    assert grid(2, 2, step="ln 2").diameter == root(2) * ln(2)
    assert grid(2, 2, step="sqrt 2").diameter == 2


def test_the_default_metric_is_euclidean():
    assert grid(3, 3) == grid(3, 3, metric="euclidean")
    assert grid(3, 3) != grid(3, 3, metric="manhattan")


def test_one_row_is_a_line():
    for metric in LENGTH:
        assert [grid(1, 5, metric=metric).distance((0, 0), (0, k)) for k in range(5)] == [
            0,
            1,
            2,
            3,
            4,
        ]


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (3, 0), (-1, 2)])
def test_empty_grids_are_refused(rows, columns):
    with pytest.raises(
        Malformed,
        match=f"at least 1 is needed, not {min(rows, columns)}",
    ):
        grid(rows, columns)


def test_other_refusals():
    with pytest.raises(Malformed, match="'euclidean', 'manhattan', 'chebyshev', not 'l2'"):
        grid(2, 2, metric="l2")
    for step in (0, -1, "nan", True, ""):
        with pytest.raises(BadLevel):
            grid(2, 2, step=step)
    with pytest.raises(TooLarge, match="300×400 has 120,000 points"):
        grid(300, 400)
