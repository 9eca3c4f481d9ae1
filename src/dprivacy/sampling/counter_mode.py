"""The stream of one chunk of a run: AES-256 in counter mode, or SHAKE-256 without that library."""

import hmac
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, UnknownName
from dprivacy.extras import ciphers
from dprivacy.sampling.random_source import (
    KeyedSource,
    OneHolder,
    Source,
    read_count,
    read_key,
    uniform_below,
)

AES, SHAKE = "aes-256-ctr 1", "shake-256 1"
_ZEROS = memoryview(bytes(1 << 18))
_BEYOND = 2  # words of room that the library wants behind what it writes


class CtrWords(OneHolder):
    """A secure stream that whoever holds the key can repeat, and enter anywhere, at the speed of AES.

    Parameters
    ----------
    key
        The key of the run: at least 16 bytes, unpredictable, and destroyed when the run is committed.
    chunk
        Which part of the run, a whole number below 2^64. Every chunk has a key of its own, so that no
        counter is ever used twice.
    word
        Where to begin.

    Raises
    ------
    BadNumber
        For a key that is too short, and a chunk or word that is not a whole number of at least 0.
    MissingExtra
        Without the library `cryptography`.
    RepeatedStream
        On drawing in another process than the one that made the stream, on copying and on pickling.

    Notes
    -----
    1. The chunk's key is HMAC-SHA-256 of "dprivacy stream aes-256-ctr 1", a byte 0 and the chunk's
       number (8 bytes, little-endian) under the key of the run.
    2. The stream is AES-256 of 0, 1, 2, … under that key, each a number of 128 bits with the highest
       byte first. A block has two words, little-endian: word i lies in block ⌊i/2⌋.
    3. AES is a permutation, so that no block occurs twice, where random ones might. For the 2^18
       words that a chunk of 2^16 rows takes for four columns, that is seen with a probability below
       2^-95.

    Examples
    --------
    >>> stream = CtrWords(bytes(range(32)), 7)
    >>> [hex(word) for word in stream.words(2)]
    ['0x2c3d29c205bfcc96', '0x720bb9ccc3cb78f3']
    """

    def __init__(self, key: bytes, chunk: int, *, word: int = 0) -> None:
        super().__init__()
        self._chunk, start = read_count(chunk), read_count(word)
        if self._chunk >> 64:
            raise BadNumber(f"a chunk must be a number below 2^64, not {chunk}")
        name = f"dprivacy stream {AES}\0".encode() + self._chunk.to_bytes(8, "little")
        own = hmac.digest(read_key(key), name, "sha256")
        library = ciphers()
        counter = library.modes.CTR((start // 2).to_bytes(16, "big"))
        self._encryptor = library.Cipher(library.algorithms.AES(own), counter).encryptor()
        if start % 2:
            self.words(1)

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words of the stream."""
        size = 8 * read_count(n)
        out = np.empty(n + _BEYOND, "<u8")
        room = out.data.cast("B")
        with self._alone():
            for at in range(0, size, len(_ZEROS)):
                self._encryptor.update_into(_ZEROS[: size - at], room[at:])
        return out[:n].astype(np.uint64, copy=False)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1, from the next words of the stream."""
        return uniform_below(bound, lambda size: self.words(size // 8).astype("<u8").tobytes())

    def __repr__(self) -> str:
        return f"CtrWords(chunk={self._chunk})"


def best_stream() -> str:
    """The name of the fastest stream that can be had here.

    A run says by name which stream it draws from, and keeps to it.
    """
    return SHAKE if find_spec("cryptography") is None else AES


def chunk_stream(name: str, key: bytes, chunk: int) -> Source:
    """The stream of a chunk by its name: "aes-256-ctr 1", or "shake-256 1".

    Examples
    --------
    >>> chunk_stream("shake-256 1", bytes(32), 4)
    KeyedSource(partition=4)
    """
    if name == AES:
        return CtrWords(key, chunk)
    if name == SHAKE:
        return KeyedSource(key, chunk)
    raise UnknownName(f"a stream is {AES!r} or {SHAKE!r}, not {name!r:.40}")
