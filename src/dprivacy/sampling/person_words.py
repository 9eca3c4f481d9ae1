"""128 keyed bits for each person, all rows at once, from which permanent noise is derived."""

import hmac

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.extras import ciphers
from dprivacy.numbers import Frozen, Words
from dprivacy.sampling.lane_words import (
    BLOCK,
    PIECE,
    Blocks,
    Lane,
    Lanes,
    block_cipher,
    new_blocks,
)
from dprivacy.sampling.random_source import read_key

CONSTRUCTION = "permanent 3"  # another one has other noise, and is paid for anew
_WHOLE, _TEXT = 1, 2
_LONG = 1 << 10  # bytes from which a text is chained by itself
_MASKS = np.array([[255] * k + [0] * (BLOCK - k) for k in range(BLOCK + 1)], np.uint8).view("<u8")


class PersonTags(Frozen):
    """128 bits for each person that nobody without the key can tell from random ones.

    Parameters
    ----------
    key
        At least 16 secret bytes.

    Notes
    -----
    1. A person is written in blocks of 16 bytes. A whole number of 64 bits is one block, its value and
       then 1, eight bytes each and little-endian. A text is a block of its length in bytes and 2, and
       then its bytes, filled up with zeros. No person's blocks are the beginning of another's.
    2. The tag is the last block of AES-256-CBC from zeros, under HMAC-SHA-256(key,
       "dprivacy permanent 3 person"). On messages of which none begins another, this is a
       pseudo-random function as long as AES is a pseudo-random permutation, up to about (blocks in
       all)²/2^128.

    Examples
    --------
    >>> tags = PersonTags(b"k" * 32)
    >>> numbers = tags.of_whole(np.array([7, 8, 7]))
    >>> bool((numbers[0] == numbers[2]).all()), bool((numbers[0] == numbers[1]).any())
    (True, False)
    >>> tags.mark == PersonTags(b"k" * 32).mark, tags.mark == PersonTags(b"j" * 32).mark
    (True, False)
    >>> names = np.frombuffer(b"annbob", dtype=np.uint8)
    >>> tags.of_texts(names, np.array([0, 3, 6])).shape == tags.of_whole(np.array([1, 2])).shape
    True
    """

    _key: bytes

    def __init__(self, key: bytes) -> None:
        told = f"dprivacy {CONSTRUCTION} person".encode()
        self._set(_key=hmac.digest(read_key(key), told, "sha256"))

    @property
    def mark(self) -> bytes:
        """By which two of them are known to have the same key; it gives nothing away."""
        return hmac.digest(self._key, b"mark", "sha256")

    def of_whole(self, numbers: NDArray[np.int64]) -> Blocks:
        """The tags of people who are whole numbers."""
        blocks = new_blocks(len(numbers))
        blocks[:, 0] = numbers.astype("<i8", copy=False).view("<u8")
        blocks[:, 1] = _WHOLE
        return block_cipher(self._key)(blocks)

    def of_texts(self, data: NDArray[np.uint8], ends: NDArray[np.integer]) -> Blocks:
        """The tags of people who are texts, one after the other in `data`.

        Parameters
        ----------
        data
            The bytes of all texts.
        ends
            Where each of them begins, and where the last one ends.
        """
        cipher, tags = block_cipher(self._key), new_blocks(len(ends) - 1)
        padded = np.concatenate([data[: ends[-1]], np.zeros(BLOCK, np.uint8)])
        windows = np.ndarray((len(padded) - BLOCK + 1,), f"V{BLOCK}", padded, strides=(1,))
        for at in range(0, len(tags), PIECE):
            begin = ends[at : at + PIECE + 1].astype(np.intp)
            lengths = np.diff(begin)
            state = new_blocks(len(lengths))
            state[:, 0], state[:, 1] = lengths, _TEXT
            state = cipher(state)
            short = int(lengths.max(initial=0)) < _LONG
            reach = lengths if short else np.where(lengths < _LONG, lengths, 0)
            for k in range(0, int(reach.max(initial=0)), BLOCK):
                every = int(reach.min()) > k
                rows = slice(None) if every else np.flatnonzero(reach > k)
                block = windows[begin[:-1][rows] + k].view("<u8").reshape(-1, 2)
                block &= _MASKS.take(np.minimum(reach[rows] - k, BLOCK), axis=0)
                block ^= state if every else state[rows]
                state[rows] = cipher(block)
            for row in () if short else np.flatnonzero(lengths >= _LONG):
                state[row] = self._chained(data[begin[row] : begin[row + 1]].tobytes())
            tags[at : at + PIECE] = state
        return tags

    def _chained(self, text: bytes) -> Blocks:
        """The tag of one text, as it is defined."""
        library = ciphers()
        mode = library.modes.CBC(bytes(BLOCK))
        chain = library.Cipher(library.algorithms.AES(self._key), mode).encryptor()
        head = len(text).to_bytes(8, "little") + _TEXT.to_bytes(8, "little")
        last = chain.update(head + text + bytes(-len(text) % BLOCK))[-BLOCK:]
        return np.frombuffer(last, "<u8")

    def __repr__(self) -> str:
        return "PersonTags()"


def lanes_of(key: bytes, tags: Blocks, *values: NDArray[np.integer]) -> Lanes:
    """A lane for each person and value, under the key of a question.

    Parameters
    ----------
    key
        32 secret bytes that belong to one question.
    tags
        The people's tags.
    *values
        One whole number of each, such as the position of a listed value; or several, such as those of
        a cell.

    Notes
    -----
    1. Of one number v the lane's 128 bits are the tag, its second word xor v. A lane's words lie at
       different first words of that, so that no two lanes of one person meet.
    2. Several numbers are chained to the tag, two a block, by AES-256 under a key of their own.

    Two lanes of different people meet with a chance of about (blocks in all)²/2^128.

    Examples
    --------
    >>> people = PersonTags(b"k" * 32).of_whole(np.array([7, 8]))
    >>> lanes_of(b"q" * 32, people, np.array([0, 0])).words(2).shape
    (2,)
    """
    starts = tags.copy()
    if len(values) == 1:
        starts[:, 1] ^= _bits(values[0])
        return Lanes(key, starts)
    cipher = block_cipher(hmac.digest(key, b"dprivacy several numbers", "sha256"))
    for k in range(0, len(values), 2):
        for side, numbers in enumerate(values[k : k + 2]):
            starts[:, side] ^= _bits(numbers)
        starts = cipher(starts)
    return Lanes(key, starts)


class FirstWords:
    """The lanes of `lanes_of` with one number as one source: the first word of each, row by row.

    `lane(i)` reads on where the first word of row i leaves something open.
    """

    __slots__ = ("_at", "_cipher", "_key", "_tags", "_values")

    def __init__(self, key: bytes, tags: Blocks, values: NDArray[np.integer]) -> None:
        self._key, self._tags, self._values = key, tags, _bits(values)
        self._cipher, self._at = block_cipher(key), 0

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def words(self, n: int) -> Words:
        """The first word of each of the next n rows."""
        here = slice(self._at, self._at + n)
        self._at += n
        tags = self._tags[here]
        if len(tags) != n:
            raise WrongShape(f"{len(self._tags)} people have one first word each")
        blocks = np.empty_like(tags)
        blocks[:, 0] = tags[:, 0]
        np.bitwise_xor(tags[:, 1], self._values[here], out=blocks[:, 1])
        return self._cipher(blocks)[:, 0]

    def below(self, bound: int) -> int:
        """Not of all rows at once: choose one with `lane`."""
        raise WrongShape(f"a number below {bound} is drawn from one lane; choose it with lane")

    def lane(self, i: int) -> Lane:
        """What follows the first word of a row."""
        row = slice(i, i + 1)
        lanes = lanes_of(self._key, self._tags[row], self._values[row].view("<i8"))
        lanes.words(1)
        return lanes.lane(0)


def _bits(numbers: NDArray[np.integer]) -> NDArray[np.uint64]:
    return numbers.astype("<i8", copy=False).view("<u8")
