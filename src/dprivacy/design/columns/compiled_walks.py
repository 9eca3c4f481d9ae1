"""The walks of `spanning_trees`, compiled by numba, on the few points that a walk needs to move.

Importing this module needs the extra ``fast``.
"""

from typing import NamedTuple

import numpy as np

from dprivacy.design.columns.compiled_trees import compiled, hang_from_the_top, ordered
from dprivacy.numbers import Floats, Whole

Tree = tuple[Whole, Whole, Floats]  # parents, signs and potentials
_RENEW = 64
_FAR = 1e300
_TIE = 1e-12  # heights nearer than this are the same but for rounding
_REACH = 20.0  # below the top: leaves that are lower by more than this weigh nothing in a walk
_SHIFT = 10.0  # how much nearer to the top they may come before leaves are looked at again


class Core(NamedTuple):
    """The points that a walk moves, by their places in it: a tree with the logarithms and the ray."""

    points: Whole
    parent: Whole
    sign: Whole
    potential: Floats
    z: Floats


class Leaves(NamedTuple):
    """The points that are as low as they may be: the place that each hangs from, and its height."""

    points: Whole
    place: Whole
    potential: Floats
    z: Floats


class Changes(NamedTuple):
    """Leaves that change hands while a subtree moves: which, from where on, and to which place."""

    leaf: Whole
    best: Floats
    place: Whole
    after: Floats


@compiled
def _divided(r: Floats, tree: Tree, core: Core, leaves: Leaves, shift: float) -> tuple[int, int]:
    """Divide a tree into its core and its leaves; how many there are of each.

    A point is in the core if it would rather be high, holds others, or is above its parent. Leaves that
    weigh nothing even when they come nearer to the top by `shift` are left out: they follow at the end.
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
    for x in range(n):
        if place[x] < 0 and potentials[x] > top - _REACH - shift:
            leaves.points[low] = x
            leaves.place[low] = place[parents[x]]
            low += 1
    return count, low


@compiled
def _renew(lengths: Floats, core: Core, count: int, leaves: Leaves, low: int, order: Whole) -> None:
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
def _next_tight(
    lengths: Floats, core: Core, count: int, inside: Whole, members: Whole, many: int, up: bool
) -> tuple[float, int, int]:
    """How far the members can move before a pair of the core is tight, and that pair."""
    direction = 1.0 if up else -1.0
    least = _FAR
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
            found.best[number] = -_FAR
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
        pull[i] = (r[core.points[i]] - ratio) * core.z[i]
        size[i] = abs(pull[i])
    for x in range(low):
        extra = (r[leaves.points[x]] - ratio) * leaves.z[x]
        pull[leaves.place[x]] += extra
        size[leaves.place[x]] += abs(extra)
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
def _ratio(r: Floats, core: Core, count: int, leaves: Leaves, low: int) -> float:
    """The ray's price, up to the leaves that are left out."""
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
def _spread(lengths: Floats, core: Core, count: int, leaves: Leaves, low: int, tree: Tree) -> None:
    """The whole tree: everybody outside the core as high as the core demands.

    A leaf that is as high from two places stays at its own: from the other the tree's flows could
    have the wrong sign.
    """
    parents, signs, potentials = tree
    potentials[:] = -_FAR
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


@compiled
def _shift(core: Core, base: Floats, count: int, top: float) -> float:
    """How much nearer to the top a leaf that was left out may be than when the tree was divided.

    No leaf has risen by more than the point of the core that has risen most; the top was at `top`.
    """
    now = -_FAR
    rise = -_FAR
    for i in range(count):
        now = max(now, core.potential[i])
        rise = max(rise, core.potential[i] - base[i])
    return rise - (now - top)


@compiled
def walk(
    lengths: Floats, r: Floats, tree: Tree, pivots: int, tolerance: float
) -> tuple[float, int]:
    """The walk of one tree: see `spanning_trees.price`.

    Points with prices above the ratio would rather be low; unless they hold others, they hang from the
    core like leaves, each from where it is highest. So only the core is walked. When a subtree moves,
    leaves change hands on the way, and each makes going on less worthwhile; the one that makes it not
    worthwhile any more joins the core, between the two sides. Where the top has moved so far that
    leaves that were left out may matter, the tree is put together and divided again.
    """
    n = len(r)
    core = Core(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
    )
    leaves = Leaves(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n))
    found = Changes(np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64), np.empty(n))
    room = np.empty((5, n), np.int64), np.empty((3, n))
    taken = 0
    shift = _SHIFT
    while True:
        count, low = _divided(r, tree, core, leaves, shift)
        ratio, taken, count, low, wanted = _stretch(
            lengths, r, core, count, leaves, low, found, room, (taken, pivots), tolerance, shift
        )
        _spread(lengths, core, count, leaves, low, tree)
        if wanted == 0.0:
            return ratio, taken
        shift = max(shift, wanted)


@compiled
def _stretch(
    lengths: Floats,
    r: Floats,
    core: Core,
    count: int,
    leaves: Leaves,
    low: int,
    found: Changes,
    room: tuple[Whole, Floats],
    steps: tuple[int, int],
    tolerance: float,
    allowed: float,
) -> tuple[float, int, int, int, float]:
    """Pivots on one core, until none is worthwhile or left, or leaves that were left out would matter.

    They do not while they come nearer to the top by `allowed` at most. Returns the ratio, the steps
    taken so far, how many points are in the core and hang from it, and how much must be allowed, or 0.
    """
    order, stack, head, following, members = room[0]
    pull, size, base = room[1]
    taken, pivots = steps
    inside = np.zeros(len(r), np.int64)
    base[:count] = core.potential[:count]
    summit = base[:count].max()
    renewed = -1
    while True:
        parent, sign = core.parent[:count], core.sign[:count]
        renew = renewed < 0 or (taken % _RENEW == 0 and renewed < taken)
        if renew:
            hang_from_the_top(parent, sign, core.potential[:count])
        ordered(parent, head, following, stack, -1, order)
        if renew:
            renewed = taken
            _renew(lengths, core, count, leaves, low, order)
        ratio = _ratio(r, core, count, leaves, low)
        if taken >= pivots:
            return ratio, taken, count, low, 0.0
        slope, leaving = _worst(r, ratio, core, count, leaves, low, order, pull, size, tolerance)
        if leaving < 0:
            if hang_from_the_top(parent, sign, core.potential[:count]):
                continue
            return ratio, taken, count, low, 0.0
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
        for k in range(many):
            core.potential[members[k]] += shift
        nearer = _shift(core, base, count, summit)
        if nearer > allowed:
            for k in range(many):
                core.potential[members[k]] -= shift
            return ratio, taken, count, low, nearer + _SHIFT
        factor = np.exp(shift)
        for k in range(many):
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
            base[to] = (base[:count] - lengths[leaves.points[x]][core.points[:count]]).max()
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
        for k in range(many):
            inside[members[k]] = 0
        _rehung(core, v, to, new_sign, leaving)
        taken += 1
