"""Coins and uniform numbers by the array, with exactly the chances that were asked for."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.sampling.random_source import Source

MOST_BOUND = 1 << 63  # of uniform numbers by the array


def toss(chance: Fraction, n: int, source: Source) -> NDArray[np.bool_]:
    """n coins that show True with exactly the given chance.

    Notes
    -----
    1. With chance c/d and t = ⌊2⁶⁴·c/d⌋, a word below t is True and one above t is False.
    2. The word t itself, one in 2⁶⁴, is left to a uniform number below d: True when it is below
       2⁶⁴·c mod d. In all True has probability (t + (2⁶⁴·c mod d)/d)/2⁶⁴ = c/d.

    Examples
    --------
    >>> from dprivacy.sampling import SystemSource
    >>> toss(Fraction(1), 3, SystemSource()).tolist(), toss(Fraction(0), 2, SystemSource()).tolist()
    ([True, True, True], [False, False])
    """
    if not 0 <= chance <= 1:
        raise BadNumber(f"a chance should be between 0 and 1, not {chance}")
    if chance == 1:
        return np.ones(n, dtype=np.bool_)
    heads, unsure = toss_of_words(chance, source.words(n))
    rest = (chance.numerator << 64) % chance.denominator
    for i in np.flatnonzero(unsure):
        heads[i] = source.below(chance.denominator) < rest
    return heads


def toss_of_words(
    chance: Fraction, words: NDArray[np.uint64], bits: int = 64
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For words of this many bits: which of them are heads, and which are left to be resolved.

    A pure function, so that the law can be counted over every word there is; `toss` takes this path.
    """
    threshold = np.uint64((chance.numerator << bits) // chance.denominator)
    return words < threshold, words == threshold


def uniform_array(bound: int, n: int, source: Source) -> NDArray[np.int64]:
    """n numbers, each exactly uniform on 0 … bound − 1, for bounds up to 2⁶³.

    Notes
    -----
    The low bits of a word, as many as bound − 1 has; numbers that are not below the bound are drawn
    again. Fewer than two rounds are needed on average.

    Examples
    --------
    >>> from dprivacy.sampling import SystemSource
    >>> numbers = uniform_array(5, 1000, SystemSource())
    >>> sorted(set(numbers.tolist()))
    [0, 1, 2, 3, 4]
    """
    if not 1 <= bound <= MOST_BOUND:
        raise BadNumber(f"a bound should be between 1 and 2^63, not {bound}")
    mask = np.uint64((1 << (bound - 1).bit_length()) - 1)
    if mask == 0:
        return np.zeros(n, dtype=np.int64)
    drawn = source.words(n) & mask
    if bound - 1 != int(mask):
        again = np.flatnonzero(drawn >= np.uint64(bound))
        while again.size:
            drawn[again] = source.words(again.size) & mask
            again = again[drawn[again] >= np.uint64(bound)]
    return drawn.astype(np.int64)
