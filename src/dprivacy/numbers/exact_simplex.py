"""The simplex method in exact rationals: slow, and always right.

It is the last resort behind `linear_programs.minimise`. Bland's rule keeps it from cycling.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

Status = Literal["optimal", "infeasible", "unbounded"]
Vector = list[Fraction]


def simplex(
    cost: Vector, table: Sequence[Sequence[Fraction | float]], right: Vector
) -> tuple[Status, Vector, Vector, Fraction]:
    """Solve min cost·x, table·x = right, x ≥ 0; returns (status, x, y, value).

    Notes
    -----
    1. Rows are signed so that right ≥ 0, and one artificial column a row gives a first basis.
    2. Phase one minimises the artificial columns; a positive optimum proves infeasibility, and its
       dual vector is Farkas'.
    3. Phase two minimises the cost, artificial columns barred from entering.
    4. The artificial columns carry the dual vector: their reduced costs are −y.
    """
    rows, columns = len(table), len(cost)
    signs = [-1 if value < 0 else 1 for value in right]
    tableau = [
        [
            *(Fraction(signs[i] * Fraction(value)) for value in row),
            *(Fraction(int(i == j)) for j in range(rows)),
            signs[i] * right[i],
        ]
        for i, row in enumerate(table)
    ]
    basis = list(range(columns, columns + rows))

    first = [Fraction(0)] * columns + [Fraction(1)] * rows
    prices, _ = _descend(tableau, basis, first, columns + rows)
    if -prices[-1] > 0:
        y = [(1 - prices[columns + i]) * signs[i] for i in range(rows)]
        return "infeasible", [Fraction(0)] * columns, y, -prices[-1]
    for i in range(rows):
        if basis[i] >= columns:
            entering = next((j for j in range(columns) if tableau[i][j]), None)
            if entering is not None:
                _pivot(tableau, basis, i, entering)

    second = [*cost, *([Fraction(0)] * rows)]
    prices, ray = _descend(tableau, basis, second, columns)
    if ray is not None:
        direction = [Fraction(0)] * columns
        direction[ray] = Fraction(1)
        for i, j in enumerate(basis):
            if j < columns:
                direction[j] = -tableau[i][ray]
        drop = sum((c * v for c, v in zip(cost, direction, strict=True)), Fraction(0))
        return "unbounded", direction, [Fraction(0)] * rows, drop
    x = [Fraction(0)] * columns
    for i, j in enumerate(basis):
        if j < columns:
            x[j] = tableau[i][-1]
    y = [-prices[columns + i] * signs[i] for i in range(rows)]
    return "optimal", x, y, -prices[-1]


def _descend(
    tableau: list[Vector], basis: list[int], cost: Vector, allowed: int
) -> tuple[Vector, int | None]:
    """Pivot to an optimum among the first `allowed` columns: (reduced costs, unbounded column)."""
    prices = [*cost, Fraction(0)]
    for i, j in enumerate(basis):
        if cost[j]:
            prices = [p - cost[j] * v for p, v in zip(prices, tableau[i], strict=True)]
    while True:
        entering = next((j for j in range(allowed) if prices[j] < 0), None)
        if entering is None:
            return prices, None
        ratios = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(tableau)
            if row[entering] > 0
        ]
        if not ratios:
            return prices, entering
        leaving = min(ratios)[2]
        _pivot(tableau, basis, leaving, entering)
        factor = prices[entering]
        prices = [p - factor * v for p, v in zip(prices, tableau[leaving], strict=True)]


def _pivot(tableau: list[Vector], basis: list[int], row: int, column: int) -> None:
    pivot = tableau[row][column]
    tableau[row] = [value / pivot for value in tableau[row]]
    for i, other in enumerate(tableau):
        if i != row and other[column]:
            factor = other[column]
            tableau[i] = [v - factor * p for v, p in zip(other, tableau[row], strict=True)]
    basis[row] = column
