"""Vulnerabilities, capacities, refinements and Kantorovich's distance from their definitions."""

import math
from fractions import Fraction as Q
from itertools import product

from support.definitions_privacy import induced
from support.definitions_programs import feasible, least


def vulnerability(prior, gain):
    """max_w Σ_x π_x·g(w, x)."""
    return max(sum((p * v for p, v in zip(prior, row, strict=True)), Q(0)) for row in gain)


def posterior_vulnerability(table, prior, gain):
    """The best of all strategies, one action for each output."""
    m = len(table[0])
    return max(
        sum(
            (
                prior[x] * table[x][y] * gain[acts[y]][x]
                for x in range(len(prior))
                for y in range(m)
            ),
            Q(0),
        )
        for acts in product(range(len(gain)), repeat=m)
    )


def capacity(table):
    """Σ_y max_x C[x, y]."""
    return sum((max(column) for column in zip(*table, strict=True)), Q(0))


def refines_on_average(a, b) -> bool:
    """Whether A·R = B for some stochastic R: its entries are the unknowns."""
    n, m, k = len(a), len(a[0]), len(b[0])
    columns = [
        [
            *(a[x][y] if z == j else Q(0) for x in range(n) for j in range(k)),
            *(Q(int(y == i)) for i in range(m)),
        ]
        for y in range(m)
        for z in range(k)
    ]
    right = [*(b[x][j] for x in range(n) for j in range(k)), *[Q(1)] * m]
    return feasible(columns, right)


def refines_in_the_worst_case(a, b) -> bool:
    """Whether every column of B is a sum of A's columns with weights ≥ 0."""
    columns = [list(column) for column in zip(*a, strict=True)]
    return all(feasible(columns, list(column)) for column in zip(*b, strict=True))


def refines_for_privacy(a, b) -> bool:
    """Whether no two rows of B are farther apart than those of A."""
    n = range(len(a))
    return all(induced(b, i, j) <= induced(a, i, j) for i in n for j in n)


def kantorovich(p, q, drawn):
    """The cheapest plan that moves p to q, in units of the space; inf where there is none."""
    n = drawn.n
    ways = [(i, j) for i in range(n) for j in range(n) if drawn.distances[i][j] != math.inf]
    columns = [
        [*(Q(int(i == k)) for k in range(n)), *(Q(int(j == k)) for k in range(n))] for i, j in ways
    ]
    found = least([drawn.distances[i][j].r for i, j in ways], columns, [*p, *q])
    return math.inf if found is None else found
