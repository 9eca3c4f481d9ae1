"""T chapter 8: an inversion that is no distribution, and geometric noise against the response."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.estimation import estimate, kantorovich, log_likelihood
from dprivacy.estimation.climbing.bayesian_update import climb
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Dist
from dprivacy.spaces import line

N = 101
LINE = line(N)
GEOMETRIC = geometric(N, eps="1/10 ln 2")
RESPONSE = randomised_response(range(N), eps="ln 2")


@pytest.mark.statement("T", "§8.3.1")
def test_the_printed_inversion() -> None:
    R = randomised_response([0, 1], eps="ln 2")
    q = Dist([0, 1], ["9/10", "1/10"])
    found = estimate(R, q, n=10, estimator="inverse")
    assert found.distribution == {0: Q(17, 10), 1: Q(-7, 10)}
    assert "not a distribution" in found.explain()
    assert found.to_dict()["rows"][0]["share"] == "17/10"
    likeliest = estimate(R, q, n=10)
    assert likeliest.distribution == pytest.approx({0: 1, 1: 0}, abs=1e-6)
    nearest = estimate(R, q, n=10, estimator="projected")
    assert nearest.distribution == {0: 1, 1: 0}


@pytest.mark.statement("T", "Prop 8.2")
def test_an_inverse_that_is_a_distribution_is_the_most_likely() -> None:
    prior = [Q(k + 1, 15) for k in range(5)]
    G = geometric(5, eps="ln 2")
    q = Dist(range(5), [sum(prior[x] * G.channel[x, y] for x in range(5)) for y in range(5)])
    inverse = estimate(G, q, n=1000, estimator="inverse")
    assert list(inverse.distribution.values()) == prior
    assert inverse.gap == pytest.approx(0, abs=1e-12)
    assert list(estimate(G, q, n=1000, tolerance=1e-14).shares) == pytest.approx(
        [float(x) for x in prior], abs=1e-6
    )


@pytest.mark.statement("T", "Fig 8.1")
def test_the_two_mechanisms_around_fifty() -> None:
    g, r = GEOMETRIC.channel, RESPONSE.channel
    # the bound 2 within ten steps
    assert float(g[50, 50] / g[60, 50]) == pytest.approx(2, abs=1e-8)
    assert float(g[50, 50] / g[40, 50]) == pytest.approx(2, abs=1e-8)
    assert r[50, 50] / r[60, 50] == 2
    assert float(g[50, 50]) == pytest.approx(math.tanh(math.log(2) / 20), rel=1e-6)
    assert r[50, 50] == Q(2, 102)


def binomial_population(size: int, rng: np.random.Generator) -> np.ndarray:
    return np.bincount(rng.binomial(100, 0.5, size), minlength=N)


def four_point_population(size: int, rng: np.random.Generator) -> np.ndarray:
    share = np.zeros(N)
    share[rng.choice(N, 4, replace=False)] = rng.dirichlet(np.ones(4))
    return rng.multinomial(size, share)


def noisy(truth: np.ndarray, floats: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows = floats / floats.sum(axis=1, keepdims=True)
    return sum(rng.multinomial(count, row) for count, row in zip(truth, rows, strict=True))


def experiment(population, size: int, runs: int, *, updates: int | None) -> tuple[float, float]:
    """Mean Kantorovich distances of the geometric mechanism and of the response."""
    rng = np.random.default_rng(size + runs)
    distances = np.zeros(2)
    for _ in range(runs):
        truth = population(size, rng)
        for k, mechanism in enumerate((GEOMETRIC, RESPONSE)):
            known = Known(mechanism)
            q = noisy(truth, mechanism.channel.matrix.floats, rng) / size
            found = climb(
                known.operator,
                q,
                tolerance=-math.inf if updates else 1e-8,
                max_iterations=updates or 100_000,
                accelerate=not updates,
            )
            distances[k] += float(kantorovich(found.p, truth / size, LINE)) / runs
    return float(distances[0]), float(distances[1])


@pytest.mark.statement("T", "Fig 8.3")
@pytest.mark.parametrize("population", [binomial_population, four_point_population])
@pytest.mark.parametrize("size", [1000, 10_000])
def test_the_geometric_mechanism_is_nearer(population, size) -> None:
    ours, theirs = experiment(population, size, 3, updates=None)
    assert ours < theirs


@pytest.mark.slow
@pytest.mark.statement("T", "Fig 8.3")
@pytest.mark.parametrize("population", [binomial_population, four_point_population])
@pytest.mark.parametrize("size", [1000, 10_000, 50_000, 100_000])
def test_the_geometric_mechanism_is_nearer_as_printed(population, size) -> None:
    # 5000 updates and ten runs, as in the source: "significantly lower (up to 5 times)".
    ours, theirs = experiment(population, size, 10, updates=5000)
    assert ours < theirs


@pytest.mark.statement("T", "Fig 8.4")
def test_the_likelihood_climbs_fast_for_the_geometric_and_slowly_for_the_response() -> None:
    rng = np.random.default_rng(0)
    truth = binomial_population(100_000, rng)
    reached = {}
    for mechanism in (GEOMETRIC, RESPONSE):
        q = noisy(truth, mechanism.channel.matrix.floats, rng) / 100_000
        operator = Known(mechanism).operator
        best = climb(operator, q, tolerance=1e-9, max_iterations=100_000).trace[-1]
        steps = [
            climb(operator, q, tolerance=-math.inf, max_iterations=k, accelerate=False).trace[-1]
            for k in (0, 10)
        ]
        reached[mechanism.family] = (steps[1] - steps[0]) / (best - steps[0])
    assert reached["geometric"] > 0.9  # within 10 updates
    assert reached["randomised_response"] < 0.5


def test_the_mean_log_likelihood_as_printed() -> None:
    q = Dist([0, 1], ["9/10", "1/10"])
    R = randomised_response([0, 1], eps="ln 2")
    expected = 0.9 * math.log(2 / 3) + 0.1 * math.log(1 / 3)
    assert log_likelihood(R, q, dist=[1, 0], n=1) == pytest.approx(expected)
