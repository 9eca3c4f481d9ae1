"""Products of small matrices: the same numbers, in pieces that stay in one thread."""

import numpy as np
import pytest

from dprivacy.numbers import arrays, largest_in_columns, product


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


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_largest_of_columns_without_negative_numbers(order):
    smallest = np.nextafter(0.0, 1.0)
    awkward = [0.0, -0.0, smallest, 1e-310, 1e-300, 0.5, np.nextafter(0.5, 1), 1.0, 1e308, np.inf]
    drawn = np.random.default_rng(1).choice(awkward, (5, 400))
    entries = np.asarray(np.hstack([drawn, [[-0.0]] * 5]), order=order)
    assert largest_in_columns(entries).tolist() == [max(column) for column in entries.T.tolist()]
    assert (
        largest_in_columns(entries[::2, ::-3]).tolist() == entries[::2, ::-3].max(axis=0).tolist()
    )
