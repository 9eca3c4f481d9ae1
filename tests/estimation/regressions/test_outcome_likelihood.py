"""A noisy outcome alone: the likelihood of what was released, by definition."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dprivacy.estimation import regress
from dprivacy.mechanisms import randomised_response
from support.noisy_models import drawn

MARKS = randomised_response([0, 1, 2], eps="2")


def table(rng, n):
    x = rng.normal(size=n).round(2)
    latent = 0.8 * x + rng.logistic(size=n)
    return {"x": x, "y": drawn((latent > -0.7).astype(int) + (latent > 0.9), MARKS, rng)}


def log_chances(family, x, t):
    if family == "multinomial":
        eta = np.stack([np.zeros(len(x)), t[0] + t[1] * x, t[2] + t[3] * x], axis=1)
        return np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    below = 1 / (1 + np.exp(t[2] * x[:, None] - t[None, :2]))
    return np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=(0, 1)), axis=1)


@pytest.mark.parametrize(("family", "size"), [("multinomial", 4), ("ordinal", 3)])
def test_it_is_the_maximum_and_its_errors_are_the_sandwich(family, size):
    data = table(np.random.default_rng(0), 3000)
    found = regress("y ~ x", data, channels={"y": MARKS}, family=family)
    assert found.method == "maximum likelihood"
    C = MARKS.channel.matrix.floats

    def rows(t):
        seen = log_chances(family, data["x"], t) @ C
        return np.log(seen[np.arange(3000), data["y"]])

    start = np.array([-0.5, 0.5, 0.5]) if family == "ordinal" else np.zeros(4)
    best = minimize(lambda t: -rows(t).mean(), start, method="BFGS", options={"gtol": 1e-9})
    assert found.values == pytest.approx(best.x, abs=2e-3)
    assert found.log_likelihood == pytest.approx(-3000 * best.fun, abs=1e-5)
    steps = np.eye(size) * 1e-4
    scores = np.stack([(rows(found.values + h) - rows(found.values - h)) / 2e-4 for h in steps], 1)
    information = np.linalg.inv(scores.T @ scores)
    assert np.diagonal(found.covariance) == pytest.approx(np.diagonal(information), rel=0.1)


def test_it_is_sharper_than_corrected_scores():
    data = table(np.random.default_rng(1), 4000)
    likely, score = (
        regress("y ~ x", data, channels={"y": MARKS}, family="ordinal", method=method)
        for method in ("auto", "score")
    )
    assert score.method == "score"
    assert likely.standard_errors["x"] < score.standard_errors["x"]
    assert abs(likely.coefficients["x"] - score.coefficients["x"]) < score.standard_errors["x"]


def test_more_outputs_than_classes():
    """A third output, "no answer": the likelihood uses it, and corrected scores as well."""
    rng = np.random.default_rng(2)
    C = [["6/10", "1/10", "3/10"], ["1/10", "7/10", "2/10"]]
    x = rng.normal(size=20_000).round(2)
    y = (rng.random(20_000) < 1 / (1 + np.exp(-0.2 - x))).astype(int)
    reach = np.cumsum(np.array([[0.6, 0.1, 0.3], [0.1, 0.7, 0.2]]), axis=1)[y]
    seen = (rng.random(20_000)[:, None] > reach).sum(axis=1)
    for method in ("auto", "score"):
        found = regress("y ~ x", {"x": x, "y": seen}, channels={"y": C}, method=method)
        for name, truth in (("intercept", 0.2), ("x", 1.0)):
            assert abs(found.coefficients[name] - truth) < 4 * found.standard_errors[name]
