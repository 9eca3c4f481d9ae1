"""Linear algebra by its definitions, on matrices that are often singular."""

from fractions import Fraction as Q
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from dprivacy.errors import MixedArithmetic, NotInvertible
from dprivacy.numbers import Mat
from dprivacy.numbers.exact_algebra import from_flint, inverse, null_space, rank, solve, to_flint

entry = st.fractions(-3, 3, max_denominator=4)


def tables(rows, columns):
    return st.lists(
        st.lists(entry, min_size=columns, max_size=columns), min_size=rows, max_size=rows
    )


@st.composite
def matrices(draw, square=False):
    """Random tables; half of them made singular by repeating a combination of rows."""
    n = draw(st.integers(1, 4))
    m = n if square else draw(st.integers(1, 4))
    rows = draw(tables(n, m))
    if n > 1 and draw(st.booleans()):
        a, b = draw(entry), draw(entry)
        rows[-1] = [a * x + b * y for x, y in zip(rows[0], rows[n // 2 - 1], strict=True)]
    return rows


def determinant(rows):
    n = len(rows)
    total = Q(0)
    for p in permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i, j in combinations(range(n), 2))
        term = Q(sign)
        for i in range(n):
            term *= rows[i][p[i]]
        total += term
    return total


def rank_by_minors(rows):
    n, m = len(rows), len(rows[0])
    for size in range(min(n, m), 0, -1):
        for up in combinations(range(n), size):
            for across in combinations(range(m), size):
                if determinant([[rows[i][j] for j in across] for i in up]):
                    return size
    return 0


@given(matrices())
def test_rank_is_the_size_of_the_largest_minor(rows):
    assert rank(Mat.of(rows)) == rank_by_minors(rows)


@given(matrices(square=True))
def test_inverse(rows):
    n, m = len(rows), Mat.of(rows)
    if determinant(rows) == 0:
        with pytest.raises(NotInvertible, match="rank"):
            inverse(m)
        return
    identity = Mat.of([[Q(i == j) for j in range(n)] for i in range(n)])
    assert inverse(m) @ m == identity
    assert m @ inverse(m) == identity


@given(matrices(square=True), st.data())
def test_solve(rows, data):
    right = Mat.of(data.draw(tables(len(rows), 2)))
    if determinant(rows) == 0:
        with pytest.raises(NotInvertible, match="singular"):
            solve(Mat.of(rows), right)
        return
    assert Mat.of(rows) @ solve(Mat.of(rows), right) == right


@given(matrices())
def test_null_space(rows):
    m = Mat.of(rows)
    basis = null_space(m)
    columns = m.shape[1]
    assert basis.shape == (columns - rank_by_minors(rows), columns)
    if basis.shape[0]:
        assert rank_by_minors(basis.rows()) == basis.shape[0]
        assert not any(v for row in (m @ basis.transposed).rows() for v in row)


def test_null_space_of_nothing_and_of_zero():
    assert null_space(Mat.of([[0, 0]])).rows() == [[1, 0], [0, 1]]
    assert null_space(Mat.of([[1, 0], [0, 1]])).shape == (0, 2)


@given(matrices(square=True))
def test_floats_agree_with_exact(rows):
    m = Mat.of(rows)
    assume(abs(determinant(rows)) > Q(1, 100))
    floats = Mat(np.array(m.floats))
    assert rank(floats) == m.shape[0]
    assert np.allclose(inverse(floats).entries, inverse(m).floats)
    right = np.arange(2.0 * len(rows)).reshape(-1, 2)
    assert np.allclose(floats.entries @ solve(floats, Mat(right)).entries, right)
    assert null_space(floats).shape == (0, m.shape[0])


def test_float_counterparts_when_singular():
    ones = Mat(np.ones((3, 3)))
    assert rank(ones) == 1
    basis = null_space(ones)
    assert basis.shape == (2, 3)
    assert np.allclose(ones.entries @ basis.entries.T, 0)
    assert null_space(Mat(np.zeros((2, 3)))).shape == (3, 3)
    with pytest.raises(NotInvertible, match="rank 1"):
        inverse(ones)
    with pytest.raises(NotInvertible, match="singular"):
        solve(ones, ones)


def test_an_exact_rank_that_floats_get_wrong():
    tiny = Q(1, 10**30)
    nearly = Mat.of([[1, 1], [1, 1 + tiny]])
    assert rank(nearly) == 2
    assert inverse(nearly)[0, 0] == (1 + tiny) / tiny
    assert rank(Mat(np.array(nearly.floats))) == 1


def test_not_square_and_mixed():
    with pytest.raises(NotInvertible, match="2×1"):
        inverse(Mat.of([[1], [2]]))
    with pytest.raises(MixedArithmetic):
        solve(Mat.of([[1]]), Mat(np.ones((1, 1))))


@given(matrices())
def test_flint_and_back(rows):
    assert from_flint(to_flint(Mat.of(rows))) == Mat.of(rows)
