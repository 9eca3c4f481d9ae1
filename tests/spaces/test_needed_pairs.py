"""The pairs that matter: by definition, by known counts, and by what they must imply."""

import math
from fractions import Fraction as Q
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy import spaces
from dprivacy.numbers import Level, as_level


def by_definition(space):
    """Pairs at finite distance without a point strictly between them, d(i,k) + d(k,j) ≤ d(i,j)."""
    n, d = len(space), space.distances

    def exactly(value):
        return Q(value) if isinstance(value, float) and math.isfinite(value) else value

    found = set()
    for i, j in combinations(range(n), 2):
        direct = exactly(d[i, j])
        if isinstance(direct, float):
            continue
        for k in range(n):
            a, b = exactly(d[i, k]), exactly(d[k, j])
            if isinstance(a, float) or isinstance(b, float) or a == 0 or b == 0:
                continue
            if as_level(a) + b <= direct:
                break
        else:
            found.add((i, j))
    return found


def pairs_of(space):
    return {(int(i), int(j)) for i, j in space.edges}


SPACES = {
    "line": spaces.line(6),
    "uneven line": spaces.line(["0.1", "0.7", "1/3", 5, -2]),
    "discrete": spaces.discrete(["a", "b", "c", "d"]),
    "manhattan": spaces.grid(3, 4, metric="manhattan"),
    "chebyshev": spaces.grid(3, 4, metric="chebyshev"),
    "euclidean": spaces.grid(3, 5),
    "scaled euclidean": spaces.grid(3, 3, step="ln 2"),
    "cube": spaces.hamming_cube(3),
    "words": spaces.hamming(["a", "b", "c"], 2),
    "power set": spaces.power_set(["x", "y", "z"]),
    "ring": spaces.graph([(i, (i + 1) % 6) for i in range(6)]),
    "weighted": spaces.graph(
        [("a", "b", "ln 2"), ("b", "c", "ln 3"), ("a", "c", "ln 6"), ("c", "d", 5)]
    ),
    "parts": spaces.graph([("a", "b"), ("c", "d")], extended=True),
    "product": spaces.product(spaces.line(3), spaces.discrete(["f", "m"])),
    "product of grids": spaces.product(spaces.grid(2, 2), spaces.line(2)),
    "max product": spaces.product(spaces.line(3), spaces.line(3), combine="max"),
    "product with a pseudo-metric": spaces.product(
        spaces.from_table(["a", "b", "c"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True),
        spaces.line(2),
    ),
    "triangle": spaces.points([[0, 0], [2, 2], [1, 1], [0, 3]]),
    "single": spaces.line(1),
}  # fmt: skip


@pytest.mark.parametrize("name", SPACES)
def test_known_pairs_are_those_of_the_definition(name):
    expected = by_definition(SPACES[name])
    if name == "product with a pseudo-metric":  # of points at distance 0, one need be looked at
        assert pairs_of(SPACES[name]) < expected
    else:
        assert pairs_of(SPACES[name]) == expected
    assert all(i < j for i, j in pairs_of(SPACES[name]))


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("eps", [Level("1/3"), Level("sqrt 2")])
def test_scaling_keeps_them(name, eps):
    assert pairs_of(SPACES[name].scaled(eps)) == pairs_of(SPACES[name])


@pytest.mark.parametrize("name", SPACES)
def test_every_distance_is_a_path_over_them(name):
    """What makes them enough: any finite distance is a sum of distances of kept pairs."""
    space = SPACES[name]
    n = len(space)
    length = [[math.inf] * n for _ in range(n)]
    for i in range(n):
        length[i][i] = Level(0)
    for i, j in pairs_of(space):
        length[i][j] = length[j][i] = as_level(space.distances[i, j])
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if length[i][k] < math.inf and length[k][j] < math.inf:
                    length[i][j] = min(length[i][j], length[i][k] + length[k][j])
    for i in range(n):
        for j in range(n):
            assert length[i][j] == space.distances[i, j]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50])
def test_counts_on_a_line(n):
    assert spaces.line(n).pairs() == [(i, i + 1) for i in range(n - 1)]
    assert len(spaces.line([0.1 * i for i in range(n)]).edges) == n - 1


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (3, 4), (6, 6)])
def test_counts_on_grids(rows, columns):
    sides = rows * (columns - 1) + columns * (rows - 1)
    diagonals = 2 * (rows - 1) * (columns - 1)
    assert len(spaces.grid(rows, columns, metric="manhattan").edges) == sides
    assert len(spaces.grid(rows, columns, metric="chebyshev").edges) == sides + diagonals
    coprime = sum(
        (rows - a) * (columns - b) * (2 if a and b else 1)
        for a in range(rows)
        for b in range(columns)
        if math.gcd(a, b) == 1
    )
    assert len(spaces.grid(rows, columns).edges) == coprime


@pytest.mark.parametrize("bits", [1, 2, 4, 6])
def test_counts_on_cubes(bits):
    assert len(spaces.hamming_cube(bits).edges) == bits * 2 ** (bits - 1)
    assert len(spaces.power_set(range(bits)).edges) == bits * 2 ** (bits - 1)


def test_counts_elsewhere():
    assert len(spaces.discrete(range(7)).edges) == 21
    assert len(spaces.hamming(["a", "b", "c"], 3).edges) == 27 * 3 * 2 // 2
    assert spaces.graph([("a", "b", 1), ("b", "c", 1), ("a", "c", 2)]).pairs() == [
        ("a", "b"),
        ("b", "c"),
    ]
    assert len(spaces.graph([("a", "b"), ("c", "d")], extended=True).edges) == 2


values = st.sampled_from([Q(1), Q(2), Q(3), Q(1, 2), Q(3, 2)])
levels = st.sampled_from(
    [Q(1), Q(2), Level("sqrt 2"), Level("ln 2"), Level("ln 4"), Level("sqrt 8")]
)


@pytest.mark.parametrize("kind", ["rational", "levels", "float", "extended", "pseudo"])
@given(data=st.data())
@settings(max_examples=25)
def test_random_metrics(kind, data):
    n = data.draw(st.integers(2, 6))
    choose = levels if kind == "levels" else values
    rows = [[Q(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            value = data.draw(choose)
            if kind == "float":
                value = float(value) + data.draw(st.sampled_from([0.0, 0.1, 1e-15]))
            if kind == "extended" and data.draw(st.booleans()):
                value = math.inf
            if kind == "pseudo" and data.draw(st.booleans()):
                value = Q(0)
            rows[i][j] = rows[j][i] = value
    space = spaces.from_table(range(n), rows, close=True, extended=True, pseudo=True)
    if kind == "float":
        # rounding may keep a pair too many, never one too few
        assert pairs_of(space) >= by_definition(space)
    else:
        assert pairs_of(space) == by_definition(space)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7, unique=True)
)
@settings(max_examples=40)
def test_exact_points_in_the_plane(cloud):
    for metric in ("euclidean", "manhattan", "chebyshev"):
        space = spaces.points(cloud, metric=metric)
        assert pairs_of(space) == by_definition(space)


@given(st.data())
@settings(max_examples=40)
def test_a_function_that_keeps_the_pairs_keeps_all(data):
    """If |f(x) − f(z)| ≤ d(x, z) on the kept pairs, it holds everywhere."""
    space = SPACES[data.draw(st.sampled_from([n for n in SPACES if n != "parts"]))]
    n = len(space)
    f = [Q(data.draw(st.integers(-20, 20))) for _ in range(n)]

    def stretch(pairs):
        worst = Level(0)
        for i, j in pairs:
            d = space.distances[i, j]
            if d == 0:
                if f[i] != f[j]:
                    return None
                continue
            if worst * d < abs(f[i] - f[j]):
                try:
                    worst = Level(abs(f[i] - f[j])) / d
                except ValueError:  # no exact quotient by a logarithm
                    worst = Level(Q(float(abs(f[i] - f[j])) / float(d)))
        return worst

    kept, everywhere = stretch(pairs_of(space)), stretch(combinations(range(n), 2))
    if kept is None or everywhere is None:
        assert kept is everywhere
    else:
        assert math.isclose(float(kept), float(everywhere), rel_tol=1e-12, abs_tol=0)
