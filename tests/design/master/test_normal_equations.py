"""The normal equations against the matrix written out, with and without columns ±1, large and small."""

import numpy as np
import pytest

from dprivacy.design.master.normal_equations import Walled, normal_equations, without_walls
from support.design_spaces import rng


def written_out(A):
    one = np.eye(len(A))
    return np.hstack([A, one, -one])


@pytest.mark.parametrize("rows", [7, 600])  # 600 in blocks, the last of which is not full
@pytest.mark.parametrize("walls", [False, True])
def test_they_are_solved(rows, walls):
    draw = rng(rows)
    A = np.asfortranarray(draw.random((rows, 3 * rows)))
    whole = written_out(A) if walls else A
    weights = np.exp(draw.normal(0, 2, whole.shape[1]))
    h = draw.normal(size=rows)
    found = normal_equations(Walled(A) if walls else A, weights)(h)
    np.testing.assert_allclose((whole * weights) @ (whole.T @ found), h, atol=1e-8)


@pytest.mark.parametrize("walls", [False, True])
def test_by_an_orthogonal_factor_where_digits_are_short(walls):
    """Two rows nearly agree, so that elimination leaves nothing of the second."""
    draw = rng(3)
    A = draw.random((5, 12))
    A[1] = A[0] * (1 + 1e-9 * draw.random(12))
    weights = np.concatenate([draw.random(12) + 0.5, np.full(10, 1e-18)])
    whole = written_out(A) if walls else A
    weights = weights if walls else weights[:12]
    wanted = draw.normal(size=5)
    h = (whole * weights) @ (whole.T @ wanted)
    found = normal_equations(Walled(A) if walls else A, weights)(h)
    np.testing.assert_allclose((whole * weights) @ (whole.T @ found), h, rtol=1e-10)


def test_columns_that_take_no_room_multiply_like_others():
    draw = rng(1)
    A, x, v = draw.random((4, 6)), draw.random(14), draw.random(4)
    walled, whole = Walled(A), written_out(A)
    assert len(walled) == 4
    np.testing.assert_array_equal(walled.whole(), whole)
    np.testing.assert_allclose(walled @ x, whole @ x)
    np.testing.assert_allclose(walled.T @ v, whole.T @ v)
    inner, own, diagonal = without_walls(walled, x)
    assert inner is A
    np.testing.assert_array_equal(own, x[:6])
    np.testing.assert_allclose(diagonal, x[6:10] + x[10:])
    assert without_walls(A, x)[2] == 0.0
