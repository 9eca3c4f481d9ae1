"""MinHash: a fair bit of the set's first item in a random order. Keeps the Jaccard distance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.hashing.hashes.locality_hash import Bits, Input, Inputs, LocalityHash, require_small
from dprivacy.hashing.hashes.public_randomness import item_words
from dprivacy.mechanisms import listed
from dprivacy.numbers import Words
from dprivacy.spaces import python_value

_CELLS = 1 << 22  # words looked at together


@dataclass(frozen=True)
class MinHash(LocalityHash):
    """Bit j is the low bit of the smallest word that the j-th public order gives to the set's items.

    Sets with the same first item get the same bit, others a fair one: a bit tells S from T with
    probability half the Jaccard distance 1 − |S∩T|/|S∪T|.

    Examples
    --------
    >>> H = MinHash(16, "demo")
    >>> H.distance({"tea", "milk"}, {"tea", "rum"}), H.hamming({"tea"}, {"tea"})
    (Fraction(2, 3), 0)
    """

    @property
    def metric(self) -> str:
        """Jaccard distance."""
        return "jaccard"

    def hash(self, values: Inputs) -> Bits:
        """The hash bits of every set.

        Raises
        ------
        NotApplicable
            For an empty set, by row number: it has no first item.
        """
        sets = read_sets(values)
        for k, row in enumerate(sets):
            if not row:
                raise NotApplicable(
                    f"row {k} is an empty set, which has no first item; leave it out"
                )
        places: dict[Any, int] = {}
        members = [[places.setdefault(item, len(places)) for item in row] for row in sets]
        words = item_words(self.key, "minhash", places, self.bits)
        found = np.empty((len(sets), self.bits), dtype=np.uint8)
        at = 0
        while at < len(sets):
            upto, cells = at, 0
            while upto < len(sets) and (
                upto == at or cells + len(members[upto]) * self.bits <= _CELLS
            ):
                cells += len(members[upto]) * self.bits
                upto += 1
            found[at:upto] = first_bits(words, members[at:upto])
            at = upto
        return found

    def distance(self, x: Input, z: Input) -> Fraction:
        """1 − |x∩z|/|x∪z|, exact."""
        first, second = read_sets([x, z])
        together = len(first | second)
        return 1 - Fraction(len(first & second), together) if together else Fraction(0)

    def differing(self, x: Input, z: Input) -> Fraction:
        """Half the Jaccard distance, exact."""
        return self.distance(x, z) / 2

    def table(self, values: Inputs) -> NDArray[np.float64]:
        """All Jaccard distances."""
        from scipy.sparse import csr_array

        sets = read_sets(values)
        require_small(len(sets))
        places: dict[Any, int] = {}
        columns = [places.setdefault(item, len(places)) for row in sets for item in row]
        starts = np.cumsum([0, *(len(row) for row in sets)])
        shape = (len(sets), len(places))
        member = csr_array((np.ones(len(columns)), columns, starts), shape=shape)
        both = (member @ member.T).toarray()
        sizes = np.diff(starts)
        either = np.maximum(sizes[:, None] + sizes[None, :] - both, 1)
        found = 1 - both / either
        np.fill_diagonal(found, 0.0)
        return np.asarray(found, dtype=np.float64)


def minhash(*, bits: int, key: str) -> MinHash:
    """κ MinHash bits, which keep the Jaccard distance of sets.

    Parameters
    ----------
    bits, key
        As for `LocalityHash`.

    Returns
    -------
    MinHash
        A bit differs with probability half the Jaccard distance. Nobody has to list all items first.

    Examples
    --------
    >>> H = minhash(bits=16, key="demo")
    >>> H.differing({"tea", "milk"}, {"tea", "rum"})
    Fraction(1, 3)
    """
    return MinHash(bits, key)


def first_bits(words: Words, members: list[list[int]]) -> Bits:
    """The low bit of the smallest of its items' words, for every set and every column of words."""
    starts = np.cumsum([0, *(len(row) for row in members[:-1])])
    together = np.concatenate([np.asarray(row, dtype=np.intp) for row in members])
    smallest = np.minimum.reduceat(words[together], starts, axis=0)
    return np.asarray(smallest & np.uint64(1), dtype=np.uint8)


def read_sets(values: Inputs) -> list[frozenset[Any]]:
    """Sets of texts or whole numbers, one an input."""
    found = []
    for k, row in enumerate(listed(values)):
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise WrongKind(
                f"row {k} should be a set of items, not a value of type {type(row).__name__}"
            )
        items = [python_value(item) for item in row]
        if any(isinstance(item, bool) or not isinstance(item, str | int) for item in items):
            raise WrongKind(f"row {k}: items should be texts or whole numbers")
        found.append(frozenset(items))
    return found
