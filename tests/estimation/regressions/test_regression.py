"""Regression through channels: the naive fit is biased, the corrected one is not."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dprivacy.errors import (
    BadNumber,
    NotInvertible,
    SpaceMismatch,
    TooLarge,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.estimation import regress
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel

COIN = randomised_response([0, 1], eps="ln 3")
COLOUR = randomised_response(["red", "green", "blue"], eps="ln 4")
SAME = as_channel(np.eye(3), rows=["red", "green", "blue"], columns=["red", "green", "blue"])


def noisy(codes: np.ndarray, channel, rng: np.random.Generator) -> np.ndarray:
    """Draws through a channel, seeded."""
    reach = np.cumsum(channel.matrix.floats, axis=1)[codes]
    at = np.minimum((rng.random(len(codes))[:, None] > reach).sum(axis=1), len(channel.columns) - 1)
    return np.array(channel.columns)[at]


def logistic_data(rng, n: int):
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-(0.5 + 1.2 * x)))).astype(int)
    return x, y


def test_a_randomised_outcome() -> None:
    rng = np.random.default_rng(0)
    x, y = logistic_data(rng, 30_000)
    reported = noisy(y, COIN.channel, rng)
    right = regress(reported, {"x": x}, outcome_channel=COIN)
    naive = regress(reported, {"x": x})
    for name, truth in (("intercept", 0.5), ("x", 1.2)):
        assert abs(right.coefficients[name] - truth) < 4 * right.standard_errors[name]
        low, high = naive.intervals[name]
        assert not low <= truth <= high
    assert right.converged
    assert naive.coefficients["x"] < 0.8


def test_without_channels_it_is_the_usual_regression() -> None:
    rng = np.random.default_rng(1)
    x, y = logistic_data(rng, 2000)
    found = regress(y, np.stack([x, x**2], axis=1))
    X = np.stack([np.ones(2000), x, x**2], axis=1)
    p = 1 / (1 + np.exp(-X @ found.values))
    assert X.T @ (y - p) == pytest.approx(0, abs=1e-6)  # the score vanishes
    information = X.T @ (X * (p * (1 - p))[:, None])
    assert found.covariance == pytest.approx(np.linalg.inv(information), rel=1e-6)
    linear = regress(x, {"y": y}, family="linear")
    assert linear.coefficients["y"] == pytest.approx(x[y == 1].mean() - x[y == 0].mean())


@pytest.mark.slow
def test_errors_of_the_randomised_outcome_by_simulation() -> None:
    rng = np.random.default_rng(2)
    estimates, errors, hits = [], [], 0
    for _ in range(400):
        x, y = logistic_data(rng, 2000)
        found = regress(noisy(y, COIN.channel, rng), {"x": x}, outcome_channel=COIN)
        estimates.append(found.coefficients["x"])
        errors.append(found.standard_errors["x"])
        low, high = found.intervals["x"]
        hits += low <= 1.2 <= high
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.12)
    assert 0.92 <= hits / 400 <= 0.98


def covariate_data(rng, n: int):
    colour = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    age = rng.normal(size=n) + 0.5 * colour
    y = 1.0 + np.array([0.0, 2.0, -1.0])[colour] + 0.7 * age + rng.normal(size=n)
    return colour, age, y


TRUTH = {"intercept": 1.0, "age": 0.7, "colour=green": 2.0, "colour=blue": -1.0}


def test_a_randomised_covariate() -> None:
    rng = np.random.default_rng(3)
    colour, age, y = covariate_data(rng, 40_000)
    seen = noisy(colour, COLOUR.channel, rng)
    right = regress(
        y, {"age": age, "colour": seen}, covariate_channels={"colour": COLOUR}, family="linear"
    )
    naive = regress(
        y, {"age": age, "colour": seen}, covariate_channels={"colour": SAME}, family="linear"
    )
    assert list(right.coefficients) == list(TRUTH)
    for name, truth in TRUTH.items():
        assert abs(right.coefficients[name] - truth) < 4 * right.standard_errors[name]
    assert naive.intervals["colour=green"][1] < 2.0
    assert naive.coefficients["age"] != pytest.approx(0.7, abs=0.01)
    true_labels = np.array(["red", "green", "blue"])[colour]
    honest = regress(
        y, {"age": age, "colour": true_labels}, covariate_channels={"colour": SAME}, family="linear"
    )
    assert honest.standard_errors["colour=green"] < right.standard_errors["colour=green"]


def test_corrected_moments_are_what_is_solved() -> None:
    # One randomised covariate alone: E[y | colour] from Σ worth·y and Σ worth.
    rng = np.random.default_rng(4)
    colour, _, y = covariate_data(rng, 3000)
    seen = noisy(colour, COLOUR.channel, rng)
    found = regress(y, {"colour": seen}, covariate_channels={"colour": COLOUR}, family="linear")
    B = np.linalg.inv(COLOUR.channel.matrix.floats)
    worth = B[[COLOUR.channel.columns.index(c) for c in seen]]
    means = (worth * y[:, None]).sum(axis=0) / worth.sum(axis=0)
    assert found.coefficients["intercept"] == pytest.approx(means[0])
    assert found.coefficients["colour=blue"] == pytest.approx(means[2] - means[0])


@pytest.mark.slow
def test_errors_of_the_randomised_covariate_by_simulation() -> None:
    rng = np.random.default_rng(5)
    estimates, errors, hits = [], [], 0
    for _ in range(400):
        colour, age, y = covariate_data(rng, 3000)
        seen = noisy(colour, COLOUR.channel, rng)
        found = regress(
            y, {"age": age, "colour": seen}, covariate_channels={"colour": COLOUR}, family="linear"
        )
        estimates.append(found.coefficients["colour=green"])
        errors.append(found.standard_errors["colour=green"])
        low, high = found.intervals["colour=green"]
        hits += low <= 2.0 <= high
    assert np.mean(estimates) == pytest.approx(2.0, abs=4 * np.std(estimates) / 20)
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.12)
    assert 0.92 <= hits / 400 <= 0.98


def test_outcome_and_two_covariates_at_once() -> None:
    rng = np.random.default_rng(6)
    n = 60_000
    colour, flag = rng.choice(3, size=n), rng.integers(0, 2, n)
    t = -0.5 + np.array([0.0, 1.0, -1.0])[colour] + 0.8 * flag
    y = (rng.random(n) < 1 / (1 + np.exp(-t))).astype(int)
    X = {"colour": noisy(colour, COLOUR.channel, rng), "flag": noisy(flag, COIN.channel, rng)}
    found = regress(
        noisy(y, COIN.channel, rng),
        X,
        outcome_channel=COIN,
        covariate_channels={"colour": COLOUR, "flag": COIN},
    )
    assert found.converged
    truth = {"intercept": -0.5, "colour=green": 1.0, "colour=blue": -1.0, "flag=1": 0.8}
    assert set(found.coefficients) == set(truth)
    for name, value in truth.items():
        assert abs(found.coefficients[name] - value) < 4 * found.standard_errors[name]


def test_a_randomised_number_as_outcome() -> None:
    rng = np.random.default_rng(7)
    G = geometric(11, eps="ln 2")
    x = rng.integers(0, 2, 20_000)
    y = np.clip(3 + 4 * x + rng.integers(-2, 3, 20_000), 0, 10)
    found = regress(noisy(y, G.channel, rng), {"x": x}, outcome_channel=G, family="linear")
    direct = y[x == 1].mean() - y[x == 0].mean()
    assert abs(found.coefficients["x"] - direct) < 4 * found.standard_errors["x"]


def test_labels_and_their_order() -> None:
    rng = np.random.default_rng(8)
    x, y = logistic_data(rng, 5000)
    R = randomised_response(["no", "yes"], eps="ln 3").channel
    labels = noisy(y, R, rng)
    turned = as_channel(
        R.matrix.take(columns=[1, 0]).rows(), rows=["no", "yes"], columns=["yes", "no"]
    )
    first, second = (regress(labels, {"x": x}, outcome_channel=c) for c in (R, turned))
    assert first.values == pytest.approx(second.values)


def test_separated_data_are_not_waved_through() -> None:
    found = regress([0, 0, 1, 1], {"x": [1.0, 2.0, 3.0, 4.0]})
    assert not found.converged
    assert "did not converge" in found.explain()


def test_words_and_data() -> None:
    rng = np.random.default_rng(9)
    x, y = logistic_data(rng, 500)
    found = regress(y, {"x": x})
    assert "Regression(logistic, n = 500)" in repr(found)
    assert found.to_dict()["coefficients"]["x"] == found.coefficients["x"]
    assert math.isfinite(found.log_likelihood)


@pytest.mark.parametrize(
    ("y", "X", "options", "error", "words"),
    [
        ([0, 2], {"x": [1, 2]}, {}, BadNumber, "should be 0 and 1"),
        ([], {"x": []}, {}, WrongShape, "needs rows to fit"),
        ([0, 1], {"x": [1]}, {}, SpaceMismatch, "as many rows as the outcome, 2, not 1"),
        ([0, 1], {"x": ["a", "b"]}, {}, WrongKind, "needs its channel"),
        ([0, 1], {"x": [math.nan, 1]}, {}, BadNumber, "1 of 2 rows"),
        ([0, 1], {"x": [1, 2]}, {"covariate_channels": {"z": COIN}}, UnknownName, "'z'"),
        ([0, 1], {"x": [1, 2]}, {"family": "probit"}, UnknownName, "family"),
        ([0, 1], {"x": [1, 2]}, {"outcome_channel": COLOUR}, WrongShape, "2 inputs"),
        ([0, 1], [1, 2], {}, WrongShape, "two dimensions"),
        (None, None, {}, WrongKind, "the outcome should be a list"),
        ([0, 1], None, {}, WrongShape, "X should be a mapping"),
        ("01", [[1], [2]], {}, WrongKind, "not one value of type str"),
        ([0, 1], {"x": "ab"}, {}, WrongKind, "column 'x' should be a list"),
        ([0, 1, 1], {"x": [1, 1, 1]}, {"family": "linear"}, NotInvertible, "constant"),
        (
            [0, 1],
            {"x": [0, 1]},
            {"outcome_channel": [["1/2", "1/2"], ["1/2", "1/2"]]},
            NotInvertible,
            "whatever is true",
        ),
    ],
)
def test_bad_regressions(y, X, options, error, words) -> None:
    with pytest.raises(error, match=words):
        regress(y, X, **options)


def test_too_little_left_of_a_small_table() -> None:
    """Noise in both columns of few rows: the message does not blame the columns."""
    words = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 3, size=40), rng.integers(0, 2, size=40)
        try:
            regress(
                noisy(y, COIN.channel, rng),
                {"group": noisy(x, COLOUR.channel, rng)},
                outcome_channel=COIN,
                covariate_channels={"group": COLOUR},
            )
        except NotInvertible as error:
            words.append(str(error))
    assert words
    assert all("no solution for these 40 rows" in text for text in words)


def test_too_many_combinations() -> None:
    G = geometric(101, eps="ln 2")
    with pytest.raises(TooLarge, match="10,201 combinations"):
        regress([0.0], {"a": [1], "b": [1]}, covariate_channels={"a": G, "b": G}, family="linear")


def test_columns_of_arrow_are_columns() -> None:
    x, y = [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 4.0]
    plain = regress(y, {"x": x}, family="linear")
    for table in (pa.table({"x": x}), pd.DataFrame({"x": x}), {"x": pa.array(x)}):
        assert regress(pa.array(y), table, family="linear").coefficients == plain.coefficients
