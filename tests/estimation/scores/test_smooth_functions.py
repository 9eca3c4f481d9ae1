"""Functions of totals: gradients by differences, plain statistics without noise, Fieller's set."""

import math

import numpy as np
import pytest

from dprivacy.errors import WrongShape
from dprivacy.estimation.scores.smooth_functions import (
    correlation,
    covariance,
    fieller,
    ratio,
    reach,
    smooth,
    total,
    variance,
)
from dprivacy.estimation.scores.total_variances import Totals

X, Y = np.array([1.0, 2, 4, 7, 7]), np.array([0.5, 2, 1, 3, 8])
W = np.array([1, 2, 1, 0.5, 3.0])
TOTALS = {
    total: [W @ X],
    ratio: [W @ X, W.sum()],
    variance: [W @ X**2, W @ X, W.sum()],
    covariance: [W @ (X * Y), W @ X, W @ Y, W.sum()],
    correlation: [W @ (X * Y), W @ X**2, W @ Y**2, W @ X, W @ Y, W.sum()],
}
BY_HAND = {
    total: (W * X).sum(),
    ratio: np.average(X, weights=W),
    variance: np.cov(X, aweights=W, ddof=0),
    covariance: np.cov(X, Y, aweights=W, ddof=0)[0, 1],
    correlation: np.cov(X, Y, aweights=W, ddof=0)[0, 1]
    / math.sqrt(np.cov(X, aweights=W, ddof=0) * np.cov(Y, aweights=W, ddof=0)),
}


@pytest.mark.parametrize("function", TOTALS, ids=lambda f: f.__name__)
def test_without_noise_they_are_the_plain_statistics(function):
    t = np.array(TOTALS[function])
    none = np.zeros((len(t), len(t)))
    value, gradient = function(t, none)
    assert value == pytest.approx(float(BY_HAND[function]))
    for a in range(len(t)):
        step = np.zeros(len(t))
        step[a] = 1e-5 * abs(t[a])
        rise = function(t + step, none)[0] - function(t - step, none)[0]
        assert gradient[a] == pytest.approx(rise / 2 / step[a], rel=1e-5, abs=1e-9)
    with pytest.raises(WrongShape, match=f"takes {len(t)} totals, not {len(t) + 1}"):
        function(np.append(t, 1.0), none)


def test_the_square_of_a_noisy_mean_is_corrected():
    rng = np.random.default_rng(1)
    V = np.array([[90.0, 20, 0], [20, 30, 0], [0, 0, 0]])
    draws = rng.multivariate_normal(TOTALS[variance], V, 100_000)
    mean = np.mean([variance(t, V)[0] for t in draws[:20_000]])
    assert mean == pytest.approx(float(BY_HAND[variance]), abs=0.2)
    naive = np.mean([variance(t, 0 * V)[0] for t in draws[:20_000]])
    assert abs(naive - BY_HAND[variance]) > 0.3


def test_intervals_are_students_where_few_clusters_were_drawn():
    assert reach(0.95) == pytest.approx(1.959964)
    assert reach(0.95, 7) == pytest.approx(2.364624)
    totals = Totals(np.array([[10.0]]), np.array([[[4.0]]]), 7.0)
    (found,) = smooth(totals, total, confidence=0.95)
    assert (found.standard_error, found.high) == (2, pytest.approx(10 + 2 * 2.364624))


def test_replicates_give_their_own_variance():
    again = np.array([[[9.0, 4.0]], [[12.0, 5.0]], [[10.0, 6.0]]])
    totals = Totals(np.array([[10.0, 5.0]]), np.zeros((1, 2, 2)), 2.0, again, 0.5)
    (found,) = smooth(totals, ratio, confidence=0.95)
    spread = 0.5 * sum((a / b - 2) ** 2 for a, b in again[:, 0])
    assert found.standard_error == pytest.approx(math.sqrt(spread))


def test_fieller_solves_its_quadratic():
    values, V = np.array([3.0, 2.0]), np.array([[0.3, 0.1], [0.1, 0.2]])
    found = fieller(values, V, 1.96)
    for R in (found.low, found.high):
        left = (values[0] - R * values[1]) ** 2
        assert left == pytest.approx(1.96**2 * (V[0, 0] - 2 * R * V[0, 1] + R * R * V[1, 1]))
    assert found.low < found.value < found.high


def test_a_denominator_that_may_be_zero_leaves_no_interval():
    totals = Totals(np.array([[3.0, 1.0]]), np.array([[[1.0, 0], [0, 4.0]]]), math.inf)
    (found,) = smooth(totals, ratio, confidence=0.95)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert "may be empty" in found.note
    (nothing,) = smooth(
        Totals(np.zeros((1, 2)), np.zeros((1, 2, 2)), math.inf), ratio, confidence=0.9
    )
    assert math.isnan(nothing.value)


def test_fieller_is_the_delta_method_where_the_denominator_is_sure():
    totals = Totals(np.array([[300.0, 200.0]]), np.array([[[9.0, 1], [1, 4.0]]]), math.inf)
    (found,) = smooth(totals, ratio, confidence=0.95)
    exact = fieller(totals.values[0], totals.covariance[0], reach(0.95))
    assert found.low == pytest.approx(exact.low, rel=1e-3)
    assert found.high == pytest.approx(exact.high, rel=1e-3)
