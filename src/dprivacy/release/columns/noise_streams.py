"""The noise of a run: one keyed stream for each chunk of it."""

import numpy as np
from numpy.typing import NDArray

from dprivacy.sampling import chunk_stream

_BEFORE = (1 << 64) - 1  # no run has so many chunks


class ChunkStreams:
    """A source that starts a stream of its own for every chunk of a run.

    A chunk's noise depends on the run's key, the stream's name and the chunk's number alone, so that a
    run that stopped goes on at any chunk with the noise that it would have had.

    Parameters
    ----------
    key, secure
        The key of the run, and whether it is one that nobody can guess.
    name
        The name of the stream, of `best_stream` where the run began; wherever the run goes on, it is
        the same.
    """

    __slots__ = ("_key", "_stream", "name", "secure")

    def __init__(self, key: bytes, name: str, *, secure: bool = True) -> None:
        self._key, self.name, self.secure = key, name, secure
        self._stream = chunk_stream(name, key, _BEFORE)

    def start(self, chunk: int) -> None:
        """Begin the stream of a chunk."""
        self._stream = chunk_stream(self.name, self._key, chunk)

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words of the chunk's stream."""
        return self._stream.words(n)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1, from the chunk's stream."""
        return self._stream.below(bound)

    def __repr__(self) -> str:
        return "ChunkStreams()"
