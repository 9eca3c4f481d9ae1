"""Polyhedral cones of integers: from inequalities to extreme rays and back (double description)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dprivacy.errors import TooLarge

Ray = tuple[int, ...]

_MOST_RAYS = 4000


@dataclass(frozen=True)
class Cone:
    """All sums of multiples of `lines` and non-negative multiples of `rays`."""

    lines: tuple[Ray, ...]
    rays: tuple[Ray, ...]


def solutions(inequalities: Iterable[Sequence[int]], dimension: int) -> Cone:
    """The cone {v : f·v ≥ 0 for every f}, by its lines and extreme rays.

    Notes
    -----
    1. Start with the whole space: a line in every coordinate.
    2. For each inequality, if a line crosses its boundary, that line becomes a ray, and all others are
       moved along it onto the boundary.
    3. Otherwise rays are kept on the good side, and every adjacent pair on different sides is replaced
       by the point between them on the boundary. Two rays are adjacent when no third one meets all the
       inequalities that both meet with equality.
    """
    lines: list[Ray] = [tuple(int(i == j) for j in range(dimension)) for i in range(dimension)]
    rays: list[tuple[Ray, int]] = []  # with a bit for each inequality met with equality
    for bit, inequality in enumerate(inequalities):
        crossing = next((line for line in lines if _dot(inequality, line)), None)
        if crossing is not None:
            lines.remove(crossing)
            if _dot(inequality, crossing) < 0:
                crossing = tuple(-v for v in crossing)
            size = _dot(inequality, crossing)
            lines = [_moved(line, crossing, _dot(inequality, line), size) for line in lines]
            rays = [
                (_moved(ray, crossing, _dot(inequality, ray), size), met | 1 << bit)
                for ray, met in rays
            ]
            rays.append((crossing, (1 << bit) - 1))  # lines meet all earlier ones with equality
            continue
        rays = _cut(rays, inequality, bit)
        if len(rays) > _MOST_RAYS:
            raise TooLarge(
                f"the polytope has more than {_MOST_RAYS:,} corners on the way; use fewer secrets or "
                "outputs"
            )
    return Cone(tuple(lines), tuple(ray for ray, _ in rays))


def spanned(generators: Sequence[Sequence[int]]) -> list[Ray]:
    """Inequalities f·v ≥ 0 that describe the cone spanned by the generators.

    They are the extreme rays of the dual cone; its lines (the directions at right angles to all
    generators) appear twice, once with each sign.
    """
    dual = solutions(generators, len(generators[0]))
    both = [*dual.lines, *(tuple(-v for v in line) for line in dual.lines)]
    return [*both, *dual.rays]


def _cut(rays: list[tuple[Ray, int]], inequality: Sequence[int], bit: int) -> list[tuple[Ray, int]]:
    sides = [(ray, met, _dot(inequality, ray)) for ray, met in rays]
    kept = [(ray, met | (1 << bit if side == 0 else 0)) for ray, met, side in sides if side >= 0]
    good = [(ray, met, side) for ray, met, side in sides if side > 0]
    for other, theirs, below in (item for item in sides if item[2] < 0):
        for ray, met, above in good:
            shared = met & theirs
            if any(
                shared & third == shared
                for who, third in rays
                if who is not ray and who is not other
            ):
                continue
            between = tuple(above * o - below * r for r, o in zip(ray, other, strict=True))
            kept.append((_primitive(between), shared | 1 << bit))
    return kept


def _dot(f: Sequence[int], v: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(f, v, strict=True))


def _moved(vector: Ray, along: Ray, height: int, size: int) -> Ray:
    """The vector moved along a line (of height `size` > 0) onto the boundary."""
    return _primitive(tuple(size * v - height * a for v, a in zip(vector, along, strict=True)))


def _primitive(vector: Ray) -> Ray:
    common = math.gcd(*vector)
    return tuple(v // common for v in vector) if common > 1 else vector
