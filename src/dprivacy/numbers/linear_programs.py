"""Linear programs solved in floats by HiGHS and then settled exactly.

A float solution is never the answer. HiGHS proposes a basis; the basis is solved over the rationals
and its optimality conditions are checked there. When that fails (a tolerance misled the solver), an
exact simplex takes over, so that an answer always comes with a certificate that anyone can check.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import MixedArithmetic, NotInvertible
from dprivacy.numbers.arrays import Floats
from dprivacy.numbers.exact_algebra import solve
from dprivacy.numbers.exact_simplex import Vector, simplex
from dprivacy.numbers.matrices import Mat


@dataclass(frozen=True)
class Outcome:
    """What a program min cost·x, matrix·x = right, x ≥ 0 came to, with its certificate.

    ``optimal``: `x` is feasible, `y` is dual feasible and cost·x = right·y = `value`.
    ``infeasible``: `y` is a Farkas vector, matrixᵀ·y ≤ 0 and right·y > 0.
    ``unbounded``: `x` is a direction, matrix·x = 0, x ≥ 0, cost·x < 0 (and the program is feasible).
    """

    status: Literal["optimal", "infeasible", "unbounded"]
    x: Vector
    y: Vector
    value: Fraction


def minimise(cost: Vector, matrix: Mat, right: Vector) -> Outcome:
    """Solve min cost·x subject to matrix·x = right and x ≥ 0, exactly.

    Parameters
    ----------
    cost, right
        Rationals, one for each column and each row of `matrix`.
    matrix
        An exact Mat.

    Notes
    -----
    1. HiGHS solves the program in floats and returns a basis.
    2. Primal and dual values are solved on that basis over ℚ; if they are feasible, they are optimal.
    3. Otherwise (or when HiGHS reports no optimum) the exact simplex method decides.
    """
    if not matrix.exact:
        raise MixedArithmetic("minimise needs an exact matrix; read its entries as fractions")
    try:
        basis = _proposed_basis(cost, matrix, right)
    except OverflowError:  # beyond the doubles: no proposal
        basis = None
    if basis is not None:
        outcome = _settle(cost, matrix, right, *basis)
        if outcome is not None:
            return outcome
    return Outcome(*simplex(cost, matrix.rows(), right))


def feasible(matrix: Mat, right: Vector) -> Outcome:
    """A point of {x ≥ 0 : matrix·x = right}, or the Farkas vector that shows there is none.

    Notes
    -----
    Phase one: minimise the sum of artificial variables that close the gap row by row. The optimum
    is 0 exactly when the set is not empty; else the dual vector is Farkas'.
    """
    if not matrix.exact:
        raise MixedArithmetic("feasible needs an exact matrix; read its entries as fractions")
    rows, columns = matrix.shape
    signs = [Fraction(-1 if value < 0 else 1) for value in right]
    extended = Mat.of(
        [
            [
                *(Fraction(v) for v in row),
                *(signs[i] if i == j else Fraction(0) for j in range(rows)),
            ]
            for i, row in enumerate(matrix.rows())
        ]
    )
    cost = [Fraction(0)] * columns + [Fraction(1)] * rows
    outcome = minimise(cost, extended, right)
    status: Literal["optimal", "infeasible"] = "optimal" if outcome.value == 0 else "infeasible"
    return Outcome(status, outcome.x[:columns], outcome.y, outcome.value)


def _proposed_basis(cost: Vector, matrix: Mat, right: Vector) -> tuple[list[int], list[int]] | None:
    """The basic columns, and the rows they settle, that HiGHS ends on; None without an optimum."""
    bounds = np.array([float(b) for b in right])
    prices = np.array([float(c) for c in cost])
    found = solve_in_floats(prices, Sparse.of(matrix.floats), bounds, bounds)
    if found is None:
        return None
    kept = np.flatnonzero(found.basic_columns).tolist()
    settled = np.flatnonzero(~found.basic_rows).tolist()
    return (kept, settled) if len(kept) == len(settled) else None


def _settle(
    cost: Vector, matrix: Mat, right: Vector, basic: list[int], settled: list[int]
) -> Outcome | None:
    """The exact primal and dual solution on a basis, or None when it is not optimal there."""
    rows, columns = matrix.shape
    x, y = [Fraction(0)] * columns, [Fraction(0)] * rows
    if basic:
        square = matrix.take(settled, basic)
        try:
            primal = solve(square, Mat.of([right[i]] for i in settled))
            dual = solve(square.transposed, Mat.of([cost[j]] for j in basic))
        except NotInvertible:
            return None
        for k, j in enumerate(basic):
            x[j] = Fraction(primal[k, 0])
        for k, i in enumerate(settled):
            y[i] = Fraction(dual[k, 0])
    value = sum((c * v for c, v in zip(cost, x, strict=True)), Fraction(0))
    outcome = Outcome("optimal", x, y, value)
    return outcome if certified(cost, matrix, right, outcome) else None


def certified(cost: Vector, matrix: Mat, right: Vector, outcome: Outcome) -> bool:
    """Check an outcome's certificate in exact arithmetic, independently of how it was found."""
    if (len(outcome.y), len(outcome.x)) != matrix.shape:
        return False
    table = matrix.rows()
    reduced = [
        sum((outcome.y[i] * row[j] for i, row in enumerate(table) if row[j]), Fraction(0))
        for j in range(matrix.shape[1])
    ]
    images = [
        sum(
            (value * x for value, x in zip(row, outcome.x, strict=True) if value and x), Fraction(0)
        )
        for row in table
    ]
    bound = sum((b * v for b, v in zip(right, outcome.y, strict=True)), Fraction(0))
    if outcome.status == "infeasible":
        return all(value <= 0 for value in reduced) and bound > 0
    price = sum((c * v for c, v in zip(cost, outcome.x, strict=True)), Fraction(0))
    if any(value < 0 for value in outcome.x):
        return False
    if outcome.status == "unbounded":
        empty = feasible(matrix, right).status == "infeasible"
        return not any(images) and price < 0 and not empty
    return (
        images == list(right)
        and all(value <= c for value, c in zip(reduced, cost, strict=True))
        and price == bound == outcome.value
    )


# ------------------------------------------------------------------------------------------ in floats


class Sparse(NamedTuple):
    """A matrix by its entries: where each row (or each column) starts, and what stands where."""

    starts: NDArray[Any]
    indices: NDArray[Any]
    values: Floats
    by_row: bool

    @classmethod
    def of(cls, dense: Floats) -> Self:
        """The entries of an array that are not 0, row by row."""
        rows, columns = np.nonzero(dense)
        start = np.searchsorted(rows, np.arange(len(dense) + 1))
        return cls(start, columns, dense[rows, columns], by_row=True)


@dataclass(frozen=True, eq=False)
class FloatSolution:
    """A vertex that HiGHS takes for the best, in floats: nothing in it is proved."""

    x: Floats
    prices: Floats
    value: float
    basis: Any  # of HiGHS
    basic: Any  # its word for what is in the basis

    @property
    def basic_columns(self) -> NDArray[np.bool_]:
        """Which variables are in the basis."""
        return np.array([status == self.basic for status in self.basis.col_status], dtype=np.bool_)

    @property
    def basic_rows(self) -> NDArray[np.bool_]:
        """Which rows are in the basis, that is, have room."""
        return np.array([status == self.basic for status in self.basis.row_status], dtype=np.bool_)


def solve_in_floats(
    cost: Floats,
    matrix: Sparse,
    lower: Floats,
    upper: Floats,
    *,
    tolerance: float = 1e-7,
    seconds: float = math.inf,
) -> FloatSolution | None:
    """min cost·x subject to lower ≤ matrix·x ≤ upper and x ≥ 0, by HiGHS; None without an optimum.

    Parameters
    ----------
    tolerance
        How far a constraint may be missed, and a price be wrong; 1e-10 is the least that HiGHS takes.
    seconds
        How long to try.
    """
    import highspy

    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(lower)
    program.col_cost_ = cost
    program.col_lower_ = np.zeros(len(cost))
    program.col_upper_ = np.full(len(cost), highspy.kHighsInf)
    program.row_lower_, program.row_upper_ = lower, upper
    order = highspy.MatrixFormat
    program.a_matrix_.format_ = order.kRowwise if matrix.by_row else order.kColwise
    program.a_matrix_.start_ = matrix.starts.astype(np.int32)
    program.a_matrix_.index_ = matrix.indices.astype(np.int32)
    program.a_matrix_.value_ = matrix.values
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("solver", "simplex")
    solver.setOptionValue("time_limit", seconds)
    solver.setOptionValue("primal_feasibility_tolerance", tolerance)
    solver.setOptionValue("dual_feasibility_tolerance", tolerance)
    solver.setOptionValue("small_matrix_value", 1e-12)  # smaller entries are left out
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    return FloatSolution(
        np.array(solution.col_value),
        np.array(solution.row_dual),
        float(solver.getInfo().objective_function_value),
        solver.getBasis(),
        highspy.HighsBasisStatus.kBasic,
    )
