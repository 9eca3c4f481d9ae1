"""Products of spaces: several attributes of one person."""

from itertools import product as cartesian
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import Malformed
from dprivacy.spaces.distance_matrix import plus, require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.needed_pairs import Pairs


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
        raise Malformed("a product needs at least one space")
    if combine not in ("sum", "max"):
        raise Malformed(f"combine must be 'sum' or 'max', not {combine!r}")
    require_fits("the product", *(len(space) for space in spaces))
    labels = list(cartesian(*(space.labels for space in spaces)))
    coordinates = np.indices([len(space) for space in spaces]).reshape(len(spaces), -1)
    join = plus if combine == "sum" else max
    distances = spaces[0].distances.take(coordinates[0].tolist())
    for space, where in zip(spaces[1:], coordinates[1:], strict=True):
        distances = distances.joined(space.distances.take(where.tolist()), join)
    return FiniteSpace(
        labels, distances, edges=_edges(spaces, coordinates) if combine == "sum" else None
    )


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
