"""Extreme rays of a cone given by inequalities, by double description on Python integers."""

import math
from collections.abc import Sequence

from dprivacy.errors import TooLarge

Row = Sequence[int]
Ray = tuple[int, ...]

_MOST = 11  # dimensions: about 4 s at 10, and 6 to 10 times as long for each one more


def extreme_rays(inequalities: Sequence[Row], n: int, *, force: bool = False) -> list[Ray]:
    """The extreme rays of {c ≥ 0 : row·c ≥ 0 for every row}, as primitive integer vectors.

    Parameters
    ----------
    inequalities
        Integer rows of length `n`.
    n
        The dimension.
    force
        Go on although the dimension is large.

    Notes
    -----
    1. Begin with the orthant: its rays are the unit vectors. A ray carries the set of constraints
       that it meets with equality, as the bits of an integer.
    2. Take the inequalities one by one. Rays on the good side stay; rays on the bad side go.
    3. Where a good ray and a bad ray are adjacent, the edge between them crosses the new hyperplane:
       the crossing is a new ray. Two rays are adjacent when no third ray meets all the constraints
       that both of them meet.
    """
    if n > _MOST and not force:
        raise TooLarge(
            f"double description in {n} dimensions would take about {4 * 8.0 ** (n - 10):,.0f} s; "
            "pass force=True to do it all the same, or use distances that are whole multiples of one, "
            "where vertices are listed one by one"
        )
    full = (1 << n) - 1
    rays: list[tuple[Ray, int]] = [
        (tuple(int(i == j) for j in range(n)), full & ~(1 << i)) for i in range(n)
    ]
    for at, row in enumerate(inequalities):
        bit = 1 << (n + at)
        sides: tuple[list[tuple[Ray, int, int]], list[tuple[Ray, int, int]]] = ([], [])
        kept: list[tuple[Ray, int]] = []
        for ray, met in rays:
            value = sum(a * c for a, c in zip(row, ray, strict=True) if a)
            if value == 0:
                kept.append((ray, met | bit))
            else:
                sides[value < 0].append((ray, met, value))
        every = [met for _, met in rays]
        for good, met, value in sides[0]:
            for bad, other, below in sides[1]:
                common = met & other
                if common.bit_count() < n - 2 or _third(every, common, met, other):
                    continue
                crossing = [value * b - below * g for g, b in zip(good, bad, strict=True)]
                scale = math.gcd(*crossing)
                kept.append((tuple(c // scale for c in crossing), common | bit))
        rays = kept + [(ray, met) for ray, met, _ in sides[0]]
    return [ray for ray, _ in rays]


def _third(every: list[int], common: int, first: int, second: int) -> bool:
    """Whether a third ray meets all that two rays meet in common."""
    return any(common & ~met == 0 and met not in (first, second) for met in every)
