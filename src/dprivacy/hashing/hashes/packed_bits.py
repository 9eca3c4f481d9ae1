"""Hamming distances of bit strings packed into words, and the nearest strings by them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, UnknownCategory, WrongShape
from dprivacy.mechanisms import refuse_masked, whole
from dprivacy.numbers import Sealed
from dprivacy.sampling import Source, choose_source

Words = NDArray[np.unsignedinteger[Any]]
Whole = NDArray[np.intp]
BitsLike: TypeAlias = Sequence[Sequence[int]] | NDArray[Any]  # rows of zeros and ones

_BLOCK = 1 << 18  # distances computed at a time: they stay in cache
_PROBED = 1 << 12  # distances that a first limit is taken from
_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Neighbours(Sealed):
    """The k nearest of every query, nearest first.

    Parameters
    ----------
    places
        Row numbers among the strings searched: shape (queries, k).
    distances
        Their Hamming distances.

    Examples
    --------
    >>> found = nearest([[0, 0, 0], [0, 0, 1], [1, 1, 1]], k=1)
    >>> found.distances.ravel().tolist()
    [1, 1, 2]
    """

    places: Whole
    distances: NDArray[np.int64]


def pack(bits: BitsLike) -> Words:
    """Rows of zeros and ones as one word of 8, 16 or 32 bits, or as many of 64 bits as it takes.

    Examples
    --------
    >>> pack([[0, 1, 1], [0, 0, 0]]).tolist()
    [[96], [0]]
    """
    parts = np.packbits(read_bits(bits), axis=1)
    size = next((size for size in (1, 2, 4) if size >= parts.shape[1]), 8)
    words = np.zeros((len(parts), -(-parts.shape[1] // size) * size), dtype=np.uint8)
    words[:, : parts.shape[1]] = parts
    return words.view(f"u{size}")


def read_bits(bits: BitsLike) -> NDArray[np.uint8]:
    """Bit strings as an array of zeros and ones, one string a row."""
    refuse_masked(bits)
    try:
        array = np.asarray(bits)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] == 0 or array.dtype.kind not in "biufO":
        raise WrongShape("bit strings should be rows of zeros and ones, all of one length")
    strange = np.flatnonzero(((array != 0) & (array != 1)).any(axis=1))
    if len(strange):
        raise UnknownCategory(f"row {int(strange[0])} should contain zeros and ones only")
    return array.astype(np.uint8, copy=False)


def hamming_distances(bits: BitsLike, others: BitsLike | None = None) -> NDArray[np.int64]:
    """How many bits differ, between every string and every other.

    Parameters
    ----------
    bits
        One string a row.
    others
        Strings to compare with; the same ones when omitted.

    Returns
    -------
    ndarray of shape (strings, others)
        The Hamming distances.

    Examples
    --------
    >>> hamming_distances([[0, 1, 1], [0, 0, 0]]).tolist()
    [[0, 2], [2, 0]]
    """
    first, second, _ = _packed(bits, others)
    return _distances(first, second, np.dtype(np.int64))


def nearest(
    bits: BitsLike, *, k: int, queries: BitsLike | None = None, source: Source | None = None
) -> Neighbours:
    """The k strings nearest to each query; among equally near ones, random ones.

    Parameters
    ----------
    bits
        The strings to search, one a row.
    k
        How many to return.
    queries
        Strings to look for. When omitted, every string looks for the others, itself left out.
    source
        Where the choice among equals comes from; the operating system by default.

    Returns
    -------
    Neighbours
        Places and distances.

    Notes
    -----
    1. Strings are packed into words; a distance is a bit count of an exclusive or.
    2. Block by block, the k-th smallest of a query's first distances is a limit: only what is no
       farther is looked at again.
    3. These few are sorted by distance and then by a random word.

    O(n) for a query; 10⁵ strings of 64 bits take 0.8 MB, and the blocks little more.

    Examples
    --------
    >>> nearest([[0, 0, 0], [0, 0, 1], [1, 1, 1]], k=1).places.ravel().tolist()
    [1, 0, 1]
    """
    known, asked, width = _packed(bits, queries)
    among = len(known) - (queries is None)
    if whole(k, "k") > among:
        raise BadNumber(
            f"k should be at most {among}, the number of strings to choose from, not {k}"
        )
    words = source or choose_source()
    smallest = np.dtype(np.uint8 if width < 255 else np.uint16 if width < 65_535 else np.int64)
    places = np.empty((len(asked), k), dtype=np.intp)
    apart = np.empty((len(asked), k), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(known)))
    for at in range(0, len(asked), step):
        table = _distances(asked[at : at + step], known, smallest)
        if queries is None:
            rows = np.arange(len(table))
            table[rows, at + rows] = width + 1  # nobody is their own neighbour
        chosen = _chosen(table, k, width, words)
        places[at : at + step] = chosen
        apart[at : at + step] = np.take_along_axis(table, chosen, axis=1)
    return Neighbours(places, apart)


def _chosen(table: NDArray[Any], k: int, width: int, source: Source) -> Whole:
    limit = _kth_smallest(table[:, : max(_PROBED, 16 * k)], k, width)
    rows, columns = np.divmod(np.flatnonzero(table <= limit[:, None]), table.shape[1])
    order = np.lexsort((source.words(len(rows)), table[rows, columns], rows))
    starts = np.searchsorted(rows, np.arange(len(table)))  # rows come in order, before and after
    picked = order[starts[:, None] + np.arange(k)]
    return np.asarray(columns[picked], dtype=np.intp)


def _kth_smallest(table: NDArray[Any], k: int, width: int) -> NDArray[Any]:
    """The k-th smallest entry of every row, by bisection: entries are 0 … width + 1, so counts do."""
    low, high = np.zeros(len(table), dtype=np.int64), np.full(len(table), width + 1)
    for _ in range((width + 1).bit_length()):
        middle = (low + high) // 2
        below = np.add.reduce(table <= middle.astype(table.dtype)[:, None], axis=1, dtype=np.uint32)
        enough = below >= k
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return low.astype(table.dtype)


def _distances(first: Words, second: Words, dtype: np.dtype[Any]) -> NDArray[Any]:
    found = _count(first[:, :1] ^ second[None, :, 0], dtype)
    for word in range(1, first.shape[1]):
        found += _count(first[:, word, None] ^ second[None, :, word], dtype)
    return found


def _count(words: Words, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The number of ones in each word."""
    counter = getattr(np, "bitwise_count", None)  # since numpy 2
    if counter is not None:
        return np.asarray(counter(words)).astype(dtype, copy=False)
    ones = _ONES[words.view(np.uint8).reshape(*words.shape, words.itemsize)]
    return np.asarray(ones.sum(axis=-1), dtype=dtype)


def _packed(bits: BitsLike, others: BitsLike | None) -> tuple[Words, Words, int]:
    """Both packed (the first twice, where there are no others), and the length of the strings."""
    first = read_bits(bits)
    second = first if others is None else read_bits(others)
    if first.shape[1] != second.shape[1]:
        raise WrongShape(
            f"strings that are compared should be of one length, not of {first.shape[1]} and "
            f"{second.shape[1]} bits"
        )
    known = pack(first)
    return known, known if others is None else pack(second), first.shape[1]
