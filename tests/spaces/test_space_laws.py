"""Laws that hold on every space, however it was built."""

import math
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy import spaces
from dprivacy.numbers import Level, as_level

SPACES = {
    "discrete": spaces.discrete(["a", "b", "c"]),
    "line": spaces.line(["0", "1/3", "2"]),
    "float line": spaces.line([0.1, 0.25, 0.7]),
    "quantised": spaces.quantised(0, 1, "1/4"),
    "euclidean grid": spaces.grid(2, 3),
    "manhattan grid": spaces.grid(2, 3, metric="manhattan"),
    "chebyshev grid": spaces.grid(3, 2, metric="chebyshev", step="ln 2"),
    "cube": spaces.hamming_cube(3),
    "databases": spaces.hamming(["x", "y", "z"], 2),
    "power set": spaces.power_set(["p", "q", "r"]),
    "graph": spaces.graph(
        [("a", "b", "ln 2"), ("b", "c"), ("c", "a", "1/2"), ("c", "d", "sqrt 3")]
    ),
    "parts": spaces.graph([(0, 1), (2, 3)], extended=True),
    "cloud": spaces.points([[0, 0], [1, 2], [5, -1], [2, 2]]),
    "angular": spaces.points([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.5]], metric="angular"),
    "jaccard": spaces.points([{1}, {1, 2}, {2, 3}, {1, 2, 3}], metric="jaccard"),
    "curves": spaces.curves([[0, 1, 2], [1, 1, 1], [3, 0, "1/2"]], step="1/3"),
    "bags": spaces.bags([[0, 0], [0, 1], [1, 2], [2, 2]], spaces.line(3)),
    "product": spaces.product(spaces.line(2), spaces.grid(2, 2)),
    "max product": spaces.product(spaces.line(3), spaces.discrete(["f", "m"]), combine="max"),
    "induced": spaces.induced_space(sum, spaces.hamming(range(3), 2)),
    "sum": spaces.grid(2, 2) + spaces.grid(2, 2, metric="manhattan").scaled("1/2"),
    "restricted": spaces.grid(3, 3).restrict([(0, 0), (2, 1), (1, 1)]),
}


def at_most(a, b, exact):
    return a <= b if exact else float(a) <= float(b) * (1 + 1e-12)


@pytest.mark.parametrize("name", SPACES)
def test_every_space_is_a_metric(name):
    space = SPACES[name]
    n, d = len(space), space.distances
    for i in range(n):
        for j in range(n):
            assert d[i, j] == d[j, i]
            assert (d[i, j] == 0) is (i == j)
            assert d[i, j] >= 0
            assert d.floats[i, j] == float(d[i, j])
            for k in range(n):
                way = math.inf if math.inf in (d[i, k], d[k, j]) else as_level(d[i, k]) + d[k, j]
                assert at_most(d[i, j], way, space.exact)


@pytest.mark.parametrize("name", SPACES)
def test_a_space_is_its_own_table(name):
    space = SPACES[name]
    rows = [[space.distance(x, z) for z in space.labels] for x in space.labels]
    assert spaces.from_table(space.labels, rows, extended=True) == space
    if space.exact:
        assert space.closure() == space
    assert space.restrict(space.labels) == space
    assert space.restrict(space.labels[::-1]) == space
    assert hash(space.restrict(space.labels[::-1])) == hash(space)


@pytest.mark.parametrize("name", SPACES)
def test_combinations_with_itself(name):
    space = SPACES[name]
    assert space.maximum(space) == space
    if space.exact:
        assert space.minimum(space) == space
        assert space + space == space.scaled(2)
        assert space.scaled("1/3").scaled(3) == space


@pytest.mark.parametrize("name", SPACES)
def test_diameter_and_separation_are_extremes(name):
    space = SPACES[name]
    off = [space.distance(x, z) for x in space.labels for z in space.labels if x != z]
    assert space.diameter == max(off)
    assert space.separation == min(off)
    if space.uniform_distance is not None:
        assert set(off) == {space.uniform_distance}
    else:
        assert min(off) != max(off)


exact = st.sampled_from([Q(1), Q(2), Q(1, 2), Q(5, 3), Level("ln 2"), Level("sqrt 2"), math.inf])


@st.composite
def metrics(draw, n):
    rows = [[Q(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            rows[i][j] = rows[j][i] = draw(exact)
    return spaces.from_table(range(n), rows, close=True, extended=True)


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(metrics(n), metrics(n), metrics(n))))
@settings(max_examples=20)
def test_the_lattice_of_metrics(three):
    a, b, c = three
    assert a.maximum(b) == b.maximum(a)
    assert a.minimum(b) == b.minimum(a)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a.minimum(b.minimum(c)) == a.minimum(b).minimum(c)
    assert a.minimum(a.maximum(b)) == a
    assert a.maximum(a.minimum(b)) == a
    assert a.closure() == a
    low = a.minimum(b)
    for x in a.labels:
        for z in a.labels:
            assert low.distance(x, z) <= min(a.distance(x, z), b.distance(x, z))
            if c == low.minimum(c) and c == c.minimum(a) and c == c.minimum(b):  # c is below both
                assert c.distance(x, z) <= low.distance(x, z)
    if low == a:  # a ≤ b
        assert a.maximum(b) == b
