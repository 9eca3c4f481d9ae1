"""Means behind the noise, and what can be planned before there is any data."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import (
    BadLevel,
    BadNumber,
    DPrivacyError,
    Malformed,
    NotApplicable,
    UnknownCategory,
    UnknownName,
    WrongShape,
)
from dprivacy.estimation import count_error, estimate, estimate_mean, sample_size, smallest_eps_for
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
    with pytest.raises(Malformed, match="values=…"):
        estimate_mean(R, {"low": 3})
    assert estimate_mean(R, {"low": 3, "high": 3}, values={"low": 1, "high": 3}).value == 2
    with pytest.raises(UnknownCategory, match="'high'"):
        estimate_mean(R, {"low": 3}, values={"low": 1})
    with pytest.raises(WrongShape, match="2 numbers, one for each label, not 1"):
        estimate_mean(R, {"low": 3}, values=[1])
    with pytest.raises(UnknownName, match="population"):
        found.error(of="sample")


def test_planned_errors_are_those_that_come_out() -> None:
    truth = np.array([100, 300, 200, 150, 250])
    expected = truth @ G.channel.matrix.floats
    planned = count_error(G, n=1000, share=truth / 1000)
    for of in ("table", "population"):
        planned = count_error(G, n=1000, share=truth / 1000, of=of)
        found = estimate(
            as_channel(G.channel.matrix.floats), dict(enumerate(expected)), estimator="inverse"
        )
        assert planned == pytest.approx(found.errors(of=of))
    share = count_error(G, n=1000, share=truth / 1000, scale="proportions")
    assert share[0] == pytest.approx(count_error(G, n=1000, share=truth / 1000)[0] / 1000)


def test_sample_size_is_enough_and_not_more() -> None:
    n = sample_size(G, 0.02)
    assert max(count_error(G, n=n, scale="proportions").values()) <= 0.02
    assert max(count_error(G, n=n - 1, scale="proportions").values()) > 0.02


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("of", ["table", "population"])
@pytest.mark.parametrize("share", [None, Q(1, 10), 0.5])
def test_the_smallest_eps_keeps_the_promise(k, of, share) -> None:
    eps = smallest_eps_for(error=60, n=2000, categories=k, share=share, of=of)
    m = randomised_response(range(k), eps=eps)

    def worst(mechanism) -> float:
        shares = np.linspace(0, 1, 101) if share is None else [float(share)]
        return max(
            count_error(mechanism, n=2000, share=[s, *[(1 - s) / (k - 1)] * (k - 1)], of=of)[0]
            for s in shares
        )

    assert worst(m) <= 60 * (1 + 1e-12)
    assert worst(randomised_response(range(k), eps=eps * 0.999)) > 60 * (1 - 1e-4)


def test_proportions_and_counts_say_the_same() -> None:
    assert smallest_eps_for(error=50, n=1000, categories=4) == smallest_eps_for(
        error="0.05", n=1000, categories=4, scale="proportions"
    )


def test_impossible_plans() -> None:
    with pytest.raises(NotApplicable, match="drawing the people"):
        smallest_eps_for(error=10, n=1000, categories=2, of="population")
    assert smallest_eps_for(error=16, n=1000, categories=2, share=Q(1, 2), of="population") > 5
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(DPrivacyError):
            smallest_eps_for(error=bad, n=1000, categories=2)
    with pytest.raises(BadNumber, match="categories should be at least 2"):
        smallest_eps_for(error=10, n=1000, categories=1)
    with pytest.raises(BadNumber, match="share"):
        smallest_eps_for(error=10, n=1000, categories=2, share=2)
    with pytest.raises(BadNumber, match="at least 0"):
        count_error(G, n=100, share=[2, -1, 0, 0, 0])
    with pytest.raises(UnknownName, match="scale"):
        count_error(G, n=100, scale="percent")
    with pytest.raises(BadLevel):
        randomised_response(["a", "b"], eps=0)


def test_a_mean_prints_in_words_and_shortly() -> None:
    coin = randomised_response([0, 1], eps="0.3")
    found = estimate_mean(coin, {0: 300, 1: 700})
    assert str(found) == found.explain()
    assert len(repr(found)) < 60
