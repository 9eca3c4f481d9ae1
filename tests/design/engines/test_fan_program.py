"""The optimum with a slack over rays of a fan, against the whole program."""

import random
from fractions import Fraction as Q

import pytest

from dprivacy.design import optimal
from dprivacy.design.engines.fan_program import by_rays
from dprivacy.design.engines.whole_program import solved
from dprivacy.design.problems.design_problem import Problem
from dprivacy.verify import privacy


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("eps", ["ln 2", "1"])
def test_the_whole_program_has_the_same_optimum(seed, eps):
    draw = random.Random(seed)
    n, m = draw.choice([2, 3, 4]), draw.choice([2, 3, 4])
    weights = [draw.randint(1, 5) for _ in range(n)]
    problem = Problem.read(
        f"discrete:{n}",
        eps=eps,
        delta=Q(draw.randint(1, 15), 20),
        prior=[Q(w, sum(weights)) for w in weights],
        loss=[[draw.randint(0, 9) for _ in range(n)] for _ in range(m)],
        outputs=range(m),
    )
    found = by_rays(problem)
    assert found is not None
    channel, outer = found
    expected, whole = solved(problem)
    assert outer.holds()
    assert privacy(channel, problem.space, eps=eps, delta=problem.delta)
    loss = problem.expected(channel.matrix)
    if eps == "ln 2":
        assert loss == problem.expected(expected.matrix) == outer.outcome.value
    else:  # around an irrational e^ε both enclose the optimum
        assert whole.outcome.value <= loss
        assert outer.outcome.value <= problem.expected(expected.matrix)
        assert loss - outer.outcome.value < Q(1, 10**15)


def test_many_outputs_make_it_no_larger():
    """50 outputs are more than the whole program takes; at most n² are used."""
    places = [0, 10, 20, 35]
    best = optimal(
        "discrete:4",
        eps="ln 3",
        delta="1/100",
        loss=[[abs(x - y) for x in places] for y in range(50)],
        outputs=range(50),
    )
    assert best.exact
    assert best.method == "exact program of rays"
    assert best.certificate.holds()
    used = [y for y in best.channel.columns if any(best.channel[x, y] for x in best.channel.rows)]
    assert len(used) <= 16
    assert best.bound == best.loss


def test_the_best_mechanism_is_an_extreme_point_of_two_rows():
    """Two inputs: C* of four columns, whatever is lost."""
    best = optimal("discrete:2", eps="ln 3", delta="1/5", loss="bayes")
    assert best.loss == Q(1, 5)  # half of both errors: c = (1 − δ)/(1 + a)


def test_where_the_whole_program_is_used():
    assert by_rays(Problem.read("line:3", eps="ln 2", delta="1/10")) is None
    assert by_rays(Problem.read("discrete:7", eps="ln 2", delta="1/10")) is None
    assert by_rays(Problem.read("discrete:6", eps="ln 2", delta="1/10")) is None  # the smaller one
    assert optimal("line:3", eps="ln 2", delta="1/10").method == "exact program"
