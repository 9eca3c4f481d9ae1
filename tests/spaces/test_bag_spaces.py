"""Earth Mover's distance against every matching, and against the transport program."""

import math
from fractions import Fraction as Q
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import linprog

from dprivacy.design import optimal
from dprivacy.errors import DuplicateLabel, Malformed, NotApplicable, UnknownCategory
from dprivacy.numbers import as_level, root
from dprivacy.spaces import bags, discrete, from_table, graph, grid, line, points
from support.space_draws import on_each


def by_permutations(x, z, space):
    """Bags of one size N: the cheapest bijection, over N."""
    costs = [
        sum((as_level(space.distance(a, b)) for a, b in zip(x, p, strict=True)), as_level(0))
        for p in permutations(z)
    ]
    return min(costs) / len(x)


def by_program(x, z, space):
    """The transport program of the definition, in floats."""
    xs, zs = sorted(set(x), key=str), sorted(set(z), key=str)
    cost = [float(space.distance(a, b)) for a in xs for b in zs]
    rows, right = [], []
    for i, a in enumerate(xs):
        rows.append([float(k // len(zs) == i) for k in range(len(cost))])
        right.append(x.count(a) / len(x))
    for j, b in enumerate(zs):
        rows.append([float(k % len(zs) == j) for k in range(len(cost))])
        right.append(z.count(b) / len(z))
    return linprog(cost, A_eq=rows, b_eq=right, bounds=(0, None), method="highs").fun


SPACES = {
    "line": line(5),
    "discrete": discrete(["a", "b", "c", "d"]),
    "grid": grid(2, 3),
    "weighted": graph([("a", "b", "ln 2"), ("b", "c", "sqrt 2"), ("c", "d", "1/3")]),
    "rational": line(["0.1", "1/3", "5/7", 2]),
}


@pytest.mark.statement("T", "Def 9.2.3")
@on_each(SPACES)
def test_bags_of_one_size(space, data):
    n = data.draw(st.integers(1, 4))
    element = st.sampled_from(space.labels)
    x = data.draw(st.lists(element, min_size=n, max_size=n))
    z = data.draw(st.lists(element, min_size=n, max_size=n))
    if sorted(map(str, x)) == sorted(map(str, z)):
        with pytest.raises(DuplicateLabel):
            bags([x, z], space)
        return
    result = bags([x, z], space)
    assert result.distances[0, 1] == by_permutations(x, z, space)
    assert result.exact


@pytest.mark.statement("T", "Def 9.2.3")
@on_each(SPACES)
def test_bags_of_any_size(space, data):
    element = st.sampled_from(space.labels)
    x = data.draw(st.lists(element, min_size=1, max_size=4))
    z = data.draw(st.lists(element, min_size=1, max_size=5))
    if len(x) == len(z) and sorted(map(str, x)) == sorted(map(str, z)):
        return
    assert float(bags([x, z], space).distances[0, 1]) == pytest.approx(
        by_program(x, z, space), abs=1e-9
    )


@pytest.mark.statement("T", "Def 9.2.3")
def test_the_metric_laws_on_all_bags_of_three():
    space = bags(combinations_with_replacement(["a", "b", "c"], 3), from_table(
        ["a", "b", "c"], [[0, 1, 2], [1, 0, "3/2"], [2, "3/2", 0]]
    ))  # fmt: skip
    n, d = len(space), space.distances
    assert n == 10
    for i in range(n):
        for j in range(n):
            assert d[i, j] == d[j, i]
            assert (d[i, j] == 0) is (i == j)
            for k in range(n):
                assert d[i, k] <= d[i, j] + d[j, k]


def test_singletons_are_as_far_apart_as_their_elements():
    space = grid(2, 2)
    lifted = bags([[label] for label in space.labels], space)
    for x in space.labels:
        for z in space.labels:
            assert lifted.distance((x,), (z,)) == space.distance(x, z)


def test_repeating_a_bag_changes_nothing():
    lifted = bags([["a", "b"], ["a", "a", "b", "b"], ["c"]], discrete(["a", "b", "c"]))
    assert lifted.distance(("a", "b"), ("a", "a", "b", "b")) == 0
    assert lifted.distance(("a", "b"), ("c",)) == 1


def test_labels_are_sorted_by_position():
    lifted = bags([["c", "a"], ["b", "b"]], discrete(["a", "b", "c"]))
    assert lifted.labels == (("a", "c"), ("b", "b"))


def test_matchings_that_doubles_cannot_tell_apart():
    hair = Q(1, 10**20)
    close = from_table(
        list("abcd"), [[0, 1, 1, 1], [1, 0, 1 - hair, 1], [1, 1 - hair, 0, 1], [1, 1, 1, 0]]
    )
    for x, z in (("ab", "cd"), ("ac", "bd"), ("ba", "dc"), ("bd", "ac")):
        assert bags([list(x), list(z)], close).distances[0, 1] == 1 - hair / 2
    scaled = close.scaled("sqrt 2")
    assert bags([["a", "b"], ["c", "d"]], scaled).distances[0, 1] == root(2) * (1 - hair / 2)


def test_infinite_distances():
    parts = graph([("a", "b"), ("c", "d", "sqrt 2")], extended=True)
    lifted = bags([["a", "c"], ["b", "d"], ["a", "b"], ["c", "c"]], parts)
    assert lifted.distance(("a", "c"), ("b", "d")) == (1 + root(2)) / 2
    assert lifted.distance(("a", "c"), ("a", "b")) == math.inf
    assert lifted.distance(("a", "b"), ("c", "c")) == math.inf
    whole = graph([("a", "b"), ("c", "d")], extended=True)
    assert bags([["a", "c"], ["b", "d"]], whole).distances[0, 1] == 1
    assert bags([["a"], ["c"]], whole).distances[0, 1] == math.inf


def test_float_spaces_give_floats():
    space = points(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]))
    lifted = bags([[0, 0], [0, 1], [2]], space)
    assert not lifted.exact
    assert lifted.distance((0, 0), (0, 1)) == pytest.approx(2.5)
    assert lifted.distance((0, 1), (2,)) == pytest.approx(7.5)


def test_refusals():
    space = discrete(["a", "b"])
    with pytest.raises(Malformed, match="bag 1 is empty"):
        bags([["a"], []], space)
    with pytest.raises(UnknownCategory, match="'z'"):
        bags([["a"], ["z"]], space)
    with pytest.raises(DuplicateLabel, match="bags"):
        bags([["a", "b"], ["b", "a"]], space)
    with pytest.raises(Malformed, match="bags: at least one"):
        bags([], space)


def test_bags_of_points_that_are_only_numbered():
    """Their labels say nothing of where they are either."""
    counted = bags([[0], [1], [2]], points([[0, 0], [9, 0], [0, 9]]))
    with pytest.raises(NotApplicable, match="only count"):
        optimal(counted, eps=1, loss="euclidean")
