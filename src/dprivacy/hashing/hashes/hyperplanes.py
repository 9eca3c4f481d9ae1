"""Random projection: on which side of a random hyperplane does a vector lie? Keeps angles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.hashing.hashes.linear_hash import LinearHash, scaled_rows
from dprivacy.hashing.hashes.locality_hash import Bits, Input, Inputs, require_small
from dprivacy.hashing.hashes.public_randomness import item_words, normals
from dprivacy.numbers import Floats
from dprivacy.sources import result
from dprivacy.typing import Label

_BLOCK = 1024  # rows of a table computed at a time


@dataclass(frozen=True)
class RandomProjection(LinearHash):
    """Bit j is 0 when the j-th public direction points away from the vector, 1 otherwise.

    A bit tells x from z with probability d(x, z) = angle(x, z)/π, exactly the angular distance.

    Examples
    --------
    >>> H = RandomProjection(8, "demo", 2)
    >>> H.hamming([1, 2], [-1, -2])  # opposite vectors differ in every bit
    8
    """

    @property
    def metric(self) -> str:
        """Angular distance."""
        return "angular"

    def directions(self, items: Sequence[Label]) -> Floats:
        """Independent standard normals: in every dimension, a direction that is uniform."""
        return normals(item_words(self.key, "random projection", items, 2 * self.bits))

    def hash(self, values: Inputs) -> Bits:
        """The hash bits of every vector.

        Raises
        ------
        NotApplicable, WrongShape, BadNumber
            For a zero vector, mixed dimensions or numbers that are not finite, by row number.
        """
        matrix, items = self.read(values)
        return sides(self.projected(scaled_rows(matrix), items))

    def distance(self, x: Input, z: Input) -> float:
        """The angle over π, in [0, 1]; rounded up."""
        return angular_distance(*self.pair(x, z))

    def differing(self, x: Input, z: Input) -> float:
        """The angular distance itself."""
        return self.distance(x, z)

    def table(self, values: Inputs) -> Floats:
        """All angular distances."""
        matrix, _ = self.read(values)
        return angular_table(scaled_rows(matrix))


def sides(projections: Floats) -> Bits:
    """1 where a projection is not negative."""
    return np.asarray(projections >= 0, dtype=np.uint8)


@result("T", "Def 10.2.3")
def random_projection(dimension: int | None = None, *, bits: int, key: str) -> RandomProjection:
    """κ random-projection bits, which keep the angular distance.

    Parameters
    ----------
    dimension
        The length of the vectors; without it, inputs are mappings from items to numbers.
    bits, key
        As for `LocalityHash`.

    Returns
    -------
    RandomProjection
        A bit differs with probability angle(x, z)/π.

    Notes
    -----
    1. Each item gets 2κ words from SHAKE-256 of the key and the item, and from them κ normals.
    2. A bit is the sign of Σ x_i·r_i over the items that a person has: O(r·κ) for r items, whatever the
       dimension.

    A projection within rounding of 0 (one in 10¹² or so) may fall on another side on another machine.

    Examples
    --------
    >>> H = random_projection(2, bits=8, key="demo")
    >>> H.hash([[1, 2], [2, 4], [-1, -2]]).sum(axis=0).tolist() == [1 + b for b in H.hash([[1, 2]])[0]]
    True
    >>> round(H.differing([1, 0], [1, 1]), 6)
    0.25
    """
    return RandomProjection(bits, key, dimension)


def angular_distance(x: Floats, z: Floats) -> float:
    """The angle between two vectors over π; never less than it is.

    2·atan2(|u−v|, |u+v|) of the unit vectors keeps its accuracy where arccos loses it; what the
    rounding of n terms can amount to is added.
    """
    rows = scaled_rows(np.stack([x, z]))
    if np.array_equal(x, z):
        return 0.0
    u, v = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    angle = 2 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v)))
    return min(1.0, angle / math.pi + (len(x) + 16) * 2.0**-52)


def angular_table(matrix: Any) -> Floats:
    """All angular distances between rows, in blocks; accurate to about 1e-8 near 0."""
    require_small(matrix.shape[0])
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    units = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    found = np.empty((len(units), len(units)))
    for at in range(0, len(units), _BLOCK):
        cosines = np.clip(units[at : at + _BLOCK] @ units.T, -1.0, 1.0)
        found[at : at + _BLOCK] = np.arccos(cosines) / math.pi
    np.fill_diagonal(found, 0.0)
    return found
