"""Kernels, extreme points and optimal channels from their definitions, on a few points."""

import math
from fractions import Fraction as Q
from itertools import combinations

from support.definitions_privacy import factor_bounds
from support.definitions_programs import least, rank
from support.exact_reals import sign


def _row(n, entries):
    return [Q(entries.get(k, 0)) for k in range(n)]


def is_vertex(column, drawn, eps) -> bool:
    """Whether the tight constraints of a private column determine it up to scale."""
    n = len(column)
    tight = [_row(n, {x: 1}) for x in range(n) if not column[x]]
    for i, j, d in drawn.pairs():
        if d != math.inf and column[i] and not sign(column[i] / column[j], eps, d):
            tight.append(_row(n, {i: -1, j: column[i] / column[j]}))
    return rank(tight) == n - 1


def is_kernel(table, drawn, eps) -> bool:
    """For a private channel: all posteriors are vertices, and independent."""
    columns = [[Q(v) for v in column] for column in zip(*table, strict=True) if any(column)]
    posteriors = {tuple(v / sum(column) for v in column) for column in columns}
    independent = rank([list(p) for p in posteriors]) == len(posteriors)
    return independent and all(is_vertex(list(p), drawn, eps) for p in posteriors)


def is_extreme(table, factor) -> bool:
    """Whether the tight constraints of a matrix have full rank: row sums, zeros, C[x,y] = a·C[z,y]."""
    n, m = len(table), len(table[0])
    tight = [_row(n * m, {x * m + y: 1 for y in range(m)}) for x in range(n)]
    for y in range(m):
        for i in range(n):
            if not table[i][y]:
                tight.append(_row(n * m, {i * m + y: 1}))
            tight += [
                _row(n * m, {i * m + y: 1, j * m + y: -factor})
                for j in range(n)
                if i != j and table[i][y] == factor * table[j][y]
            ]
    return rank(tight) == n * m


def rays(drawn, eps, upper=True):
    """Every extreme ray of the cone of private columns: n − 1 independent tight constraints.

    Where e^(ε·d) is irrational, that of a slightly larger cone, or of a slightly smaller one.
    """
    n = drawn.n
    rows = [_row(n, {x: 1}) for x in range(n)]
    for i, j, d in drawn.pairs():
        if d != math.inf:
            rows.append(_row(n, {i: -1, j: factor_bounds(eps, d, 200)[upper]}))
    found = set()
    for chosen in combinations(rows, n - 1):
        if rank(list(chosen)) != n - 1:
            continue
        ray = [_minor(chosen, k) * (-1) ** k for k in range(n)]
        for side in (1, -1):
            column = [side * v for v in ray]
            if all(sum(a * b for a, b in zip(row, column, strict=True)) >= 0 for row in rows):
                found.add(tuple(v / sum(column) for v in column))
    return [list(ray) for ray in found] if n > 1 else [[Q(1)]]


def _minor(rows, left_out):
    """The determinant of the rows without one column, by Leibniz' rule on at most 3 rows."""
    kept = [[v for k, v in enumerate(row) if k != left_out] for row in rows]
    if len(kept) <= 1:
        return kept[0][0] if kept else Q(1)
    return sum(
        ((-1) ** k * kept[0][k] * _minor([kept[0], *kept[1:]][1:], k) for k in range(len(kept))),
        Q(0),
    )


def least_loss(columns, prior, loss):
    """The smallest expected loss of a channel made of private columns, each with its best action."""
    n = len(prior)
    cost = [
        min(sum((prior[x] * column[x] * row[x] for x in range(n)), Q(0)) for row in loss)
        for column in columns
    ]
    return least(cost, columns, [Q(1)] * n)


def least_worst_loss(columns, loss):
    """The smallest t with a channel whose loss on every secret is at most t."""
    n = len(columns[0])
    pairs = [(column, row) for column in columns for row in loss]
    program = [[*c, *(c[x] * row[x] for x in range(n))] for c, row in pairs]
    program += [_row(2 * n, {n + x: 1}) for x in range(n)]  # what is missing to t
    program.append([*[Q(0)] * n, *[Q(-1)] * n])  # t
    cost = [Q(0)] * (len(program) - 1) + [Q(1)]
    return least(cost, program, [*[Q(1)] * n, *[Q(0)] * n])
