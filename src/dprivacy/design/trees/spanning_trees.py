"""Extreme rays of the private cone as spanning trees of tight pairs, and the walk from tree to tree.

A column z > 0 with z[x] ≤ e^D(x, x')·z[x'] for all pairs is an extreme ray exactly when its tight
pairs connect all points. A spanning tree of tight pairs then determines it up to scale: ln z rises or
falls by D along every edge. The cheapest ray for a vector of prices is found as in the network simplex
method, by exchanging one edge of the tree at a time.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats, Whole

Tree = tuple[Whole, Whole, Floats]  # parents, signs and potentials of one output
SHORTER = 1e-9  # of a distance: how much of it the perturbation may take, at least half of this
_RENEW = 64  # pivots after which potentials are computed afresh from the tree
_WORTH_THREADS = 100_000  # distances times outputs, below which one thread is quicker


@dataclass(frozen=True, eq=False)
class Trees:
    """One spanning tree for each output; the arrays change in place as the trees are walked.

    Attributes
    ----------
    parents
        m × n; the parent of every point, −1 at the root.
    signs
        m × n; +1 where z[x] = e^D·z[parent] (the point is above), −1 where z[parent] = e^D·z[x].
    potentials
        m × n; ln z, up to a constant for each output.
    """

    parents: Whole
    signs: Whole
    potentials: Floats

    def rays(self) -> Floats:
        """The rays, scaled to a mean of 1 (m × n)."""
        top = self.potentials.max(axis=1, keepdims=True)
        z = np.exp(self.potentials - top)
        return np.asarray(z / z.mean(axis=1, keepdims=True))

    def where(self, kept: NDArray[np.bool_], others: "Trees") -> "Trees":
        """These trees where they are kept, and the others elsewhere."""
        pick = kept[:, None]
        return Trees(
            np.where(pick, self.parents, others.parents),
            np.where(pick, self.signs, others.signs),
            np.where(pick, self.potentials, others.potentials),
        )

    def only(self, outputs: slice | Whole) -> "Trees":
        """The trees of some outputs."""
        return Trees(self.parents[outputs], self.signs[outputs], self.potentials[outputs])

    def put(self, outputs: Whole, others: "Trees") -> None:
        """Take the others for these outputs."""
        self.parents[outputs] = others.parents
        self.signs[outputs] = others.signs
        self.potentials[outputs] = others.potentials

    def copy(self) -> "Trees":
        """The same trees in arrays of their own."""
        return Trees(self.parents.copy(), self.signs.copy(), self.potentials.copy())


def shortened(scaled: Floats) -> Floats:
    """The distances ε·d, each a little shorter, so that no two sums of distances agree.

    Every distance loses between half and all of a billionth of itself. A ray that is private for the
    shorter distances is private for the true ones, and ties, on which the walk could go in circles, are
    gone. What is left of that billionth is between 0.3 and 0.5 of the shortest distance, by irrational
    numbers, the same every time; numbers of which none is more than the sum of two others make up a
    metric, and so does their sum with one: ways round stay longer.
    """
    at = np.arange(1.0, len(scaled) + 1)
    mixed = np.outer(at * np.sqrt(2.0), at * np.sqrt(3.0)) + np.add.outer(at, at) * np.sqrt(5.0)
    amounts = 0.3 + 0.2 * ((mixed + mixed.T) % 1.0)
    shortest = scaled.min(where=scaled > 0, initial=scaled.max(initial=1.0))
    lengths = (1.0 - SHORTER) * scaled + SHORTER * shortest * amounts
    np.fill_diagonal(lengths, 0.0)
    return np.ascontiguousarray(lengths)


def stars(lengths: Floats, roots: Whole) -> Trees:
    """For each output the ray that falls off as fast as it may around its root: −ln z = distance."""
    shape = (len(roots), len(lengths))
    parents = np.repeat(roots[:, None], shape[1], axis=1).astype(np.int64)
    parents[np.arange(len(roots)), roots] = -1
    return Trees(parents, np.full(shape, -1, dtype=np.int64), np.ascontiguousarray(-lengths[roots]))


def replanted(lengths: Floats, trees: Whole, otherwise: Trees) -> Trees:
    """Trees of another run on these lengths; `otherwise` where a ray would not be private."""
    kept = otherwise.copy()
    for y, tree in enumerate(trees):
        parent, sign = tree[:, 0], tree[:, 1]
        if (parent < 0).sum() != 1:
            continue
        potential = _potential(lengths, parent, sign)
        slack = lengths - potential[:, None] + potential
        if slack.min() >= -1e-12 * max(1.0, float(np.ptp(potential))):
            kept.parents[y], kept.signs[y], kept.potentials[y] = parent, sign, potential
    return kept


def _potential(lengths: Floats, parent: Whole, sign: Whole) -> Floats:
    potential = np.zeros(len(parent))
    for v in _from_the_root(parent):
        if parent[v] >= 0:
            potential[v] = potential[parent[v]] + sign[v] * lengths[v, parent[v]]
    return potential


def _from_the_root(parent: Whole) -> list[int]:
    """The points, each after its parent."""
    depth = np.zeros(len(parent), dtype=np.int64)
    above = parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    order: list[int] = np.argsort(depth, kind="stable").tolist()
    return order


# ------------------------------------------------------------------------------------------ pricing


@dataclass(frozen=True, eq=False)
class Prices:
    """What the walk found: for each output the least ratio r·z / 1·z, and the pivots it took."""

    ratios: Floats
    pivots: Whole


def price(
    lengths: Floats,
    reduced: Floats,
    trees: Trees,
    *,
    pivots: int,
    until: float = np.inf,
    tolerance: float = 1e-13,
    compiled: bool = True,
) -> Prices:
    """Walk every tree to the ray that minimises r·z / 1·z, where r is its output's row of `reduced`.

    Trees whose turn has not come when `time.perf_counter` reaches `until` stay as they are; their ratio
    is NaN.

    Notes
    -----
    1. θ = r·z / 1·z for the ray at hand; F(v) = Σ (r − θ)·z over the subtree of v, the tree hanging
       from its highest point.
    2. Moving a subtree up (down) against the rest by a small factor helps where F has the wrong sign
       for the direction in which its edge is tight. Take the largest such F that is more than rounding
       of its terms, where r and θ may be nearly the same; none: the ray is best.
    3. Move that subtree until the next pair, one point inside and one outside, becomes tight; that pair
       is the new edge. A walk that has taken `pivots` steps stops where it is.

    A pivot costs O(|inside|·n); the only memory is the table of lengths.
    """
    m, n = reduced.shape
    found = Prices(np.full(m, np.nan), np.zeros(m, dtype=np.int64))
    halted = Event()
    walk: Callable[..., tuple[float, int]] = _walk
    if compiled:
        from dprivacy.design.trees.compiled_walks import walk as compiled_walk

        walk = compiled_walk

    def part(outputs: range) -> None:
        for y in outputs:
            if halted.is_set() or time.perf_counter() > until:
                return
            tree = trees.parents[y], trees.signs[y], trees.potentials[y]
            found.ratios[y], found.pivots[y] = walk(lengths, reduced[y], tree, pivots, tolerance)

    workers = min(os.cpu_count() or 1, m)
    if not compiled or workers == 1 or reduced.size * n < _WORTH_THREADS:
        part(range(m))
    else:  # the compiled walk lets other threads run
        with ThreadPoolExecutor(workers) as pool:
            try:
                list(pool.map(part, [range(k, m, workers) for k in range(workers)]))
            finally:
                halted.set()  # interrupted from the keyboard, the others end soon too
    return found


def _walk(
    lengths: Floats, r: Floats, tree: Tree, pivots: int, tolerance: float
) -> tuple[float, int]:
    """The walk of one tree in NumPy, which moves every point as a tree's: the definition.

    `compiled_walks.walk` ends at the same ratio and moves fewer points.
    """
    parent, sign, potential = tree
    n = len(r)
    everyone = np.arange(n)
    _hang_from_the_top(parent, sign, potential)
    inside = _subtrees(parent)
    taken = 0
    while True:
        if taken % _RENEW == 0:
            potential[:] = _potential(lengths, parent, sign)
        z = np.exp(potential - potential.max())
        ratio = float(r @ z / z.sum())
        if taken >= pivots:
            return ratio, taken
        pull = (r - ratio) * z
        wrong = sign * (inside @ pull)
        size = inside @ ((np.abs(r) + abs(ratio)) * z)
        wrong[(wrong <= tolerance * size) | (parent < 0)] = 0.0
        leaving = int(wrong.argmax())
        if wrong[leaving] == 0.0:
            if _hang_from_the_top(parent, sign, potential):
                inside = _subtrees(parent)
                continue
            return ratio, taken
        moved = inside[leaving].copy()
        a, b = everyone[moved], everyone[~moved]
        direction = -sign[leaving]
        slack = lengths[np.ix_(a, b)] + direction * (potential[b] - potential[a][:, None])
        i, j = divmod(int(slack.argmin()), len(b))
        potential[moved] += direction * max(slack[i, j], 0.0)
        _rehang(parent, sign, inside, leaving, (int(a[i]), int(b[j]), int(direction)))
        taken += 1


def _hang_from_the_top(parent: Whole, sign: Whole, potential: Floats) -> bool:
    """Make the highest point the root; whether it was not.

    A subtree's sum is then a sum of small numbers where the ray is small, and keeps all its digits.
    """
    v = int(potential.argmax())
    if parent[v] < 0:
        return False
    new_parent, new_sign = -1, -1
    while v >= 0:
        old_parent, old_sign = int(parent[v]), int(sign[v])
        parent[v], sign[v] = new_parent, new_sign
        new_parent, new_sign, v = v, -old_sign, old_parent
    return True


def _subtrees(parent: Whole) -> NDArray[np.bool_]:
    """inside[v, x]: whether x is v or below it."""
    n = len(parent)
    inside = np.zeros((n, n), dtype=np.bool_)
    below = np.arange(n)
    above = below.copy()
    while len(below):
        inside[above, below] = True
        above = parent[above]
        below, above = below[above >= 0], above[above >= 0]
    return inside


def _rehang(
    parent: Whole,
    sign: Whole,
    inside: NDArray[np.bool_],
    leaving: int,
    edge: tuple[int, int, int],
) -> None:
    """Take the subtree of `leaving` off and hang it up again by the new edge (point, parent, sign)."""
    v, new_parent, new_sign = edge
    moved = inside[leaving].copy()
    above = int(parent[leaving])
    while above >= 0:
        inside[above] &= ~moved
        above = int(parent[above])
    above = new_parent
    while above >= 0:
        inside[above] |= moved
        above = int(parent[above])
    behind = np.zeros(len(parent), dtype=np.bool_)
    while True:
        old_parent, old_sign, old_inside = int(parent[v]), int(sign[v]), inside[v].copy()
        parent[v], sign[v] = new_parent, new_sign
        inside[v] = moved & ~behind
        if v == leaving:
            return
        new_parent, new_sign, behind, v = v, -old_sign, old_inside, old_parent
