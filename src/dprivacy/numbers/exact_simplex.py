"""The simplex method in exact rationals: slow, and always right.

It is the last resort behind `linear_programs.minimise`. Bland's rule keeps it from cycling.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from dprivacy.numbers.exact_algebra import fraction_of

Status = Literal["optimal", "infeasible", "unbounded"]
Vector = list[Fraction]
_Line = list[Any]  # flint's rationals, several times as fast as Fractions


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
    from flint import fmpq

    rows, columns = len(table), len(cost)
    zero, one = fmpq(0), fmpq(1)
    signs = [-1 if value < 0 else 1 for value in right]
    tableau = [
        [
            *(signs[i] * _rational(value) for value in row),
            *(one if i == j else zero for j in range(rows)),
            signs[i] * _rational(right[i]),
        ]
        for i, row in enumerate(table)
    ]
    basis = list(range(columns, columns + rows))

    prices, _ = _descend(tableau, basis, [zero] * columns + [one] * rows, columns + rows)
    if prices[-1] < 0:
        y = [fraction_of((1 - prices[columns + i]) * signs[i]) for i in range(rows)]
        return "infeasible", [Fraction(0)] * columns, y, fraction_of(-prices[-1])
    for i in range(rows):
        if basis[i] >= columns:
            entering = next((j for j in range(columns) if tableau[i][j]), None)
            if entering is not None:
                _pivot(tableau, basis, i, entering)

    second = [*map(_rational, cost), *([zero] * rows)]
    prices, ray = _descend(tableau, basis, second, columns)
    if ray is not None:
        direction = [Fraction(0)] * columns
        direction[ray] = Fraction(1)
        for i, j in enumerate(basis):
            if j < columns:
                direction[j] = fraction_of(-tableau[i][ray])
        drop = sum((c * v for c, v in zip(cost, direction, strict=True)), Fraction(0))
        return "unbounded", direction, [Fraction(0)] * rows, drop
    x = [Fraction(0)] * columns
    for i, j in enumerate(basis):
        if j < columns:
            x[j] = fraction_of(tableau[i][-1])
    y = [fraction_of(-prices[columns + i] * signs[i]) for i in range(rows)]
    return "optimal", x, y, fraction_of(-prices[-1])


def _rational(value: Fraction | float) -> Any:
    from flint import fmpq

    return fmpq(*value.as_integer_ratio())


def _descend(
    tableau: list[_Line], basis: list[int], cost: _Line, allowed: int
) -> tuple[_Line, int | None]:
    """Pivot to an optimum among the first `allowed` columns: (reduced costs, unbounded column)."""
    prices = [*cost, _rational(Fraction(0))]
    for i, j in enumerate(basis):
        if cost[j]:
            prices = _less(prices, cost[j], tableau[i])
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
        prices = _less(prices, prices[entering], tableau[leaving])


def _pivot(tableau: list[_Line], basis: list[int], row: int, column: int) -> None:
    pivot = tableau[row][column]
    tableau[row] = [value / pivot if value else value for value in tableau[row]]
    for i, other in enumerate(tableau):
        if i != row and other[column]:
            tableau[i] = _less(other, other[column], tableau[row])
    basis[row] = column


def _less(line: _Line, factor: Any, other: _Line) -> _Line:
    """line − factor·other; most entries of the other are 0."""
    return [v - factor * p if p else v for v, p in zip(line, other, strict=True)]
