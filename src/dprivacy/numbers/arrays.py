"""Short names for the kinds of arrays that many files speak of, and products of small ones."""

import os

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Words = NDArray[np.uint64]

_ALONE = 1 << 18  # multiplications up to which every BLAS stays in one thread
_SMALL = 1 << 21  # up to which a second thread costs more than it saves
_THREADS = os.cpu_count() != 1 and "1" not in (
    os.environ.get("OPENBLAS_NUM_THREADS"),
    os.environ.get("OMP_NUM_THREADS"),
)


def product(left: Floats, right: Floats) -> Floats:
    """left·right, by rows for a product so small that waking threads would take longer than it does.

    On a busy machine a product of two 128 × 128 matrices can wait milliseconds for its second thread;
    in pieces that BLAS does not divide it takes a tenth of one.
    """
    (rows, inner), columns = left.shape, right.shape[1]
    if not (_THREADS and _ALONE < rows * inner * columns <= _SMALL):
        return np.asarray(left @ right)
    made = np.empty((rows, columns))
    step = max(1, _ALONE // (inner * columns))
    for start in range(0, rows, step):
        np.matmul(left[start : start + step], right, out=made[start : start + step])
    return made


def largest_in_columns(entries: Floats) -> Floats:
    """The largest number of every column of doubles of which none is negative or NaN.

    Such doubles stand in the order of their bits, and NumPy compares whole numbers a quarter faster,
    since it need not look for NaN.
    """
    largest: Whole = np.maximum.reduce(entries.view(np.int64))
    return largest.view(np.float64)
