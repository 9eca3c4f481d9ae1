"""Files drawn from counts of rows: which of them a file has, their noise, and their order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.counted.row_numbers import RowNumbers
from dprivacy.release.files.row_chunks import CHUNK
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_drafts import BLOCKS, derived
from dprivacy.sampling import chunk_stream

_ROWS = 1 << 20  # that are shared out at a time


def share(
    counts: NDArray[np.int64], key: bytes, stream: str, number: int, files: int
) -> NDArray[np.int64]:
    """How many of the rows of each kind are in one of so many files.

    Rows are laid out by kind, and each has a random byte, which says in which file it is: what is in
    the files is as if every row had drawn one for itself. How many rows a file has depends on their
    number alone.
    """
    first, last = (k * BLOCKS // files for k in (number, number + 1))
    if last - first == BLOCKS:
        return counts
    found, ends, own = np.zeros_like(counts), np.cumsum(counts), derived(key, "spark shares")
    for chunk, start in enumerate(range(0, int(ends[-1]), _ROWS)):
        rows = min(_ROWS, int(ends[-1]) - start)
        words = chunk_stream(stream, own, chunk).words(-(-rows // 8))
        lots = words.astype("<u8", copy=False).view(np.uint8)[:rows]
        # One comparison for both sides: what is too small is huge without a sign.
        mine = np.flatnonzero(lots - np.uint8(first) < last - first)
        low, high = np.searchsorted(ends, (start, start + rows - 1), side="right")
        cuts = np.searchsorted(mine, ends[low:high] - start)
        found[low : high + 1] += np.diff(cuts, prepend=0, append=len(mine))
    return found


def drawn_file(
    plan: Plan, names: Sequence[str], mine: NDArray[np.int64], key: bytes, stream: str, number: int
) -> Any:
    """The rows of a file, drawn from how many there are of each kind.

    Each has a random number, and they are ordered by these; where two agree, by what is released of
    them. So the order tells nothing.
    """
    source = ChunkStreams(derived(key, f"spark file {number}"), stream)
    numbers = RowNumbers(plan, source)
    kinds = np.flatnonzero(mine)
    true = np.repeat(kinds.astype(np.uint16), mine[kinds])
    places, released = derived(key, f"spark order {number}"), np.uint64((1 << numbers.bits) - 1)
    found = np.empty(len(true), np.uint64)
    for chunk, start in enumerate(range(0, len(true), CHUNK)):
        source.start(chunk)
        noisy = numbers.noisy(true[start : start + CHUNK])
        words = chunk_stream(stream, places, chunk).words(len(noisy))
        found[start : start + CHUNK] = (words & ~released) | noisy
    found.sort()
    return numbers.table(found, names)
