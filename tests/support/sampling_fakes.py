"""Sources that hand out what a test tells them to."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


class Scripted:
    """Words and uniform numbers from two lists; asking for more than there is fails the test."""

    secure = False

    def __init__(
        self, words: Sequence[int] | NDArray[np.uint64] = (), below: Iterable[int] = ()
    ) -> None:
        self._words = np.array(words, dtype=np.uint64)
        self._below = iter(below)
        self.bounds: list[int] = []

    def words(self, n: int) -> NDArray[np.uint64]:
        assert n <= self._words.size, "more words were taken than the script has"
        taken, self._words = self._words[:n], self._words[n:]
        return taken

    def below(self, bound: int) -> int:
        self.bounds.append(bound)
        value = next(self._below)
        assert 0 <= value < bound
        return value
