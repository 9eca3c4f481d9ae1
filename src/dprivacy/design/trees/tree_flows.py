"""Dual flows on the trees: why no private column is cheaper than its price.

For prices r, weights f ≥ 0 on pairs with r ≥ Σ f(x, x')·(e^D(x, x')·1_x' − 1_x) at every point show
that r·z ≥ 0 for every private column z. A tree that prices r to its least ratio carries such weights.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from dprivacy.design.problems.approximation import Flows
from dprivacy.numbers import Floats, Whole

_WORTH_THREADS = 100_000  # entries of the costs, below which one thread is quicker
_NOTHING = 1e-16  # of the largest flow
_STEEP = 300.0  # an edge steeper than this carries nothing: e^300 and more would drown all else


def lifted(
    scaled: Floats,
    costs: Floats,
    multipliers: Floats,
    parents: Whole,
    signs: Whole,
    *,
    compiled: bool = True,
) -> tuple[Floats, Floats]:
    """Multipliers that are feasible for the dual, near those given; and the flows that show it (m × n).

    λ'(x) = λ(x) + min over y of what the flows of output y leave of its prices costs[y, x] − λ(x) at x.
    Σ λ' is then a lower bound of every private channel's loss, whatever the trees were; it is close to
    the best one when they were walked to the end at λ. The flow of y at x stands on the edge from x to
    its parent, in the direction of its sign.

    Notes
    -----
    1. Spread the tree's ratio θ = r·z / 1·z evenly: r − θ sums to 0 against the tree's ray.
    2. From the leaves to the root, send over each edge what its lower end must get rid of, at least 0.
    3. From the root to the leaves, move what is still missing at a point up to the points above it,
       where it is smaller by e^D. Rounding errors at the top of a ray would otherwise come out e^D
       times larger at its foot.
    """
    flow = compiled_flow() if compiled else flow_on_tree
    m = len(parents)
    flows = np.zeros((m, len(scaled)))

    def least(outputs: range) -> Floats:
        rest, left = np.full(len(scaled), np.inf), np.empty(len(scaled))
        for y in outputs:
            flow(scaled, costs[y] - multipliers, parents[y], signs[y], flows[y], left)
            np.minimum(rest, left, out=rest)
        return rest

    workers = (os.cpu_count() or 1) if compiled and costs.size > _WORTH_THREADS else 1
    with ThreadPoolExecutor(workers) as pool:  # the compiled flow lets other threads run
        rests = list(pool.map(least, [range(k, m, workers) for k in range(workers)]))
    return multipliers + np.min(rests, axis=0), flows


@cache
def compiled_flow() -> Callable[..., None]:
    """`flow_on_tree` in machine code, made on the first use."""
    from dprivacy.design.trees.compiled_trees import compiled

    return compiled(flow_on_tree)


def as_flows(parents: Whole, signs: Whole, flows: Floats) -> Flows:
    """The flows as a list of constraints: which output, which ordered pair, how much.

    Those of far leaves are too small to matter and are left out; any flows at all bound from below.
    """
    y, x = np.nonzero((flows > _NOTHING * flows.max(initial=0.0)) & (parents >= 0))
    p = parents[y, x]
    above = signs[y, x] > 0
    return Flows(
        y.astype(np.int64), np.where(above, x, p), np.where(above, p, x), flows[y, x].copy()
    )


def flow_on_tree(
    scaled: Floats, r: Floats, parent: Whole, sign: Whole, flow: Floats, left: Floats
) -> None:
    """Flows of one tree for prices r, and what they leave of r: see `lifted`."""
    n = len(r)
    order = np.empty(n, np.int64)
    head = np.full(n, -1, np.int64)
    following = np.empty(n, np.int64)
    potential = np.zeros(n)
    end = 0
    for i in range(n):
        if parent[i] >= 0:
            following[i] = head[parent[i]]
            head[parent[i]] = i
        else:
            order[end] = i
            end += 1
    at = 0
    while at < end:
        v = order[at]
        at += 1
        c = head[v]
        while c >= 0:
            potential[c] = potential[v] + sign[c] * min(scaled[c, v], _STEEP)
            order[end] = c
            end += 1
            c = following[c]
    top = potential.max()
    total = 0.0
    cost = 0.0
    for i in range(n):
        z = np.exp(potential[i] - top)
        total += z
        cost += r[i] * z
    ratio = cost / total
    for i in range(n):
        left[i] = r[i] - ratio
    for k in range(n - 1, -1, -1):
        v = order[k]
        p = parent[v]
        flow[v] = 0.0
        if p < 0 or scaled[v, p] > _STEEP:
            continue
        if sign[v] < 0 and left[v] > 0.0:
            flow[v] = left[v] * np.exp(-scaled[v, p])
            left[p] += flow[v]
            left[v] = 0.0
        elif sign[v] > 0 and left[v] < 0.0:
            flow[v] = -left[v]
            left[p] -= flow[v] * np.exp(scaled[v, p])
            left[v] = 0.0
    for k in range(n):
        v = order[k]
        c = head[v]
        while c >= 0 and left[v] < 0.0:
            if sign[c] > 0 and flow[c] > 0.0:
                back = min(-left[v], flow[c] * np.exp(scaled[c, v]))
                part = back * np.exp(-scaled[c, v])
                left[v] += back
                left[c] -= part
                flow[c] = max(flow[c] - part, 0.0)
            c = following[c]
    for i in range(n):
        left[i] += ratio
