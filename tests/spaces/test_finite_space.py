"""The space itself: questions, combinations, equality."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import (
    BadLevel,
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    SpaceMismatch,
    Uncertified,
    UnknownCategory,
)
from dprivacy.numbers import as_level, ln, root
from dprivacy.spaces import FiniteSpace, discrete, from_table, graph, grid, line, product
from dprivacy.spaces.distance_matrix import Distances

A = from_table(["a", "b", "c"], [[0, 1, 2], [1, 0, 2], [2, 2, 0]])
B = from_table(["c", "a", "b"], [[0, 1, 1], [1, 0, 2], [1, 2, 0]])


def test_questions():
    space = grid(2, 3)
    assert len(space) == 6
    assert (1, 2) in space
    assert (2, 2) not in space
    assert [1, 2] not in space
    assert space.position((1, 0)) == 3
    assert space.diameter == root(5)
    assert space.separation == 1
    with pytest.raises(UnknownCategory, match=r"^\(9, 9\) is not among the points of the space"):
        space.distance((0, 0), (9, 9))


def test_diameter_and_separation():
    assert line(1).diameter == 0
    assert line(1).separation == math.inf
    assert graph([("a", "b")], nodes=["c"], extended=True).diameter == math.inf
    pseudo = from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True)
    assert pseudo.separation == 0
    mixed = from_table(["a", "b", "c"], [[0, "ln 2", "sqrt 2"], ["ln 2", 0, 1], ["sqrt 2", 1, 0]])
    assert mixed.diameter == root(2)
    assert mixed.separation == ln(2)
    assert line([0.5, 3.0, 1.0]).diameter == 2.5
    assert type(line([0.5, 3.0]).diameter) is float


def test_uniform_distance():
    assert discrete(["a", "b"]).scaled("ln 3").uniform_distance == ln(3)
    assert line(3).uniform_distance is None
    assert line(2).uniform_distance == 1
    assert line(1).uniform_distance is None
    assert (A + B).uniform_distance == 3  # 1 + 2 and 2 + 1 in different places
    equilateral = from_table([0, 1, 2], np.full((3, 3), 0.7) - 0.7 * np.eye(3))
    assert equilateral.uniform_distance == 0.7
    assert graph([], nodes=["a", "b", "c"], extended=True).uniform_distance == math.inf


@pytest.mark.parametrize("eps", ["ln 2", "1/3", Q(3, 2), 2, root(2), 0.5])
def test_scaled(eps):
    space = line(["0", "1/3", "2"])
    scaled = space.scaled(eps)
    for x in space.labels:
        for z in space.labels:
            assert scaled.distance(x, z) == as_level(eps) * space.distance(x, z)
    assert scaled.exact
    assert scaled.pairs() == space.pairs()


def test_scaled_refuses():
    for eps in (0, -1, "nan", True, math.inf, ""):
        with pytest.raises(BadLevel):
            line(3).scaled(eps)
    with pytest.raises(Uncertified, match="product of two logarithms"):
        line(3).scaled("ln 2").scaled("ln 2")
    assert line([0.0, 1.0]).scaled("ln 2").distance(0.0, 1.0) == math.log(2)


@pytest.mark.statement("T", "Lem 3.2")
def test_sum_is_pointwise_and_matches_by_label():
    total = A + B
    assert total.labels == A.labels
    for x in "abc":
        for z in "abc":
            assert total.distance(x, z) == A.distance(x, z) + B.distance(x, z)
    assert total == B + A
    assert A.scaled(2) == A + A
    assert line(3).scaled("ln 2") + line(3).scaled("ln 3") == line(3).scaled("ln 6")


@pytest.mark.statement("T", "Lem 3.2")
def test_the_sum_of_metrics_is_a_metric():
    total = grid(2, 3) + grid(2, 3, metric="chebyshev").scaled("1/3")
    again = from_table(
        total.labels, [[total.distance(x, z) for z in total.labels] for x in total.labels]
    )
    assert again == total


def test_equality_when_codes_differ_but_distances_do_not():
    first = from_table(["a", "b", "c"], [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    second = from_table(["a", "b", "c"], [[0, 2, 1], [2, 0, 3], [1, 3, 0]])
    assert first + second == second + first
    values = (Q(0), Q(3), Q(3))
    one = FiniteSpace(["a", "b"], Distances(np.array([[0, 1], [1, 0]]), values))
    two = FiniteSpace(["a", "b"], Distances(np.array([[0, 2], [2, 0]]), values))
    assert one == two


def test_maximum_and_minimum():
    larger, smaller = A.maximum(B), A.minimum(B)
    for x in "abc":
        for z in "abc":
            assert larger.distance(x, z) == max(A.distance(x, z), B.distance(x, z))
    # the smaller distances are ab 1, ac 1, bc 1
    assert [smaller.distance(*p) for p in ("ab", "ac", "bc")] == [1, 1, 1]
    C = from_table(["a", "b", "c"], [[0, 1, 9], [1, 0, 9], [9, 9, 0]])
    D = from_table(["a", "b", "c"], [[0, 9, 9], [9, 0, 1], [9, 1, 0]])
    assert C.minimum(D).distance("a", "c") == 2  # by way of b, below both
    assert C.minimum(D) == D.minimum(C)


def test_combining_needs_the_same_labels_and_kinds():
    with pytest.raises(SpaceMismatch, match=r"3 only in the second"):
        line(3) + line(4)
    for combine in (FiniteSpace.__add__, FiniteSpace.maximum, FiniteSpace.minimum):
        with pytest.raises(MixedArithmetic):
            combine(line(2), line([0.0, 1.0]).scaled("1/2"))


def test_closure():
    assert line(4).closure() == line(4)
    space = FiniteSpace(
        ["a", "b", "c"], Distances.of([[Q(0), Q(1), Q(9)], [Q(1), Q(0), Q(1)], [Q(9), Q(1), Q(0)]])
    )
    assert space.closure().distance("a", "c") == 2


def test_restrict():
    space = grid(3, 3)
    part = space.restrict([(2, 2), (0, 0), (0, 1)])
    assert part.labels == ((2, 2), (0, 0), (0, 1))
    assert part.distance((2, 2), (0, 0)) == root(8)
    assert len(part.pairs()) == 3  # (1, 1) is gone, so the long pair is on its own
    assert line(5).restrict([4, 0]).pairs() == [(4, 0)]
    assert line(5).restrict(x for x in (1, 2)).labels == (1, 2)
    assert line(3).restrict([True, 0.0]).labels == (1, 0)  # the space's own labels


def test_restrict_refuses():
    space = discrete(["a", "b", "c"])
    with pytest.raises(Malformed, match="single text"):
        space.restrict("ab")
    with pytest.raises(UnknownCategory, match="'z'"):
        space.restrict(["a", "z"])
    with pytest.raises(DuplicateLabel):
        space.restrict(["a", "a"])
    with pytest.raises(Malformed, match="at least one"):
        space.restrict([])


def test_equality_and_hash():
    assert line(3) == line([0, 1, 2]) == line([2, 0, 1]) == line([0.0, 1.0, 2.0])
    assert len({line(3), line([2, 0, 1]), line([0.0, 1.0, 2.0])}) == 1
    assert line(3) != line(4)
    assert line(3) != line(3).scaled(2)
    assert line(2) == discrete([0, 1])
    assert line(3) != discrete([0, 1, 2])
    assert line(3) != "line"
    assert product(line(2), line(2)) != grid(2, 2)


def test_the_table_must_fit_the_labels():
    with pytest.raises(SpaceMismatch, match="2 labels but a table of 3×3"):
        FiniteSpace(["a", "b"], line(3).distances)


def test_repr():
    assert repr(line(3)) == "FiniteSpace(3 points, diameter 2, exact)"
    assert repr(grid(2, 2)) == "FiniteSpace(4 points, diameter sqrt(2), exact)"
    assert repr(line([0.5, 1.0])) == "FiniteSpace(2 points, diameter 0.5, float)"
