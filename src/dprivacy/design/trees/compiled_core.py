"""What a compiled walk moves: the core of a tree, the leaves that hang from it, and what is left out.

Importing this module needs the extra ``fast``.
"""

from typing import NamedTuple

import numpy as np

from dprivacy.design.trees.compiled_trees import compiled
from dprivacy.numbers import Floats, Whole

Tree = tuple[Whole, Whole, Floats]  # parents, signs and potentials
FAR = 1e300
_TIE = 1e-12  # heights nearer than this are the same but for rounding
_REACH = 40.0  # a point farther than this from the core weighs nothing, however likely it is


class Core(NamedTuple):
    """The points that a walk moves, by their places in it: a tree with the logarithms and the ray."""

    points: Whole
    parent: Whole
    sign: Whole
    potential: Floats
    z: Floats


class Leaves(NamedTuple):
    """The points that are as low as they may be: the place that each hangs from, and its height.

    `others` are the points that are neither these nor in the core.
    """

    points: Whole
    place: Whole
    potential: Floats
    z: Floats
    others: Whole


@compiled
def divided(
    lengths: Floats, r: Floats, tree: Tree, core: Core, leaves: Leaves
) -> tuple[int, int, int]:
    """Divide a tree into its core, its leaves and the others; how many there are of each.

    A point is in the core if it would rather be high, holds others, or is above its parent. Points far
    from all of the core are left out: they follow at the end.
    """
    parents, signs, potentials = tree
    n = len(r)
    top = potentials.max()
    total = 0.0
    cost = 0.0
    for x in range(n):
        z = np.exp(potentials[x] - top)
        total += z
        cost += r[x] * z
    wanted = max(cost / total, 0.0)
    place = np.full(n, -1, np.int64)
    for x in range(n):
        if parents[x] < 0 or r[x] < wanted or signs[x] > 0:
            place[x] = 0
        if parents[x] >= 0:
            place[parents[x]] = 0
    count = 0
    for x in range(n):
        if place[x] == 0:
            place[x] = count
            core.points[count] = x
            core.sign[count] = signs[x]
            core.potential[count] = potentials[x]
            count += 1
    for i in range(count):
        above = parents[core.points[i]]
        core.parent[i] = place[above] if above >= 0 else -1
    low = 0
    left = 0
    for x in range(n):
        if place[x] >= 0:
            continue
        if _far(lengths[x], core, count):
            leaves.others[left] = x
            left += 1
        else:
            leaves.points[low] = x
            leaves.place[low] = place[parents[x]]
            low += 1
    return count, low, left


@compiled
def _far(row: Floats, core: Core, count: int) -> bool:
    """Whether a point is far from all of the core."""
    nearest = FAR
    for i in range(count):
        nearest = min(nearest, row[core.points[i]])
    return nearest > _REACH


@compiled
def afresh(lengths: Floats, core: Core, count: int, leaves: Leaves, low: int, order: Whole) -> None:
    """Compute all heights afresh: steps add up rounding errors; the tree itself has none."""
    top = core.potential[order[0]]
    for k in range(1, count):
        v = order[k]
        p = core.parent[v]
        length = lengths[core.points[v], core.points[p]]
        core.potential[v] = core.potential[p] + core.sign[v] * length
        top = max(top, core.potential[v])
    for i in range(count):
        core.z[i] = np.exp(core.potential[i] - top)
    for x in range(low):
        p = leaves.place[x]
        leaves.potential[x] = core.potential[p] - lengths[core.points[p], leaves.points[x]]
        leaves.z[x] = np.exp(leaves.potential[x] - top)


@compiled
def core_price(r: Floats, core: Core, count: int, leaves: Leaves, low: int) -> float:
    """The ray's price, up to the points that are left out."""
    total = 0.0
    cost = 0.0
    for i in range(count):
        total += core.z[i]
        cost += r[core.points[i]] * core.z[i]
    for x in range(low):
        total += leaves.z[x]
        cost += r[leaves.points[x]] * leaves.z[x]
    return cost / total


@compiled
def joined(
    lengths: Floats, core: Core, count: int, leaves: Leaves, low: int, left: int
) -> tuple[int, int]:
    """The others near the last point of the core become leaves; how many there are then of each."""
    row = lengths[core.points[count - 1]]
    k = 0
    while k < left:
        x = leaves.others[k]
        if row[x] > _REACH:
            k += 1
            continue
        left -= 1
        leaves.others[k] = leaves.others[left]
        height = -FAR
        for j in range(count):
            here = core.potential[j] - lengths[core.points[j], x]
            if here > height:
                height = here
                leaves.place[low] = j
        p = leaves.place[low]
        leaves.points[low] = x
        leaves.potential[low] = height
        leaves.z[low] = core.z[p] * np.exp(height - core.potential[p])
        low += 1
    return low, left


@compiled
def whole_tree(
    lengths: Floats, core: Core, count: int, leaves: Leaves, low: int, tree: Tree
) -> None:
    """The whole tree: everybody outside the core as high as the core demands.

    A leaf that is as high from two places stays at its own: from the other the tree's flows could
    have the wrong sign.
    """
    parents, signs, potentials = tree
    potentials[:] = -FAR
    signs[:] = -1
    for i in range(count):
        v = core.points[i]
        row = lengths[v]
        here = core.potential[i]
        for x in range(len(row)):
            there = here - row[x]
            if there > potentials[x]:
                potentials[x] = there
                parents[x] = v
    for k in range(low):
        x = leaves.points[k]
        p = leaves.place[k]
        v = core.points[p]
        if core.potential[p] - lengths[v, x] > potentials[x] - _TIE:
            parents[x] = v
    for i in range(count):
        v = core.points[i]
        potentials[v] = core.potential[i]
        parents[v] = core.points[core.parent[i]] if core.parent[i] >= 0 else -1
        signs[v] = core.sign[i]
