"""Numbers for experiments that anybody can repeat: uniform draws from a public key.

They protect nobody, and are not meant to: experiments on made-up populations should give the same
numbers in every report. What is released about people is drawn by the `sampling` room.
"""

import hashlib
import warnings

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import InsecureSeedWarning
from dprivacy.sampling import InsecureSource

_SCALE = 2.0**-53


def draws(size: int, key: str) -> NDArray[np.float64]:
    """So many numbers in [0, 1), the same for the same key.

    Examples
    --------
    >>> bool(draws(3, "a")[0] == draws(9, "a")[0] != draws(3, "b")[0])
    True
    """
    stream = hashlib.shake_256(b"dprivacy reproduce, " + key.encode()).digest(8 * size)
    words = np.frombuffer(stream, dtype="<u8")
    return (words >> np.uint64(11)).astype(np.float64) * _SCALE


def repeatable(seed: int) -> InsecureSource:
    """A source for experiments on public data, which gives the same report every time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureSeedWarning)
        return InsecureSource(seed)
