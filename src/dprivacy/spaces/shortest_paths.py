"""Shortest paths: the triangle closure of a table of distances."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.numbers import as_level
from dprivacy.spaces.distance_matrix import Distance, Distances, plus

_EXACT_IN_DOUBLES = 1 << 53


def shortest_paths(distances: Distances) -> Distances:
    """Replace every distance by the length of the shortest path through the table.

    Notes
    -----
    Floyd–Warshall, one vectorised sweep a point: on int64 or doubles when all distances are rational
    or float, on exact objects otherwise (√2, ln 3 …). O(n³).
    """
    n = distances.n
    whole = distances.integers
    if not distances.exact:
        return Distances(_sweep(distances.floats.copy()))
    if whole is not None:
        closed, den = _sweep(whole[0].copy()), whole[1]
        return Distances.coded(closed, lambda number: Fraction(number, den))
    rationals = all(isinstance(v, Fraction) or math.isinf(float(v)) for v in distances.values or ())
    if rationals:
        return _extended_rationals(distances)
    table: list[list[Distance]] = [[distances[i, j] for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            if math.isinf(float(table[i][k])):
                continue
            for j in range(n):
                way = plus(table[i][k], table[k][j])
                table[i][j] = min(table[i][j], way)
    return Distances.of(table)


def _sweep(table: Any) -> Any:
    for k in range(len(table)):
        np.minimum(table, table[:, k, None] + table[None, k, :], out=table)
    return table


def _extended_rationals(distances: Distances) -> Distances:
    """Rational distances with some infinite ones: a sentinel larger than any path stands for inf."""
    values = distances.values or ()
    finite = [as_level(v).rational for v in values if not isinstance(v, float)]
    den = math.lcm(*(v.denominator for v in finite))
    whole = [v.numerator * (den // v.denominator) for v in finite]
    beyond = (distances.n + 1) * (max(whole, default=0) + 1)
    numbers = iter(whole)
    coded = [beyond if isinstance(v, float) else next(numbers) for v in values]
    kind = np.int64 if beyond < _EXACT_IN_DOUBLES else object
    closed = _sweep(np.array(coded, dtype=kind)[distances.table])
    return Distances.coded(
        np.minimum(closed, beyond),
        lambda number: math.inf if number >= beyond else Fraction(number, den),
    )
