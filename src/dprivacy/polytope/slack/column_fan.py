"""The columns of which all (ε, δ)-private channels on categories are made, and the δ-kernels.

Cut the orthant of columns by c_x = 0 and c_x = a·c_z. In each cell the leaks max(0, c_x − a·c_z) are
linear, so that a column is a sum of the rays of its cell and leaks what they leak together. So every
private channel is a post-processing of one whose columns are rays. A ray has a support and a whole
number h(x) for each point of it, 0 … L, all of them used, and entries a^h(x); L ≥ 1 unless the support
is one point. At a = 1 a ray is a support alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.model import Channel, as_space
from dprivacy.numbers import Factor, Level, Mat, as_eps, as_level
from dprivacy.polytope.cones.private_cone import Column
from dprivacy.polytope.slack.slack_points import require_rational
from dprivacy.polytope.supports.minimal_supports import Progress, balancing, minimal_supports
from dprivacy.polytope.supports.modular_ranks import Flags
from dprivacy.polytope.supports.space_symmetries import actions
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import LevelLike, SpaceLike

_MOST_POINTS = 3  # for δ-kernels; four points have 138 rays in 16 dimensions


def fan_rays(n: int, a: Fraction) -> list[tuple[Fraction, ...]]:
    """Every ray on n points: 4, 21, 138, 1,055 for n = 2 … 5 (2^n − 1 at a = 1).

    Examples
    --------
    >>> [len(fan_rays(n, Fraction(2))) for n in (1, 2, 3, 4)]
    [1, 4, 21, 138]
    """
    found = []
    for size in range(1, n + 1):
        for support in combinations(range(n), size):
            for heights in _heights(size) if a > 1 else [(0,) * size]:
                ray = [Fraction(0)] * n
                for x, h in zip(support, heights, strict=True):
                    ray[x] = a**h
                found.append(tuple(ray))
    return found


def _heights(size: int) -> Iterator[tuple[int, ...]]:
    """0 … L for each point, all used; L ≥ 1 unless the point is alone."""
    for heights in product(range(size), repeat=size):
        top = max(heights)
        if len(set(heights)) == top + 1 and (top or size == 1):
            yield heights


def ray_leaks(ray: tuple[Fraction, ...], a: Fraction) -> list[Fraction]:
    """max(0, c_x − a·c_z) for every ordered pair."""
    return [max(Fraction(0), p - a * q) for p, q in permutations(ray, 2)]


@dataclass(frozen=True, eq=False)
class SlackKernels:
    """The δ-kernels of categories: vertices of {w ≥ 0 : Σ w_r·r = 1, Σ w_r·leaks(r) ≤ δ}."""

    space: FiniteSpace
    level: Level
    a: Fraction
    delta: Fraction

    @classmethod
    def of(
        cls, space: SpaceLike, eps: LevelLike, delta: Fraction, *, force: bool
    ) -> "SlackKernels":
        """Read a space on which all distances are equal, and a level."""
        space, level = as_space(space), as_eps(eps, zero=True)
        apart = space.uniform_distance if len(space) > 1 else Fraction(1)
        if apart is None or apart == float("inf"):
            raise NotApplicable(
                f"kernels with δ > 0 need a space on which any two points are equally far apart, such "
                f"as discrete:3, not {space!r}; take δ = 0"
            )
        if len(space) > _MOST_POINTS and not force:
            raise TooLarge(
                f"kernels with δ > 0 are listed for up to {_MOST_POINTS} points, not {len(space)}; "
                "pass force=True to try all the same"
            )
        factor = Factor(level * as_level(apart))
        return cls(space, level, require_rational(factor, "kernels with δ > 0"), delta)

    @cached_property
    def rays(self) -> list[tuple[Fraction, ...]]:
        """The rays of the fan."""
        return fan_rays(len(self.space), self.a)

    @cached_property
    def columns(self) -> list[Column]:
        """Whole-number columns: entries, then leaks over δ; after the rays what δ has to spare."""
        n = len(self.space)
        pairs = n * (n - 1)
        found = [
            _whole([*ray, *(leak / self.delta for leak in ray_leaks(ray, self.a))])
            for ray in self.rays
        ]
        return found + [tuple(int(k == n + at) for k in range(n + pairs)) for at in range(pairs)]

    def supports(self, force: bool, progress: Progress | None) -> Iterator[Flags]:
        """The kernels as flags on the columns, in blocks."""
        return minimal_supports(self.columns, force=force, progress=progress)

    def moves(self) -> NDArray[np.intp]:
        """How the permutations of the points move the columns; their entries are points, then pairs."""
        n = len(self.space)
        pairs = list(permutations(range(n), 2))
        place = {pair: n + k for k, pair in enumerate(pairs)}
        group = [
            (*order, *(place[order[x], order[z]] for x, z in pairs))
            for order in permutations(range(n))
        ]
        return actions(self.columns, group)

    def channel(self, support: list[int]) -> Channel:
        """The channel of one kernel."""
        weights, total = balancing([self.columns[j] for j in support])
        n = len(self.space)
        parts = [
            [Fraction(w * v, total) for v in self.columns[j][:n]]
            for w, j in zip(weights, support, strict=True)
            if j < len(self.rays)
        ]
        names = [f"y{k}" for k in range(1, len(parts) + 1)]
        return Channel(self.space.labels, names, Mat.of(list(zip(*parts, strict=True))))


def _whole(vector: list[Fraction]) -> Column:
    scaled = Mat.of([vector])
    return tuple(int(v) for v in scaled.entries[0])
