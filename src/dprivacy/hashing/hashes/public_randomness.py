"""Randomness that everybody shares: hash functions follow from a public key, and from nothing else.

The key is not a secret and protects nothing. It makes everyone hash alike, and it must be fixed before
anybody's data is looked at. Noise never comes from here.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from dprivacy.errors import WrongKind
from dprivacy.numbers import Floats, Words
from dprivacy.sampling import KeyedSource
from dprivacy.spaces import python_value

_NAME = b"dprivacy public hash 1"


def read_key(key: Any) -> str:
    """A public key: a text that is not empty."""
    if not isinstance(key, str) or not key.strip():
        raise WrongKind(
            "key should be a text that everybody knows and that was fixed before the data were seen, "
            f"such as 'friends 2026', not a value of type {type(key).__name__}"
            + (" without a letter" if isinstance(key, str) else "")
        )
    return key


def item_words(key: str, purpose: str, items: Iterable[Any], count: int) -> Words:
    """`count` words for each item, a function of the key, the purpose and the item alone.

    Nobody has to know which items there are: a film that only one person rated gets its words like
    every other.

    Parameters
    ----------
    key
        The public key.
    purpose
        Which use the words are for; other purposes get independent words.
    items
        Texts or whole numbers.
    count
        How many words each item gets.

    Returns
    -------
    ndarray of shape (items, count)
        Words uniform on 0 … 2^64 − 1.

    Examples
    --------
    >>> item_words("demo", "example", ["tea", 7], 3).shape
    (2, 3)
    """
    start = hashlib.shake_256()
    for part in (_NAME, _encoded(key), purpose.encode()):
        start.update(len(part).to_bytes(8, "little") + part)
    pieces = []
    for item in items:
        state = start.copy()
        state.update(_item(item))
        pieces.append(state.digest(8 * count))
    words = np.frombuffer(b"".join(pieces), "<u8").astype(np.uint64, copy=False)
    return words.reshape(len(pieces), count)


def public_source(key: str, purpose: str) -> KeyedSource:
    """A stream that everybody who knows the public key can repeat."""
    digest = hashlib.sha256(_NAME + b" stream\0" + _encoded(key)).digest()
    return KeyedSource(digest, purpose)


def unit(words: Words) -> Floats:
    """Words as doubles strictly between 0 and 1."""
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def normals(words: Words) -> Floats:
    """Standard normals, one for every two words of a row (Box–Muller)."""
    half = words.shape[1] // 2
    radius = np.sqrt(-2 * np.log(unit(words[:, :half])))
    return np.asarray(radius * np.cos(2 * np.pi * unit(words[:, half:])))


def _item(item: Any) -> bytes:
    """An item with its kind, so that 1 is not "1"."""
    value = python_value(item)
    if isinstance(value, str):
        return b"text:" + _encoded(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return b"whole:" + str(value).encode()
    raise WrongKind(f"items should be texts or whole numbers, not of type {type(value).__name__}")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
