"""The symmetries of a finite space, and one representative for each class of supports under them."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dprivacy.polytope.cones.private_cone import Column, Cone
from dprivacy.polytope.supports.modular_ranks import Flags

Permutation = tuple[int, ...]

MOST_SYMMETRIES = 50_000


def symmetries(cone: Cone) -> list[Permutation] | None:
    """The permutations of the points that keep all distances, the identity first.

    None when there are more than 50 000 (the discrete metric on 9 points or more).

    Notes
    -----
    Points are mapped one after the other, each to an unused point at the right distances from the
    images so far; what cannot be continued is dropped at once.
    """
    at = [members[0] for members in cone.classes]
    found: list[Permutation] = []
    for image in _images(cone.space.distances.table[np.ix_(at, at)].tolist(), []):
        found.append(image)
        if len(found) > MOST_SYMMETRIES:
            return None
    return found


def _images(table: list[list[int]], image: list[int]) -> Iterator[Permutation]:
    at = len(image)
    if at == len(table):
        yield tuple(image)
        return
    for candidate in range(len(table)):
        if candidate not in image and all(
            table[candidate][other] == table[at][i] for i, other in enumerate(image)
        ):
            yield from _images(table, [*image, candidate])


def actions(columns: Sequence[Column], group: Sequence[Permutation]) -> NDArray[np.intp]:
    """How each symmetry moves the columns: row g, entry j is the place of the image of column j."""
    place = {tuple(column): j for j, column in enumerate(columns)}
    moved = []
    for permutation in group:
        back = np.argsort(permutation)
        moved.append([place[tuple(column[i] for i in back)] for column in columns])
    return np.array(moved, dtype=np.intp).reshape(len(group), len(columns))


def representatives(supports: Flags, moves: NDArray[np.intp]) -> NDArray[np.intp]:
    """The positions of the supports that are the largest of their class, read as binary numbers.

    Every class under the symmetries has exactly one, so that counting them counts the classes.
    """
    left = np.arange(len(supports))
    for move in moves[1:]:
        here = supports[left]
        image = np.zeros_like(here)
        image[:, move] = here
        differs = here ^ image
        first = differs.argmax(axis=1)
        smaller = image[np.arange(len(left)), first] & differs.any(axis=1)
        left = left[~smaller]
    return left
