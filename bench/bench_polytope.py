"""Counting kernels and extreme points, against the plain way: a search over subsets of vertices.

The peer has no library: it is the depth-first search that adds a vertex at a time and keeps an exact
elimination in Fractions. Where the Parma Polyhedra Library is installed, it enumerates the polytope of
local privacy in the same run. Where numba is installed, the compiled search is compared with the
plain way, and counts the line of 7, for which the plain way would take an hour.
"""

import resource
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
from timing import best_of

import dprivacy as dp
from dprivacy.polytope import count_extreme_points, count_kernels, vertices
from dprivacy.polytope.kernel_list import Table
from dprivacy.polytope.supports.compiled_search import Search
from dprivacy.polytope.supports.minimal_supports import minimal_supports


def timed(run: Callable[[], object]) -> tuple[float, object]:
    return best_of(run, 1)


def by_search(space: dp.FiniteSpace, eps: str) -> int:
    """Independent vertices with positive weights around the uniform vector, one vertex at a time."""
    columns = [list(p.weights) for p in vertices(space, eps=eps)]
    n, count = len(space), 0

    def extend(
        first: int, reduced: list[tuple[int, list[Fraction]]], right: list[Fraction]
    ) -> None:
        nonlocal count
        for j in range(first, len(columns)):
            column = [*columns[j], *(Fraction(0),) * n]
            column[n + len(reduced)] = Fraction(1)
            for pivot, row in reduced:
                factor = column[pivot] / row[pivot]
                column = [a - factor * b for a, b in zip(column, row, strict=True)]
            pivot = next((i for i in range(n) if column[i]), None)
            if pivot is None:
                continue
            factor = right[pivot] / column[pivot]
            rest = [a - factor * b for a, b in zip(right, column, strict=True)]
            if not any(rest[:n]):
                count += all(-w > 0 for w in rest[n : n + len(reduced) + 1])
            elif len(reduced) + 1 < n:
                extend(j + 1, [*reduced, (pivot, column)], rest)

    extend(0, [], [Fraction(1)] * n + [Fraction(0)] * n)
    return count


def kernels(name: str, space: dp.FiniteSpace, eps: str, *, search: bool) -> None:
    ours, found = timed(lambda: count_kernels(space, eps=eps))
    line = f"kernels  {name:14s} ε = {eps:8s} {int(found):9,d}   ours {ours * 1e3:9.1f} ms"
    if search:
        theirs, expected = timed(lambda: by_search(space, eps))
        assert expected == found, (name, expected, found)
        line += f"   search {theirs * 1e3:10.1f} ms   ratio {theirs / ours:8.1f}×"
    print(line, flush=True)


def compiled(name: str, space: dp.FiniteSpace, eps: str) -> None:
    """The compiled search against the plain way, lists without symmetries."""
    columns = Table.of(space, eps, rational=True, force=False).columns
    ours, found = timed(lambda: sum(map(len, Search.of(columns).supports())))
    plain, expected = timed(lambda: sum(map(len, minimal_supports(columns))))
    assert expected == found, (name, expected, found)
    print(
        f"compiled {name:14s} ε = {eps:8s} {found:9,d}   ours {ours * 1e3:9.1f} ms"
        f"   plain  {plain * 1e3:10.1f} ms   ratio {plain / ours:8.1f}×",
        flush=True,
    )


def extreme(n: int, outputs: int) -> None:
    ours, found = timed(lambda: count_extreme_points(n, eps="ln 2", outputs=outputs))
    line = f"extreme  {n}×{outputs} {int(found):11,d} (classes {sum(found.classes.values())})"
    line += f"   ours {ours * 1e3:9.1f} ms"
    try:
        import ppl
    except ImportError:
        ppl = None
    if ppl is not None and n * outputs <= 16:
        theirs, expected = timed(lambda: by_ppl(ppl, n, outputs))
        assert expected == found
        line += f"   PPL (lists them) {theirs * 1e3:9.1f} ms"
    print(line, flush=True)


def by_ppl(ppl: object, n: int, m: int) -> int:
    at = [[ppl.Variable(i * m + j) for j in range(m)] for i in range(n)]
    system = ppl.Constraint_System()
    for row in at:
        system.insert(sum(row[1:], row[0] + 0) == 1)
    for j in range(m):
        for i in range(n):
            for k in range(n):
                if i != k:
                    system.insert(2 * at[k][j] - at[i][j] >= 0)
    return sum(g.is_point() for g in ppl.C_Polyhedron(system).minimized_generators())


def slack(n: int, outputs: int) -> None:
    """Extreme points with δ = 1/10: a walk up to permutations, against a list of all by PPL."""
    ours, found = timed(lambda: count_extreme_points(n, eps="ln 2", delta="1/10", outputs=outputs))
    line = f"δ = 1/10 {n}×{outputs} {int(found):11,d} (classes {sum(found.classes.values())})"
    line += f"   ours {ours * 1e3:9.1f} ms"
    try:
        import ppl
    except ImportError:
        ppl = None
    if ppl is not None and n * outputs <= 12:
        theirs, expected = timed(lambda: slack_by_ppl(ppl, n, outputs))
        assert expected == found
        line += f"   PPL (lists them) {theirs * 1e3:9.1f} ms"
    print(line, flush=True)


def slack_by_ppl(ppl: object, n: int, m: int) -> int:
    at = [[ppl.Variable(i * m + j) for j in range(m)] for i in range(n)]
    system = ppl.Constraint_System()
    for row in at:
        system.insert(sum(row[1:], row[0] + 0) == 1)
        for value in row:
            system.insert(value >= 0)
    for i, k in permutations(range(n), 2):
        for bits in range(1, 2**m - 1):
            some = [j for j in range(m) if bits >> j & 1]
            system.insert(sum(10 * at[i][j] - 20 * at[k][j] for j in some) <= 1)
    return sum(g.is_point() for g in ppl.C_Polyhedron(system).minimized_generators())


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, CPU time, one run")
    count_kernels(dp.line(3), eps="ln 2")  # load what is loaded late
    for n in (3, 4, 5):
        kernels(f"line:{n}", dp.line(n), "ln 2", search=True)
    kernels("line:6", dp.line(6), "ln 2", search=False)
    for n in (3, 4):
        kernels(f"discrete:{n}", dp.discrete(range(n)), "ln 2", search=True)
    for n in (5, 6):
        kernels(f"discrete:{n}", dp.discrete(range(n)), "ln 2", search=False)
    kernels("cube:3", dp.spaces.hamming_cube(3), "ln 2", search=False)
    if Search.installed():
        first, _ = timed(lambda: list(Search.of([(1, 0, 0, 0), (0, 1, 1, 1)]).supports()))
        print(f"compiled: {first:.1f} s to compile")
        compiled("line:6", dp.line(6), "ln 2")
        compiled("discrete:6", dp.discrete(range(6)), "ln 2")
        kernels("line:7", dp.line(7), "ln 2", search=False)
    for n, outputs in ((3, 3), (4, 4), (5, 5), (6, 6)):
        extreme(n, outputs)
    for n, outputs in ((3, 3), (4, 3), (3, 4), (5, 3), (3, 5), (4, 4), (3, 6)):
        slack(n, outputs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")
