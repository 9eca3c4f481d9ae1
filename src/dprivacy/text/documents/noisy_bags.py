"""Bags: Algorithm 1 on vectors, and the exact channel on bags that a channel on elements makes."""

import math
from collections import Counter
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge, WrongShape
from dprivacy.mechanisms import read_doubles, vector_laplace, whole
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Mat
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, TableLike

_MOST_CELLS = 1_000_000


@result("T", "Alg 1", "Cor 9.8")
def noisy_bag(
    vectors: TableLike,
    *,
    eps: LevelLike,
    numerics: Literal["idealised"] | None = None,
    insecure_seed: int | None = None,
) -> NDArray[np.float64]:
    """A bag of vectors with Laplace noise on each, private for ε·N times the Earth Mover's distance.

    Parameters
    ----------
    vectors
        N vectors of one dimension, one a row.
    eps
        The level of privacy per unit of Euclidean distance.
    numerics
        Must be "idealised": the vectors that come out are doubles, whose low bits can betray an input.
        For words, whose vectors never leave, use `text_mechanism`.
    insecure_seed
        For tests only.

    Returns
    -------
    NDArray[np.float64]
        The noisy vectors, in increasing order: a bag has no order of its own, and must not show one.

    Examples
    --------
    >>> noisy = noisy_bag([[0, 1], [5, 5], [2, 3]], eps=1, numerics="idealised")
    >>> noisy.shape, bool((noisy[:-1, 0] <= noisy[1:, 0]).all())
    ((3, 2), True)
    """
    rows = read_doubles(vectors, "vectors")
    if rows.ndim != 2 or not rows.size:
        raise WrongShape(f"a bag should be rows of numbers, not an array of shape {rows.shape}")
    mechanism = vector_laplace(rows.shape[1], eps=eps, numerics=numerics)
    noisy = mechanism.randomise(rows, insecure_seed=insecure_seed)
    return np.asarray(noisy[np.lexsort(noisy.T[::-1])])


@result("T", "Thm 9.2")
def bag_channel(C: ChannelLike, size: int) -> Channel:
    """The channel on bags of one size that applies a channel to each element by itself.

    K*(b)(c) = Σ Π C(b_i)(c_σ(i)) over the distinct orders of c. If C is ε·d-private, this one is
    private for ε·N times the Earth Mover's distance of d.

    Parameters
    ----------
    C
        A channel on elements.
    size
        N, the number of elements of a bag.

    Returns
    -------
    Channel
        Its inputs and outputs are bags as tuples, in the order of the channel's labels: exact when
        C is.

    Raises
    ------
    TooLarge
        For more than a million entries.

    Notes
    -----
    The law of the noisy bag is built one element at a time: a bag of k noisy elements and one more
    element make a bag of k + 1. Orders are never listed.

    Examples
    --------
    >>> pairs = bag_channel([["2/3", "1/3"], ["1/3", "2/3"]], 2)
    >>> print(pairs[(0, 1), (0, 1)])
    5/9
    """
    channel, n = as_channel(C), whole(size, "size")
    inputs, outputs = len(channel.rows), len(channel.columns)
    counts = math.comb(inputs + n - 1, n), math.comb(outputs + n - 1, n)
    if counts[0] * counts[1] > _MOST_CELLS:
        raise TooLarge(f"{counts[0]:,} bags in and {counts[1]:,} bags out make too large a channel")
    entries = channel.matrix.entries.tolist()
    columns = list(combinations_with_replacement(range(outputs), n))
    place = {bag: j for j, bag in enumerate(columns)}
    rows = list(combinations_with_replacement(range(inputs), n))
    table = np.zeros((len(rows), len(columns)), dtype=channel.matrix.entries.dtype)
    for i, bag in enumerate(rows):
        law: Counter[tuple[int, ...]] = Counter({(): 1})
        for x in bag:
            law = _one_more(law, entries[x])
        for drawn, weight in law.items():
            table[i, place[drawn]] = weight
    named_rows = [tuple(channel.rows[x] for x in bag) for bag in rows]
    named_columns = [tuple(channel.columns[y] for y in bag) for bag in columns]
    return Channel(
        named_rows, named_columns, Mat(table, channel.matrix.den**n) if channel.exact else table
    )


def _one_more(law: Counter[tuple[int, ...]], row: list[Any]) -> Counter[tuple[int, ...]]:
    grown: Counter[tuple[int, ...]] = Counter()
    for bag, weight in law.items():
        for y, chance in enumerate(row):
            if chance:
                grown[tuple(sorted((*bag, y)))] += weight * chance
    return grown
