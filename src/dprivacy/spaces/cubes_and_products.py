"""Tuples of values: bit strings, databases of n rows, sets, and products of spaces."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product as cartesian
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownName, WrongShape, counted
from dprivacy.numbers import read_whole
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distances, plus, require_fits
from dprivacy.spaces.finite_space import FiniteSpace, require_space
from dprivacy.spaces.labels import read_labels
from dprivacy.spaces.needed_pairs import Pairs
from dprivacy.typing import Label


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
    length = read_whole(bits, "bits")
    return _databases((0, 1), length, f"the cube of {counted(length, 'bit')}")


def hamming(values: Iterable[Label], n: int) -> FiniteSpace:
    """Databases of n rows over a set of values, D^n; the distance counts differing rows.

    Examples
    --------
    >>> hamming(["yes", "no", "refused"], 2).distance(("yes", "no"), ("yes", "refused"))
    Fraction(1, 1)
    """
    known = read_labels(values, "values")
    length = read_whole(n, "rows of a database")
    return _databases(known, length, f"the space of databases of {counted(length, 'row')}")


def _databases(values: Sequence[Label], n: int, what: str) -> FiniteSpace:
    require_fits(what, len(values), power=n)
    rows = list(cartesian(values, repeat=n))
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
    require_fits(f"the power set of {counted(len(known), 'item')}", 2, power=len(known))
    rows = list(cartesian((0, 1), repeat=len(known)))
    labels = [frozenset(item for item, bit in zip(known, row, strict=True) if bit) for row in rows]
    return _hamming_table(rows, labels)


def product(*spaces: FiniteSpace, combine: Literal["sum", "max"] = "sum") -> FiniteSpace:
    """Tuples of labels, one from each space.

    Parameters
    ----------
    spaces
        The factors.
    combine
        "sum" adds the distances of the coordinates (what independent mechanisms on the coordinates
        protect); "max" takes the largest.

    Examples
    --------
    >>> from dprivacy.spaces import discrete, line
    >>> product(discrete(["f", "m"]), line(3)).distance(("f", 0), ("m", 2))
    Fraction(3, 1)
    """
    if not spaces:
        raise WrongShape("a product needs at least one space; product() has none")
    if combine not in ("sum", "max"):
        raise UnknownName.among("combine", combine, ["sum", "max"])
    for k, space in enumerate(spaces, 1):
        require_space(space, f"factor {k} of the product")
    require_fits("the product", *(len(space) for space in spaces))
    labels = list(cartesian(*(space.labels for space in spaces)))
    coordinates = np.indices([len(space) for space in spaces]).reshape(len(spaces), -1)
    join = plus if combine == "sum" else max
    distances = spaces[0].distances.take(coordinates[0].tolist())
    for space, where in zip(spaces[1:], coordinates[1:], strict=True):
        distances = distances.joined(space.distances.take(where.tolist()), join)
    edges = _edges(spaces, coordinates) if combine == "sum" else None
    numbered = any(space.numbered for space in spaces)
    return FiniteSpace(labels, distances, edges=edges, numbered=numbered)


def _edges(spaces: tuple[FiniteSpace, ...], coordinates: NDArray[np.intp]) -> Pairs:
    """Pairs that differ in one coordinate, along an edge there: all others are sums of these."""
    found = []
    shape = [len(space) for space in spaces]
    positions = np.arange(coordinates.shape[1]).reshape(shape)
    for axis, space in enumerate(spaces):
        moved = np.moveaxis(positions, axis, 0).reshape(shape[axis], -1)
        for i, j in space.edges:
            found.append(np.sort(np.stack([moved[i], moved[j]], axis=1)))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.intp)
