"""Bit sampling: some of the bits of a string, chosen at random. Keeps the Hamming distance."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.hashing.hashes.locality_hash import Bits, Input, Inputs, LocalityHash, require_small
from dprivacy.hashing.hashes.packed_bits import hamming_distances, read_bits
from dprivacy.hashing.hashes.public_randomness import public_source
from dprivacy.mechanisms import whole


@dataclass(frozen=True)
class BitSampling(LocalityHash):
    """Bit j is the bit at the j-th public position of the string.

    A bit tells x from z with probability (number of bits that differ)/length.

    Examples
    --------
    >>> H = BitSampling(3, "demo", 6)
    >>> H.distance([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    Fraction(2, 1)
    >>> H.positions.tolist()
    [2, 2, 0]
    """

    length: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", whole(self.length, "length"))

    @property
    def metric(self) -> str:
        """Hamming distance."""
        return "hamming"

    @cached_property
    def positions(self) -> NDArray[np.intp]:
        """The κ positions: independent and exactly uniform, so that one may come twice."""
        source = public_source(self.key, "bit sampling")
        return np.array([source.below(self.length) for _ in range(self.bits)], dtype=np.intp)

    def hash(self, values: Inputs) -> Bits:
        """The hash bits of every string (rows of zeros and ones)."""
        return np.ascontiguousarray(self._read(values)[:, self.positions])

    def distance(self, x: Input, z: Input) -> Fraction:
        """How many bits differ, exact."""
        first, second = self._read([x, z])
        return Fraction(int((first != second).sum()))

    def differing(self, x: Input, z: Input) -> Fraction:
        """The share of bits that differ, exact."""
        return self.distance(x, z) / self.length

    def table(self, values: Inputs) -> NDArray[np.float64]:
        """All Hamming distances."""
        strings = self._read(values)
        require_small(len(strings))
        return hamming_distances(strings).astype(np.float64)

    def _read(self, values: Inputs) -> Bits:
        array = read_bits(values)
        if array.shape[1] != self.length:
            raise WrongShape(
                f"bit strings should be rows of {self.length} zeros and ones, not of {array.shape[1]}"
            )
        return array


def bit_sampling(length: int, *, bits: int, key: str) -> BitSampling:
    """κ sampled bits of a string, which keep the Hamming distance.

    Parameters
    ----------
    length
        The length of the strings.
    bits, key
        As for `LocalityHash`.

    Returns
    -------
    BitSampling
        A bit differs with probability (bits that differ)/length.

    Examples
    --------
    >>> H = bit_sampling(6, bits=3, key="demo")
    >>> H.differing([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    Fraction(1, 3)
    """
    return BitSampling(bits, key, length)
