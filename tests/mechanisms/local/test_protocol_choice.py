"""The choice of a local mechanism, against every candidate and the table of the design."""

import math

import numpy as np
import pytest

from dprivacy.errors import BadNumber, TooLarge
from dprivacy.estimation import estimate
from dprivacy.mechanisms import (
    hashed_response,
    local_plan,
    projective_response,
    subset_response,
)

# Mean variance of a cell, per report, from an independent computation: labels, ε, family, value.
TABLE = [
    (10, 1, "randomised response", 4.096),
    (10, 1, "unary response (optimised)", 3.783),
    (10, 1, "subset response (size = 3)", 2.910),
    (100, 1, "subset response (size = 27)", 3.600),
    (100, 1, "unary response (optimised)", 3.693),
    (100, 1, "projective response (q = 4, t = 5)", 3.677),
    (1024, 0.5, "unary response (optimised)", 15.672),
    (1024, 1, "projective response (q = 4, t = 6)", 3.6860),
    (1024, 1, "randomised response", 347.6),
    (1024, 4, "unary response (optimised)", 0.0770),
    (1024, 4, "projective response (q = 53, t = 3)", 0.0763),
    (65_536, 1, "projective response (q = 4, t = 9)", 3.6916),
]


@pytest.mark.parametrize(("k", "eps", "name", "value"), TABLE)
def test_forecasts_are_those_of_the_table(k, eps, name, value):
    found = local_plan(range(k), eps=eps, n=10_000)
    each = next(c for c in found.candidates if c.name == name)
    assert math.isclose(each.error**2 / 10_000, value, rel_tol=7e-4)


def test_the_best_is_within_a_few_per_cent_of_the_optimum():
    for k in (2, 3, 5, 8, 13, 30, 77, 200, 700):
        for eps in ("1/4", "ln 2", 1, 2, 4, 5):
            found = local_plan(range(k), eps=eps, n=1000)
            optimum = subset_response(range(k), eps=eps).reports.total_variance()
            assert found.best.reports.total_variance() <= optimum * 1.035**2
            assert found.best.bits <= 64


@pytest.mark.parametrize(("k", "eps"), [(30_000, 5), (65_536, 5), (1_000_000, 4)])
def test_what_is_recommended_for_many_labels_can_be_decoded(k, eps):
    found = local_plan(range(k), eps=eps, n=1000)
    geometries = [c.reports for c in found.candidates if "q" in c.parameters]
    assert len(geometries) == 2
    for sets in geometries:
        sets.require_decodable()
    assert found.best.family == "projective_response"
    assert found.best.worth <= 1.035
    assert projective_response(range(k), eps=eps).reports == found.best.reports
    hashed_response(range(k), eps=eps).reports.require_decodable()


@pytest.mark.slow
def test_the_sweep():
    worst = 0.0
    for k in [*range(3, 200), *range(200, 5001, 7)]:
        for eps in ("1/4", "1/2", 1, 2, 3, 4, 5):
            found = local_plan(range(k), eps=eps, n=1000)
            optimum = found.best.error / found.best.worth
            worst = max(worst, found.best.error / optimum)
    assert worst <= 1.035


def test_what_was_forecast_is_measured():
    k, n = 64, 4000
    found = local_plan(range(k), eps=1, n=n)
    mechanism, truth = found.mechanism, np.arange(n) % 10
    errors = []
    for _ in range(60):
        seen = estimate(mechanism, mechanism.randomise(truth))
        counts = np.array([float(count) for count in seen.counts.values()])
        errors.append(((counts - np.bincount(truth, minlength=k)) ** 2).mean())
    measured = math.sqrt(np.mean(errors))
    assert abs(measured / found.best.error - 1) < 0.08  # of 60·64 squares, about 2 % of one s.e.


@pytest.mark.slow
def test_what_was_forecast_is_measured_within_three_per_cent():
    k, n = 1024, 100_000
    found = local_plan(range(k), eps=1, n=n)
    mechanism = found.mechanism
    shares = 1 / np.arange(1, k + 1) ** 1.1
    truth = np.repeat(np.arange(k), np.floor(shares / shares.sum() * n).astype(int))
    errors = []
    for _ in range(200):
        held = mechanism.count(mechanism.randomise(truth)).supports
        counts = (held - len(truth) * float(mechanism.q)) / float(mechanism.p - mechanism.q)
        errors.append(((counts - np.bincount(truth, minlength=k)) ** 2).mean())
    forecast = found.best.error * math.sqrt(len(truth) / n)
    assert abs(math.sqrt(np.mean(errors)) / forecast - 1) < 0.03
    assert found.best.error <= 620


def test_words():
    found = local_plan(range(1024), eps=1, n=100_000)
    text = found.explain()
    assert "projective response (q = 4, t = 6), with a standard error of 607" in text
    assert "more than 64" in text
    assert "randomised response" in text
    small = local_plan(["yes", "no"], eps="ln 3", n=100)
    assert small.best.name == "randomised response"
    assert "No other one" in small.explain()


def test_what_is_refused():
    with pytest.raises(BadNumber, match="at least two labels"):
        local_plan(["a"], eps=1, n=10)
    with pytest.raises(BadNumber, match="n: a whole number"):
        local_plan(["a", "b"], eps=1, n=0)
    with pytest.raises(TooLarge, match="allow at least"):
        local_plan(range(1000), eps=1, n=10, most_bits=5)
