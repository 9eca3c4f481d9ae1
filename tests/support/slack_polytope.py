"""The polytope of (ε, δ)-private matrices by definition: an inequality for each set of outputs."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest


def inequalities(n, m, a, delta):
    """Integer rows on (entries, scale) with row·v ≥ 0; the first 2n are the row sums, as both signs."""
    size, rows = n * m + 1, []
    for x in range(n):
        row = [int(at // m == x) for at in range(n * m)] + [-1]
        rows += [row, [-v for v in row]]
    rows += [[int(at == cell) for at in range(size)] for cell in range(n * m)]
    a, delta = Fraction(a), Fraction(delta)
    common = a.denominator * delta.denominator
    for x, z in permutations(range(n), 2):
        for k in range(1, m):
            for some in combinations(range(m), k):
                row = [0] * size
                for y in some:
                    row[x * m + y], row[z * m + y] = -common, int(a * common)
                row[-1] = int(delta * common)
                rows.append(row)
    return rows


def parma(n, m, a, delta):
    """The same as a polyhedron of the Parma Polyhedra Library, where that is installed."""
    ppl = pytest.importorskip("ppl")
    system = ppl.Constraint_System()
    for row in inequalities(n, m, a, delta):
        form = sum(v * ppl.Variable(at) for at, v in enumerate(row[:-1]))
        system.insert(form + row[-1] >= 0)
    return ppl.C_Polyhedron(system)


def by_parma(n, m, a, delta):
    """The extreme points, as flat tuples."""
    found = set()
    for point in parma(n, m, a, delta).minimized_generators():
        assert point.is_point()
        values = [int(v) for v in point.coefficients()] + [0] * n * m
        found.add(tuple(Fraction(v, int(point.divisor())) for v in values[: n * m]))
    return found


def flat(channel):
    return tuple(v for row in channel.matrix.rows() for v in row)
