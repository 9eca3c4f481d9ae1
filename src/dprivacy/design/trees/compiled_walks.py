"""The walks of `spanning_trees`, compiled by numba, on the few points that a walk needs to move.

Importing this module needs the extra ``fast``.
"""

from typing import NamedTuple

import numpy as np

from dprivacy.design.trees.compiled_core import (
    FAR,
    Core,
    Leaves,
    Tree,
    afresh,
    core_price,
    divided,
    joined,
    whole_tree,
)
from dprivacy.design.trees.compiled_trees import compiled, hang_from_the_top, ordered
from dprivacy.numbers import Floats, Whole

_RENEW = 64


class Changes(NamedTuple):
    """Leaves that change hands while a subtree moves: which, from where on, and to which place."""

    leaf: Whole
    best: Floats
    place: Whole
    after: Floats


@compiled
def _next_tight(
    lengths: Floats, core: Core, count: int, inside: Whole, members: Whole, many: int, up: bool
) -> tuple[float, int, int]:
    """How far the members can move before a pair of the core is tight, and that pair."""
    direction = 1.0 if up else -1.0
    least = FAR
    v = -1
    to = -1
    for k in range(many):
        i = members[k]
        row = lengths[core.points[i]]
        for j in range(count):
            if not inside[j]:
                far = row[core.points[j]] + direction * (core.potential[j] - core.potential[i])
                if far < least:
                    least = far
                    v = i
                    to = j
    return max(least, 0.0), v, to


@compiled
def _changes(
    lengths: Floats,
    core: Core,
    count: int,
    leaves: Leaves,
    low: int,
    inside: Whole,
    up: bool,
    step: float,
    found: Changes,
) -> int:
    """The leaves that the moving side takes over when it rises, or loses when it falls, by `step`."""
    number = 0
    for x in range(low):
        if (inside[leaves.place[x]] != 0) != up:
            found.leaf[number] = x
            found.best[number] = -FAR
            number += 1
    for j in range(count):
        if (inside[j] != 0) == up:
            row = lengths[core.points[j]]
            here = core.potential[j]
            for k in range(number):
                there = here - row[leaves.points[found.leaf[k]]]
                if there > found.best[k]:
                    found.best[k] = there
                    found.place[k] = j
    some = 0
    for k in range(number):
        far = leaves.potential[found.leaf[k]] - found.best[k]
        if far < step:
            found.leaf[some] = found.leaf[k]
            found.place[some] = found.place[k]
            found.after[some] = max(far, 0.0)
            some += 1
    return some


@compiled
def _worst(
    r: Floats,
    ratio: float,
    core: Core,
    count: int,
    leaves: Leaves,
    low: int,
    order: Whole,
    pull: Floats,
    size: Floats,
    tolerance: float,
) -> tuple[float, int]:
    """The subtree whose edge keeps it from where it would rather be, and how strongly it pulls."""
    for i in range(count):
        price = r[core.points[i]]
        pull[i] = (price - ratio) * core.z[i]
        size[i] = (abs(price) + abs(ratio)) * core.z[i]
    for x in range(low):
        price = r[leaves.points[x]]
        pull[leaves.place[x]] += (price - ratio) * leaves.z[x]
        size[leaves.place[x]] += (abs(price) + abs(ratio)) * leaves.z[x]
    worst = 0.0
    leaving = -1
    for k in range(count - 1, 0, -1):
        v = order[k]
        wrong = core.sign[v] * pull[v]
        if wrong > worst and wrong > tolerance * size[v]:
            worst = wrong
            leaving = v
        pull[core.parent[v]] += pull[v]
        size[core.parent[v]] += size[v]
    return worst, leaving


@compiled
def _rehung(core: Core, v: int, to: int, sign: int, leaving: int) -> None:
    """Hang the subtree of `leaving` up again: v below the place `to`."""
    while True:
        old_parent = core.parent[v]
        old_sign = core.sign[v]
        core.parent[v] = to
        core.sign[v] = sign
        if v == leaving:
            return
        to = v
        sign = -old_sign
        v = old_parent


@compiled
def walk(
    lengths: Floats, r: Floats, tree: Tree, pivots: int, tolerance: float
) -> tuple[float, int]:
    """The walk of one tree: see `spanning_trees.price`.

    Points with prices above the ratio would rather be low; unless they hold others, they hang from the
    core like leaves, each from where it is highest. So only the core is walked. When a subtree moves,
    leaves change hands on the way, and each makes going on less worthwhile; the one that makes it not
    worthwhile any more joins the core, between the two sides.

    Points far from all of the core weigh nothing beside what they hang from. It does not suffice that
    they are far below the top: on a wide space the top moves to where they are, and a subtree that is
    low as a whole is arranged within itself too.
    """
    n = len(r)
    core = Core(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
    )
    leaves = Leaves(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int64),
    )
    found = Changes(np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64), np.empty(n))
    order, stack, head, following, members = np.empty((5, n), np.int64)
    inside = np.zeros(n, np.int64)
    pull, size = np.empty(n), np.empty(n)
    count, low, left = divided(lengths, r, tree, core, leaves)
    taken = 0
    renewed = -1
    while True:
        parent, sign = core.parent[:count], core.sign[:count]
        renew = taken % _RENEW == 0 and renewed < taken
        if renew:
            hang_from_the_top(parent, sign, core.potential[:count])
        ordered(parent, head, following, stack, -1, order)
        if renew:
            renewed = taken
            afresh(lengths, core, count, leaves, low, order)
        ratio = core_price(r, core, count, leaves, low)
        if taken >= pivots:
            break
        slope, leaving = _worst(r, ratio, core, count, leaves, low, order, pull, size, tolerance)
        if leaving < 0:
            if hang_from_the_top(parent, sign, core.potential[:count]):
                continue
            break
        up = sign[leaving] < 0
        many = ordered(parent, head, following, stack, leaving, members)
        for k in range(many):
            inside[members[k]] = 1
        step, v, to = _next_tight(lengths, core, count, inside, members, many, up)
        some = _changes(lengths, core, count, leaves, low, inside, up, step, found)
        between = -1
        for k in np.argsort(found.after[:some]):
            x = found.leaf[k]
            worth = (r[leaves.points[x]] - ratio) * leaves.z[x]
            slope -= worth * np.exp(-found.after[k]) if up else worth
            if slope <= 0.0:
                between = k
                step = found.after[k]
                break
        shift = step if up else -step
        factor = np.exp(shift)
        for k in range(many):
            core.potential[members[k]] += shift
            core.z[members[k]] *= factor
        for x in range(low):
            if inside[leaves.place[x]]:
                leaves.potential[x] += shift
                leaves.z[x] *= factor
        new_sign = 1 if up else -1
        if between >= 0:  # it hangs from both sides: below `other`, with `v` above it
            x = found.leaf[between]
            old, new = leaves.place[x], found.place[between]
            v, other = (new, old) if up else (old, new)
            to = count
            new_sign = 1
            core.points[to] = leaves.points[x]
            core.parent[to] = other
            core.sign[to] = -1
            count += 1
        for k in range(some):
            if found.after[k] <= step:
                x = found.leaf[k]
                p = found.place[k]
                before = leaves.potential[x]
                leaves.place[x] = p
                leaves.potential[x] = core.potential[p] - lengths[core.points[p], leaves.points[x]]
                leaves.z[x] *= np.exp(leaves.potential[x] - before)
        if between >= 0:
            x = found.leaf[between]
            core.potential[to] = leaves.potential[x]
            core.z[to] = leaves.z[x]
            low -= 1
            leaves.points[x] = leaves.points[low]
            leaves.place[x] = leaves.place[low]
            leaves.potential[x] = leaves.potential[low]
            leaves.z[x] = leaves.z[low]
            low, left = joined(lengths, core, count, leaves, low, left)
        for k in range(many):
            inside[members[k]] = 0
        _rehung(core, v, to, new_sign, leaving)
        taken += 1
    whole_tree(lengths, core, count, leaves, low, tree)
    return ratio, taken
