"""What every locality-sensitive hash offers: bits, and the chance that one of them tells x from z."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.hashing.hashes.public_randomness import read_key
from dprivacy.mechanisms import whole
from dprivacy.sources import result
from dprivacy.spaces import Distance

Bits = NDArray[np.uint8]
Input: TypeAlias = Any  # a vector, a mapping, a set or bits: each hash reads its own kind
Inputs: TypeAlias = Any  # several of them: a list, an array, a column
Number = Fraction | float

_MOST_IN_TABLE = 20_000  # inputs of a table of all distances
_MOST_BITS = 1 << 16


@result("T", "Def 10.2.1", "Def 10.2.2")
@dataclass(frozen=True)
class LocalityHash(ABC):
    """κ hash bits, each of which tells x from z with a chance that grows with their distance.

    The κ functions are drawn independently from the family by a public key: everyone who knows the
    key hashes alike. A hash is *not* a protection (see `bare_hash`).

    Parameters
    ----------
    bits
        κ, how many bits there are.
    key
        A text that everybody knows, fixed before the data were seen.

    Examples
    --------
    >>> from dprivacy.hashing import bit_sampling
    >>> H = bit_sampling(6, bits=3, key="demo")
    >>> isinstance(H, LocalityHash), H == bit_sampling(6, bits=3, key="other")
    (True, False)
    >>> x, z = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
    >>> H.metric, H.hash([x, z]).shape, 0 <= H.hamming(x, z) <= 3
    ('hamming', (2, 3), True)
    >>> print(H.distance(x, z), H.differing(x, z), H.table([x, z]).tolist())
    2 1/3 [[0.0, 2.0], [2.0, 0.0]]
    """

    bits: int
    key: str

    def __post_init__(self) -> None:
        if whole(self.bits, "bits") > _MOST_BITS:
            raise TooLarge(f"bits must be at most {_MOST_BITS}, not {self.bits}")
        object.__setattr__(self, "bits", int(self.bits))
        read_key(self.key)

    @property
    @abstractmethod
    def metric(self) -> str:
        """The distance that the bits keep, by name."""

    @abstractmethod
    def hash(self, values: Inputs) -> Bits:
        """The hash bits of every input: an array of shape (inputs, κ)."""

    @abstractmethod
    def distance(self, x: Input, z: Input) -> Distance:
        """How far apart two inputs are; a float is rounded up."""

    @abstractmethod
    def differing(self, x: Input, z: Input) -> Number:
        """The chance that one random bit tells x from z; a float is rounded up."""

    @abstractmethod
    def table(self, values: Inputs) -> NDArray[np.float64]:
        """All distances between inputs, as floats."""

    def hamming(self, x: Input, z: Input) -> int:
        """How many of these κ bits do tell x from z."""
        first, second = self.hash([x])[0], self.hash([z])[0]
        return int((first != second).sum())


@dataclass(frozen=True)
class HashedInputs:
    """Inputs of a hash, as far apart as their hash strings: the number of bits that differ.

    Examples
    --------
    >>> from dprivacy.hashing import random_projection
    >>> space = HashedInputs(random_projection(2, bits=8, key="demo"))
    >>> space.distance([1, 2], [2, 4]), space.distance([1, 2], [-1, -2])
    (Fraction(0, 1), Fraction(8, 1))
    """

    function: LocalityHash

    def distance(self, x: Input, z: Input) -> Distance:
        """The Hamming distance of the two hash strings."""
        return Fraction(self.function.hamming(x, z))


def require_small(n: int) -> None:
    """Refuse a table of all distances that would not fit."""
    if n > _MOST_IN_TABLE:
        raise TooLarge(
            f"a table of the distances of {n:,} inputs has {n * n:,} entries; take a sample of at "
            f"most {_MOST_IN_TABLE:,}"
        )
