"""The equations of the five models: derivatives of likelihoods, and derivatives of those."""

import numpy as np
import pytest
from scipy.special import gammaln

from dprivacy.estimation.regressions.outcome_families import (
    Linear,
    Logistic,
    Multinomial,
    Ordinal,
    Poisson,
    in_order,
)

LABELS = ("low", "mid", "high")
RNG = np.random.default_rng(0)
X = np.column_stack([np.ones(30), RNG.normal(size=(30, 2))])
CLASSES = RNG.integers(0, 3, 30)


def log_chance(family, X, codes, beta):
    """ln P of each row's outcome, by the definition of the model."""
    if isinstance(family, Linear):
        return -0.5 * (codes - X @ beta) ** 2
    if isinstance(family, Poisson):
        return codes * (X @ beta) - np.exp(X @ beta) - gammaln(codes + 1)
    if isinstance(family, Logistic):
        return codes * (X @ beta) - np.log(1 + np.exp(X @ beta))
    if isinstance(family, Multinomial):
        t = np.column_stack([np.zeros(len(X)), X @ beta.reshape(2, -1).T])
        return t[np.arange(len(X)), codes] - np.log(np.exp(t).sum(axis=1))
    below = 1 / (1 + np.exp(X @ beta[2:, None] - beta[None, :2]))
    below = np.column_stack([np.zeros(len(X)), below, np.ones(len(X))])
    return np.log(np.diff(below, axis=1)[np.arange(len(X)), codes])


def worth(family, codes):
    if isinstance(family, Linear | Poisson):
        return codes[:, None].astype(float)
    return np.stack([family.class_worth(j) for j in codes])


CASES = [
    (Linear(), X, CLASSES, np.array([0.3, -0.2, 0.5])),
    (Poisson(), X, CLASSES, np.array([0.3, -0.2, 0.5])),
    (Logistic(), X, CLASSES % 2, np.array([0.3, -0.2, 0.5])),
    (Multinomial(LABELS), X, CLASSES, np.array([0.3, -0.2, 0.5, 0.1, 0.9, -1.0])),
    (Ordinal(LABELS), X[:, 1:], CLASSES, np.array([-0.4, 1.1, 0.7, -0.6])),
]
IDS = [case[0].name for case in CASES]


@pytest.mark.parametrize(("family", "X", "codes", "beta"), CASES, ids=IDS)
def test_scores_are_derivatives_of_the_log_likelihood(family, X, codes, beta):
    found = family.scores(X, worth(family, codes), beta)
    for k in range(len(beta)):
        off = np.eye(len(beta))[k] * 1e-5
        by_hand = (
            log_chance(family, X, codes, beta + off) - log_chance(family, X, codes, beta - off)
        ) / 2e-5
        assert found[:, k] == pytest.approx(by_hand, abs=1e-8)


@pytest.mark.parametrize(("family", "X", "codes", "beta"), CASES, ids=IDS)
def test_the_slope_is_minus_the_derivative_of_the_scores_also_with_signed_weights(
    family, X, codes, beta
):
    weights = np.random.default_rng(1).normal(size=len(X))
    y = worth(family, codes)
    found = family.slope(X, y, beta, weights)
    for k in range(len(beta)):
        off = np.eye(len(beta))[k] * 1e-5
        up, down = (family.scores(X, y, beta + sign * off) for sign in (1, -1))
        assert found[:, k] == pytest.approx(-weights @ (up - down) / 2e-5, abs=1e-6)


@pytest.mark.parametrize(("family", "X", "codes", "beta"), CASES[2:], ids=IDS[2:])
def test_chances(family, X, codes, beta):
    found = family.chances(X, beta)
    assert found.sum(axis=1) == pytest.approx(1)
    own = found[np.arange(len(X)), codes]
    assert np.log(own) == pytest.approx(log_chance(family, X, codes, beta))


def test_ordinal_chances_far_from_the_thresholds_keep_their_digits():
    family = Ordinal(LABELS)
    far = np.array([[-600.0], [600.0]])
    beta = np.array([-1.0, 1.0, 1.0])
    found = family.chances(far, beta)
    assert found[0, 2] == pytest.approx(np.exp(-601), rel=1e-9, abs=0)
    assert found[1, 0] == pytest.approx(np.exp(-601), rel=1e-9, abs=0)
    scores = family.scores(far, np.array([[2.0], [0.0]]), beta)
    assert scores[0, 2] == pytest.approx(-600)  # ∂ ln P = x·(1 − P)
    assert np.isfinite(scores).all()


def test_thresholds_ascend():
    family = Ordinal(LABELS)
    assert in_order(family, np.array([0.0, 1.0, 5.0]))
    assert not in_order(family, np.array([1.0, 0.0, 5.0]))
    assert in_order(Linear(), np.array([1.0, 0.0]))


def test_names():
    assert Multinomial(LABELS).coefficient_names(["intercept", "x"]) == (
        "mid: intercept", "mid: x", "high: intercept", "high: x",
    )  # fmt: skip
    assert Ordinal(LABELS).coefficient_names(["x"]) == ("low|mid", "mid|high", "x")
