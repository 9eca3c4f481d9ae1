"""Bounds on the ε of a printed matrix: they hold, and the upper one is reached."""

import decimal
import math
import random
from decimal import Decimal
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy.optimize import linprog

from dprivacy.errors import NotApplicable
from dprivacy.model import Channel, printed
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, line
from dprivacy.verify import privacy, smallest_eps


def true_matrix(rng, n, m):
    rows = []
    for _ in range(n):
        weights = [rng.randint(1, 50) ** rng.choice((1, 2)) for _ in range(m)]
        rows.append([Q(w, sum(weights)) for w in weights])
    return rows


def as_print(matrix, k):
    return [[f"{float(round(p, k)):.{k}f}" for p in row] for row in matrix]


@pytest.mark.parametrize("part", range(10))
def test_the_true_level_of_a_thousand_matrices_lies_between_the_bounds(part):
    rng = random.Random(part)
    wide = 0
    for _ in range(100):
        n, m, k = rng.randint(2, 4), rng.randint(2, 5), rng.choice((2, 3, 4))
        matrix = true_matrix(rng, n, m)
        space = rng.choice((discrete, line))(list(range(n)))
        found = privacy(printed(as_print(matrix, k)), space)
        truth = privacy(Channel(range(n), range(m), matrix), space).smallest
        assert isinstance(truth, Level)
        assert found.at_least <= truth  # Levels: compared exactly
        assert found.smallest == math.inf or truth <= found.smallest
        wide += found.at_least != found.smallest
        eps = truth * Q(rng.randint(1, 20), 10) + Q(1, 1000)
        verdict = privacy(printed(as_print(matrix, k)), space, eps=eps)
        assert verdict.holds is not (truth > eps)  # a proof is never wrong
    assert wide > 80


def rate(top, bottom, distance):
    return math.inf if not bottom and top else math.log(top / bottom) / distance


def by_programs(low, high, n, m, space):
    """The largest ε of a matrix in a box, by two linear programs for each two rows and an output."""
    most = 0.0
    for x in range(n):
        for z in range(n):
            for y in range(m):
                if x == z:
                    continue
                cost = np.zeros(m)
                cost[y] = 1
                bounds = [list(zip(low[i], high[i], strict=True)) for i in (x, z)]
                top = -linprog(-cost, A_eq=[[1] * m], b_eq=[1], bounds=bounds[0]).fun
                bottom = linprog(cost, A_eq=[[1] * m], b_eq=[1], bounds=bounds[1]).fun
                most = max(most, rate(top, max(bottom, 0.0), float(space.distances[x, z])))
    return most


def feasible(low, high, n, m, space, eps):
    """Whether a matrix in a box is private, by one linear program."""
    lines = []
    for x in range(n):
        for z in range(n):
            for y in range(m):
                if x != z:
                    line_ = np.zeros(n * m)
                    line_[x * m + y] = 1
                    line_[z * m + y] = -math.exp(eps * float(space.distances[x, z]))
                    lines.append(line_)
    sums = np.kron(np.eye(n), np.ones(m))
    bounds = [pair for i in range(n) for pair in zip(low[i], high[i], strict=True)]
    zeros, ones = np.zeros(len(lines)), np.ones(n)
    done = linprog(np.zeros(n * m), A_ub=lines, b_ub=zeros, A_eq=sums, b_eq=ones, bounds=bounds)
    return done.status == 0


def box(matrix, k):
    half = 0.5 * 10**-k
    rounded = [[float(round(p, k)) for p in row] for row in matrix]
    low = [[max(p - half, 0.0) for p in row] for row in rounded]
    return low, [[min(p + half, 1.0) for p in row] for row in rounded]


def test_the_upper_bound_is_reached_and_nothing_below_the_lower_one_is():
    rng = random.Random(4)
    for _ in range(25):
        n, m = rng.randint(2, 3), rng.randint(2, 3)
        matrix, space = true_matrix(rng, n, m), rng.choice((discrete, line))(list(range(n)))
        found = privacy(printed(as_print(matrix, 2)), space)
        low, high = box(matrix, 2)
        most = by_programs(low, high, n, m, space)
        assert float(found.smallest) == pytest.approx(most, rel=1e-6)
        least = float(found.at_least)
        if least > 1e-3:
            assert not feasible(low, high, n, m, space, least - 1e-4)
        if n == m == 2:  # one number a row: the lower bound is reached as well
            assert feasible(low, high, n, m, space, least + 1e-7)


def test_points_apart_are_told_apart_although_neighbours_may_be_equal():
    print_ = printed([["0.4", "0.6"], ["0.5", "0.5"], ["0.6", "0.4"]])
    # neighbours overlap at 0.45 and 0.55; the ends do not: 0.55/0.45 over a distance of 2
    assert privacy(print_, line(3)).at_least == ln(Q(11, 9)) / 2
    assert smallest_eps(print_, line(3)) == ln(Q(55, 35))  # 0.55/0.35, between neighbours


def test_distances_of_nothing_and_of_infinity():
    print_ = printed([["0.50", "0.50"], ["0.50", "0.50"], ["0.10", "0.90"]])
    far = [[0, 0, math.inf], [0, 0, math.inf], [math.inf, math.inf, 0]]
    found = privacy(print_, from_table([0, 1, 2], far, pseudo=True, extended=True))
    assert found.holds is None
    assert found.at_least == 0
    assert found.smallest == math.inf
    apart = printed([["0.50", "0.50"], ["0.10", "0.90"]])
    refuted = privacy(apart, from_table([0, 1], [[0, 0], [0, 0]], pseudo=True))
    assert refuted.holds is False
    assert "No finite ε is large enough for any matrix that prints so" in refuted.explain()
    one = privacy(printed([["0.333", "0.333", "0.333"]]), discrete([0]), eps=1)
    assert one.holds is True


def test_rates_without_an_exact_form_are_rounded_outwards():
    """ln(ratio)/ln 3 has no exact form: one end is rounded down, the other up."""
    print_ = printed([["0.67", "0.33"], ["0.33", "0.67"]])
    space = discrete([0, 1]).scaled("ln 3")
    found = privacy(print_, space)
    with decimal.localcontext(prec=50):
        low = (Decimal(133) / 67).ln() / Decimal(3).ln()
        high = (Decimal(27) / 13).ln() / Decimal(3).ln()
        assert isinstance(found.at_least, float)
        assert found.at_least < low < math.nextafter(found.at_least, 1)
        assert math.nextafter(found.smallest, 0) < high < found.smallest
    assert privacy(print_, space, eps=found.smallest).holds is True
    assert privacy(print_, space, eps=math.nextafter(found.smallest, 0)).holds is None
    assert privacy(print_, space, eps=math.nextafter(found.at_least, 1)).holds is None
    assert privacy(print_, space, eps=found.at_least).holds is False


def test_no_delta_and_no_float_distances():
    print_ = printed([["0.67", "0.33"], ["0.33", "0.67"]])
    with pytest.raises(NotApplicable, match="without δ"):
        privacy(print_, "discrete", eps=1, delta="1/10")
    floats = from_table([0, 1], [[0.0, 0.5], [0.5, 0.0]])
    assert not floats.exact
    with pytest.raises(NotApplicable, match="exact distances"):
        privacy(print_, floats)


def test_tiny_fractions_beside_decimals():
    """What a double cannot hold is compared exactly."""
    tiny = "1/" + "1" + "0" * 400
    print_ = printed([[tiny, "1"], ["1/2", "1/2"]])
    assert privacy(print_, "discrete").smallest == ln(Q(1, 2) / Q(tiny))


def test_the_answer_as_data():
    found = privacy(printed([["0.67", "0.33"], ["0.33", "0.67"]]), "discrete", eps="ln 2").to_dict()
    assert found["at_least"] == "ln(133/67)"  # 0.665/0.335, by hand
    assert found["smallest"] == "ln(27/13)"  # 0.675/0.325
    assert found["status"] == "undecided"
