"""Plain Bayesian updates in machine code: the channel is read once an update, not twice.

An update multiplies p by g, where g is the channel times weights, and the next weights come of p times
the channel. So a row that has given its g is used for p at once, while it is in the processor's
registers. Products of whole matrices, as in NumPy, fetch every row twice.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import numpy as np

from dprivacy.numbers import Floats

_WORTH_COMPILING = 50_000_000  # multiplications after which more are likely to come


def worth_compiling(table: Floats, done: int) -> bool:
    """Whether so many updates have been made that machine code pays; the extra `fast` makes it."""
    return 2 * table.size * done >= _WORTH_COMPILING and find_spec("numba") is not None


@cache
def compiled_updates() -> Callable[[Floats, Floats, Floats, Floats, Floats, int], None]:
    """`row_by_row` in machine code, made on the first use."""
    from numba import njit

    # Sums may be reordered, so that they use vectors; infinities keep their meaning.
    made: Callable[[Floats, Floats, Floats, Floats, Floats, int], None] = njit(
        fastmath={"nsz", "contract", "reassoc"}, error_model="numpy", nogil=True
    )(row_by_row)
    return made


def row_by_row(table: Floats, q: Floats, p: Floats, r: Floats, g: Floats, times: int) -> None:
    """So many updates of p, by its own g, with the r and the g that come of each; all in place.

    Rows are taken four at a time, so that r and the weights are fetched once for four; their number
    should be a multiple of that. Every array is written to entry by entry: slices cost as much as the
    products do.
    """
    inputs, outputs = table.shape
    weights = np.empty(outputs)
    for k in range(times + 1):
        first, last = k == 0, k == times
        if not first:
            for y in range(outputs):
                weights[y] = q[y] / r[y]
        if not last:
            for y in range(outputs):
                r[y] = 0.0
        for x in range(0, inputs, 4):
            a, b, c, d = table[x], table[x + 1], table[x + 2], table[x + 3]
            if not first:
                s = t = u = v = 0.0
                for y in range(outputs):
                    w = weights[y]
                    s += a[y] * w
                    t += b[y] * w
                    u += c[y] * w
                    v += d[y] * w
                g[x], g[x + 1], g[x + 2], g[x + 3] = s, t, u, v
            if not last:
                s, t = p[x] * g[x], p[x + 1] * g[x + 1]
                u, v = p[x + 2] * g[x + 2], p[x + 3] * g[x + 3]
                p[x], p[x + 1], p[x + 2], p[x + 3] = s, t, u, v
                for y in range(outputs):
                    r[y] += s * a[y] + t * b[y] + u * c[y] + v * d[y]
