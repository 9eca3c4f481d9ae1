"""Likelihood ratios: constrained maxima by other means, coverage of heaped numbers."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.scores.range_likelihood import Likelihood
from dprivacy.mechanisms import geometric, randomised_response

X = np.arange(12)
LAW = np.exp(-0.5 * ((X - 5) / 2) ** 2)
LAW[X % 5 == 0] *= 3
LAW /= LAW.sum()
F = ((X >= 3) & (X <= 7)) * 1.0
Z = 1.959964


def by_slsqp(C, q, f, theta):
    """max Σ q·ln(pC) over distributions with Σ p·f = θ, by sequential quadratic programming."""
    limits = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: p @ f - theta},
    ]
    start = np.where(f > 0, theta / f.sum(), (1 - theta) / (1 - f).sum())
    found = minimize(
        lambda p: -q @ np.log(np.maximum(p @ C, 1e-300)),
        start,
        jac=lambda p: -C @ (q / np.maximum(p @ C, 1e-300)),
        bounds=[(0, 1)] * len(f),
        constraints=limits,
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return -found.fun


@pytest.mark.parametrize(
    "mechanism",
    [geometric(12, eps="2/10"), geometric(12, eps=1), randomised_response(range(12), eps=1)],
)
def test_constrained_maxima_agree_with_another_solver(mechanism):
    C = mechanism.channel.matrix.floats
    rng = np.random.default_rng(1)
    q = rng.multinomial(2000, LAW @ C) / 2000
    likelihood = Likelihood(Known(mechanism).operator, q, 2000)
    shift = q @ Known(mechanism).operator.column_logs
    for theta in (0.35, 0.6, 0.8):
        level, slope = likelihood.constrained(F, theta)
        assert level + shift == pytest.approx(by_slsqp(C, q, F, theta), abs=2e-7)
        step = 1e-4
        rise = (
            likelihood.constrained(F, theta + step)[0] - likelihood.constrained(F, theta - step)[0]
        )
        assert slope == pytest.approx(rise / 2 / step, rel=1e-2, abs=1e-4)


def test_the_interval_ends_where_the_ratio_reaches_its_quantile():
    mechanism = geometric(12, eps="3/10")
    q = np.random.default_rng(2).multinomial(3000, LAW @ mechanism.channel.matrix.floats) / 3000
    likelihood = Likelihood(Known(mechanism).operator, q, 3000)
    found = likelihood.share(F, Z)
    assert found.low < found.value < found.high
    for end in (found.low, found.high):
        assert likelihood.drop(F, end)[0] == pytest.approx(Z**2, rel=0.02)


def test_a_share_at_the_edge_of_what_is_possible():
    mechanism = randomised_response(["a", "b"], eps="ln 3")
    likelihood = Likelihood(Known(mechanism).operator, np.array([0.9, 0.1]), 50)
    found = likelihood.share(np.array([1.0, 0.0]), Z)
    assert found.value == pytest.approx(1)
    assert found.high == 1
    assert 0.5 < found.low < 1


def test_heaped_numbers_are_covered():
    mechanism = geometric(12, eps="3/10")
    C, operator = mechanism.channel.matrix.floats, Known(mechanism).operator
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(20):
        found = Likelihood(operator, rng.multinomial(1000, LAW @ C) / 1000, 1000).share(F, Z)
        hits += found.low <= LAW @ F <= found.high
    assert hits >= 16
