"""The rounds of the column generation on one connected space: mix, price, bound, add, drop."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dprivacy.design.columns.arithmetic_device import Machine
from dprivacy.design.columns.column_pool import Columns, Problem, first_columns, first_trees, named
from dprivacy.design.columns.master_program import Mixture
from dprivacy.design.columns.spanning_trees import Trees, stars
from dprivacy.design.problems.approximation import Approximation
from dprivacy.numbers import Floats, Whole

_ROUNDS = 2_000
_STALLED = 25  # rounds that together close less than a tenth of the gap: others may try
_INERTIA = 0.7  # weight of the best multipliers so far in those that are priced, at first
_EASE = 0.8  # what is left of that weight, or of the rest, after each success, or failure
_ROUGH = 0.1  # of the current gap: how well the master is solved
_KEEP = 6  # columns for each row that make dropping some worthwhile
_YOUNG = 3  # rounds in which a new column is not dropped
_USED = 1e-6  # of the largest weight: a column with more is in use
_LOST = 0.5  # a gap that says nothing of the multipliers yet
_PIVOTS = 30  # for each output in the first rounds; three times as many when these bring little


@dataclass(eq=False)
class Best:
    """The best mixture so far, and the best multipliers with the trees and flows that bear them out."""

    loss: float
    columns: Columns
    weights: Floats
    bound: float
    multipliers: Floats
    trees: Trees
    flows: Floats

    def mixed(self, columns: Columns, weights: Floats, even: float) -> None:
        """Take a mixture, its rows brought to sums of 1, if it is better."""
        loss = float(columns.q @ weights)
        if loss < self.loss and np.abs(columns.A @ weights - 1.0).max() < even:
            self.loss, self.columns, self.weights = loss, columns, weights

    def bounded(self, multipliers: Floats, trees: Trees, flows: Floats) -> bool:
        """Take feasible multipliers if their bound is better; whether it is."""
        bound = float(multipliers.sum())
        better = bound > self.bound
        if better:
            self.bound, self.multipliers, self.flows = bound, multipliers, flows
            self.trees = trees.copy()
        return better


def search(
    problem: Problem,
    *,
    gap: float,
    start: Approximation | None,
    machine: Machine,
    until: float,
    tell: Callable[[float, float], bool],
    interrupted: Callable[[], None],
) -> tuple[Approximation, Floats]:
    """The answer when the gap is reached, `tell` asks to stop, or nothing moves; and flows (m × n)."""
    m, n = problem.costs.shape
    peaks = stars(problem.lengths, np.arange(n))
    trees = first_trees(problem, peaks, start)
    columns, weights = first_columns(problem, peaks, trees, start)
    constant = 2 * len(problem.group.sizes) + int(problem.costs.sum(axis=1).argmin())
    flat = (np.arange(len(columns.q)) == constant) / columns.A[0, constant]
    loss = float(columns.q @ flat)
    best = Best(loss, columns, flat, -np.inf, np.zeros(n), trees.copy(), np.zeros((m, n)))
    rounds = 0
    try:
        best.bounded(*_lifted(problem, best.multipliers, trees, machine))
        if start is not None:
            at = (start.multipliers - problem.offset) / problem.scale
            best.bounded(*_lifted(problem, at, trees, machine))
        for rounds in _rounds(problem, best, columns, weights, trees, gap, machine, until):
            if problem.gap(best.loss, best.bound) <= gap:
                answer = settled(problem, best, rounds, gap)
                if answer[0].finished:
                    return answer
            if tell(problem.stated(best.loss), problem.stated(best.bound)):
                break
    except KeyboardInterrupt:
        interrupted()
    return settled(problem, best, rounds, gap)


def _lifted(
    problem: Problem, at: Floats, trees: Trees, machine: Machine
) -> tuple[Floats, Trees, Floats]:
    """Feasible multipliers near those given, the same within an orbit; their trees and flows."""
    multipliers, flows = machine.lifted(
        problem.scaled, problem.costs, at, trees.parents, trees.signs
    )
    least = np.full(len(problem.group.sizes), np.inf)
    np.minimum.at(least, problem.group.orbit, multipliers)
    return least[problem.group.orbit], trees, flows


def _rounds(
    problem: Problem,
    best: Best,
    columns: Columns,
    weights: Floats,
    trees: Trees,
    gap: float,
    machine: Machine,
    until: float,
) -> Iterator[int]:
    """One round after the other, until nothing moves; what they find goes into `best`."""
    group = problem.group
    allowed, inertia, finer = _PIVOTS, _INERTIA, 1.0
    mark, since, last = np.inf, 0, np.inf
    added: list[int] = []
    fresh = trees.copy()
    for number in range(1, _ROUNDS + 1):
        rough = min(0.1, finer * _ROUGH * problem.gap(best.loss, best.bound))
        known = np.bincount(group.orbit, best.multipliers).astype(np.float64)
        found = machine.mixture(columns.A, columns.q, max(rough, 1e-3 * gap, 1e-10), weights, known)
        best.mixed(columns, machine.balanced(columns.A, found.weights), problem.even)
        own = (found.multipliers / group.sizes)[group.orbit]
        at = inertia * best.multipliers + (1 - inertia) * own
        if problem.gap(best.loss, best.bound) > _LOST:
            trees = planted_again(trees, fresh, problem.costs - at)
        prices = machine.price(
            problem.lengths, problem.costs - at, trees, pivots=allowed, until=until
        )
        exact = int(prices.pivots.max()) < allowed
        if best.bounded(*_lifted(problem, at, trees, machine)):
            inertia *= _EASE
        else:
            inertia = 1 - _EASE * (1 - inertia)
        yield number

        apart = best.loss - best.bound
        mark, since = (apart, 0) if apart < 0.9 * mark else (mark, since + 1)
        if since > _STALLED:
            return
        loss = float(columns.q @ found.weights)
        rays = trees.rays()
        new = _new(problem, columns, rays, at, own)
        if not exact and (not len(new) or last - loss < 0.01 * abs(loss)):
            allowed = min(3 * allowed, 10**7)
        last = loss
        weights = found.weights if found.sound else np.ones(len(columns.q))
        if not len(new):  # a sharper look, and at the master's own multipliers if pivots ran out
            finer = max(0.1 * finer, 1e-6)
            inertia = inertia if exact else 0.0
            continue
        if len(columns.q) > _KEEP * len(group.sizes) + len(new):
            kept = _kept(columns, found, 2 * len(group.sizes), sum(added[-_YOUNG:]))
            columns, weights = columns.only(kept), weights[kept]
        columns = columns.with_rays(problem, new, rays[new])
        weights = np.concatenate([weights, np.zeros(len(new))])
        added.append(len(new))


def planted_again(trees: Trees, fresh: Trees, reduced: Floats) -> Trees:
    """Each tree, or the one its walk began with where that is the cheaper one now.

    The first multipliers can be off by many orders of magnitude, and walk trees to where they take
    thousands of pivots to come back from.
    """
    prices = [(reduced * tree.rays()).sum(axis=1) for tree in (trees, fresh)]
    return trees.where(prices[0] <= prices[1], fresh)


def _new(problem: Problem, columns: Columns, rays: Floats, at: Floats, own: Floats) -> Whole:
    """The outputs whose rays improve the mixture and are not among the columns."""
    gains = [((problem.costs - lam) * rays).sum(axis=1) for lam in (at, own)]
    good = np.nonzero(np.minimum(*gains) < 0)[0]
    return good[~np.isin(named(good, rays[good]), columns.names)]


def _kept(columns: Columns, found: Mixture, first: int, young: int) -> Whole:
    """The columns worth keeping: in use, of least reduced cost, young, or among the first."""
    kept = found.weights > _USED * found.weights.max()
    reduced = columns.q - columns.A.T @ found.multipliers
    kept[np.argsort(reduced)[: _KEEP * len(columns.A) // 2]] = True
    kept[len(kept) - young :] = True
    kept[:first] = True
    return np.nonzero(kept)[0]


def settled(problem: Problem, best: Best, rounds: int, gap: float) -> tuple[Approximation, Floats]:
    """The best answer so far in the terms of the problem as it was given; and the flows (m × n)."""
    group = problem.group
    mixed = np.zeros(problem.costs.shape)
    np.add.at(mixed, best.columns.owners, best.weights[:, None] * best.columns.rays)
    channel = group.channel(mixed)
    channel /= channel.sum(axis=1, keepdims=True)
    multipliers = best.multipliers * problem.scale + problem.offset
    trees = np.stack([group.moved(best.trees.parents), group.images(best.trees.signs)], axis=2)
    loss = float((problem.whole * channel).sum())
    bound = float(multipliers.sum())
    finished = loss - bound <= gap * max(abs(loss), problem.nothing)
    answer = Approximation(channel, multipliers, loss, bound, rounds, finished, trees)
    return answer, group.images(best.flows) * problem.scale
