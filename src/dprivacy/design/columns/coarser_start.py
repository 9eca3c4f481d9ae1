"""A start from a coarser problem: near secrets merged, their answer spread over all of them.

The first multipliers of a cold start are off by many orders of magnitude, and trees that follow them
take thousands of pivots to come back. Those of a problem with a few representatives are nearly right.
"""

from dataclasses import dataclass

import numpy as np

from dprivacy.design.columns.column_pool import Columns, Problem
from dprivacy.design.columns.spread_answers import spread_columns, spread_trees
from dprivacy.design.problems.problem_symmetry import alone
from dprivacy.design.trees.spanning_trees import Trees
from dprivacy.numbers import Floats, Whole

_WORTH = 150  # secrets from which on a coarser problem saves time
_SHARE = 0.3  # of the secrets: about how many representatives there are


@dataclass(frozen=True, eq=False)
class Coarser:
    """A problem of representatives, and where its secrets and outputs are in the finer one.

    Attributes
    ----------
    problem
        The coarser problem, in the units of the finer one.
    kept, place
        The representatives, and for every secret the place of its own among them.
    outputs, answer
        The outputs that are kept, and for every output the place of the one that stands for it.
    """

    problem: Problem
    kept: Whole
    place: Whole
    outputs: Whole
    answer: Whole

    def spread_trees(self, fine: Problem, trees: Trees) -> Trees:
        """For every output the tree of the one that stands for it, others as low as that allows."""
        return spread_trees(fine.lengths, self.kept, trees).only(self.answer)

    def spread_columns(
        self, fine: Problem, columns: Columns, weights: Floats
    ) -> tuple[Whole, Floats, Floats]:
        """The columns in use, by their outputs, on all secrets, and their weights."""
        return spread_columns(fine.lengths, self.kept, self.outputs, columns, weights)

    def spread_multipliers(self, fine: Problem, multipliers: Floats) -> Floats:
        """The multipliers of the representatives, shared out by what their secrets cost."""
        mass = fine.costs.sum(axis=0) + 1e-300
        shares = mass / np.bincount(self.place, mass)[self.place]
        return np.asarray(multipliers[self.place] * shares)


def coarser(problem: Problem, within: float = np.inf) -> Coarser | None:
    """The problem with secrets near each other merged into the one of them that costs most.

    None where that is not worth it: few secrets, symmetries, none nearer than others,
    or representatives that are farther than `within` from their secrets, in the mean by
    what these cost.
    """
    n = len(problem.lengths)
    if len(problem.group.sizes) < n or n < _WORTH:
        return None
    mass = problem.costs.sum(axis=0)
    kept = net(problem.lengths, np.argsort(-mass, kind="stable"), _SHARE)
    if kept is None:
        return None
    place = problem.lengths[:, kept].argmin(axis=1)
    if np.average(problem.lengths[np.arange(n), kept[place]], weights=mass + 1e-300) > within:
        return None
    merged = np.zeros((len(problem.costs), len(kept)))
    np.add.at(merged.T, place, problem.costs.T)
    wanted = merged.argmin(axis=0)
    outputs = np.unique(wanted)
    worst = problem.costs.max(axis=0)
    best = (problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)
    answer = np.searchsorted(outputs, wanted[place[best]])
    answer[outputs] = np.arange(len(outputs))
    near = np.ix_(kept, kept)
    costs = np.ascontiguousarray(merged[outputs])
    small = Problem(
        np.ascontiguousarray(costs.T),
        problem.scaled[near],
        np.ascontiguousarray(problem.lengths[near]),
        costs,
        np.zeros(len(kept)),
        1.0,
        alone(len(kept), len(outputs)),
    )
    return Coarser(small, kept, place, outputs, answer)


def net(lengths: Floats, order: Whole, share: float) -> Whole | None:
    """Secrets of which none is near another and to one of which every secret is near, in `order`."""
    low, high = 0.0, float(lengths.max())
    wanted = share * len(order)
    best = None
    for _ in range(20):
        radius = (low * high) ** 0.5 if low else 0.1 * high
        found = []
        free = np.ones(len(order), dtype=np.bool_)
        for x in order.tolist():
            if free[x]:
                found.append(x)
                free &= lengths[x] > radius
        if len(found) < 3:
            high = radius
        elif len(found) <= wanted:
            high = radius
            best = np.array(sorted(found), dtype=np.int64)
            if len(found) > 0.9 * wanted:
                break
        else:
            low = radius
    return best
