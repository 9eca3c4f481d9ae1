"""Spaces, losses, priors and channels for the tests of universality, and an optimum in floats."""

from fractions import Fraction as Q
from itertools import permutations

import pytest

from dprivacy.flow import loss
from dprivacy.model import Channel, Dist
from dprivacy.numbers.linear_programs import minimise
from dprivacy.numbers.matrices import Mat
from dprivacy.polytope import kernels
from dprivacy.spaces import discrete, from_table, graph, hamming_cube, line

H = [["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]]
SMALL = {
    "line": line(3),
    "gaps": line([0, 1, 3]),
    "line of 4": line(4),
    "discrete": discrete(range(3)),
    "discrete 4": discrete(range(4)),
    "square": hamming_cube(2),
    "star": graph([(0, 1), (0, 2), (0, 3)]),
    "triangle": from_table([*"abc"], [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
}
spaces = pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)


def inequalities(space, base, columns):
    """Rows (coefficients ≤ 0) of c_x − base^d(x, z)·c_z for each of the columns of n entries."""
    n = len(space)
    rows = []
    for y in range(columns):
        for i, j in permutations(range(n), 2):
            row = [Q(0)] * (n * columns)
            row[y * n + i] += 1
            row[y * n + j] -= Q(base) ** int(space.distances[i, j])
            rows.append(row)
    return rows


def least(cost, below, equal, right):
    """min cost·v over v ≥ 0 with below·v ≤ 0 and equal·v = right; slack variables make it standard."""
    slack = len(below)
    table = [[*row, *(Q(int(i == j)) for j in range(slack))] for i, row in enumerate(below)]
    table += [[*row, *[Q(0)] * slack] for row in equal]
    outcome = minimise([*cost, *[Q(0)] * slack], Mat.of(table), [Q(0)] * slack + list(right))
    assert outcome.status == "optimal"
    return outcome.value


def optimum(space, base, prior, table):
    """The least loss of any private channel with one output an action: the textbook program."""
    n, k = len(space), len(table.actions)
    cost = [
        Q(prior[x]) * Q(table[w, x]) for w in table.actions for x in space.labels
    ]  # entry (w, x)
    equal = [[Q(int(at % n == x)) for at in range(n * k)] for x in range(n)]
    return least(cost, inequalities(space, base, k), equal, [Q(1)] * n)


def random_loss(rng, space, k=None):
    k = k or rng.randint(2, len(space))
    table = [[rng.randrange(6) for _ in space.labels] for _ in range(k)]
    return loss.matrix([f"w{i}" for i in range(k)], space.labels, table)


def random_prior(rng, space):
    weights = [rng.randint(0, 6) for _ in space.labels]
    weights[rng.randrange(len(weights))] += 1
    return Dist(space.labels, [Q(w, sum(weights)) for w in weights])


def monotonic_loss(rng, space, k):
    """f(d(α(w), x), x) with random places α and random steps of f."""
    n = len(space)
    places = [rng.randrange(n) for _ in range(k)]
    table = [[0] * n for _ in range(k)]
    for x in range(n):
        value, f = 0, {}
        for d in sorted({space.distances[a, x] for a in range(n)}):
            f[d] = value
            value += rng.choice([0, 0, 1, 2, 5])
        for w in range(k):
            table[w][x] = f[space.distances[places[w], x]]
    return loss.matrix(range(k), space.labels, table)


def mixed(weights, found):
    """Σ weight·kernel, on disjoint outputs."""
    rows = [
        [w * v for w, K in zip(weights, found, strict=True) for v in K.matrix.rows()[x]]
        for x in range(len(found[0].rows))
    ]
    return Channel(found[0].rows, range(len(rows[0])), rows)


def some_private_channels(rng, space, count):
    found = list(kernels(space, eps="ln 2"))
    yield from rng.sample(found, min(2, len(found)))
    for _ in range(count):
        chosen = rng.sample(found, min(len(found), rng.randint(1, 3)))
        parts = [rng.randint(1, 3) for _ in chosen]
        C = mixed([Q(p, sum(parts)) for p in parts], chosen)
        if rng.random() < 0.5:
            m = len(C.columns)
            R = [[rng.randint(0, 3) + int(i == j) for j in range(m)] for i in range(m)]
            C = C @ Channel(C.columns, range(m), [[Q(v, sum(row)) for v in row] for row in R])
        yield C
