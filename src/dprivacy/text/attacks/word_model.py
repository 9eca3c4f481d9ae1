"""A small model of a language: how common words are, and which follow each other."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TRUST = 0.6  # the exponent of p(w | before)/p(w): a small model is too sure of itself


class WordModel:
    """Counts of words and of pairs in public texts, smoothed.

    Parameters
    ----------
    texts
        The places of each text's words in a vocabulary.
    size
        The number of words of the vocabulary; that place itself is for unknown words.

    Examples
    --------
    >>> model = WordModel([[0, 1, 0, 1]], 2)
    >>> bool(model.following(np.array([0]), np.array([1]))[0, 0] > model.single[1])
    True
    """

    def __init__(self, texts: Sequence[Sequence[int]], size: int) -> None:
        self.size = size + 1
        read = [np.asarray(text, dtype=np.int64) for text in texts if len(text)]
        every = np.concatenate(read) if read else np.empty(0, dtype=np.int64)
        counts = np.bincount(every, minlength=self.size) + 0.5
        self.single: NDArray[np.float64] = counts / counts.sum()
        pairs = [text[:-1] * self.size + text[1:] for text in read]
        found = np.concatenate(pairs) if pairs else np.empty(0, dtype=np.int64)
        self._pairs, self._counts = np.unique(found, return_counts=True)

    @cached_property
    def _table(self) -> tuple[Any, NDArray[np.float64]]:
        """p(w | before) of the counts, and how far they are trusted, by Witten and Bell."""
        from scipy import sparse

        before = self._pairs // self.size
        totals = np.bincount(before, self._counts, self.size)
        kinds = np.bincount(before, minlength=self.size)
        shares = self._counts / totals[before]
        table = sparse.csr_array(
            (shares, (before, self._pairs % self.size)), shape=(self.size, self.size)
        )
        return table, totals / np.maximum(totals + 3 * kinds, 1)

    def following(self, before: NDArray[np.intp], words: NDArray[np.intp]) -> NDArray[np.float64]:
        """p(w)·(p(w | before)/p(w))^0.6, a row for each word before and a column for each after."""
        table, trust = self._table
        counted = table[before][:, words].toarray()
        share, single = trust[before][:, None], self.single[words]
        mixed = share * counted + (1 - share) * single
        return np.asarray(single * (mixed / single) ** _TRUST)
