"""The problem of one connected space in common units, and the columns that mix to a channel."""

from dataclasses import dataclass

import numpy as np

from dprivacy.design.approximate import Approximation, Floats, Whole
from dprivacy.design.symmetry import Symmetry, alone
from dprivacy.design.trees import Trees, replanted, shortened, shortest_path_trees

_SLOPES = (0.0, 1.0, 0.7, 0.4)  # first columns: e^(−slope·D) around each output's best secret
_STEEP = 300.0  # longer distances are cut to this; what is lost is e^−300 of the costs
_NOTHING = 1e-15  # of the costs: a smaller loss counts as 0


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
        """A loss that counts as 0."""
        return _NOTHING * self.scale

    def stated(self, value: float) -> float:
        """A loss or a bound in the units of the costs that were given."""
        return value * self.scale + float(self.offset.sum())

    def gap(self, loss: float, bound: float) -> float:
        """The relative gap."""
        return max(loss - bound, 0.0) * self.scale / max(abs(self.stated(loss)), self.nothing)


def posed(scaled: Floats, costs: Floats, group: Symmetry | None) -> Problem:
    """The problem with its numbers brought to a common size."""
    group = group or alone(*costs.shape)
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
        Numbers that tell which rays are there.
    """

    owners: Whole
    rays: Floats
    A: Floats
    q: Floats
    names: frozenset[int] = frozenset()

    def lacks(self, owner: int, ray: Floats) -> bool:
        """Whether the ray is not among the columns yet."""
        return _name(owner, ray) not in self.names

    def with_rays(self, problem: Problem, owners: Whole, rays: Floats) -> "Columns":
        """These columns and the rays (k × n) of these representatives."""
        w = problem.group.multiplicities[owners]
        return Columns(
            np.concatenate([self.owners, owners]),
            np.vstack([self.rays, rays]),
            np.asfortranarray(np.hstack([self.A, w * problem.group.averages(rays)])),
            np.concatenate([self.q, w * (problem.costs[owners] * rays).sum(axis=1)]),
            self.names | set(map(_name, owners.tolist(), rays)),
        )

    def only(self, kept: Whole) -> "Columns":
        """Some of these columns."""
        A = np.asfortranarray(self.A[:, kept])
        owners, rays = self.owners[kept], self.rays[kept]
        names = frozenset(map(_name, owners.tolist(), rays))
        return Columns(owners, rays, A, self.q[kept], names)


def _name(owner: int, ray: Floats) -> int:
    """A number for a ray; rays that differ by ties only get the same."""
    return hash((owner, np.round(ray, 7).tobytes()))


def first_trees(problem: Problem, start: Approximation | None) -> Trees:
    """For each output the steepest ray around its best secret, or the tree of an earlier answer."""
    worst = problem.costs.max(axis=0)
    roots = (problem.costs / np.where(worst > 0, worst, 1.0)).argmin(axis=1)
    trees = shortest_path_trees(problem.lengths, roots)
    if start is None or start.trees is None:
        return trees
    return replanted(problem.lengths, start.trees[problem.group.representatives], trees)


def first_columns(problem: Problem, trees: Trees, start: Approximation | None) -> Columns:
    """Peaks and pits at every secret, rays of several slopes around every output, an earlier answer.

    A peak falls off as fast as privacy allows, a pit rises as fast. With both at every secret, the sums
    of the rows can be met with all weights positive, without which the master's multipliers would have
    no bound. They come first, 2 for each orbit of secrets, and then a constant column for each output.
    """
    m, n = problem.costs.shape
    columns = Columns(
        np.empty(0, dtype=np.int64),
        np.empty((0, n)),
        np.empty((len(problem.group.sizes), 0)),
        np.empty(0),
    )
    everywhere = shortest_path_trees(problem.lengths, np.arange(n))
    for slope in (1.0, -1.0):
        rays = _sloped(everywhere, slope)
        price = rays @ problem.costs.T
        owners = price.argmin(axis=1)
        order = np.argsort(price[np.arange(n), owners], kind="stable")
        chosen = order[np.unique(problem.group.orbit[order], return_index=True)[1]]
        columns = columns.with_rays(problem, owners[chosen], rays[chosen])
    for slope in _SLOPES:
        columns = columns.with_rays(problem, np.arange(m), _sloped(trees, slope))
    if start is not None:
        z = np.maximum(start.channel[:, problem.group.representatives].T, 0.0)
        rise = np.exp(problem.lengths)
        z = np.array([(rise * column).min(axis=1) for column in z])
        used = np.nonzero(z.sum(axis=1) > 0)[0]
        rays = z[used] * (n / z[used].sum(axis=1, keepdims=True))
        columns = columns.with_rays(problem, used, rays)
    return columns


def _sloped(trees: Trees, slope: float) -> Floats:
    return Trees(trees.parents, trees.signs, slope * trees.potentials).rays()
