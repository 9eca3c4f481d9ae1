"""Products in blocks: the same as in one, and no block is long enough to wake threads."""

import numpy as np
import pytest

from dprivacy.verify.sums import unthreaded_products
from dprivacy.verify.sums.unthreaded_products import BLOCK, convolution, scalar_product

SIZES = [(1, 1), (5, BLOCK), (BLOCK + 1, BLOCK), (2 * BLOCK + 3, BLOCK + 1), (BLOCK + 1, 3 * BLOCK)]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_a_convolution_in_blocks_is_exact_on_whole_numbers(n, m, monkeypatch):
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 9, n), rng.integers(0, 9, m)
    lengths, plain = [], np.convolve

    def noted(long, short):
        lengths.append(min(len(long), len(short)))
        return plain(long, short)

    monkeypatch.setattr(unthreaded_products.np, "convolve", noted)
    found = convolution(one.astype(float), other.astype(float))
    monkeypatch.undo()
    assert found.tolist() == np.convolve(one, other).tolist()  # in integers, which have no threads
    assert max(lengths) <= BLOCK < 10_000


@pytest.mark.parametrize("n", [0, 1, BLOCK, 2 * BLOCK + 7])
def test_a_scalar_product_in_blocks_is_exact_on_whole_numbers(n):
    one, other = np.random.default_rng(2).integers(0, 99, (2, n))
    assert scalar_product(one.astype(float), other.astype(float)) == int((one * other).sum())
