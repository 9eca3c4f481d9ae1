"""Linear programs solved in floats by HiGHS and then settled exactly.

A float solution is never the answer. HiGHS proposes a basis; the basis is solved over the rationals
and its optimality conditions are checked there; exact pivots follow where a tolerance hid that it is
not quite feasible. When that fails, an exact simplex takes over: every answer comes with a
certificate that anyone can check.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import MixedArithmetic
from dprivacy.numbers.arrays import Floats
from dprivacy.numbers.exact_algebra import fraction_of, to_flint
from dprivacy.numbers.exact_simplex import Vector, simplex
from dprivacy.numbers.matrices import Mat

_MOST_PIVOTS = 60  # from the basis that floats propose
_MOST_POWER = 1000.0  # of 2, in doubles


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


def minimise(cost: Vector, matrix: Mat, right: Vector, *, sizes: Floats | None = None) -> Outcome:
    """Solve min cost·x subject to matrix·x = right and x ≥ 0, exactly.

    Parameters
    ----------
    cost, right
        Rationals, one for each column and each row of `matrix`.
    matrix
        An exact Mat.
    sizes
        log₂ of about how large each variable is, NaN where one does not know: it helps floats to find
        a basis where sizes are very different.

    Notes
    -----
    1. HiGHS solves the program in floats and returns a basis.
    2. Primal and dual values are solved on that basis over ℚ; if they are feasible, they are optimal.
       If not, a few pivots over ℚ follow.
    3. Otherwise (or when HiGHS reports no optimum) the exact simplex method decides.
    """
    if not matrix.exact:
        raise MixedArithmetic("minimise needs an exact matrix; read its entries as fractions")
    for scaled in (True, False) if sizes is not None else (False,):
        try:
            basis = _proposed_basis(cost, matrix, right, sizes if scaled else None)
        except OverflowError:  # beyond the doubles: no proposal
            basis = None
        outcome = None if basis is None else _settled(cost, matrix, right, basis)
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


def _proposed_basis(
    cost: Vector, matrix: Mat, right: Vector, sizes: Floats | None
) -> list[int] | None:
    """The basic columns that HiGHS ends on; None without an optimum.

    Numbers from the count of columns on stand for the unit columns of rows that have room.
    """
    if sizes is None:
        prices, bounds = (np.array([float(v) for v in side]) for side in (cost, right))
        table = matrix.floats
    else:
        prices, table, bounds = _scaled(cost, matrix, right, sizes)
    found = solve_in_floats(prices, Sparse.of(table), bounds, bounds)
    if found is None:
        return None
    loose = matrix.shape[1] + np.flatnonzero(found.basic_rows)
    basis: list[int] = [*np.flatnonzero(found.basic_columns).tolist(), *loose.tolist()]
    return basis if len(basis) == matrix.shape[0] else None


def _scaled(
    cost: Vector, matrix: Mat, right: Vector, sizes: Floats
) -> tuple[Floats, Floats, Floats]:
    """A program in doubles, its variables in units of their sizes and its rows of about 1.

    A variable whose size nobody knows gets the one that makes its largest entry 1.
    """
    logs = np.array([[_log2(v) for v in row] for row in matrix.entries.tolist()])
    logs -= math.log2(matrix.den)
    known = ~np.isnan(sizes)
    rows = -_finite((logs + np.where(known, sizes, -np.inf)).max(axis=1, initial=-np.inf))
    free = -_finite((logs + rows[:, None]).max(axis=0, initial=-np.inf))
    units = np.where(known, sizes, free)
    rows -= _finite((logs + units).max(axis=1, initial=-np.inf) + rows)
    signs = np.sign(matrix.entries).astype(np.float64)
    table = signs * np.exp2(np.minimum(logs + rows[:, None] + units, _MOST_POWER))
    bounds, prices = (
        np.array([(v > 0) - (v < 0) for v in side])
        * np.exp2(np.minimum([_log2(v) for v in side] + shift, _MOST_POWER))
        for side, shift in ((right, rows), (cost, units))
    )
    return prices / (np.abs(prices).max(initial=0.0) or 1.0), table, bounds


def _log2(value: int | Fraction) -> float:
    """log₂ of the absolute value; −∞ for 0."""
    if not value:
        return -math.inf
    return math.log2(abs(value.numerator)) - math.log2(value.denominator)


def _finite(values: Floats) -> Floats:
    return np.asarray(np.where(np.isfinite(values), values, 0.0))


def _settled(cost: Vector, matrix: Mat, right: Vector, basis: list[int]) -> Outcome | None:
    """The exact solution on a basis, or on one that a few pivots lead to; None where they do not.

    Notes
    -----
    1. While a value is below 0 (or a row is missed), it leaves by a dual pivot. Columns whose price is
       wrong have theirs raised until that is done.
    2. Then, at the true costs, columns whose price is wrong enter by primal pivots.
    """
    from flint import fmpq, fmpq_mat

    rows, columns = matrix.shape
    units = np.diag(np.full(rows, matrix.den, dtype=object))
    wide = Mat(np.concatenate([matrix.entries, units], axis=1), matrix.den)
    whole = to_flint(matrix)
    true = [fmpq(*v.as_integer_ratio()) for v in cost] + [fmpq(0)] * rows
    raised = list(true)
    bounds = fmpq_mat(rows, 1, [fmpq(*v.as_integer_ratio()) for v in right])
    for _ in range(_MOST_PIVOTS):
        square = to_flint(wide.take(columns=basis))
        turned = square.transpose()
        try:
            x = square.solve(bounds).entries()
        except ZeroDivisionError:
            return None
        wrong = [(abs(v), k) for k, v in enumerate(x) if v < 0 or (v != 0 and basis[k] >= columns)]
        prices = raised if wrong else true
        y = turned.solve(fmpq_mat(rows, 1, [prices[j] for j in basis]))
        spent = (y.transpose() * whole).entries()
        short = [(prices[j] - v, j) for j, v in enumerate(spent) if v > prices[j]]
        if wrong:
            for _, j in short:
                raised[j] = spent[j]
            leaving = max(wrong)[1]
            unit = fmpq_mat(rows, 1, [int(k == leaving) for k in range(rows)])
            line = (turned.solve(unit).transpose() * whole).entries()
            side = -1 if x[leaving] < 0 else 1
            ratios = [
                ((raised[j] - spent[j]) / (side * v), j)
                for j, v in enumerate(line)
                if side * v > 0 and j not in basis
            ]
            if not ratios:
                return None
            entering = min(ratios)[1]
        elif short:
            entering = min(short)[1]
            change = square.solve(to_flint(matrix.take(columns=[entering]))).entries()
            ratios = [
                (x[k] / v, k) for k, v in enumerate(change) if v > 0 or (v and basis[k] >= columns)
            ]
            if not ratios:
                return None
            leaving = min(ratios)[1]
        else:
            return _outcome(cost, matrix, right, basis, x, y.entries())
        basis = [*basis[:leaving], entering, *basis[leaving + 1 :]]
    return None


def _outcome(
    cost: Vector, matrix: Mat, right: Vector, basis: list[int], values: Any, dual: Any
) -> Outcome | None:
    x = [Fraction(0)] * matrix.shape[1]
    for j, value in zip(basis, values, strict=True):
        if j < len(x):
            x[j] = fraction_of(value)
    total = sum((c * v for c, v in zip(cost, x, strict=True)), Fraction(0))
    outcome = Outcome("optimal", x, [fraction_of(v) for v in dual], total)
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
