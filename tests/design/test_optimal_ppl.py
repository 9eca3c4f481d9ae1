"""Optima beside the Parma Polyhedra Library, which solves the whole program in rationals of its own."""

import math
from fractions import Fraction as Q
from itertools import permutations

import pytest
from flint import arb, ctx, fmpq

from dprivacy.design import minimax, optimal
from dprivacy.numbers import dyadic
from support.design_spaces import IRRATIONAL, a_problem

ppl = pytest.importorskip("ppl", reason="pplpy is not installed (extra [oracle])")

BASES = {
    "ln(101/100)": Q(101, 100),
    "ln(3/2)": Q(3, 2),
    "ln 2": Q(2),
    "6*ln(10)": Q(10**6),
    "ln 1000": Q(1000),
    "21*ln(10)": Q(10**21),
    "72*ln(2)": Q(2**72),
}
NEAR, DOUBLE = Q(1, 10**18), Q(1, 2**51)
PRIVATE_SIDE, LARGER_SIDE = 0, 1  # which of the two rationals around e^(ε·d) bounds a ratio


def factor(eps, distance: int, side: int) -> Q:
    """e^(ε·d), or a rational just below or above it."""
    if eps in BASES:
        return BASES[eps] ** distance
    with ctx.workprec(400):
        power = (arb(fmpq(*Q(eps).as_integer_ratio())) * distance).exp()
        return dyadic(power.upper() if side else power.lower())


class Program:
    """Rows of a private channel (with slack δ), to be minimised over."""

    def __init__(self, space, eps, actions: int, side: int, delta=Q(0)) -> None:
        self.n, self.m, self.count = len(space), actions, len(space) * actions
        self.system = ppl.Constraint_System()
        for x in range(self.n):
            row = {self.at(x, y): Q(1) for y in range(actions)}
            self.at_least(row, 1)
            self.at_least({k: -v for k, v in row.items()}, -1)
        for k in range(self.count):
            self.at_least({k: Q(1)}, 0)
        for x, z in permutations(range(self.n), 2):
            reach = factor(eps, int(space.distances[x, z]), side)
            over = [self.variable() for _ in range(actions)] if delta else []
            for y in range(actions):
                excess = {over[y]: Q(1)} if delta else {}
                self.at_least({self.at(z, y): reach, self.at(x, y): Q(-1), **excess}, 0)
            if delta:
                self.at_least(dict.fromkeys(over, Q(-1)), -delta)

    def at(self, x: int, y: int) -> int:
        return x * self.m + y

    def variable(self) -> int:
        self.count += 1
        self.at_least({self.count - 1: Q(1)}, 0)
        return self.count - 1

    def at_least(self, row, right) -> None:
        form, common = whole(row)
        self.system.insert(form * Q(right).denominator >= int(common * Q(right).numerator))

    def least(self, row) -> Q:
        form, common = whole(row)
        program = ppl.MIP_Problem(self.count, self.system, form)
        program.set_optimization_mode("minimization")
        value = program.optimal_value()
        return Q(int(value.numerator), int(value.denominator)) / common


def whole(row):
    """A row of rationals as a form with whole coefficients, and the common denominator."""
    common = math.lcm(*(v.denominator for v in row.values()))
    terms = (ppl.Variable(k) * int(v * common) for k, v in row.items())
    return sum(terms, ppl.Linear_Expression(0)), common


def expected(problem, eps, side, delta=Q(0)) -> Q:
    """The least expected loss."""
    costs = [[Q(v) for v in row] for row in problem.costs.rows()]
    program = Program(problem.space, eps, len(costs[0]), side, delta)
    return program.least(
        {program.at(x, y): cost for x, row in enumerate(costs) for y, cost in enumerate(row)}
    )


def worst(problem, eps, side) -> Q:
    """The least worst loss."""
    table = [[Q(v) for v in row] for row in problem.loss.matrix.rows()]
    program = Program(problem.space, eps, len(table), side)
    top = program.variable()
    for x in range(program.n):
        paid = {program.at(x, y): -row[x] for y, row in enumerate(table)}
        program.at_least({top: Q(1), **paid}, 0)
    return program.least({top: Q(1)})


def agrees(reached, bound, truth, near=DOUBLE) -> None:
    """What was reached and proved lies where the independent optimum does."""
    low, high = (truth(side) for side in (LARGER_SIDE, PRIVATE_SIDE))
    assert low * (1 - near) <= bound <= high
    assert low <= reached <= high * (1 + near)


def check_expected(seed, n) -> None:
    space, eps, prior, question = a_problem(seed, n)
    best = optimal(space, eps=eps, prior=prior, loss=question)
    bound = sum(best.certificate.multipliers.values())
    assert best.gap == 0 or eps in IRRATIONAL
    paid = best.problem.expected(best.channel.matrix)
    agrees(paid, bound, lambda side: expected(best.problem, eps, side), NEAR)


def check_worst(seed, n) -> None:
    space, eps, _, question = a_problem(seed, n)
    best = minimax(space, eps=eps, loss=question)
    assert best.exact or eps in IRRATIONAL
    agrees(Q(best.loss), Q(best.bound), lambda side: worst(best.problem, eps, side))


def check_slack(seed, n) -> None:
    space, eps, prior, question = a_problem(seed, n)
    delta = Q(1, 2 + seed)
    best = optimal(space, eps=eps, prior=prior, loss=question, delta=delta)
    assert best.gap == 0 or eps in IRRATIONAL
    agrees(Q(best.loss), Q(best.bound), lambda side: expected(best.problem, eps, side, delta))


CHECKS = {"expected": check_expected, "worst": check_worst, "with slack": check_slack}


@pytest.mark.parametrize(
    ("name", "n", "seeds"),
    [("expected", 3, 20), ("expected", 4, 20), ("worst", 3, 8), ("with slack", 2, 8)],
)
def test_another_solver_agrees(name, n, seeds) -> None:
    for seed in range(seeds):
        CHECKS[name](seed, n)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "many"), [(3, 902), (4, 520)])
def test_another_solver_agrees_on_all_of_them(n, many) -> None:
    for seed in range(many):
        check_expected(seed, n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n", "seeds"), [("worst", 3, 60), ("worst", 4, 20), ("with slack", 3, 20)]
)
def test_another_solver_agrees_on_worst_cases_and_slack(name, n, seeds) -> None:
    for seed in range(seeds):
        CHECKS[name](seed, n)
