"""The least private channel above a given one, in logarithms: max over x' of ln z[x'] − ε·d(x, x').

It costs one product of matrices, with maxima for sums. numba makes it where it is installed; NumPy
says what it is.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec

import numpy as np

from dprivacy.numbers import Floats

_WORTH_COMPILING = 100_000_000  # comparisons, some tenths of a second in NumPy
_TOGETHER = 8  # rows that are raised at the same time, while the others pass by once


def upper_envelope(logs: Floats, scaled: Floats) -> Floats:
    """For every row x the largest of logs[x'] − scaled[x, x'], output by output."""
    n = len(scaled)
    if n * logs.size < _WORTH_COMPILING or find_spec("numba") is None:
        return np.stack([(logs - scaled[x][:, None]).max(axis=0) for x in range(n)])
    raise_rows = compiled_rows()
    raised = np.full(logs.shape, -np.inf)
    blocks = [(k, min(k + _TOGETHER, n)) for k in range(0, n, _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda ends: raise_rows(logs, scaled, raised, *ends), blocks))
    return raised


@cache
def compiled_rows() -> Callable[..., None]:
    """`rows_raised` in machine code, made on the first use."""
    from dprivacy.design.trees.compiled_trees import compiled

    return compiled(rows_raised)


def rows_raised(logs: Floats, scaled: Floats, raised: Floats, first: int, end: int) -> None:
    """The rows from `first` up to `end` of the envelope, into `raised`."""
    for other in range(len(scaled)):
        row = logs[other]
        for x in range(first, end):
            far = scaled[x, other]
            mine = raised[x]
            for y in range(len(row)):
                mine[y] = max(mine[y], row[y] - far)
