"""Means behind the noise."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber, UnknownCategory, UnknownName, WrongShape
from dprivacy.estimation import estimate, estimate_mean
from dprivacy.mechanisms import geometric, laplace, randomised_response
from dprivacy.model import as_channel

G = geometric(5, eps="ln 2")


COUNTS = {0: 34, 1: 28, 2: 38, 3: 25, 4: 35}


def test_the_mean_is_that_of_the_inverted_counts() -> None:
    found, counts = estimate_mean(G, COUNTS), estimate(G, COUNTS, estimator="inverse")
    assert found.value == sum(label * share for label, share in counts.distribution.items())
    assert isinstance(found.value, Q)
    worth = {0: 1, 1: 10, 2: 100, 3: 5, 4: 0}
    by_values = estimate_mean(G, COUNTS, values=worth)
    assert by_values.value == sum(worth[x] * share for x, share in counts.distribution.items())
    floats = estimate_mean(as_channel(G.channel.matrix.floats), COUNTS, values=list(worth.values()))
    assert floats.value == pytest.approx(float(by_values.value))
    assert floats.standard_error == pytest.approx(by_values.standard_error)


def test_the_variance_is_that_of_the_covariance_matrix() -> None:
    B = np.linalg.inv(G.channel.matrix.floats)
    m = np.array(list(COUNTS.values()), dtype=float)
    truth = m @ B
    v = np.arange(5.0)
    table = B.T @ np.diag(m) @ B - np.diag(truth)
    drawn = B.T @ np.diag(m) @ B - np.outer(truth, truth) / m.sum()
    found = estimate_mean(G, COUNTS)
    assert found.standard_error == pytest.approx(math.sqrt(v @ table @ v) / m.sum())
    assert found.error(of="population") == pytest.approx(math.sqrt(v @ drawn @ v) / m.sum())
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(float(found.value))


def test_a_long_grid_has_a_mean_too() -> None:
    noise = laplace(0, 5_000, eps="1/10", grid=1)
    rng = np.random.default_rng(0)
    truth = rng.integers(1000, 3000, 5000).astype(float)
    found = estimate_mean(noise, noise.randomise(truth))
    assert abs(found.value - truth.mean()) < 6 * found.standard_error
    assert found.standard_error < 0.5


def test_words_and_bad_values() -> None:
    found = estimate_mean(G, COUNTS)
    assert "standard error" in found.explain()
    assert found.to_dict()["n"] == 160
    R = randomised_response(["low", "high"], eps="ln 2")
    with pytest.raises(BadNumber, match="values=…"):
        estimate_mean(R, {"low": 3})
    assert estimate_mean(R, {"low": 3, "high": 3}, values={"low": 1, "high": 3}).value == 2
    with pytest.raises(UnknownCategory, match="'high'"):
        estimate_mean(R, {"low": 3}, values={"low": 1})
    with pytest.raises(WrongShape, match="2 numbers, one for each label, not 1"):
        estimate_mean(R, {"low": 3}, values=[1])
    with pytest.raises(UnknownName, match="population"):
        found.error(of="sample")


def test_a_mean_prints_in_words_and_shortly() -> None:
    coin = randomised_response([0, 1], eps="0.3")
    found = estimate_mean(coin, {0: 300, 1: 700})
    assert str(found) == found.explain()
    assert len(repr(found)) < 60


def test_a_rounded_channel_is_averaged_in_floats_with_a_bound() -> None:
    ages = laplace(0, 98, eps="1/10", grid=1)
    counts = {k: 10 + k % 7 for k in range(99)}
    found = estimate_mean(ages, counts)
    assert not found.exact
    assert 0 < found.residual < 1e-9
    floats = ages.channel.matrix.floats
    expected = np.linalg.solve(floats, np.arange(99.0)) @ np.array(list(counts.values()))
    assert found.value == pytest.approx(expected / sum(counts.values()))
    assert found.to_dict()["residual"] == found.residual


def test_small_channels_without_a_closed_form_stay_exact() -> None:
    dense = as_channel([["1/2", "1/4", "1/4"], ["1/8", "1/2", "3/8"], ["1/8", "1/8", "3/4"]])
    found = estimate_mean(dense, {0: 5, 1: 3, 2: 9})
    assert found.exact
    assert found.residual == 0
