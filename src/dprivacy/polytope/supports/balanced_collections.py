"""Minimal balanced collections of sets: the kernels of the discrete metric, free of ε.

A vertex of the discrete metric has high entries on a set S of secrets and low entries elsewhere. Some
of these average to the uniform distribution exactly when weights β_j > 0 cover every secret once,
Σ_{j: x ∈ S_j} β_j = 1: the collection of the S_j is balanced. It is a kernel when it is minimal.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from dprivacy.polytope.cones.private_cone import Column
from dprivacy.polytope.supports.minimal_supports import Progress, balancing, minimal_supports
from dprivacy.polytope.supports.modular_ranks import Flags
from dprivacy.sources import result

Collection = tuple[Column, ...]


def proper_subsets(n: int) -> list[Column]:
    """The indicator vectors of the 2^n − 2 sets that are neither empty nor everything."""
    return [tuple(number >> i & 1 for i in range(n)) for number in range(1, (1 << n) - 1)]


@result("T", "Table 6.2")
def balanced_supports(
    n: int, *, force: bool = False, progress: Progress | None = None
) -> Iterator[Flags]:
    """The minimal balanced collections on n points, as flags on `proper_subsets`, in blocks."""
    if n < 2:
        yield np.ones((1, 1), dtype=bool)
        return
    yield from minimal_supports(proper_subsets(n), force=force, progress=progress)


@lru_cache(maxsize=8)
def balanced_collections(n: int) -> tuple[tuple[Collection, Column, int], ...]:
    """The minimal balanced collections on n ≥ 2 points with their weights.

    Each is (indicator vectors, whole weights, the whole number that they cover every point with), so
    that β_j is a weight divided by that number.
    """
    subsets = proper_subsets(n)
    found = []
    for block in balanced_supports(n):
        for flags in block:
            chosen = tuple(subsets[j] for j in np.flatnonzero(flags))
            found.append((chosen, *balancing(chosen)))
    return tuple(found)
