"""A start from tiles: secrets far from each other hardly matter to each other.

A list of places may be wide, and dense in parts. Solved by itself, a tile takes next to no time, and
its answer is nearly right wherever its border is far: so it looks beyond its own secrets, and of what
it finds only these are taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dprivacy.design.columns.column_pool import Problem
from dprivacy.design.problems.problem_symmetry import alone
from dprivacy.numbers import Floats, Whole

_WORTH = 150  # secrets from which on tiles save time
_SIZE = 50  # the most secrets that a tile has of its own
_BEYOND = 3.0  # how far beyond them, times 1/ε, a tile looks
_ALONE = 5.0  # times 1/ε, to the next secret in the mean: beyond, a search is quicker without tiles
_MOST = 100  # secrets of a tile, those beyond its own included


@dataclass(frozen=True, eq=False)
class Tile:
    """The problem of some secrets, and where these and its outputs are in the whole one.

    The tile's own secrets, `own` in number, come first among its `members`, and the outputs that are
    best for one of them, `owned` in number, first among its `outputs`.
    """

    problem: Problem
    members: Whole
    own: int
    outputs: Whole
    owned: int


def tiles(problem: Problem) -> list[Tile]:
    """The problem cut into parts that overlap.

    There are no parts where secrets are few or have symmetries, and where all parts together are more
    than half the work of the whole.
    """
    n = len(problem.lengths)
    if len(problem.group.sizes) < n or n < _WORTH:
        return []
    nearest = np.array([np.partition(row, 1)[1] for row in problem.lengths])
    if np.average(nearest, weights=problem.costs.sum(axis=0) + 1e-300) > _ALONE:
        return []
    worst = problem.costs.max(axis=0)
    home = (problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)
    wanted = problem.costs.argmin(axis=0)
    cut = [_tile(problem, own, home, wanted) for own in _parts(problem.lengths, np.arange(n))]
    return cut if 2 * sum(len(tile.members) ** 3 for tile in cut) < n**3 else []


def _parts(lengths: Floats, members: Whole) -> Iterator[Whole]:
    """Halves of halves: those nearer to one of two members that are far apart, and the rest."""
    if len(members) <= _SIZE:
        yield members
        return
    one = members[lengths[members[0], members].argmax()]
    other = members[lengths[one, members].argmax()]
    nearer = np.argsort(lengths[one, members] - lengths[other, members], kind="stable")
    for half in np.array_split(members[nearer], 2):
        yield from _parts(lengths, np.sort(half))


def _tile(problem: Problem, own: Whole, home: Whole, wanted: Whole) -> Tile:
    far = problem.lengths[own].min(axis=0)
    far[own] = -1.0
    near = np.argsort(far, kind="stable")[:_MOST]
    members = near[far[near] < _BEYOND]
    outputs = np.nonzero(np.isin(home, own))[0]
    mine = len(outputs)
    others = np.union1d(wanted[members], np.nonzero(np.isin(home, members))[0])
    outputs = np.concatenate([outputs, np.setdiff1d(others, outputs)])
    within = np.ix_(members, members)
    costs = problem.costs[np.ix_(outputs, members)]
    scale = float(costs.max()) or 1.0
    small = Problem(
        np.ascontiguousarray(costs.T),
        problem.scaled[within],
        np.ascontiguousarray(problem.lengths[within]),
        np.ascontiguousarray(costs / scale),
        np.zeros(len(members)),
        scale,
        alone(len(members), len(outputs)),
    )
    return Tile(small, members, len(own), outputs, mine)
