"""A problem cut where no constraint connects, with points at distance 0 taken together."""

from dataclasses import dataclass

import numpy as np

from dprivacy.design.problems.approximation import Approximation
from dprivacy.design.trees.tree_flows import as_flows
from dprivacy.numbers import Floats, Whole


@dataclass(frozen=True, eq=False)
class Part:
    """Secrets at finite distances from each other.

    Attributes
    ----------
    members
        All secrets of the part.
    kept
        One of them for each class of secrets at distance 0.
    place
        For each member the place of its class in `kept`.
    """

    members: Whole
    kept: Whole
    place: Whole

    def problem(self, scaled: Floats, costs: Floats) -> tuple[Floats, Floats]:
        """Distances between the classes, and the costs of each class."""
        merged = np.zeros((len(self.kept), costs.shape[1]))
        np.add.at(merged, self.place, costs[self.members])
        return scaled[np.ix_(self.kept, self.kept)], merged


def parts(scaled: Floats) -> list[Part]:
    """The parts of a space: what is infinitely far apart shares no constraint, and no part."""
    from scipy.sparse.csgraph import connected_components

    number, label = connected_components(np.isfinite(scaled), directed=False)
    found = []
    for k in range(number):
        members = np.nonzero(label == k)[0].astype(np.int64)
        first = (scaled[np.ix_(members, members)] == 0).argmax(axis=1)
        at, place = np.unique(first, return_inverse=True)
        found.append(Part(members, members[at], place.astype(np.int64)))
    return found


def restricted(start: Approximation | None, part: Part) -> Approximation | None:
    """What an earlier answer says about a part."""
    if start is None:
        return None
    n = len(start.channel)
    share = np.zeros(len(part.kept))
    np.add.at(share, part.place, start.multipliers[part.members])
    trees = None
    if start.trees is not None:
        local = np.full(n + 1, -1, dtype=np.int64)  # the last entry is where a parent of −1 looks
        local[part.kept] = np.arange(len(part.kept))
        trees = start.trees[:, part.kept].copy()
        trees[:, :, 0] = local[trees[:, :, 0]]
    return Approximation(start.channel[part.kept], share, 0.0, 0.0, 0, False, trees)


def together(
    costs: Floats, pieces: list[tuple[Part, Approximation, Floats]], gap: float
) -> Approximation:
    """One answer from the answers of the parts, each with its trees' flows (m × points)."""
    n, m = costs.shape
    channel = np.empty((n, m))
    multipliers = np.empty(n)
    trees = np.empty((m, n, 2), dtype=np.int64)
    amounts = np.zeros((m, n))
    for part, answer, flows in pieces:
        channel[part.members] = answer.channel[part.place]
        share = answer.multipliers / np.bincount(part.place)
        multipliers[part.members] = share[part.place]
        assert answer.trees is not None
        parent = answer.trees[:, :, 0]
        trees[:, part.kept, 0] = np.where(parent >= 0, part.kept[parent], -1)
        trees[:, part.kept, 1] = answer.trees[:, :, 1]
        amounts[:, part.kept] = flows
        twins = np.setdiff1d(part.members, part.kept)
        if len(twins):  # what a twin's prices leave goes to its class, in either direction
            at = part.kept[part.place[np.searchsorted(part.members, twins)]]
            rest = (costs[twins] - multipliers[twins, None]).T
            trees[:, twins, 0] = at
            trees[:, twins, 1] = np.where(rest > 0, -1, 1)
            amounts[:, twins] = np.abs(rest)
    loss = float((costs * channel).sum())
    bound = float(multipliers.sum())
    return Approximation(
        channel,
        multipliers,
        loss,
        bound,
        max(answer.rounds for _, answer, _ in pieces),
        loss - bound <= gap * abs(loss) or all(answer.finished for _, answer, _ in pieces),
        trees,
        as_flows(trees[:, :, 0], trees[:, :, 1], amounts),
    )
