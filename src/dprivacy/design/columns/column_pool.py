"""The problem of one connected space in common units, and the columns that mix to a channel."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dprivacy.design.problems.approximation import Approximation
from dprivacy.design.problems.problem_symmetry import Symmetry, alone
from dprivacy.design.trees.spanning_trees import SHORTER, Trees, replanted, shortened
from dprivacy.numbers import Floats, Whole

_SLOPES = (0.0, 1.0, 0.7, 0.4)  # first columns: e^(−slope·D) around each output's best secret
_HALF = 0.5  # slope of the exponential mechanism: numerators and sums change by e^(D/2) each
_STEEP = 300.0  # longer distances are cut to this, as in `tree_flows`; e^−300 of the costs is lost
_EVEN = 1e-13  # error of a row's sum that changes no ratio by more than rounding
_NOTHING = 1e-9  # of the largest cost: the gap of a smaller loss is measured against this


@dataclass(frozen=True, eq=False)
class Problem:
    """Distances, and the costs of one output of each orbit, brought to between 0 and 1.

    Attributes
    ----------
    whole
        The costs as they were given (secrets × outputs).
    scaled, lengths
        The distances ε·d, and the same a little shorter, for the walks.
    costs
        (whole − offset) / scale for the representatives (representatives × secrets).
    offset, scale
        The least cost of each secret, and the largest difference to it.
    group
        The symmetries, perhaps only the identity.
    """

    whole: Floats
    scaled: Floats
    lengths: Floats
    costs: Floats
    offset: Floats
    scale: float
    group: Symmetry

    @property
    def nothing(self) -> float:
        """The least loss that a gap is relative to: floats tell no more of a smaller one."""
        return _NOTHING * self.scale

    @cached_property
    def even(self) -> float:
        """How far from 1 a row's sum may be: a fifth of what the shorter lengths leave to privacy."""
        others = self.lengths[~np.eye(len(self.lengths), dtype=np.bool_)]
        return max(_EVEN, 0.1 * SHORTER * float(others.min(initial=1.0)))

    def stated(self, value: float) -> float:
        """A loss or a bound in the units of the costs that were given."""
        return value * self.scale + float(self.offset.sum())

    def gap(self, loss: float, bound: float) -> float:
        """The relative gap."""
        return max(loss - bound, 0.0) * self.scale / max(abs(self.stated(loss)), self.nothing)


def posed(scaled: Floats, costs: Floats, group: Symmetry | None) -> Problem:
    """The problem with its numbers brought to a common size."""
    group = group or alone(*costs.shape)
    if not np.isfinite(scaled).all():  # pairs that only others bind: the shortest way round does
        from scipy.sparse.csgraph import floyd_warshall

        scaled = floyd_warshall(scaled, directed=False)
    offset = costs.min(axis=1)
    shifted = costs - offset[:, None]
    scale = float(shifted.max()) or 1.0
    rows = np.ascontiguousarray((shifted / scale)[:, group.representatives].T)
    return Problem(costs, scaled, shortened(np.minimum(scaled, _STEEP)), rows, offset, scale, group)


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of the master.

    Attributes
    ----------
    owners, rays
        Which representative a column belongs to, and its ray (columns × secrets, mean 1).
    A, q
        What a unit of it, at all outputs of the orbit, adds to the rows (orbits of secrets × columns)
        and to the loss.
    names
        A number for each column, by which a ray that is there already is known.
    """

    owners: Whole
    rays: Floats
    A: Floats
    q: Floats
    names: Whole

    def with_rays(self, problem: Problem, owners: Whole, rays: Floats) -> "Columns":
        """These columns and the rays (k × n) of these representatives."""
        w = problem.group.multiplicities[owners]
        return Columns(
            np.concatenate([self.owners, owners]),
            np.vstack([self.rays, rays]),
            np.vstack([self.A.T, (w * problem.group.averages(rays)).T]).T,  # whole columns move
            np.concatenate([self.q, w * (problem.costs[owners] * rays).sum(axis=1)]),
            np.concatenate([self.names, named(owners, rays)]),
        )

    def only(self, kept: Whole) -> "Columns":
        """Some of these columns."""
        return Columns(
            self.owners[kept], self.rays[kept], self.A.T[kept].T, self.q[kept], self.names[kept]
        )


def named(owners: Whole, rays: Floats) -> Whole:
    """Numbers for rays; those that differ by ties only get the same."""
    logs = np.round(np.log(rays), 5)
    pairs = zip(owners.tolist(), logs, strict=True)
    return np.array([hash((y, ray.tobytes())) for y, ray in pairs], dtype=np.int64)


def first_trees(problem: Problem, peaks: Trees, start: Approximation | None) -> Trees:
    """For each output the peak at its best secret, or the tree of an earlier answer."""
    worst = problem.costs.max(axis=0)
    best = (problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)
    trees = Trees(peaks.parents[best], peaks.signs[best], peaks.potentials[best])
    if start is None or start.trees is None:
        return trees
    return replanted(problem.lengths, start.trees[problem.group.representatives], trees)


def first_columns(
    problem: Problem,
    peaks: Trees,
    trees: Trees,
    start: Approximation | None,
    *,
    few: bool = False,
) -> tuple[Columns, Floats]:
    """Peaks and pits at every secret, rays of several slopes around every output, and a channel.

    A peak falls off as fast as privacy allows, a pit rises as fast. With both at every secret, the sums
    of the rows can be met with all weights positive, without which the master's multipliers would have
    no bound. They come first, 2 for each orbit of secrets, and then a constant column for each output;
    with `few` there are no other slopes. The last are those of a channel: an earlier answer or the
    exponential mechanism, which is of use however near secrets are. With the columns come the weights
    that make them that channel.
    """
    m, n = problem.costs.shape
    columns = Columns(
        np.empty(0, dtype=np.int64),
        np.empty((0, n)),
        np.empty((len(problem.group.sizes), 0)),
        np.empty(0),
        np.empty(0, dtype=np.int64),
    )
    for slope in (1.0, -1.0):
        rays = _sloped(peaks, slope)
        price = rays @ problem.costs.T
        owners = price.argmin(axis=1)
        order = np.argsort(price[np.arange(n), owners], kind="stable")
        chosen = order[np.unique(problem.group.orbit[order], return_index=True)[1]]
        columns = columns.with_rays(problem, owners[chosen], rays[chosen])
    for slope in _SLOPES[: 1 if few else None]:
        columns = columns.with_rays(problem, np.arange(m), _sloped(trees, slope))
    z = exponential(problem) if start is None else _private_below(problem, start)
    mean = z.mean(axis=1)
    used = np.nonzero(mean > 0)[0]
    weights = np.concatenate([np.zeros(len(columns.q)), mean[used]])
    return columns.with_rays(problem, used, z[used] / mean[used, None]), weights


def exponential(problem: Problem) -> Floats:
    """The columns of the exponential mechanism around each output's best secret.

    Answers y have probabilities e^(−D/2) over their sum, so that both change by e^(D/2) at most.
    """
    worst = problem.costs.max(axis=0)
    best = (problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)
    z = np.exp(-_HALF * problem.lengths[best])
    group = problem.group
    return np.asarray(z / (group.averages(z) @ group.multiplicities)[group.orbit])


def _private_below(problem: Problem, start: Approximation) -> Floats:
    """For each column of an earlier answer the largest private one below it."""
    z = np.maximum(start.channel[:, problem.group.representatives].T, 0.0)
    rise = np.exp(problem.lengths)
    return np.array([(rise * column).min(axis=1) for column in z])


def _sloped(trees: Trees, slope: float) -> Floats:
    return Trees(trees.parents, trees.signs, slope * trees.potentials).rays()
