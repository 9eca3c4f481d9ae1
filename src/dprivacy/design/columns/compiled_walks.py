"""The walks of `spanning_trees`, compiled by numba: the same steps, loop by loop.

Importing this module needs the extra ``fast``. Machine code is kept in numba's cache, in the package
or, where that cannot be written to, in the user's cache folder; where neither can, it is made once in
every process.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from dprivacy.numbers import Floats, Whole

Tree = tuple[Whole, Whole, Floats]  # parents, signs and potentials
_RENEW = 64
_FAR = 1e300
# Sums may be reordered, so that the searches for a minimum use vectors; infinities keep their meaning.
_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in machine code."""
    options: dict[str, Any] = {"fastmath": _FAST, "error_model": "numpy", "nogil": True}
    try:
        made: Callable[..., Any] = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep the machine code
        made = numba.njit(**options)(function)
    return made


@compiled
def _order(
    parent: Whole, head: Whole, following: Whole, stack: Whole, start: int, order: Whole
) -> int:
    """The subtree of `start` (or, below 0, of the root), each point after its parent."""
    n = len(parent)
    if start < 0:
        for i in range(n):
            head[i] = -1
        for i in range(n):
            p = parent[i]
            if p >= 0:
                following[i] = head[p]
                head[p] = i
            else:
                start = i
    stack[0] = start
    top = 1
    count = 0
    while top > 0:
        top -= 1
        v = stack[top]
        order[count] = v
        count += 1
        c = head[v]
        while c >= 0:
            stack[top] = c
            top += 1
            c = following[c]
    return count


@compiled
def _next_tight(
    lengths: Floats,
    potential: Floats,
    members: Whole,
    count: int,
    up: bool,
    masked: Floats,
) -> tuple[float, int, int]:
    """How far the members can move before a pair becomes tight, and that pair (inside, outside).

    The smaller side is gone through row by row; the other side's points are the finite entries of
    `masked`, so that each row is one pass without branches.
    """
    n = len(potential)
    direction = 1.0 if up else -1.0
    inner = count * 2 <= n
    if inner:
        for j in range(n):
            masked[j] = direction * potential[j]
        for k in range(count):
            masked[members[k]] = _FAR
    else:
        for j in range(n):
            masked[j] = _FAR
        for k in range(count):
            masked[members[k]] = -direction * potential[members[k]]
    least = _FAR
    best = -1
    rows = count if inner else n
    for k in range(rows):
        i = members[k] if inner else k
        if not inner and masked[i] < _FAR:
            continue
        row = lengths[i]
        near = _FAR
        for j in range(n):
            near = min(near, row[j] + masked[j])
        near += -direction * potential[i] if inner else direction * potential[i]
        if near < least:
            least = near
            best = i
    row = lengths[best]
    near = _FAR
    other = -1
    for j in range(n):
        if row[j] + masked[j] < near:
            near = row[j] + masked[j]
            other = j
    if inner:
        return max(least, 0.0), best, other
    return max(least, 0.0), other, best


@compiled
def _hang_from_the_top(parent: Whole, sign: Whole, potential: Floats) -> bool:
    """Make the highest point the root; whether it was not."""
    v = 0
    for i in range(1, len(potential)):
        if potential[i] > potential[v]:
            v = i
    if parent[v] < 0:
        return False
    new_parent = -1
    new_sign = -1
    while v >= 0:
        old_parent = parent[v]
        old_sign = sign[v]
        parent[v] = new_parent
        sign[v] = new_sign
        new_parent = v
        new_sign = -old_sign
        v = old_parent
    return True


@compiled
def walk(
    lengths: Floats, r: Floats, tree: Tree, pivots: int, tolerance: float
) -> tuple[float, int]:
    """The walk of one tree: see `spanning_trees.price`."""
    parent, sign, potential = tree
    n = len(r)
    order = np.empty(n, np.int64)
    stack = np.empty(n, np.int64)
    head = np.empty(n, np.int64)
    following = np.empty(n, np.int64)
    members = np.empty(n, np.int64)
    z = np.empty(n)
    pull = np.empty(n)
    size = np.empty(n)
    masked = np.empty(n)
    taken = 0
    renewed = -1
    while True:
        if taken % _RENEW == 0 and renewed < taken:
            _hang_from_the_top(parent, sign, potential)
        _order(parent, head, following, stack, -1, order)
        if taken % _RENEW == 0 and renewed < taken:
            renewed = taken  # steps add up rounding errors; the tree itself has none
            top = potential[order[0]]
            for k in range(1, n):
                v = order[k]
                potential[v] = potential[parent[v]] + sign[v] * lengths[v, parent[v]]
                top = max(top, potential[v])
            for i in range(n):
                z[i] = np.exp(potential[i] - top)
        total = 0.0
        cost = 0.0
        for i in range(n):
            total += z[i]
            cost += r[i] * z[i]
        ratio = cost / total
        if taken >= pivots:
            return ratio, taken
        for i in range(n):
            pull[i] = (r[i] - ratio) * z[i]
            size[i] = abs(pull[i])
        worst = 0.0
        leaving = -1
        for k in range(n - 1, 0, -1):
            v = order[k]
            wrong = sign[v] * pull[v]
            if wrong > worst and wrong > tolerance * size[v]:
                worst = wrong
                leaving = v
            pull[parent[v]] += pull[v]
            size[parent[v]] += size[v]
        if leaving < 0:
            if _hang_from_the_top(parent, sign, potential):
                continue
            return ratio, taken
        up = sign[leaving] < 0
        count = _order(parent, head, following, stack, leaving, members)
        step, v, new_parent = _next_tight(lengths, potential, members, count, up, masked)
        new_sign = 1 if up else -1
        shift = new_sign * step
        factor = np.exp(shift)
        for k in range(count):
            potential[members[k]] += shift
            z[members[k]] *= factor
        while True:
            old_parent = parent[v]
            old_sign = sign[v]
            parent[v] = new_parent
            sign[v] = new_sign
            if v == leaving:
                break
            new_parent = v
            new_sign = -old_sign
            v = old_parent
        taken += 1
