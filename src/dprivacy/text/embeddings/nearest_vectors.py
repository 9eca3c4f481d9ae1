"""The nearest of many vectors: every one is looked at, in blocks of matrix products."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprivacy.errors import BadNumber, WrongShape

_BLOCK = 1 << 22  # scores held at a time
_UNIT = 2.0**-24  # rounding of a float32


def nearest_rows(
    queries: ArrayLike, rows: NDArray[np.floating[Any]], squares: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The position of the nearest row to each query; of equally near ones the first.

    Parameters
    ----------
    queries
        Vectors, one a row.
    rows
        The vectors to choose from.
    squares
        Their squared lengths.

    Notes
    -----
    1. ‖q − v‖² is smallest where the score 2·q·v − ‖v‖² is largest: a matrix product, in float32, for
       a block of queries that keeps the scores in the cache's reach.
    2. A float32 product of n terms is off by at most n·2⁻²⁴·‖q‖·‖v‖ or so. Every row whose score is
       within twice that of the best is measured again in doubles, by differences; mostly there is one.
    3. The answer is that of doubles. Rounding never matters for privacy: the noise was added before,
       and whatever is done to a noisy vector, rightly or wrongly, is post-processing.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> nearest_rows([[0.9, 5.0], [1.1, 0.0], [1.0, 0.0]], rows, (rows**2).sum(axis=1)).tolist()
    [0, 1, 0]
    """
    asked = np.asarray(queries, dtype=np.float64)
    if asked.ndim != 2 or asked.shape[1] != rows.shape[1]:
        raise WrongShape(
            f"vectors should be rows of {rows.shape[1]} numbers, not an array of shape {asked.shape}"
        )
    broken = np.flatnonzero(~np.isfinite(asked).all(axis=1))
    if len(broken):
        raise BadNumber(f"vector {int(broken[0])} is not finite, so no word is nearest to it")
    small = np.ascontiguousarray(rows.T, dtype=np.float32)
    lengths = squares.astype(np.float32)
    longest = float(np.sqrt(squares.max()))
    found = np.empty(len(asked), dtype=np.intp)
    step = max(1, _BLOCK // len(rows))
    for low in range(0, len(asked), step):
        block = asked[low : low + step]
        scores = (2 * block).astype(np.float32) @ small
        scores -= lengths
        best = scores.argmax(axis=1)
        top = scores[np.arange(len(block)), best].astype(np.float64)
        reach = np.linalg.norm(block, axis=1) * longest + longest**2
        margin = 8 * (rows.shape[1] + 4) * _UNIT * reach
        rivals = (scores >= (top - margin)[:, None]).sum(axis=1)
        found[low : low + step] = best
        for k in np.flatnonzero(rivals > 1):
            near = np.flatnonzero(scores[k] >= top[k] - margin[k])
            apart = rows[near].astype(np.float64) - block[k]
            found[low + k] = near[np.einsum("ij,ij->i", apart, apart).argmin()]
    return found
