"""The best channel on categories with δ > 0, by a program whose columns are the rays of a fan.

Every (ε, δ)-private channel on equally distant points is a post-processing of one whose columns are
rays (`fan_rays`), and a ray is best followed by its best action. So the least expected loss is that of
weights w ≥ 0 on the rays with Σ w_r·r = 1 and Σ w_r·leaks(r) ≤ δ: n² rows, whatever the number of
outputs. A vertex uses at most n² rays.
"""

from fractions import Fraction
from itertools import permutations

from dprivacy.design.engines.whole_program import MOST_CELLS, Program, cells
from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import reach_of
from dprivacy.model import Channel
from dprivacy.numbers import Mat, minimise
from dprivacy.polytope import fan_rays, ray_leaks

_MOST_POINTS = 6  # 9,308 rays


def by_rays(problem: Problem) -> tuple[Channel, Program] | None:
    """The best channel and the program that bounds all others; None where the whole one is smaller."""
    n, apart = len(problem.space), problem.space.uniform_distance
    if apart is None or apart in (0, float("inf")) or n > _MOST_POINTS:
        return None
    reach = reach_of(problem.eps, apart, None)
    rays = fan_rays(n, reach.low)
    size = n * n * (len(rays) + n * (n - 1))
    if size > MOST_CELLS or size > cells(problem):
        return None
    inner, best = _program(problem, reach.low, rays)
    table = [[Fraction(0)] * len(problem.outputs) for _ in range(n)]
    for ray, weight, y in zip(rays, inner.outcome.x, best, strict=False):  # slacks follow the rays
        for x in range(n):
            table[x][y] += weight * ray[x]
    channel = Channel(problem.space.labels, problem.outputs, Mat.of(table))
    if reach.low == reach.high:
        return channel, inner
    outer, _ = _program(problem, reach.high, fan_rays(n, reach.high))
    return channel, outer


def _program(
    problem: Problem, a: Fraction, rays: list[tuple[Fraction, ...]]
) -> tuple[Program, list[int]]:
    """The program at e^(ε·d) = a, and the best action after each ray."""
    n, m, zero, one = len(problem.space), len(problem.outputs), Fraction(0), Fraction(1)
    costs = [[Fraction(problem.costs[x, y]) for y in range(m)] for x in range(n)]
    prices, best = [], []
    for ray in rays:
        each = [sum((ray[x] * costs[x][y] for x in range(n) if ray[x]), zero) for y in range(m)]
        best.append(min(range(m), key=each.__getitem__))
        prices.append(each[best[-1]])
    pairs = list(permutations(range(n), 2))
    leaks = [ray_leaks(ray, a) for ray in rays]
    rows = [[ray[x] for ray in rays] + [zero] * len(pairs) for x in range(n)]
    rows += [
        [leak[k] for leak in leaks] + [one if j == k else zero for j in range(len(pairs))]
        for k in range(len(pairs))
    ]
    cost = prices + [zero] * len(pairs)
    right = [one] * n + [problem.delta] * len(pairs)
    matrix = Mat.of(rows)
    return Program(cost, matrix, right, minimise(cost, matrix, right)), best
