"""A problem taken apart: secrets that no constraint ties together are optimised one piece at a time."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.spanner import greedy_spanner
from dprivacy.errors import Uncertified
from dprivacy.numbers import Floats, Level, Mat, Whole, as_level, exp_bounds
from dprivacy.spaces import Distance, FiniteSpace, zero_classes

_BITS = 160
# A spanner's paths are measured in floats: its edges are held to a little less than ε·d/dilation.
_SAFE = 1 - Fraction(1, 1 << 30)


@dataclass(frozen=True)
class Reach:
    """Rationals around e^level: `low` for what must be private, `high` for what bounds from below.

    With a spanner the level of `low` is the one that its edges must keep, and `high` still belongs to
    the level that was asked for. Both are e^level itself where that is rational and asked for.
    """

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether there is nothing between the two."""
        return self.low == self.high


@dataclass(frozen=True, eq=False)
class Piece:
    """Secrets at finite distance from each other; those at distance 0 share one row of the channel.

    Attributes
    ----------
    classes
        Positions in the whole space: one tuple for each row.
    space
        One point for each row.
    eps
        The level.
    costs
        Rows by outputs, exact: the costs of a class added up.
    scaled
        ε·d between rows, in floats (through the spanner where there is one).
    stretch
        The dilation of the spanner, if there is one.
    spanner
        Its edges.
    """

    classes: tuple[tuple[int, ...], ...]
    space: FiniteSpace
    eps: Level
    costs: Mat
    scaled: Floats
    stretch: Fraction | None = None
    spanner: Whole | None = None

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.classes)

    @property
    def m(self) -> int:
        """The number of outputs."""
        return self.costs.shape[1]

    @property
    def stretched(self) -> bool:
        """Whether the pairs are those of a spanner."""
        return self.spanner is not None

    @cached_property
    def pairs(self) -> Whole:
        """Pairs of rows that imply all others, i < j: those no third row implies, or the spanner's."""
        if self.spanner is not None:
            return self.spanner
        return np.asarray(self.space.edges, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """e^(ε·d) of every pair, enclosed."""
        known: dict[Distance, Reach] = {}
        distances = [self.space.distances[i, j] for i, j in self.pairs.tolist()]
        for distance in distances:
            if distance not in known:
                known[distance] = reach_of(self.eps, distance, self.stretch)
        return tuple(known[distance] for distance in distances)

    @cached_property
    def nearest(self) -> float:
        """The smallest ε·d between two rows; inf for a single row."""
        off = self.scaled[~np.eye(self.n, dtype=bool)]
        return float(off.min()) if off.size else math.inf

    @cached_property
    def rational(self) -> bool:
        """Whether every e^(ε·d) is rational and all of it may be used."""
        return all(reach.exact for reach in self.reaches)

    def ceilings(self, above: Whole, below: Whole) -> Floats:
        """Doubles of at least e^(ε·d) for pairs of rows, whatever the spanner; inf where none is.

        ε, d and their product are each rounded once, and the exponential errs by a few units in the
        last place: 2⁻⁵¹·(ε·d + 8) of the value is more than all of that together.
        """
        power = float(self.eps) * self.space.distances.floats[above, below]
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(power) * (1.0 + 2.0**-51 * (power + 8.0)))

    def high(self, distance: Distance) -> Fraction:
        """A rational of at least e^(ε·d)."""
        return reach_of(self.eps, distance, None).high


def pieces_of(problem: Problem) -> list[Piece]:
    """The pieces of a problem.

    Notes
    -----
    1. Secrets at infinite distance bind each other in nothing, and "finite distance" is transitive.
    2. Secrets at distance 0 must have equal rows, so that their costs add up.
    3. In each piece the pairs that no third point implies are kept, or the edges of a spanner, held at
       ε·d/dilation: paths of edges are at most dilation·d long, so that ε·d holds for all pairs.
    """
    found = []
    for component in _components(problem.space):
        classes = zero_classes(problem.space.distances, component)
        whole = len(classes) == len(problem.space)
        labels = [problem.space.labels[members[0]] for members in classes]
        space = problem.space if whole else problem.space.restrict(labels)
        costs = problem.costs
        if not whole:
            rows = [costs.entries[list(members)].sum(axis=0) for members in classes]
            costs = Mat(np.array(rows, dtype=object), costs.den)
        scaled = float(problem.eps) * space.distances.floats
        spanner = None
        if problem.stretch is not None:
            spanner, paths = greedy_spanner(space.distances.floats, float(problem.stretch))
            scaled = float(problem.eps * _SAFE / problem.stretch) * paths
        found.append(Piece(classes, space, problem.eps, costs, scaled, problem.stretch, spanner))
    return found


def reach_of(
    eps: Level, distance: Distance, stretch: Fraction | None, *, times: float = 1.0
) -> Reach:
    """Rationals around e^(ε·d), equal where it is rational; `times` that d is the longest distance."""
    share = Fraction(1) if stretch is None else _SAFE / stretch
    power = float(eps) * float(distance)
    bits = _BITS + math.ceil(2 * power * times)  # losses may be as small as e^(−ε·d)
    if 0 < power < 1:
        bits += math.ceil(-2 * math.log2(power))  # and what a channel gives up, as small as (ε·d)²
    try:
        level = eps * as_level(distance)
    except Uncertified:  # a product of two logarithms: enclose the factors
        (low, high), (near, far) = eps.bounds(bits), as_level(distance).bounds(bits)
        least, most = low * near * share, high * far
        return Reach(exp_bounds(least, least, bits)[0], exp_bounds(most, most, bits)[1])
    exact = level.exp()
    if exact is not None and share == 1:
        return Reach(exact, exact)
    low = exp_bounds(*(level * share).bounds(bits), bits)[0]
    return Reach(low, exp_bounds(*level.bounds(bits), bits)[1] if exact is None else exact)


def _components(space: FiniteSpace) -> list[list[int]]:
    """Positions of secrets at finite distance from each other."""
    near: NDArray[np.bool_] = np.isfinite(space.distances.floats)
    left, found = np.ones(len(space), dtype=bool), []
    for i in range(len(space)):
        if left[i]:
            members = np.flatnonzero(near[i] & left)
            left[members] = False
            found.append(members.tolist())
    return found
