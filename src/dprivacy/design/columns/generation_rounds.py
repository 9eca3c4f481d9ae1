"""The rounds of the column generation on one connected space: mix, price, bound, add, drop."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dprivacy.design.columns.arithmetic_device import Machine
from dprivacy.design.columns.boxed_master import Box
from dprivacy.design.columns.coarser_start import Coarser, coarser
from dprivacy.design.columns.column_pool import Columns, Problem, first_columns, first_trees, named
from dprivacy.design.columns.local_shares import given_up
from dprivacy.design.columns.spread_answers import spread_columns, spread_trees
from dprivacy.design.columns.tiled_start import Tile, tiles
from dprivacy.design.master.master_program import Mixture
from dprivacy.design.problems.approximation import Approximation
from dprivacy.design.trees.spanning_trees import Trees, stars
from dprivacy.numbers import Floats, Whole

_ROUNDS = 2_000
_STALLED = 25  # rounds that together close less than a tenth of the gap: others may try
_INERTIA = 0.7  # weight of the best multipliers so far in those that are priced, at first
_EASE = 0.8  # what is left of that weight, or of the rest, after each success, or failure
_ROUGH = 0.1  # of the current gap: how well the master is solved
_KEEP = 6  # columns for each row that are kept, those of least reduced cost
_YOUNG = 3  # rounds in which a new column is not dropped
_SLIGHT = 1e-3  # weight of the first columns beside those of a coarser problem
_LOST = 0.5  # a gap that says nothing of the multipliers yet
_PIVOTS = 30  # for each output in the first rounds; three times as many when these bring little
_NEAR = 0.4  # times ε: secrets nearer than this in the mean are merged for a start
_COARSE = 1e-2  # the gap to which the coarser problem is solved
_BOXED = 1e-2  # the gap of the master in a box: the gap so far says nothing of it
_FAR = 3_000  # pivots for each output where the first multipliers are nearly right
_AGAIN = 4  # times that these are made feasible where rays are too cheap

Told = Callable[[], bool]  # says how far the whole search is; whether it should end


@dataclass(eq=False)
class Best:
    """The best mixture so far, and the best multipliers with the trees and flows that bear them out.

    `centre` are the best of the feasible multipliers that gave up the same everywhere: the search stays
    near these. Where more is given up at some places, the bound is better and the prices are less even.
    """

    loss: float
    columns: Columns
    weights: Floats
    bound: float
    multipliers: Floats
    trees: Trees
    flows: Floats
    centre: Floats

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

    def centred(self, multipliers: Floats, trees: Trees, flows: Floats) -> bool:
        """Take feasible multipliers, and stay near them, if they are better than the centre."""
        self.bounded(multipliers, trees, flows)
        better = bool(multipliers.sum() > self.centre.sum())
        if better:
            self.centre = multipliers
        return better


@dataclass(frozen=True, eq=False)
class Opening:
    """What a search begins with.

    `near` are multipliers of a coarser problem, which are nearly right, though not feasible.
    """

    trees: Trees
    columns: Columns
    weights: Floats
    near: Floats | None = None


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
    early = start is None and time.perf_counter() < until
    smaller = (coarser(problem, _NEAR) or tiles(problem)) if early else []
    opening = _cold(problem, start, few=bool(smaller))
    best = _at_first(problem, opening)
    rounds = 0

    def told() -> bool:
        return tell(problem.stated(best.loss), problem.stated(best.bound))

    try:
        best.centred(*_lifted(problem, best.centre, opening.trees, machine))
        if start is not None:
            at = (start.multipliers - problem.offset) / problem.scale
            best.centred(*_lifted(problem, at, opening.trees, machine))
        if smaller and problem.gap(best.loss, best.bound) > gap:
            _mixed_at_once(problem, best, machine)
            opening = _warm(problem, smaller, opening, machine, until, told)
        for rounds in _rounds(problem, best, opening, gap, machine, until):
            if problem.gap(best.loss, best.bound) <= gap:
                answer = settled(problem, best, rounds, gap)
                if answer[0].finished:
                    told()
                    return answer
            if told():
                break
    except KeyboardInterrupt:
        interrupted()
    return settled(problem, best, rounds, gap)


def _cold(problem: Problem, start: Approximation | None, *, few: bool) -> Opening:
    """Peaks, pits and slopes, and an earlier answer; with `few`, a coarser problem's are to come."""
    peaks = stars(problem.lengths, np.arange(len(problem.scaled)))
    trees = first_trees(problem, peaks, start)
    return Opening(trees, *first_columns(problem, peaks, trees, start, few=few))


def _at_first(problem: Problem, opening: Opening) -> Best:
    """The channel to begin with or the best constant one, and multipliers that say nothing."""
    m, n = problem.costs.shape
    columns = opening.columns
    constant = 2 * len(problem.group.sizes) + int(problem.costs.sum(axis=1).argmin())
    flat = (np.arange(len(columns.q)) == constant) / columns.A[0, constant]
    loss, nothing = float(columns.q @ flat), np.zeros(n)
    trees = opening.trees.copy()
    best = Best(loss, columns, flat, -np.inf, nothing, trees, np.zeros((m, n)), nothing)
    best.mixed(columns, opening.weights, problem.even)
    return best


def _mixed_at_once(problem: Problem, best: Best, machine: Machine) -> None:
    """Take a mixture of rays of several slopes: while smaller problems are solved, time may be up."""
    opening = _cold(problem, None, few=False)
    columns = opening.columns
    found = machine.mixture(columns.A, columns.q, _ROUGH, opening.weights, best.centre)
    best.mixed(columns, machine.balanced(columns.A, found.weights), problem.even)


def _warm(
    problem: Problem,
    smaller: Coarser | list[Tile],
    cold: Opening,
    machine: Machine,
    until: float,
    told: Told,
) -> Opening:
    """The trees, columns and multipliers of smaller problems, if there are any."""
    if isinstance(smaller, Coarser):
        return _refined(problem, smaller, cold, machine, until, told)
    return _tiled(problem, smaller, cold, machine, until, told) if smaller else cold


def _refined(
    problem: Problem, part: Coarser, cold: Opening, machine: Machine, until: float, told: Told
) -> Opening:
    """The trees, columns and multipliers of a coarser problem."""
    best = _roughly(part.problem, machine, until, told)
    owners, rays, weights = part.spread_columns(problem, best.columns, best.weights)
    return Opening(
        part.spread_trees(problem, best.trees),
        cold.columns.with_rays(problem, owners, rays),
        np.concatenate([np.full(len(cold.columns.q), _SLIGHT * weights.mean()), weights]),
        part.spread_multipliers(problem, best.multipliers),
    )


def _tiled(
    problem: Problem, cut: list[Tile], cold: Opening, machine: Machine, until: float, told: Told
) -> Opening:
    """The trees, columns and multipliers of all tiles together."""
    near, trees = np.empty(len(problem.lengths)), cold.trees.copy()
    columns, mixed = cold.columns, [np.empty(0)]
    for tile in cut:
        best = _roughly(tile.problem, machine, until, told)
        near[tile.members[: tile.own]] = best.multipliers[: tile.own] * tile.problem.scale
        if not tile.owned:
            continue
        found = best.trees.only(slice(tile.owned))
        trees.put(tile.outputs[: tile.owned], spread_trees(problem.lengths, tile.members, found))
        mine = np.nonzero(best.columns.owners < tile.owned)[0]
        owners, rays, weights = spread_columns(
            problem.lengths, tile.members, tile.outputs, best.columns.only(mine), best.weights[mine]
        )
        columns = columns.with_rays(problem, owners, rays)
        mixed.append(weights)
    weights = np.concatenate(mixed)
    slight = np.full(len(cold.columns.q), _SLIGHT * weights.mean())
    return Opening(trees, columns, np.concatenate([slight, weights]), near)


def _roughly(problem: Problem, machine: Machine, until: float, told: Told) -> Best:
    """The answer to a smaller problem, from which a larger one starts; it may have a coarser one."""
    smaller: Coarser | list[Tile] = coarser(problem) or []
    opening = _cold(problem, None, few=bool(smaller))
    best = _at_first(problem, opening)
    best.centred(*_lifted(problem, best.centre, opening.trees, machine))
    opening = _warm(problem, smaller, opening, machine, until, told)
    for _ in _rounds(problem, best, opening, _COARSE, machine, until):
        if told() or problem.gap(best.loss, best.bound) <= _COARSE:
            break
    return best


def _walked(
    problem: Problem, best: Best, opening: Opening, near: Floats, machine: Machine, until: float
) -> Opening:
    """The trees walked at multipliers that are nearly right, and the rays on the way to feasible ones.

    Where rays are too cheap the multipliers give up what these need, and trees are walked again.
    """
    trees, columns, weights = opening.trees, opening.columns, opening.weights
    at = near
    shortfalls, cheap = np.empty(0), np.empty((0, len(near)))
    for turn in range(_AGAIN):
        prices = machine.price(problem.lengths, problem.costs - at, trees, pivots=_FAR, until=until)
        best.centred(*_lifted(problem, at, trees, machine))
        rays = trees.rays()
        below = ((problem.costs - at) * rays).sum(axis=1) < 0
        new = np.nonzero(below)[0] if turn else np.arange(len(rays))
        columns = columns.with_rays(problem, new, rays[new])
        weights = np.concatenate([weights, np.full(len(new), weights.mean())])
        if not below.any():
            if prices.pivots.max() < _FAR:
                break
            continue
        short = -((problem.costs[below] - near) * rays[below]).sum(axis=1)
        shortfalls, cheap = np.concatenate([shortfalls, short]), np.vstack([cheap, rays[below]])
        at = near - given_up(shortfalls, cheap)
    return replace(opening, columns=columns, weights=weights)


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
    opening: Opening,
    gap: float,
    machine: Machine,
    until: float,
) -> Iterator[int]:
    """One round after the other, until nothing moves; what they find goes into `best`."""
    group = problem.group
    allowed, inertia, finer = _PIVOTS, _INERTIA, 1.0
    mark, since, last = np.inf, 0, np.inf
    added: list[int] = []
    box = Box(closed=opening.near is not None)
    if opening.near is not None:
        opening = _walked(problem, best, opening, opening.near, machine, until)
        allowed = _FAR
        yield 0  # time may be up, and mixing the columns at hand takes longest
    trees, columns, weights = opening.trees, opening.columns, opening.weights
    fresh = trees.copy()
    for number in range(1, _ROUNDS + 1):
        rough = min(0.1, finer * _ROUGH * problem.gap(best.loss, best.bound))
        known = np.bincount(group.orbit, best.centre).astype(np.float64)
        if box.closed:
            found = box.mixture(machine, columns.A, columns.q, min(rough, _BOXED), weights, known)
        else:
            exactly = max(rough, 1e-3 * gap, 1e-10)
            found = machine.mixture(columns.A, columns.q, exactly, weights, known)
        if box.met or not box.closed:
            best.mixed(columns, machine.balanced(columns.A, found.weights), problem.even)
        own = (found.multipliers / group.sizes)[group.orbit]
        at = inertia * best.centre + (1 - inertia) * own
        if problem.gap(best.loss, best.bound) > _LOST:
            trees = planted_again(trees, fresh, problem.costs - at)
        prices = machine.price(
            problem.lengths, problem.costs - at, trees, pivots=allowed, until=until
        )
        exact = int(prices.pivots.max()) < allowed
        if best.centred(*_lifted(problem, at, trees, machine)):
            inertia *= _EASE
        else:
            inertia = 1 - _EASE * (1 - inertia)
        rays = trees.rays()
        less = at - given_up(-((problem.costs - at) * rays).sum(axis=1), rays)
        best.bounded(*_lifted(problem, less, trees, machine))
        yield number

        apart = best.loss - best.bound
        mark, since = (apart, 0) if apart < 0.9 * mark or box.closed else (mark, since + 1)
        if since > _STALLED:
            return
        loss = float(columns.q @ found.weights)
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
    """The columns worth keeping: of least reduced cost, young, or among the first."""
    reduced = columns.q - columns.A.T @ found.multipliers
    kept = np.zeros(len(reduced), dtype=np.bool_)
    kept[np.argsort(reduced)[: _KEEP * len(columns.A)]] = True
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
