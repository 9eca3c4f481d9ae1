"""Keyed words for many streams at once: AES-256 on arrays of blocks, each lane in its own order."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.extras import ciphers
from dprivacy.numbers import Frozen, Words
from dprivacy.sampling.random_source import Source, read_count, uniform_below

BLOCK = 16  # bytes
PIECE = 1 << 14  # blocks at a time, which stay in the cache
_WORD = np.dtype("<u8")
_AHEAD = 32  # words of one lane that are made at a time

Blocks = NDArray[np.uint64]  # rows of two words, little-endian
BlockCipher = Callable[[Blocks], Blocks]


def block_cipher(key: bytes) -> BlockCipher:
    """AES-256 under a key of 32 bytes, on every row of an array of blocks.

    Examples
    --------
    >>> once = block_cipher(bytes(range(32)))(new_blocks(1))
    >>> once.tobytes().hex()
    'f29000b62a499fd0a9f39a6add2e7780'
    """
    library = ciphers()
    encryptor = library.Cipher(library.algorithms.AES(key), library.modes.ECB()).encryptor()

    def apply(blocks: Blocks) -> Blocks:
        out: Any = np.empty((len(blocks) + 1, 2), _WORD)  # the library wants room for a block more
        source, target = memoryview(_gapless(blocks)).cast("B"), memoryview(out).cast("B")
        for at in range(0, len(blocks) * BLOCK, PIECE * BLOCK):
            piece = source[at : at + PIECE * BLOCK]
            encryptor.update_into(piece, target[at : at + len(piece) + BLOCK - 1])
        return np.asarray(out[:-1])

    return apply


def new_blocks(n: int) -> Blocks:
    """So many blocks of zeros."""
    return np.zeros((n, 2), _WORD)


def _gapless(blocks: Blocks) -> Any:
    return np.ascontiguousarray(blocks, _WORD) if len(blocks) else b""


@runtime_checkable
class InLanes(Protocol):
    """A source in which every draw has words of its own."""

    def lane(self, i: int) -> Source:
        """Where the i-th draw reads on."""
        ...


class Lanes(Frozen):
    """Many streams of random words under one key, of which each is read in its own order.

    Block j of a lane is AES-256, under the key, of the lane's 128 bits with j added bit by bit (xor) to
    their first word; it holds the lane's words 2j and 2j + 1. A sampler that asks for a word for
    every lane, and lets those that are not done go on alone, gives each lane what it would have drawn
    by itself.

    Parameters
    ----------
    key
        32 secret bytes.
    starts
        The 128 bits of each lane: words that nobody can tell from random ones without their own key.
    at
        The position from which each lane is read; the first word when omitted.

    Examples
    --------
    >>> starts = np.arange(6, dtype=np.uint64).reshape(3, 2)
    >>> lanes, alone = Lanes(b"k" * 32, starts), Lanes(b"k" * 32, starts[1:2])
    >>> firsts, seconds = lanes.words(3), lanes.words(3)
    >>> [firsts[1], seconds[1]] == alone.lane(0).words(2).tolist()
    True
    """

    _key: bytes
    _cipher: BlockCipher
    _starts: Blocks
    _at: Words

    def __init__(self, key: bytes, starts: Blocks, at: Words | None = None) -> None:
        first = np.zeros(len(starts), _WORD) if at is None else at
        self._set(_key=key, _cipher=block_cipher(key), _starts=starts, _at=first)

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def __len__(self) -> int:
        return len(self._starts)

    def words(self, n: int) -> Words:
        """The next word of every lane; n is how many there are."""
        if n != len(self):
            raise WrongShape(f"{len(self)} lanes have one next word each, and {n} were asked for")
        made = self._cipher(_counted(self._starts, self._at))
        words = made[np.arange(n), (self._at & 1).astype(np.intp)]
        np.add(self._at, 1, out=self._at)
        return words.astype(np.uint64, copy=False)

    def below(self, bound: int) -> int:
        """Not of all lanes at once: choose one with `lane`."""
        raise WrongShape(f"a number below {bound} is drawn from one lane; choose it with lane")

    def lane(self, i: int) -> "Lane":
        """One lane by itself, from where it is; what is read there is read here too."""
        return Lane(self, i)

    def only(self, chosen: NDArray[Any]) -> "Lanes":
        """Some of the lanes, from where they are."""
        return Lanes(self._key, self._starts[chosen], self._at[chosen])

    def _bytes(self, i: int, at: int, count: int) -> bytes:
        """So many words of a lane from a position on, whatever was read."""
        first = at // 2
        blocks = -(-(at + count) // 2) - first
        numbers = 2 * (first + np.arange(blocks, dtype=_WORD))
        made = self._cipher(_counted(np.repeat(self._starts[i : i + 1], blocks, axis=0), numbers))
        return made.reshape(-1)[at % 2 : at % 2 + count].tobytes()

    def __repr__(self) -> str:
        return f"<{len(self)} lanes>"


class Lane:
    """One of several lanes as a source."""

    __slots__ = ("_from", "_i", "_lanes", "_ready")

    def __init__(self, lanes: Lanes, i: int) -> None:
        self._lanes, self._i = lanes, i
        self._from, self._ready = 0, b""  # words ahead, from a position on

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def _take(self, size: int) -> bytes:
        """The next bytes, in whole words."""
        at = int(self._lanes._at[self._i])
        begin = (at - self._from) * _WORD.itemsize
        if begin < 0 or begin + size > len(self._ready):
            count = max(size // _WORD.itemsize, _AHEAD)
            self._from, self._ready = at, self._lanes._bytes(self._i, at, count)
            begin = 0
        self._lanes._at[self._i] = at + size // _WORD.itemsize
        return self._ready[begin : begin + size]

    def words(self, n: int) -> Words:
        """The next n words of the lane."""
        taken = np.frombuffer(self._take(_WORD.itemsize * read_count(n)), _WORD)
        return taken.astype(np.uint64, copy=False)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1, from the lane's next words."""
        return uniform_below(bound, self._take)


def lane_of(source: Source, i: int) -> Source:
    """Where the i-th of several draws reads on: its own lane, or the one stream of all."""
    return source.lane(i) if isinstance(source, InLanes) else source


def _counted(starts: Blocks, at: Words) -> Blocks:
    """The blocks in which words at these positions lie."""
    blocks = starts.copy()
    blocks[:, 0] ^= at >> 1
    return blocks
