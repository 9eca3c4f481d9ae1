"""New results (N): the ranges on which lowering ε was decided, each by signs of polynomials."""

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

from dprivacy.refine import exponential_monotone
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, compared, extended
from dprivacy.reproduce.settled.kernels_by_level import cycle
from dprivacy.spaces import FiniteSpace, graph

Tree = list[list[int]]  # the neighbours of each vertex

PLACE = "New results, Theorem 1"
_LARGEST_TREE = 17
_TREES = 81_136  # with 2 to 17 vertices


def double_star(k: int, m: int) -> FiniteSpace:
    """Two hubs joined by an edge, with leaves."""
    return graph([("a", "b"), *(("a", i) for i in range(k)), *(("b", -1 - i) for i in range(m))])


def same_form(tree: Tree) -> str:
    """A text that two trees share exactly when they are the same up to names: from the centre."""
    degree = [len(near) for near in tree]
    leaves, left = [v for v, d in enumerate(degree) if d <= 1], len(tree)
    while left > 2:
        left -= len(leaves)
        inner = []
        for v in leaves:
            for u in tree[v]:
                degree[u] -= 1
                if degree[u] == 1:
                    inner.append(u)
            degree[v] = 0
        leaves = inner

    def told(v: int, before: int) -> str:
        return "(" + "".join(sorted(told(u, v) for u in tree[v] if u != before)) + ")"

    return min(told(v, -1) for v in leaves)


def all_trees(largest: int) -> Iterator[list[Tree]]:
    """All trees of 2, 3, … vertices, each once: a leaf at every vertex of those before."""
    trees: dict[str, Tree] = {"()": [[]]}
    for n in range(2, largest + 1):
        larger: dict[str, Tree] = {}
        for tree in trees.values():
            for v in range(n - 1):
                grown = [list(near) for near in tree] + [[v]]
                grown[v].append(n - 1)
                larger.setdefault(same_form(grown), grown)
        trees = larger
        yield list(trees.values())


def space_of(tree: Tree) -> FiniteSpace:
    """A tree with edges of length 1."""
    return graph([(v, u) for v, near in enumerate(tree) for u in near if v < u])


def connected_graphs(n: int) -> Iterator[FiniteSpace]:
    """All connected graphs on n points, each once up to names."""
    pairs = list(combinations(range(n), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    moves = [
        [place[min(p[i], p[j]), max(p[i], p[j])] for i, j in pairs] for p in permutations(range(n))
    ]
    seen: set[int] = set()
    for mask in range(1 << len(pairs)):
        if mask in seen:
            continue
        chosen = [k for k in range(len(pairs)) if mask >> k & 1]
        seen.update(sum(1 << move[k] for k in chosen) for move in moves)
        joined = np.eye(n, dtype=np.int64)
        for k in chosen:
            joined[pairs[k]] = joined[pairs[k][::-1]] = 1
        if np.linalg.matrix_power(joined, n).all():
            yield graph([pairs[k] for k in chosen])


@item("N:lowering", "Lowering ε: double stars, rings, graphs of up to 5 points", PLACE)
def lowering(_: Setting) -> Parts:
    """Each decided by signs of polynomials in e^(−ε/2)."""
    for k, m, holds in ((8, 8, "yes"), (8, 9, "no"), (9, 9, "no")):
        verdict = exponential_monotone(double_star(k, m))
        yield compared(f"always safer, double star of {k} + {m} leaves", holds, verdict)
    for n in range(3, 14):
        printed = "yes" if n in (3, 4, 5, 7) else "no"
        yield compared(f"always safer, ring of {n}", printed, exponential_monotone(cycle(n)))
    for n, printed in ((4, "0 of 6"), (5, "6 of 21")):
        failed = [not exponential_monotone(space) for space in connected_graphs(n)]
        yield compared(
            f"fail of connected graphs of {n}", printed, f"{sum(failed)} of {len(failed)}"
        )
    for n, trees in enumerate(all_trees(9), 2):
        failed = [not exponential_monotone(space_of(tree)) for tree in trees]
        yield extended(
            f"fail of trees of {n}", f"{sum(failed)} of {len(failed)}", holds=not any(failed)
        )


@item("N:lowering-trees", "Lowering ε: all trees of up to 17 points", PLACE, heavy=True)
def lowering_on_trees(setting: Setting) -> Parts:
    """Condition (T) for every vertex and neighbour, as polynomials; and graphs of 6 points."""
    total = 0
    for n, trees in enumerate(all_trees(_LARGEST_TREE), 2):
        setting.progress(f"{len(trees):,} trees of {n} points")
        failed = sum(exponential_monotone(space_of(tree)).holds is not True for tree in trees)
        total += len(trees)
        yield compared(f"not proved, trees of {n}", 0, failed)
    yield compared("trees", f"{_TREES:,}", f"{total:,}")
    failed_graphs = [not exponential_monotone(space) for space in connected_graphs(6)]
    yield compared(
        "fail of connected graphs of 6",
        "62 of 112",
        f"{sum(failed_graphs)} of {len(failed_graphs)}",
    )
