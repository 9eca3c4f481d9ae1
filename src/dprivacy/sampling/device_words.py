"""Words that a person's device can repeat: permanent answers, as the JavaScript client draws them."""

import hmac

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongKind
from dprivacy.sampling.random_source import read_count, read_key, uniform_below

_BLOCK = 32  # bytes of an HMAC-SHA-256, four words


class DeviceSource:
    """The words of one permanent answer: a function of a key, the question, the context and the value.

    A device that is asked again draws from the same words and repeats itself. Browsers have HMAC and
    not SHAKE, so that this is another construction than that of `KeyedSource`; it is exact if HMAC is
    ideal.

    Parameters
    ----------
    key
        At least 16 secret bytes that stay on the device.
    question
        The hash of the mechanism's file.
    context
        What is asked, such as "smokes"; another context has independent words.
    *value
        The position of the true value among the labels, or several whole numbers, such as those of a
        cell.

    Notes
    -----
    Block i is HMAC-SHA-256(key, "dprivacy client 1" 0 question 0 context 0 value i), where 0 is a byte
    and every number has eight bytes, the highest first. A block has four words, little-endian. A hash
    holds no byte 0, and the values of one mechanism are equally many: a message can be read in one way
    only.

    Examples
    --------
    >>> source = DeviceSource(b"k" * 32, "6f…", "smokes", 1)
    >>> again = DeviceSource(b"k" * 32, "6f…", "smokes", 1)
    >>> bool((source.words(9) == again.words(9)).all())
    True
    >>> source.secure, 0 <= source.below(6) < 6
    (True, True)
    """

    def __init__(self, key: bytes, question: str, context: str, *value: int) -> None:
        told: tuple[object, object] = question, context
        if not all(isinstance(text, str) for text in told):
            raise WrongKind("the question and the context are texts, such as a hash and 'smokes'")
        self._key = read_key(key)
        self._head = b"\0".join(
            [b"dprivacy client 1", question.encode(), context.encode(), _numbers(*value)]
        )
        self._block = 0
        self._left = b""

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def _take(self, size: int) -> bytes:
        pieces = [self._left]
        for _ in range(-(-(size - len(self._left)) // _BLOCK)):
            pieces.append(hmac.digest(self._key, self._head + _numbers(self._block), "sha256"))
            self._block += 1
        ready = b"".join(pieces)
        self._left = ready[size:]
        return ready[:size]

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words."""
        taken = np.frombuffer(self._take(8 * read_count(n)), "<u8")
        return taken.astype(np.uint64, copy=False)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1, from the next words."""
        return uniform_below(bound, self._take)

    def __repr__(self) -> str:
        return "DeviceSource()"


def _numbers(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "big", signed=True) for number in numbers)
