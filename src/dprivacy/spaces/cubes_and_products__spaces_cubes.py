"""Hamming spaces: bit strings, databases of n rows, sets under symmetric difference."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product as cartesian
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distances, require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import Label, read_labels


def _hamming_table(rows: Sequence[Sequence[Any]], labels: Sequence[Label]) -> FiniteSpace:
    codes: dict[Any, int] = {}
    coded = np.array(
        [[codes.setdefault(v, len(codes)) for v in row] for row in rows], dtype=np.int32
    )
    apart = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for column in coded.T:
        apart += column[:, None] != column
    return FiniteSpace(
        labels, Distances.coded(apart, Fraction), edges=np.argwhere(np.triu(apart == 1))
    )


def hamming_cube(bits: int) -> FiniteSpace:
    """All bit strings of a length, as tuples of 0 and 1; the distance counts differing bits.

    Examples
    --------
    >>> hamming_cube(3).distance((0, 0, 0), (1, 0, 1))
    Fraction(2, 1)
    """
    return hamming((0, 1), bits)


def hamming(values: Iterable[Label], n: int) -> FiniteSpace:
    """Databases of n rows over a set of values, D^n; the distance counts differing rows."""
    known = read_labels(values, "values")
    if n < 1:
        raise Malformed(f"a database needs at least one row, not {n}")
    require_fits(f"the space of databases of {n} rows", len(known), power=n)
    rows = list(cartesian(known, repeat=n))
    return _hamming_table(rows, rows)


@result("M", "Ex 1")
def power_set(items: Iterable[Label]) -> FiniteSpace:
    """All subsets of some items, as frozensets; the distance is the size of the symmetric difference.

    Examples
    --------
    >>> power_set(["jazz", "chess"]).distance(frozenset(), frozenset({"jazz", "chess"}))
    Fraction(2, 1)
    """
    known = read_labels(items, "items")
    require_fits(f"the power set of {len(known)} items", 2, power=len(known))
    rows = list(cartesian((0, 1), repeat=len(known)))
    labels = [frozenset(item for item, bit in zip(known, row, strict=True) if bit) for row in rows]
    return _hamming_table(rows, labels)
