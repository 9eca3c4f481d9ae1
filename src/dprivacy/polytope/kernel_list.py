"""Kernel mechanisms of a finite space: one by one, and how many there are."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.model import Channel
from dprivacy.numbers import Mat
from dprivacy.polytope.cones.cone_vertices import rays
from dprivacy.polytope.cones.private_cone import Column, Cone
from dprivacy.polytope.counted_parts import KernelCount
from dprivacy.polytope.slack.column_fan import SlackKernels
from dprivacy.polytope.slack.tight_pairs import read_slack
from dprivacy.polytope.supports.balanced_collections import balanced_supports, proper_subsets
from dprivacy.polytope.supports.minimal_supports import (
    MOST_VERTICES,
    Progress,
    balancing,
    minimal_supports,
    too_many_vertices,
)
from dprivacy.polytope.supports.modular_ranks import Flags
from dprivacy.polytope.supports.space_symmetries import actions, representatives, symmetries
from dprivacy.sources import result
from dprivacy.typing import LevelLike, NumberLike, SpaceLike


@result("T", "Def 6.3.2", "Property 3")
def kernels(
    space: SpaceLike,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    start: int = 0,
    up_to_symmetry: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Iterator[Channel]:
    """The kernel mechanisms of ε·d-privacy on a space, one by one, in a fixed order.

    A kernel is a private channel whose posteriors (under the uniform prior) are vertices and linearly
    independent. Every private channel is a refinement of a convex sum of kernels.

    Parameters
    ----------
    space
        A finite space with exact, finite distances.
    eps
        The level; e^(ε·d) must be rational. At ε = 0 and δ = 0 there is one kernel, which says nothing.
    delta
        The slack δ from 0 to 1, exact; above 0 for up to 3 equally distant points. Kernels are then the
        vertices of {w ≥ 0 : Σ w_r·r = 1, Σ w_r·leaks(r) ≤ δ}, where r runs over the rays of the fan.
    start
        How many to pass over; an enumeration that was interrupted is resumed with the number seen.
    up_to_symmetry
        Only one of each class under the permutations of the points that keep all distances.
    force
        Go on although the estimate is long.
    progress
        Called with (done, total) of the longest step, from time to time.

    Returns
    -------
    iterator of Channel
        Kernels; the outputs are called y1, y2, …

    Raises
    ------
    TooLarge
        When the enumeration would be very long, with the estimated count and time.

    Notes
    -----
    1. The vertices (`vertices`), as integer columns.
    2. The minimal sets of vertices that average to the uniform distribution (`minimal_supports`); on
       the discrete metric these are the minimal balanced collections of sets, whatever ε is.
    3. Each has one set of weights, found over the integers.

    The last step's kernels are handed out as they are found, so that memory holds only those of the
    step before. Lists that would take minutes or more come from a compiled search, where the extra
    `fast` is installed, and then in its order; resume such a list with the same extras.

    Examples
    --------
    >>> for kernel in kernels("line:3", eps="ln 2"):
    ...     print(kernel)
    Channel(3×2, exact)
        y1   y2
    0  2/3  1/3
    1  1/3  2/3
    2  2/3  1/3
    Channel(3×3, exact)
        y1   y2   y3
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    """
    if start < 0:
        raise BadNumber(
            f"start, the number of kernels to pass over, should be at least 0, not {start}"
        )
    slack = read_slack(delta)
    table: Table | SlackKernels
    if slack:
        table = SlackKernels.of(space, eps, slack, force=force)
    else:
        table = Table.of(space, eps, rational=True, force=force)
    moves = table.moves() if up_to_symmetry else None
    return _listed(table, table.supports(force, progress), moves, start)


def _listed(
    table: "Table | SlackKernels", blocks: Iterator[Flags], moves: Any, start: int
) -> Iterator[Channel]:
    for block in blocks:
        kept = block if moves is None else block[representatives(block, moves)]
        for flags in kept[min(start, len(kept)) :]:
            yield table.channel(np.flatnonzero(flags).tolist())
        start = max(0, start - len(kept))


@result("T", "Table 6.1", "Table 6.2", "Thm 6.14", "Thm 6.15")
def count_kernels(
    space: SpaceLike,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> KernelCount:
    """How many kernel mechanisms there are, by number of posteriors and up to symmetry.

    Parameters
    ----------
    space
        A finite space with exact, finite distances.
    eps
        The level. On the discrete metric any ε > 0 gives the same counts; on other spaces e^(ε·d)
        must be rational, and the count may depend on ε (E2). At ε = 0 there is one kernel.
    delta, force, progress
        As for `kernels`.

    Returns
    -------
    KernelCount
        The number, with `by_posteriors`, `classes` and `symmetries`. Kernels are not stored.

    Raises
    ------
    TooLarge
        When counting would be very long, with the estimated count and time.

    Notes
    -----
    The steps are those of `kernels`. With the extra `fast`, a line of 7 points at ln 2 takes some
    twenty seconds; without it, an hour (`force=True`). Both ways are exact: no step rounds.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> found = count_kernels(line(5), eps="ln 2")
    >>> found == 187, found.by_posteriors
    (True, {2: 1, 3: 5, 4: 24, 5: 157})
    """
    slack = read_slack(delta)
    if slack:
        return _with_slack(SlackKernels.of(space, eps, slack, force=force), force, progress)
    table = Table.of(space, eps, rational=False, force=force)
    group = symmetries(table.cone)
    moves = None if group is None else actions(table.columns, group)
    sizes = np.zeros(table.cone.n + 1, dtype=np.int64)
    classes = 0
    for block in table.supports(force, progress):
        sizes += np.bincount(block.sum(axis=1), minlength=len(sizes))
        if moves is not None:
            classes += len(representatives(block, moves))
    return KernelCount(
        total=int(sizes.sum()),
        points=len(table.cone.space),
        eps=table.cone.eps,
        vertices=len(table.columns),
        by_posteriors={k: int(count) for k, count in enumerate(sizes) if count},
        classes=None if moves is None else classes,
        symmetries=None if group is None else len(group),
    )


def _with_slack(table: SlackKernels, force: bool, progress: Progress | None) -> KernelCount:
    """How many kernels there are with δ > 0; what δ leaves over belongs to no posterior."""
    moves, rays = table.moves(), len(table.rays)
    sizes = np.zeros(len(table.space) ** 2 + 1, dtype=np.int64)
    classes = 0
    for block in table.supports(force, progress):
        sizes += np.bincount(block[:, :rays].sum(axis=1), minlength=len(sizes))
        classes += len(representatives(block, moves))
    return KernelCount(
        total=int(sizes.sum()),
        points=len(table.space),
        eps=table.level,
        delta=table.delta,
        vertices=rays,
        by_posteriors={k: int(count) for k, count in enumerate(sizes) if count},
        classes=classes,
        symmetries=len(moves),
    )


@dataclass(frozen=True)
class Table:
    """The vertices of a cone as integer columns, ready to be combined."""

    cone: Cone
    columns: list[Column]
    uniform: bool

    @classmethod
    def of(cls, space: SpaceLike, eps: LevelLike, *, rational: bool, force: bool) -> "Table":
        """Read a space and a level; `rational` says whether the true columns are needed."""
        cone = Cone.of(space, eps)
        factors = {edge.factor.exact for edge in cone.edges}
        levels = {edge.factor.level for edge in cone.edges}
        uniform = len(cone.edges) == cone.n * (cone.n - 1) // 2 and len(levels) == 1
        if not uniform or cone.n == 1:
            columns = []
            for column in rays(cone, force=force):
                columns.append(column)
                if len(columns) > MOST_VERTICES and not force:
                    raise too_many_vertices(f"there are more than {MOST_VERTICES:,} vertices")
            return cls(cone, columns, uniform=False)
        if 2**cone.n - 2 > MOST_VERTICES and not force:
            raise too_many_vertices(f"there are {2**cone.n - 2:,} vertices")
        subsets = proper_subsets(cone.n)
        if not rational:
            return cls(cone, subsets, uniform=True)
        cone.require_rational()
        factor = factors.pop() or Fraction(1)
        low, rise = factor.denominator, factor.numerator - factor.denominator
        return cls(cone, [tuple(low + rise * bit for bit in s) for s in subsets], uniform=True)

    def supports(self, force: bool, progress: Progress | None) -> Iterator[Flags]:
        """The kernels as flags on the columns, in blocks."""
        if self.uniform:
            return balanced_supports(self.cone.n, force=force, progress=progress)
        return minimal_supports(self.columns, force=force, progress=progress)

    def moves(self) -> Any:
        """How the symmetries of the space move the columns."""
        group = symmetries(self.cone)
        if group is None:
            raise too_many_vertices(f"{self.cone.space!r} has more than 50,000 symmetries")
        return actions(self.columns, group)

    def channel(self, support: list[int]) -> Channel:
        """The channel with the posteriors of a minimal support."""
        columns = [self.columns[j] for j in support]
        weights, total = balancing(columns)
        scaled = [
            self.cone.spread([w * v for v in c]) for w, c in zip(weights, columns, strict=True)
        ]
        rows = [list(row) for row in zip(*scaled, strict=True)]
        names = [f"y{k}" for k in range(1, len(columns) + 1)]
        return Channel(self.cone.space.labels, names, Mat.over(total, rows))
