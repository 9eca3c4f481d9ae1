"""A start from tiles: secrets far from each other hardly matter to each other.

A list of places may be wide, and dense in parts. Solved by itself, a tile takes next to no time, and
its answer is nearly right wherever its border is far.
"""

from dataclasses import dataclass

import numpy as np

from dprivacy.design.columns.coarser_start import net
from dprivacy.design.columns.column_pool import Problem
from dprivacy.design.problems.problem_symmetry import alone
from dprivacy.numbers import Whole

_WORTH = 150  # secrets from which on tiles save time
_SIZE = 50  # secrets of a tile in the mean


@dataclass(frozen=True, eq=False)
class Tile:
    """The problem of some secrets, and where these and its outputs are in the whole one.

    `owned` are the outputs whose trees the tile has; they come first among its `outputs`.
    """

    problem: Problem
    members: Whole
    outputs: Whole
    owned: int


def tiles(problem: Problem) -> list[Tile]:
    """The problem cut into parts, by the nearest of some secrets that are apart from each other.

    None where there are few secrets, or symmetries.
    """
    n = len(problem.lengths)
    if len(problem.group.sizes) < n or n < _WORTH:
        return []
    mass = problem.costs.sum(axis=0)
    centres = net(problem.lengths, np.argsort(-mass, kind="stable"), 1.0 / _SIZE)
    if centres is None:
        return []
    nearest = problem.lengths[:, centres].argmin(axis=1)
    worst = problem.costs.max(axis=0)
    home = nearest[(problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)]
    wanted = problem.costs.argmin(axis=0)
    return [
        _tile(problem, np.nonzero(nearest == k)[0], home == k, wanted) for k in range(len(centres))
    ]


def _tile(problem: Problem, members: Whole, mine: Whole, wanted: Whole) -> Tile:
    owned = np.nonzero(mine)[0]
    outputs = np.concatenate([owned, np.setdiff1d(wanted[members], owned)])
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
    return Tile(small, members, outputs, len(owned))
