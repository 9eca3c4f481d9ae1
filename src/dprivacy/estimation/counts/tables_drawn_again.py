"""Noisy tables drawn anew from an estimate: what might have come out, were the estimate the truth."""

from collections.abc import Iterator, Sequence

import numpy as np

from dprivacy.numbers import Floats

_SEED = 20240229  # the same question gets the same answer; nothing here protects anybody


def redrawn_tables(
    matrices: Sequence[Floats], shares: Floats, *, n: int, draws: int
) -> Iterator[Floats]:
    """Noisy counts of n people whose true values have these shares, drawn this many times.

    Parameters
    ----------
    matrices
        For each axis the probabilities of its outputs, a row for each true value.
    shares
        The true shares, an axis for each column.
    n, draws
        How many people there are, and how many tables are drawn.

    Examples
    --------
    >>> coin = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> [int(table.sum()) for table in redrawn_tables([coin], np.array([0.2, 0.8]), n=50, draws=2)]
    [50, 50]
    """
    noisy = np.maximum(shares, 0.0)
    for axis, matrix in enumerate(matrices):
        noisy = np.moveaxis(np.tensordot(noisy, matrix, axes=(axis, 0)), -1, axis)
    flat = noisy.ravel() / noisy.sum()
    random = np.random.default_rng(_SEED)
    for _ in range(draws):
        yield random.multinomial(n, flat).astype(np.float64).reshape(noisy.shape)
