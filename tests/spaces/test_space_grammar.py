"""The grammar of spaces: with labels, with sizes, and what it refuses."""

import pytest

from dprivacy.errors import Malformed, NotApplicable, TooLarge, WrongShape
from dprivacy.numbers import root
from dprivacy.spaces import discrete, grid, hamming_cube, line, names_space, space_from_text


def test_discrete_line_and_order():
    assert space_from_text("discrete", labels=["a", "b"]) == discrete(["a", "b"])
    assert space_from_text("line", labels=["0.5", "2", "-1"]) == line(["0.5", "2", "-1"])
    classes = space_from_text("order", labels=["low", "middle", "high"])
    assert classes.distance("low", "high") == 2
    assert classes.pairs() == [("low", "middle"), ("middle", "high")]


def test_hamming_counts_characters():
    space = space_from_text("hamming", labels=["010", "110", "101"])
    assert space.distance("010", "101") == 3
    assert space.distance("010", "110") == 1
    with pytest.raises(Malformed, match="one length"):
        space_from_text("hamming", labels=["01", "110"])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_grids_row_by_row(metric):
    labels = [f"cell {k}" for k in range(6)]
    space = space_from_text(f"grid:2x3:{metric}", labels=labels)
    cells = grid(2, 3, metric=metric)
    for k, x in enumerate(labels):
        for j, z in enumerate(labels):
            assert space.distance(x, z) == cells.distance(divmod(k, 3), divmod(j, 3))
    assert len(space.pairs()) == len(cells.pairs())


def test_the_plain_grid_is_euclidean():
    assert space_from_text("grid:2x2", labels=list("abcd")).distance("a", "d") == root(2)


@pytest.mark.parametrize(
    ("name", "labels", "why"),
    [
        ("grid:2x3", list("abcd"), "6 points, but there are 4 labels"),
        ("grid:2x2:l2", list("abcd"), "'grid:2x2:l2' does not name a space"),
        ("grid:2", list("ab"), "does not name a space; write discrete"),
        ("euclidean", list("ab"), "'euclidean' does not name a space"),
        ("", list("ab"), "'' does not name a space"),
        ("line", ["young", "old"], "point 'young'.*use 'order'"),
    ],
)
def test_refusals(name, labels, why):
    with pytest.raises(Malformed, match=why):
        space_from_text(name, labels=labels)


def test_a_grid_too_large_is_refused_before_it_is_built():
    with pytest.raises((TooLarge, Malformed)):
        space_from_text("grid:9999x9999", labels=["a"])


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ("line:4", line(4)),
        ("order:4", line(4)),
        ("discrete:3", discrete(range(3))),
        ("cube:3", hamming_cube(3)),
        ("grid:2x3:manhattan", grid(2, 3, metric="manhattan")),
        ("grid:2x2:chebyshev", grid(2, 2, metric="chebyshev")),
        ("grid:2x2", grid(2, 2)),
    ],
)
def test_sizes_instead_of_labels(text, space):
    assert names_space(text)
    assert space_from_text(f" {text} ") == space


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("line", "such as line:4"),
        ("line:0", "points of a line: a whole number of at least 1 is needed, not 0"),
        ("discrete:0", "points of a space: a whole number of at least 1 is needed, not 0"),
        ("line:x", "does not name a space"),
        ("grid:2", "does not name a space"),
        ("grid", "does not name a space"),
        ("hamming", "use cube:3"),
    ],
)
def test_sizes_that_are_refused(text, why):
    assert names_space(text)
    with pytest.raises(Malformed, match=why):
        space_from_text(text)


def test_sizes_and_labels_must_agree():
    assert space_from_text("order:2", labels=["low", "high"]).distance("low", "high") == 1
    with pytest.raises(WrongShape, match="'order:3' has 3 points, but there are 2 labels"):
        space_from_text("order:3", labels=["low", "high"])
    with pytest.raises(NotApplicable, match="labels of its own"):
        space_from_text("cube:1", labels=["low", "high"])


def test_other_texts_may_be_files():
    assert not any(map(names_space, ["ring:4", "lines", "grid.csv", "", "discrete.json"]))
