"""Labels in arrays of text: a hash that keeps the labels apart, then every row compared."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Characters = NDArray[np.uint32]  # one row a text, one column a character

MOST_TEXTS = 4096  # with more labels the search for a hash takes longer than it saves
_PIECE = 1 << 13  # rows at a time, which stay in the cache
_MULTIPLIERS = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 40503)
_MOST_BITS = 18


class TextTable:
    """Where each of some texts stands, for arrays whose texts have a given width.

    Parameters
    ----------
    texts, positions
        Different texts, none of which ends in NUL or is wider than the array's, and the position to
        be given for each.
    width
        Characters of a text in the array.

    Notes
    -----
    1. A few characters are enough to tell the texts apart; they are chosen greedily, the one that
       separates most first.
    2. These are hashed by multiplying and shifting, with the first multiplier and size for which no
       two texts meet.
    3. A row's hash names one text, with which the row is compared in full: nothing is taken for a
       text that it does not equal.
    """

    def __init__(
        self, texts: Sequence[str], positions: NDArray[np.unsignedinteger], width: int
    ) -> None:
        known = np.array(texts, dtype=f"U{width}")
        self.width = width
        self.positions = positions
        characters = _characters(known, width)
        self._columns = _separating(characters)
        hashes = _collision_free(characters, self._columns)
        self.found = hashes is not None
        if hashes is not None:
            self._multiplier, self._bits = hashes
            self._texts = np.zeros(1 << self._bits, dtype=np.intp)
            self._texts[self._hashed(characters)] = np.arange(len(known))
            self._known = _words(known, width)

    def look_up(self, flat: NDArray[np.str_], unknown: int) -> NDArray[np.unsignedinteger]:
        """The position of every text of an array of this width, `unknown` where it is none of them."""
        characters, words = _characters(flat, self.width), _words(flat, self.width)
        out = np.empty(len(flat), dtype=self.positions.dtype)
        for start in range(0, len(flat), _PIECE):
            rows = slice(start, start + _PIECE)
            text = self._texts.take(self._hashed(characters[rows]))
            same = words[rows] == self._known.take(text, axis=0)
            out[rows] = self.positions.take(text)
            if not same.all():
                out[rows][~same.all(axis=1)] = unknown
        return out

    def _hashed(self, characters: Characters) -> NDArray[np.intp]:
        return _mixed(characters, self._columns, self._multiplier, self._bits)


def _characters(array: NDArray[np.str_], width: int) -> Characters:
    return array.view(np.uint32).reshape(-1, width)


def _words(array: NDArray[np.str_], width: int) -> NDArray[np.unsignedinteger]:
    """The same, two characters at a time where their number is even."""
    return (
        array.view(np.uint64).reshape(-1, width // 2)
        if width % 2 == 0
        else array.view(np.uint32).reshape(-1, width)
    )


def _separating(characters: Characters) -> list[int]:
    """Columns that together differ between any two rows, the one that separates most first."""
    chosen: list[int] = []
    group = np.zeros(len(characters), dtype=np.int64)
    groups = 1
    while groups < len(characters) or not chosen:
        best, best_group = 0, group
        best_groups = -1
        for j in range(characters.shape[1]):
            pairs = (group << 32) | characters[:, j]
            distinct, finer = np.unique(pairs, return_inverse=True)
            if len(distinct) > best_groups:
                best, best_group, best_groups = j, finer.ravel(), len(distinct)
        chosen.append(best)
        group, groups = best_group.astype(np.int64), best_groups
    return chosen


def _collision_free(characters: Characters, columns: list[int]) -> tuple[int, int] | None:
    """A multiplier and a number of bits for which no two rows have the same hash; None if not found."""
    for bits in range(max(2, len(characters).bit_length()), _MOST_BITS + 1):
        for multiplier in _MULTIPLIERS:
            if len(np.unique(_mixed(characters, columns, multiplier, bits))) == len(characters):
                return multiplier, bits
    return None


def _mixed(
    characters: Characters, columns: list[int], multiplier: int, bits: int
) -> NDArray[np.intp]:
    factor = np.uint32(multiplier)
    mixed = characters[:, columns[0]] * factor
    for j in columns[1:]:
        mixed ^= characters[:, j]
        mixed *= factor
    mixed >>= np.uint32(32 - bits)
    return mixed.astype(np.intp)
