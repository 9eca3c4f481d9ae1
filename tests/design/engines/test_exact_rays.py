"""Exact optima at every scale of e^(ε·d), against a search through all vertices."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import optimal
from dprivacy.design.engines.tree_rays import Tree
from dprivacy.design.engines.whole_program import solve
from dprivacy.design.problems.independent_pieces import reach_of
from dprivacy.spaces import discrete, from_table, grid, line, points
from dprivacy.verify import privacy
from support.design_spaces import IRRATIONAL, a_loss, a_prior, a_problem, rng


def enclosed(seed, n):
    """Solve a problem and look at everything that is promised of it."""
    space, eps, prior, question = a_problem(seed, n)
    best = optimal(space, eps=eps, prior=prior, loss=question)
    assert best.gap <= 1e-18
    assert best.gap == 0 or eps in IRRATIONAL
    assert best.certificate.holds()
    assert privacy(best.channel, space, eps=eps)
    return best


def least_loss(problem, *, high):
    """The optimum on three points: every ray with its best output, every three rays."""
    factors = {}
    for i, j in itertools.permutations(range(3), 2):
        reach = reach_of(problem.eps, problem.space.distances[i, j], None)
        factors[i, j] = reach.high if high else reach.low
    costs = [[Fraction(v) for v in row] for row in problem.costs.rows()]
    rays = {}
    for (a, b), (c, d) in itertools.combinations([(0, 1), (0, 2), (1, 2)], 2):
        for one, other in itertools.product((1, -1), repeat=2):
            z = {a: Fraction(1), b: factors[a, b] ** one}
            known, new = (c, d) if c in z else (d, c)
            z[new] = z[known] * factors[c, d] ** other
            if all(z[i] <= factors[i, j] * z[j] for i, j in factors):
                ray = tuple(z[x] / sum(z.values()) for x in range(3))
                rays[ray] = min(sum(c * v for c, v in zip(y, ray)) for y in zip(*costs))  # noqa: B905
    return min(
        sum(w * rays[ray] for w, ray in zip(weights, three, strict=True))
        for three in itertools.combinations(rays, 3)
        if (weights := solved(three)) is not None and min(weights) >= 0
    )


def solved(three):
    """Weights with which three rays sum to 1, by Cramer's rule; None where there are none."""

    def determinant(p, q, r):
        return (
            p[0] * (q[1] * r[2] - q[2] * r[1])
            - q[0] * (p[1] * r[2] - p[2] * r[1])
            + r[0] * (p[1] * q[2] - p[2] * q[1])
        )

    whole, ones = determinant(*three), (1, 1, 1)
    if whole == 0:
        return None
    swapped = [tuple(ones if k == at else ray for k, ray in enumerate(three)) for at in range(3)]
    return [determinant(*columns) / whole for columns in swapped]


def agrees_with_all_vertices(seed):
    best = enclosed(seed, 3)
    paid = best.problem.expected(best.channel.matrix)
    upper = least_loss(best.problem, high=False)
    if best.gap == 0:
        assert paid == upper
    else:
        lower, near = least_loss(best.problem, high=True), Fraction(1, 10**18)
        assert lower <= paid <= upper * (1 + near)
        assert lower * (1 - near) <= sum(best.certificate.multipliers.values()) <= upper


@pytest.mark.parametrize("block", range(4))
def test_three_points_agree_with_all_vertices(block):
    for seed in range(10 * block, 10 * block + 10):
        agrees_with_all_vertices(seed)


@pytest.mark.parametrize("block", range(2))
def test_four_points_are_exact_or_enclosed(block):
    for seed in range(10 * block, 10 * block + 10):
        enclosed(seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(9))
def test_many_three_points_agree_with_all_vertices(block):
    for seed in range(40 + 100 * block, min(140 + 100 * block, 902)):
        agrees_with_all_vertices(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_many_four_points_are_exact_or_enclosed(block):
    for seed in range(20 + 100 * block, 120 + 100 * block):
        enclosed(seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_four_points_agree_with_the_whole_program(seed):
    best = enclosed(seed, 4)
    if best.gap == 0:
        assert best.loss == solve(best.problem, high=False).outcome.value


def test_probabilities_far_below_the_doubles():
    best = optimal(line([38, 0, 6]), eps="72*ln(2)")  # e^(ε·38) has 824 digits
    assert best.gap == 0
    assert privacy(best.channel, line([38, 0, 6]), eps="72*ln(2)")


def test_rational_factors_of_distances_without_a_common_unit():
    space = from_table(list("abc"), [[0, "ln 2", "ln 3"], ["ln 2", 0, "ln 5"], ["ln 3", "ln 5", 0]])
    best = optimal(space, eps=1, loss=a_loss(np.random.default_rng(0), 3, space))
    assert best.gap == 0
    assert best.loss == least_loss(best.problem, high=False)


SPACES = [
    line(12),
    grid(3, 4),
    grid(3, 4, metric="manhattan"),
    discrete(range(11)),
    points([(0, 0), (1, 5), (2, 2), (7, 3), (4, 4), (9, 1), (8, 8), (3, 9), (5, 6), (6, 0)]),
]


@pytest.mark.parametrize("space", SPACES, ids=repr)
@pytest.mark.parametrize("eps", ["ln(11/10)", "ln 2", "30*ln(2)"])
def test_more_points(space, eps):
    best = optimal(space, eps=eps, prior=a_prior(np.random.default_rng(1), len(space)))
    irrational = any(not isinstance(v, Fraction) for v in space.distances.values)
    assert best.method == "exact vertex"
    assert best.gap <= (1e-18 if irrational else 0)
    assert best.certificate.holds()


@pytest.mark.parametrize("eps", ["1e-20", "1e-60", "1e-200"])
@pytest.mark.parametrize("question", ["metric", "bayes"])
def test_points_in_the_plane_at_tiny_levels(eps, question):
    for places in ([(1, 2), (1, 4)], [(3, 1), (4, 4), (0, 2), (0, 3), (1, 1)]):
        best = optimal(points(places), eps=eps, loss=question)
        assert best.method == "exact vertex"
        assert best.gap < 1e-18
        assert best.certificate.holds()


@pytest.mark.parametrize("eps", ["ln 2", "1/2"])
def test_trees_that_floats_walk_to_are_confirmed_in_whole_numbers(monkeypatch, eps):
    """Both break ties in the same way: otherwise every tree would be walked again with balls."""
    verdicts = []
    read = Tree.read

    def noted(cone, parent, sign):
        verdicts.append(read(cone, parent, sign))
        return verdicts[-1]

    monkeypatch.setattr(Tree, "read", noted)
    weights = rng(3).dirichlet(np.ones(25)).tolist()
    found = optimal(grid(5, 5), eps=eps, prior=weights, loss="euclidean")
    assert found.method == "exact vertex"
    assert len(verdicts) > 25
    assert None not in verdicts
