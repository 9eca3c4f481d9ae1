"""The whole linear program of a private channel, solved exactly: for δ > 0, and for the worst case.

Variables are the entries C[x, y], then slacks. With δ > 0 the pair (x, z) asks for
Σ_y max(0, C[x, y] − e^(ε·d)·C[z, y]) ≤ δ, so that every term gets a variable of its own.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import pieces_of, reach_of
from dprivacy.errors import TooLarge
from dprivacy.model import Channel
from dprivacy.numbers import Floats, Mat, Outcome, certified, minimise
from dprivacy.spaces import Distance

MOST_CELLS = 1_500_000
Row = dict[int, Fraction]

_MOST_POWER = 10_000  # of e, in an entry of the program
_MOST_LENGTH = 4000  # about half the bits of a power of one factor


@dataclass(frozen=True, eq=False)
class Program:
    """min cost·v with matrix·v = right, v ≥ 0, and its exact outcome: the proof of a lower bound."""

    cost: list[Fraction]
    matrix: Mat
    right: list[Fraction]
    outcome: Outcome

    def holds(self) -> bool:
        """Check primal and dual again, exactly."""
        return certified(self.cost, self.matrix, self.right, self.outcome)


def solve(problem: Problem, *, high: bool, worst: bool = False) -> Program:
    """The program of a problem at rationals just below (or, `high`, above) every e^(ε·d).

    Parameters
    ----------
    problem
        What is asked. With `worst` its prior plays no part.
    high
        Whether to relax: the value is then a lower bound, and the channel not quite private.
    worst
        Minimise the largest expected loss of any secret, instead of the mean under the prior.
    """
    builder = _Builder(problem, high)
    builder.require_size(worst)
    builder.row_sums()
    if problem.delta:
        builder.slack_pairs()
    else:
        builder.pairs()
    cost: Row = {}
    top = builder.worst_case() if worst else None
    if top is not None:
        cost = {top: Fraction(1)}
    else:
        m = len(problem.outputs)
        for x in range(len(problem.space)):
            for y in range(m):
                cost[x * m + y] = Fraction(problem.costs[x, y])
    matrix, right = builder.finished()
    prices = [cost.get(k, Fraction(0)) for k in range(matrix.shape[1])]
    return Program(prices, matrix, right, minimise(prices, matrix, right, sizes=builder.sizes(top)))


def cells(problem: Problem) -> int:
    """How large the program of a problem is."""
    rows, columns = _Builder(problem, False).size()
    return rows * columns


class _Builder:
    """Rows of the program, one after the other."""

    def __init__(self, problem: Problem, high: bool) -> None:
        self.problem, self.high = problem, high
        self.n, self.m = len(problem.space), len(problem.outputs)
        self.rows: list[Row] = []
        self.right: list[Fraction] = []
        self.count = self.n * self.m
        self.known: dict[Distance, Fraction] = {}
        self.step = _common_step(problem)

    def size(self) -> tuple[int, int]:
        """How many equations in how many variables there are, without those of the worst case."""
        if self.problem.delta:
            pairs = sum(
                1 for x in range(self.n) for z in range(self.n) if x != z and self._finite(x, z)
            )
            return self.n + pairs * (self.m + 1), self.count + pairs * (2 * self.m + 1)
        pairs = 2 * len(self.problem.space.edges)
        return self.n + pairs * self.m, self.count + pairs * self.m

    def require_size(self, worst: bool) -> None:
        """Refuse, with the size, what would take too long."""
        rows, columns = self.size()
        if (rows + self.n * worst) * columns > MOST_CELLS:
            what = "with δ > 0" if self.problem.delta else "of the worst case"
            raise TooLarge(
                f"the exact program {what} would have {rows:,} equations in {columns:,} variables for "
                f"{self.n} secrets and {self.m} outputs, more than is solved here; choose fewer "
                "outputs or a smaller space"
                + (", or δ = 0, which has no such limit" if self.problem.delta else "")
            )

    def _finite(self, x: int, z: int) -> bool:
        return self.problem.space.distances[x, z] != float("inf")

    def _factor(self, x: int, z: int) -> Fraction:
        distance = self.problem.space.distances[x, z]
        if distance not in self.known:
            power = float(self.problem.eps) * float(distance)
            if power > _MOST_POWER:
                raise TooLarge(
                    f"e to the power {power:.3g} has too many digits to compute with; use a smaller ε, "
                    "or measure distances in larger units"
                )
            # Powers of one factor keep ties between paths, where factors of their own would not.
            step, most = self.step or (distance, 1)
            reach = reach_of(self.problem.eps, step, None, times=most)
            power = 1 if distance == step else int(distance / step)
            self.known[distance] = (reach.high if self.high else reach.low) ** power
        return self.known[distance]

    def _variable(self) -> int:
        self.count += 1
        return self.count - 1

    def add(self, row: Row, right: Any = 0) -> None:
        """One equation."""
        self.rows.append(row)
        self.right.append(Fraction(right))

    def row_sums(self) -> None:
        """Σ_y C[x, y] = 1."""
        for x in range(self.n):
            self.add({x * self.m + y: Fraction(1) for y in range(self.m)}, 1)

    def pairs(self) -> None:
        """e^(ε·d)·C[z, y] − C[x, y] ≥ 0 on the pairs that imply the others."""
        for i, j in self.problem.space.edges.tolist():
            factor = self._factor(i, j)
            for x, z in ((i, j), (j, i)):
                for y in range(self.m):
                    self.add(
                        {
                            z * self.m + y: factor,
                            x * self.m + y: Fraction(-1),
                            self._variable(): Fraction(-1),
                        }
                    )

    def slack_pairs(self) -> None:
        """Σ_y max(0, C[x, y] − e^(ε·d)·C[z, y]) ≤ δ on all ordered pairs."""
        for x in range(self.n):
            for z in range(self.n):
                if x == z or not self._finite(x, z):
                    continue
                factor, over = self._factor(x, z), []
                for y in range(self.m):
                    over.append(self._variable())
                    self.add(
                        {
                            x * self.m + y: Fraction(1),
                            z * self.m + y: -factor,
                            over[-1]: Fraction(-1),
                            self._variable(): Fraction(1),
                        }
                    )
                total = dict.fromkeys([*over, self._variable()], Fraction(1))
                self.add(total, self.problem.delta)

    def worst_case(self) -> int:
        """A variable t with Σ_y ℓ(y, x)·C[x, y] ≤ t for every secret x."""
        table = self.problem.loss.matrix
        top = self._variable()
        for x in range(self.n):
            row = {x * self.m + y: Fraction(table[y, x]) for y in range(self.m)}
            self.add({**row, top: Fraction(-1), self._variable(): Fraction(1)})
        return top

    def sizes(self, top: int | None) -> Floats:
        """log₂ of about how large variables are: C[x, y] falls off from where y is the best answer."""
        problem = self.problem
        costs = problem.costs.floats if top is None else problem.loss.matrix.floats.T
        best = (costs - costs.min(axis=1, keepdims=True)).argmin(axis=0)
        apart = problem.space.distances.floats[:, best]
        falls = np.where(np.isfinite(apart), float(problem.eps) / math.log(2) * apart, 0.0)
        found = np.full(self.count, np.nan)
        found[: self.n * self.m] = -falls.ravel()
        if top is not None:  # about what the secret pays that pays most
            found[top] = (np.log2(np.where(costs > 0, costs, 1.0)) - falls)[costs > 0].max(
                initial=-_MOST_POWER
            )
        return found

    def finished(self) -> tuple[Mat, list[Fraction]]:
        """The matrix and the right-hand side."""
        zero = Fraction(0)
        table = [[row.get(k, zero) for k in range(self.count)] for row in self.rows]
        return Mat.of(table), self.right


def _common_step(problem: Problem) -> tuple[Fraction, int] | None:
    """The step of which all finite distances are multiples, and how many make up the longest.

    None where there is none, or where powers of one factor would be too long.
    """
    values = problem.space.distances.values or ()
    finite = [d for d in values if d not in (0, math.inf)]
    rationals = [d for d in finite if isinstance(d, Fraction)]
    if not rationals or len(rationals) < len(finite):
        return None
    common = math.lcm(*(d.denominator for d in rationals))
    step = Fraction(math.gcd(*(int(d * common) for d in rationals)), common)
    most = int(max(rationals) / step)
    long = most * (80 + float(problem.eps) * float(max(rationals)))
    return (step, most) if long <= _MOST_LENGTH else None


def solved(problem: Problem, *, worst: bool = False) -> tuple[Channel, Program]:
    """The best channel, and the program that bounds all others: another where e^(ε·d) is irrational."""
    inner = solve(problem, high=False, worst=worst)
    rational = all(piece.rational for piece in pieces_of(problem))
    m, x = len(problem.outputs), inner.outcome.x
    table = Mat.of([x[k * m : (k + 1) * m] for k in range(len(problem.space))])
    channel = Channel(problem.space.labels, problem.outputs, table)
    return channel, inner if rational else solve(problem, high=True, worst=worst)
