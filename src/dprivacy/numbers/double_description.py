"""Polyhedral cones: from inequalities to extreme rays and back, by double description.

Entries are integers, or numbers of another ordered `Ring` such as polynomials at one point.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dprivacy.errors import TooLarge

Ray = tuple[int, ...]
_Rays = list[tuple[Any, int]]  # with a bit for each inequality met with equality


class Ring(Protocol):
    """Numbers that can be added and multiplied, and what else is asked of them."""

    def sign(self, value: Any) -> int:
        """−1, 0 or 1."""

    def reduced(self, vector: tuple[Any, ...]) -> tuple[Any, ...]:
        """A positive multiple of a vector that is as short as can be."""


class Integers:
    """Whole numbers."""

    def sign(self, value: int) -> int:
        """−1, 0 or 1."""
        return (value > 0) - (value < 0)

    def reduced(self, vector: Ray) -> Ray:
        """The vector without common factors."""
        common = math.gcd(*vector)
        return tuple(v // common for v in vector) if common > 1 else vector


_INTEGERS = Integers()

_MOST_RAYS = 4000
_MOST_DIMENSIONS = 11  # about 4 s at 10, and 6 to 10 times as long for each one more


@dataclass(frozen=True)
class Cone:
    """All sums of multiples of `lines` and non-negative multiples of `rays`."""

    lines: tuple[Ray, ...]
    rays: tuple[Ray, ...]


def extreme_rays(
    inequalities: Sequence[Sequence[int]], n: int, *, force: bool = False
) -> list[Ray]:
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
    Begin with the orthant, whose rays are the unit vectors, and cut it by one inequality after the
    other. Rays on the good side stay and rays on the bad side go; where a good ray and a bad ray are
    adjacent, the edge between them crosses the new hyperplane in a new ray. Two rays are adjacent
    when no third ray meets with equality all that both of them meet.

    Examples
    --------
    >>> sorted(extreme_rays([[2, -1], [-1, 2]], 2))
    [(1, 2), (2, 1)]
    """
    if n > _MOST_DIMENSIONS and not force:
        raise TooLarge(
            f"double description in {n} dimensions would take about {4 * 8.0 ** (n - 10):,.0f} s; "
            "pass force=True to do it all the same, or use distances that are whole multiples of one, "
            "where vertices are listed one by one"
        )
    full = (1 << n) - 1
    rays = [(_unit(i, n), full & ~(1 << i)) for i in range(n)]
    for at, row in enumerate(inequalities):
        rays = _cut(rays, row, n + at, n, _INTEGERS)
    return [ray for ray, _ in rays]


def solutions(
    inequalities: Iterable[Sequence[Any]],
    dimension: int,
    ring: Ring = _INTEGERS,
    most: int = _MOST_RAYS,
) -> Cone:
    """The cone {v : f·v ≥ 0 for every f}, by its lines and extreme rays.

    Parameters
    ----------
    inequalities
        Their coefficients: whole numbers, or numbers of the ring.
    dimension
        How many coefficients each has.
    ring
        What the coefficients are.
    most
        Refuse to go on with more rays than these.

    Notes
    -----
    1. Start with the whole space: a line in every coordinate.
    2. For each inequality, if a line crosses its boundary, that line becomes a ray, and all others are
       moved along it onto the boundary.
    3. Otherwise the rays are cut as in `extreme_rays`.

    Examples
    --------
    >>> solutions([[1, 1]], 2)
    Cone(lines=((-1, 1),), rays=((1, 0),))
    """
    lines = [_unit(i, dimension) for i in range(dimension)]
    rays: _Rays = []
    for bit, inequality in enumerate(inequalities):
        crossing = next((line for line in lines if ring.sign(_dot(inequality, line))), None)
        if crossing is None:
            rays = _cut(rays, inequality, bit, dimension - len(lines), ring)
            if len(rays) > most:
                raise TooLarge(
                    f"the polytope has more than {most:,} corners on the way; use fewer "
                    "secrets or outputs"
                )
            continue
        lines.remove(crossing)
        size = _dot(inequality, crossing)
        if ring.sign(size) < 0:
            crossing, size = tuple(-v for v in crossing), -size
        lines = [_moved(line, crossing, _dot(inequality, line), size, ring) for line in lines]
        rays = [
            (_moved(ray, crossing, _dot(inequality, ray), size, ring), met | 1 << bit)
            for ray, met in rays
        ]
        rays.append((crossing, (1 << bit) - 1))  # lines meet all earlier ones with equality
    return Cone(tuple(lines), tuple(ray for ray, _ in rays))


def spanned(generators: Sequence[Sequence[int]]) -> list[Ray]:
    """Inequalities f·v ≥ 0 that describe the cone spanned by the generators.

    They are the extreme rays of the dual cone; its lines (the directions at right angles to all
    generators) appear twice, once with each sign.

    Examples
    --------
    >>> sorted(spanned([(1, 0), (1, 1)]))
    [(0, 1), (1, -1)]
    """
    dual = solutions(generators, len(generators[0]))
    both = [*dual.lines, *(tuple(-v for v in line) for line in dual.lines)]
    return [*both, *dual.rays]


def _cut(rays: _Rays, inequality: Sequence[Any], bit: int, dimension: int, ring: Ring) -> _Rays:
    """The rays of a pointed cone (of a dimension, up to its lines) and one more inequality."""
    kept: _Rays = []
    good: list[tuple[Any, int, Any]] = []
    bad: list[tuple[Any, int, Any]] = []
    for ray, met in rays:
        height = _dot(inequality, ray)
        side = ring.sign(height)
        if side == 0:
            kept.append((ray, met | 1 << bit))
        else:
            (good if side > 0 else bad).append((ray, met, height))
    every = [met for _, met in rays]
    for ray, met, above in good:
        for other, theirs, below in bad:
            common = met & theirs
            if common.bit_count() < dimension - 2 or _third(every, common, met, theirs):
                continue
            between = tuple(above * o - below * r for r, o in zip(ray, other, strict=True))
            kept.append((ring.reduced(between), common | 1 << bit))
    return kept + [(ray, met) for ray, met, _ in good]


def _third(every: list[int], common: int, first: int, second: int) -> bool:
    """Whether a third ray meets all that two rays meet in common."""
    return any(common & ~met == 0 and met not in (first, second) for met in every)


def _unit(i: int, n: int) -> Ray:
    return tuple(int(i == j) for j in range(n))


def _dot(f: Sequence[Any], v: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(f, v, strict=True) if x)


def _moved(vector: Any, along: Any, height: Any, size: Any, ring: Ring) -> Any:
    """The vector moved along a line (of height `size` > 0) onto the boundary."""
    return ring.reduced(tuple(size * v - height * a for v, a in zip(vector, along, strict=True)))
