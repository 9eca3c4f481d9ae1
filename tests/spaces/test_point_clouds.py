"""Point clouds and curves against their formulas."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from dprivacy.errors import BadLevel, DuplicateLabel, Malformed, MixedArithmetic, NotAMetric
from dprivacy.numbers import root
from dprivacy.spaces import curves, points

coordinate = st.fractions(-4, 4, max_denominator=6)
clouds = st.integers(1, 3).flatmap(
    lambda k: st.lists(st.tuples(*[coordinate] * k), min_size=2, max_size=5, unique=True)
)

FORMULA = {
    "euclidean": lambda x, z: root(sum((a - b) ** 2 for a, b in zip(x, z, strict=True))),
    "manhattan": lambda x, z: sum(abs(a - b) for a, b in zip(x, z, strict=True)),
    "chebyshev": lambda x, z: max(abs(a - b) for a, b in zip(x, z, strict=True)),
    "hamming": lambda x, z: sum(a != b for a, b in zip(x, z, strict=True)),
}


@pytest.mark.parametrize("metric", FORMULA)
@given(cloud=clouds)
@settings(max_examples=30)
def test_exact_coordinates_give_exact_distances(metric, cloud):
    space = points(cloud, metric=metric)
    assert space.exact
    assert space.labels == tuple(range(len(cloud)))
    for i, x in enumerate(cloud):
        for j, z in enumerate(cloud):
            assert space.distance(i, j) == FORMULA[metric](x, z)


@pytest.mark.parametrize("metric", FORMULA)
def test_float_coordinates(metric):
    cloud = np.array([[0.5, 1.25], [3.5, -2.75], [0.5, 2.0]])
    space = points(cloud, metric=metric, labels=["a", "b", "c"])
    for i, x in enumerate("abc"):
        for j, z in enumerate("abc"):
            expected = float(FORMULA[metric]([Q(v) for v in cloud[i]], [Q(v) for v in cloud[j]]))
            assert space.distance(x, z) == pytest.approx(expected)
    assert space.exact is (metric == "hamming")


@pytest.mark.parametrize("size", [2**30 - 1, 2**31, 2**40])
@pytest.mark.parametrize("dimensions", [1, 2, 5, 9])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_large_coordinates_do_not_overflow(size, dimensions, metric):
    space = points([[size] * dimensions, [-size] * dimensions], metric=metric)
    factor = {"euclidean": root(dimensions), "manhattan": dimensions, "chebyshev": 1}[metric]
    assert space.distance(0, 1) == 2 * size * factor


def test_a_point_listed_twice():
    with pytest.raises(NotAMetric, match=r"d\('home', 'work'\) = 0 for distinct points"):
        points([[1, 1], [2, 2], [1, 1]], labels=["home", "shop", "work"])
    space = points([[1, 1], [1, 1]], pseudo=True)
    assert space.distance(0, 1) == 0


# ---------------------------------------------------------------------------------- angular


def test_angular_distances():
    space = points([[1, 0], [0, 5], [-3, 0], [2, 2], [1e-9, 1.0]], metric="angular", pseudo=True)
    assert space.distance(0, 1) == pytest.approx(1 / 2)
    assert space.distance(0, 2) == 1.0
    assert space.distance(0, 3) == pytest.approx(1 / 4)
    assert space.distance(1, 4) == pytest.approx(1e-9 / math.pi, rel=1e-12)  # arccos would say 0
    assert all(space.distance(i, i) == 0.0 for i in range(5))


vectors = st.lists(st.lists(st.floats(-10, 10), min_size=3, max_size=3), min_size=3, max_size=5)


@given(vectors, st.floats(0.01, 100))
@settings(max_examples=50)
def test_angular_laws(rows, factor):
    assume(all(math.hypot(*row) > 1e-3 for row in rows))
    space = points(rows, metric="angular", pseudo=True)
    d = space.distances.floats
    n = len(rows)
    for i in range(n):
        assert d[i, i] == 0
        for j in range(n):
            assert 0 <= d[i, j] <= 1
            assert d[i, j] == d[j, i]
            cosine = np.dot(rows[i], rows[j]) / (math.hypot(*rows[i]) * math.hypot(*rows[j]))
            assert math.cos(d[i, j] * math.pi) == pytest.approx(cosine, abs=1e-9)
            for k in range(n):
                assert d[i, k] <= d[i, j] + d[j, k] + 1e-12
    longer = points([[factor * v for v in rows[0]], *rows[1:]], metric="angular", pseudo=True)
    assert np.allclose(longer.distances.floats, d, atol=1e-7)


def test_the_zero_vector_is_named_by_its_label():
    with pytest.raises(Malformed, match="'south' is the zero vector"):
        points([[1, 0], [0, 0]], metric="angular", labels=["north", "south"])


# ---------------------------------------------------------------------------------- jaccard

sets = st.lists(st.frozensets(st.integers(0, 4)), min_size=2, max_size=6, unique=True)


@given(sets)
@settings(max_examples=50)
def test_jaccard_on_sets_and_on_bits(cloud):
    space = points(cloud, metric="jaccard")
    bits = points([[int(i in s) for i in range(5)] for s in cloud], metric="jaccard")
    array = points(np.array([[i in s for i in range(5)] for s in cloud]), metric="jaccard")
    n = range(len(cloud))
    for i in n:
        for j in n:
            a, b = cloud[i], cloud[j]
            expected = Q(len(a ^ b), len(a | b)) if a | b else 0
            assert space.distance(i, j) == expected
            assert bits.distance(i, j) == expected
            assert array.distance(i, j) == expected
            assert all(expected <= space.distance(i, k) + space.distance(k, j) for k in n)
    assert space.exact


@pytest.mark.parametrize(
    "cloud",
    [
        ["abc", "abd"],
        [["cat", "dog"], ["cat", "cow"]],
        [[1, 0], [1, 0, 1]],
        [[2, 0], [0, 1]],
        [[0.5, 0], [0, 1]],
    ],
)
def test_jaccard_refuses_what_is_neither_set_nor_bits(cloud):
    with pytest.raises(Malformed, match=r"0 and 1|0/1 rows"):
        points(cloud, metric="jaccard", pseudo=True)


# ---------------------------------------------------------------------------- functions and refusals


def test_a_function_of_two_points():
    words = ["a", "bb", "cccc"]
    space = points(words, metric=lambda x, z: abs(len(x) - len(z)), labels=words)
    assert space.distance("a", "cccc") == 3
    assert space.exact
    texts = points([1, 2], metric=lambda x, z: "sqrt 2" if x != z else 0)
    assert texts.distance(0, 1) == root(2)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x, z: x - z, "negative"),
        (lambda x, z: 1, "itself must be 0"),
        (lambda x, z: max(x - z, 0), "symmetric"),
        (lambda x, z: (x - z) ** 2, r"triangle.*d\('p', 'r'\) = 9 .* by 'q', 1 \+ 4"),
        (lambda x, z: 0, "distinct points"),
        (lambda x, z: 0 if x == z else math.inf, "extended"),
    ],
)
def test_a_function_that_is_no_metric_is_refused(function, why):
    with pytest.raises(NotAMetric, match=why):
        points([0, 1, 3], metric=function, labels=["p", "q", "r"])


def test_a_function_that_returns_no_number_is_refused():
    with pytest.raises(Malformed, match=r"d\('p', 'p'\): a number is needed, not NoneType"):
        points([1, 2], metric=lambda x, z: None, labels=["p", "q"])


def test_refusals():
    with pytest.raises(Malformed, match=r"function.*euclidean.*'jaccard', not 'cosine'"):
        points([[1], [2]], metric="cosine")
    with pytest.raises(Malformed, match="2 points but 3 labels"):
        points([[1], [2]], labels=["a", "b", "c"])
    with pytest.raises(Malformed, match="point 'q', coordinate 1: 'x' is not a number"):
        points([[1, 0], [0, "x"]], labels=["p", "q"])
    with pytest.raises(Malformed, match="point 'p', coordinate 0: NaN"):
        points(np.array([[np.nan, 0.0], [0.0, 1.0]]), labels=["p", "q"])
    with pytest.raises(MixedArithmetic, match="point 'q', coordinate 0"):
        points([[0.5], ["1/3"]], labels=["p", "q"])
    with pytest.raises(Malformed):
        points([1, 2, 3])
    with pytest.raises(Malformed):
        points([[1, 2], [3]])
    with pytest.raises(Malformed):
        points([])
    with pytest.raises(DuplicateLabel):
        points([[1], [2]], labels=["a", "a"])
    with pytest.raises(Malformed, match="single text"):
        points([[1], [2]], labels="ab")


# ---------------------------------------------------------------------------------- curves


@pytest.mark.statement("M", "Ex 2")
@given(
    st.lists(st.tuples(*[coordinate] * 4), min_size=2, max_size=4, unique=True),
    st.fractions(Q(1, 10), 5, max_denominator=10),
)
@settings(max_examples=40)
def test_curves_in_l2_and_sup(samples, step):
    l2, sup = curves(samples, step=step), curves(samples, norm="sup", step=step)
    for i, f in enumerate(samples):
        for j, g in enumerate(samples):
            gaps = [abs(a - b) for a, b in zip(f, g, strict=True)]
            assert l2.distance(i, j) == root(step * sum(gap**2 for gap in gaps))
            assert sup.distance(i, j) == max(gaps)
            # ‖f − g‖₂ ≤ √T·‖f − g‖_∞ over the whole time T
            assert l2.distance(i, j) <= root(step * len(f)) * sup.distance(i, j)


@pytest.mark.statement("M", "Ex 2")
def test_the_sup_norm_is_the_distance_of_continuous_functions():
    times = [Q(k, 10) for k in range(11)]
    rising, square = list(times), [t * t for t in times]
    space = curves([rising, square], norm="sup", labels=["t", "t²"])
    assert space.distance("t", "t²") == Q(1, 4)  # sup of t − t² on [0, 1], at 1/2


def test_curves_refuse():
    with pytest.raises(Malformed, match="'l2', 'sup', not 'l1'"):
        curves([[1], [2]], norm="l1")
    with pytest.raises(Malformed, match="rational"):
        curves([[1], [2]], step="sqrt 2")
    with pytest.raises(BadLevel):
        curves([[1], [2]], step=0)
    with pytest.raises(NotAMetric):
        curves([[1, 2], [1, 2]])


def test_float_curves():
    space = curves(np.array([[0.0, 3.0], [4.0, 0.0]]), step=0.25)
    assert space.distance(0, 1) == pytest.approx(2.5)
