"""Products of small matrices: the same numbers, in pieces that stay in one thread."""

import numpy as np
import pytest

from dprivacy.numbers import arrays, product


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (90, 90, 90), (128, 128, 128), (1, 600, 600), (130, 130, 130)]
)
def test_a_product_is_the_product(monkeypatch, shape):
    rng = np.random.default_rng(1)
    left, right = rng.random(shape[:2]), rng.random(shape[1:])
    for threads in (True, False):
        monkeypatch.setattr(arrays, "_THREADS", threads)
        made = product(left, right)
        assert made.shape == (shape[0], shape[2])
        assert made == pytest.approx(np.einsum("ij,jk->ik", left, right), rel=1e-12)


def test_no_piece_is_large_enough_for_a_second_thread(monkeypatch):
    sizes, matmul = [], np.matmul

    def watched(left, right, out):
        sizes.append(left.shape[0] * left.shape[1] * right.shape[1])
        return matmul(left, right, out=out)

    monkeypatch.setattr(arrays, "_THREADS", True)
    monkeypatch.setattr(arrays.np, "matmul", watched)
    product(np.ones((100, 100)), np.ones((100, 120)))
    assert sum(sizes) == 100 * 100 * 120
    assert max(sizes) <= 1 << 18
