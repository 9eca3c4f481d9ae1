"""Extreme rays of a private cone as trees of tight pairs, walked without rounding.

A ray of {z : z[x] ≤ e^(ε·d)·z[x']} is a spanning tree of tight pairs. Which pair becomes tight next is
decided on whole numbers in place of ln z, and what the ray costs with balls of as many bits as it
takes. So no ε·d is too large or too small.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.design.columns.arithmetic_device import machine
from dprivacy.design.engines.scaled_cone import Ball, Balls, Cone
from dprivacy.design.trees.spanning_trees import Trees
from dprivacy.numbers import Floats

_MOST_STEPS = 4  # of a walk in floats, for each secret


class Tree:
    """A spanning tree of tight pairs; it changes as it is walked.

    `parent` is −1 at the root; `sign` is +1 where a point is above its parent, that is, where
    z[x] = e^(ε·d)·z[parent], and −1 where it is below; `height` is ln z in the cone's unit.
    """

    __slots__ = ("height", "order", "parent", "sign")

    def __init__(self, parent: list[int], sign: list[int], height: NDArray[Any]) -> None:
        self.parent, self.sign, self.height = parent, sign, height
        self.order: list[int] = []
        self._hang(int(height.argmax()))

    @classmethod
    def falling_from(cls, cone: Cone, root: int) -> "Tree":
        """The ray that falls off as fast as it may around a point."""
        n = len(cone.lengths)
        far = cone.lengths[root].copy()
        parent = [root] * n
        parent[root] = -1
        left = set(range(n)) - {root}
        while left:
            v = min(left, key=far.__getitem__)
            left.remove(v)
            for x in left:
                through = far[v] + cone.lengths[v, x]
                if through < far[x]:
                    far[x], parent[x] = through, v
        return cls(parent, [-1] * n, -far)

    @classmethod
    def read(cls, cone: Cone, parent: list[int], sign: list[int]) -> "Tree | None":
        """The tree with these edges, if its ray is private."""
        tree = cls(parent, sign, np.zeros(len(parent), dtype=cone.lengths.dtype))
        for v in tree.order[1:]:
            p = tree.parent[v]
            tree.height[v] = tree.height[p] + tree.sign[v] * cone.lengths[v, p]
        tree._hang(int(tree.height.argmax()))
        private = (cone.lengths - tree.height[:, None] + tree.height).min() >= 0
        return tree if private else None

    def roughly(self, cone: Cone) -> Floats:
        """The ray in floats, 1 at the root."""
        below = (self.height - self.height.max()).astype(np.float64)
        return np.asarray(np.exp(below * cone.unit))

    def copy(self) -> "Tree":
        """The same tree, to be walked by itself."""
        return Tree(self.parent.copy(), self.sign.copy(), self.height.copy())

    def values(self, cone: Cone, factors: tuple[list[Any], list[Any]], one: Any) -> list[Any]:
        """The ray, 1 at the root: a product of factors along the tree."""
        up, down = factors
        z = [one] * len(self.parent)
        for v in self.order[1:]:
            p = self.parent[v]
            code = cone.codes[v, p]
            z[v] = z[p] * (up[code] if self.sign[v] > 0 else down[code])
        return z

    def pulls(self, weights: list[Any]) -> list[Any]:
        """Σ weights over the subtree of every point."""
        total = list(weights)
        for v in reversed(self.order[1:]):
            total[self.parent[v]] += total[v]
        return total

    def _hang(self, root: int) -> None:
        """Make a point the root, and list the points from there on."""
        v, parent, sign = root, -1, -1
        while v >= 0:
            above, turned = self.parent[v], -self.sign[v]
            self.parent[v], self.sign[v] = parent, sign
            v, parent, sign = above, v, turned
        below: list[list[int]] = [[] for _ in self.parent]
        for v, p in enumerate(self.parent):
            if p >= 0:
                below[p].append(v)
        self.order = [root]
        for v in self.order:
            self.order.extend(below[v])

    def _below(self, v: int) -> list[int]:
        """A point and all that hang from it."""
        inside = {v}
        for x in self.order:
            if self.parent[x] in inside:
                inside.add(x)
        return sorted(inside)

    def walk(
        self, cone: Cone, factors: tuple[Balls, Balls], prices: Balls, *, steps: float = math.inf
    ) -> tuple[Balls, Ball]:
        """Exchange edges until the ray has the least Σ prices·z / Σ z; the ray and that ratio.

        Moving a subtree up or down against the rest helps where the sum of (prices − ratio)·z over it
        has the wrong sign. It moves until the next pair becomes tight. Sums whose sign the balls do not
        tell count as 0.
        """
        from flint import arb

        n = len(self.parent)
        everyone = np.arange(n)
        z = self.values(cone, factors, arb(1))
        while True:
            ratio = sum((p * v for p, v in zip(prices, z, strict=True)), arb(0)) / sum(z, arb(0))
            pulls = self.pulls([(p - ratio) * v for p, v in zip(prices, z, strict=True)])
            leaving, most = -1, arb(0)
            for v in self.order[1:]:
                wrong = pulls[v] if self.sign[v] > 0 else -pulls[v]
                if wrong > most:
                    leaving, most = v, wrong
            if leaving < 0 or steps == 0:
                return z, ratio
            steps -= 1
            moved = self._below(leaving)
            rest = np.delete(everyone, moved)
            way = -self.sign[leaving]
            room = cone.lengths[moved][:, rest] + way * (
                self.height[rest] - self.height[moved][:, None]
            )
            i, j = divmod(int(room.argmin()), len(rest))
            self.height[moved] += way * room[i, j]
            inner, outer = moved[i], int(rest[j])
            code = cone.codes[inner, outer]
            change = z[outer] * factors[0 if way > 0 else 1][code] / z[inner]
            for v in moved:
                z[v] *= change
            self._exchange(leaving, inner, outer, way)
            self._hang(int(self.height.argmax()))

    def _exchange(self, leaving: int, inner: int, outer: int, way: int) -> None:
        """Take the subtree of `leaving` off and hang it up again by the edge from inner to outer."""
        v, parent, sign = inner, outer, way
        while True:
            above, turned = self.parent[v], -self.sign[v]
            self.parent[v], self.sign[v] = parent, sign
            if v == leaving:
                return
            v, parent, sign = above, v, turned


def walk_roughly(cone: Cone, trees: list[Tree], prices: Floats) -> None:
    """Walk the trees of all outputs in floats (m × n prices), as far as those can tell.

    A tree is taken over where whole numbers confirm that it is one of private rays.
    """
    steps = Trees(
        np.array([tree.parent for tree in trees]),
        np.array([tree.sign for tree in trees]),
        np.array([tree.height.astype(np.float64) for tree in trees]) * cone.unit,
    )
    n = len(cone.lengths)
    floats = machine(prices.size, None, "cpu")
    with np.errstate(all="ignore"):
        found = floats.price(cone.rough, prices, steps, pivots=_MOST_STEPS * n, until=np.inf)
    for y, pivots in enumerate(found.pivots.tolist()):
        if pivots:
            tree = Tree.read(cone, steps.parents[y].tolist(), steps.signs[y].tolist())
            if tree is not None:
                trees[y] = tree
