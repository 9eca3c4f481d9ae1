"""Spaces by their short names."""

import pytest

from dprivacy.errors import Malformed, TooLarge
from dprivacy.numbers import root
from dprivacy.spaces import discrete, grid, line
from dprivacy.spaces.space_grammar import named_space


def test_discrete_line_and_order():
    assert named_space("discrete", ["a", "b"]) == discrete(["a", "b"])
    assert named_space("line", ["0.5", "2", "-1"]) == line(["0.5", "2", "-1"])
    classes = named_space("order", ["low", "middle", "high"])
    assert classes.distance("low", "high") == 2
    assert classes.pairs() == [("low", "middle"), ("middle", "high")]


def test_hamming_counts_characters():
    space = named_space("hamming", ["010", "110", "101"])
    assert space.distance("010", "101") == 3
    assert space.distance("010", "110") == 1
    with pytest.raises(Malformed, match="one length"):
        named_space("hamming", ["01", "110"])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_grids_row_by_row(metric):
    labels = [f"cell {k}" for k in range(6)]
    space = named_space(f"grid:2x3:{metric}", labels)
    cells = grid(2, 3, metric=metric)
    for k, x in enumerate(labels):
        for j, z in enumerate(labels):
            assert space.distance(x, z) == cells.distance(divmod(k, 3), divmod(j, 3))
    assert len(space.pairs()) == len(cells.pairs())


def test_the_plain_grid_is_euclidean():
    assert named_space("grid:2x2", list("abcd")).distance("a", "d") == root(2)


@pytest.mark.parametrize(
    ("name", "labels", "why"),
    [
        ("grid:2x3", list("abcd"), "6 cells, but there are 4 labels"),
        ("grid:2x2:l2", list("abcd"), "no metric 'grid:2x2:l2'"),
        ("grid:2", list("ab"), "no metric"),
        ("euclidean", list("ab"), "no metric 'euclidean'; choose discrete, line"),
        ("", list("ab"), "no metric ''"),
        ("line", ["young", "old"], "point 'young'.*use the metric 'order'"),
    ],
)
def test_refusals(name, labels, why):
    with pytest.raises(Malformed, match=why):
        named_space(name, labels)


def test_a_grid_too_large_is_refused_before_it_is_built():
    with pytest.raises((TooLarge, Malformed)):
        named_space("grid:9999x9999", ["a"])
