"""Alias tables in integers: an outcome with any probability w/2^bits from one random word."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, TooLarge, Uncertified, WrongShape

_WORD = 64
_MOST_COLUMN_BITS = 20  # above it the sums of the law's check could leave a double's integers
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)


def column_bits(outcomes: int) -> int:
    """The smallest m ≥ 1 with room for that many outcomes in 2^m columns."""
    m = max(1, (outcomes - 1).bit_length())
    if m > _MOST_COLUMN_BITS:
        raise TooLarge(
            f"a table holds at most {1 << _MOST_COLUMN_BITS} outcomes, not {outcomes}; "
            "draw in two steps, first a group of outcomes and then one of the group"
        )
    return m


def outcome_dtype(m: int) -> type[np.uint8] | type[np.uint16] | type[np.uint32]:
    """The smallest unsigned integers that hold a column's number."""
    return np.uint8 if m <= 8 else np.uint16 if m <= 16 else np.uint32


def alias_table(weights: Sequence[int], bits: int, m: int) -> NDArray[np.uint64]:
    """A table by which a uniform word picks outcome j with probability exactly weights[j]/2^bits.

    Parameters
    ----------
    weights
        Non-negative integers that sum to 2^bits; at most 2^m of them.
    bits
        How many of a word's top bits are used, m < bits ≤ 64.
    m
        The table has 2^m columns.

    Returns
    -------
    NDArray[np.uint64]
        One entry a column: the threshold in the upper bits, and in the lower m bits what the
        column's own number must be xor-ed with to give its other outcome.

    Raises
    ------
    WrongShape, BadNumber
        If the weights do not sum to 2^bits or the sizes do not fit.
    Uncertified
        If the finished table did not have the stated law (it is counted, in integers).

    Notes
    -----
    A word's top m bits choose a column, each of capacity c = 2^(bits − m); the bits below are
    compared with the column's threshold t: its own outcome if they are less, the other one if not.

    1. An outcome with less than c is light, the others heavy. A light outcome's column holds it
       whole; what the column lacks is taken from a heavy outcome.
    2. Light columns are filled in order from the first heavy outcome that still has more than its
       own column needs. With D the running sums of what the light ones lack, and E those of what
       the heavy ones have over, light i is filled by the first j with E_j ≥ D_(i−1).
    3. The light column i that overdraws heavy j, that is the first with D_i > E_j, leaves it with
       c − (D_i − E_j) for its own column, which j + 1 fills up. (Nothing overdraws the last.)
    4. A full column, t = c, is written as t = 0 with itself for its other outcome.
    5. The words that reach each outcome are counted from the finished entries.

    Running sums and two binary searches: O(2^m · m), all within arrays of 64-bit integers.

    Examples
    --------
    >>> table = alias_table([3, 0, 13], bits=4, m=2)
    >>> [words >> 60 for words in table_law(table)]
    [3, 0, 13, 0]
    """
    size, capacity = 1 << m, 1 << (bits - m)
    if not m < bits <= _WORD or len(weights) > size:
        raise WrongShape(f"{len(weights)} outcomes do not fit {size} columns of {bits}-bit words")
    if sum(weights) != 1 << bits or min(weights) < 0:
        raise BadNumber(f"weights must be non-negative and sum to 2^{bits}")
    columns = np.arange(size, dtype=np.uint64)
    if max(weights) == 1 << bits:  # a certain outcome: 2^64 is no 64-bit integer
        packed = columns ^ np.uint64(list(weights).index(1 << bits))
    else:
        threshold, other = _fill(_padded(weights, size), capacity)
        full = threshold == capacity
        threshold[full], other[full] = 0, columns[full]
        packed = (threshold << np.uint64(_WORD - bits + m)) | (other ^ columns)
    expected = [w << (_WORD - bits) for w in weights] + [0] * (size - len(weights))
    if table_law(packed) != expected:
        raise Uncertified("an alias table does not have the law it was built for")
    return packed


def table_law(table: NDArray[np.uint64]) -> list[int]:
    """How many of the 2^64 words a table sends to each outcome, counted exactly.

    Examples
    --------
    >>> table_law(alias_table([1, 3], bits=2, m=1)) == [1 << 62, 3 << 62]
    True
    """
    m = table.size.bit_length() - 1
    columns = np.arange(table.size, dtype=np.uint64)
    threshold = table >> np.uint64(m)
    other = ((table & np.uint64(table.size - 1)) ^ columns).astype(np.intp)
    lacking = np.uint64(1 << (_WORD - m)) - threshold
    # Halves of 32 bits: every sum below stays under 2^53, where doubles are exact integers.
    low = np.bincount(other, (lacking & _LOW_HALF).astype(float), table.size)
    high = np.bincount(other, (lacking >> _HALF).astype(float), table.size)
    low += (threshold & _LOW_HALF).astype(float)
    high += (threshold >> _HALF).astype(float)
    return [(int(h) << 32) + int(w) for h, w in zip(high.tolist(), low.tolist(), strict=True)]


def pick(
    tables: NDArray[np.uint64],
    m: int,
    words: NDArray[np.uint64],
    out: NDArray[np.unsignedinteger],
    rows: NDArray[np.integer] | None = None,
) -> None:
    """Write into `out` the outcome that each word picks.

    Parameters
    ----------
    tables
        Tables of 2^m columns one after the other.
    m
        Bits that choose a column.
    words
        Uniform 64-bit words. Tables for fewer bits ignore the lower ones.
    out
        Where the outcomes go; of `outcome_dtype(m)`.
    rows
        Which table each word is for; the first if left out. They must be valid.

    Notes
    -----
    1. column = word >> (64 − m), entry = table[column].
    2. (word << m) | (2^m − 1) ≥ entry says that the word's lower bits reach the threshold: the
       bits that the entry keeps for the other outcome can never decide it.
    3. outcome = column xor (that bit times the entry's lower m bits): no branches, no divisions.
    """
    column = words >> np.uint64(_WORD - m)
    place = column.view(np.int64)
    if rows is not None:
        offset = rows.astype(np.int64)
        offset <<= m
        offset |= place
        place = offset
    entry = tables.take(place, mode="clip")  # valid already; clipping is the fastest mode
    lower = words << np.uint64(m)
    lower |= np.uint64((1 << m) - 1)
    np.copyto(out, entry, casting="unsafe")
    out &= out.dtype.type((1 << m) - 1)
    out *= (lower >= entry).view(np.uint8)
    out ^= column.astype(out.dtype)


def _padded(weights: Sequence[int], size: int) -> NDArray[np.uint64]:
    padded = np.zeros(size, dtype=np.uint64)
    padded[: len(weights)] = np.array(weights, dtype=np.uint64)
    return padded


def _fill(
    weights: NDArray[np.uint64], capacity: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Thresholds and other outcomes, steps 1 to 3 of :func:`alias_table`."""
    c = np.uint64(capacity)
    light, heavy = np.flatnonzero(weights < c), np.flatnonzero(weights >= c)
    lacks, over = c - weights[light], weights[heavy] - c
    D, E = np.cumsum(lacks), np.cumsum(over)  # both end at the same total, below 2^64
    threshold = weights.copy()
    other = np.arange(weights.size, dtype=np.uint64)
    other[light] = heavy[np.searchsorted(E, D - lacks, side="left")]
    first = np.searchsorted(D, E, side="right")
    drawn = np.flatnonzero(first < light.size)
    threshold[heavy] = c
    threshold[heavy[drawn]] = c - (D[first[drawn]] - E[drawn])
    other[heavy[drawn]] = heavy[drawn + 1]
    return threshold, other
