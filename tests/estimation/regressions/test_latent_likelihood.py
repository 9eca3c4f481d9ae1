"""Maximum likelihood over true categories: beside an optimiser of its own, and as the way out."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dprivacy.errors import NotApplicable, Unidentified
from dprivacy.estimation import regress
from dprivacy.mechanisms import randomised_response
from support.noisy_models import drawn

JOB = randomised_response(["a", "b", "c"], eps="1")
YES = randomised_response([0, 1], eps="1")


def table(rng, n, *, noisy_outcome=True):
    g, job = rng.integers(0, 2, n), rng.choice(3, n, p=[0.5, 0.3, 0.2])
    line = -0.4 + 0.6 * g + 0.9 * (job == 1) - 0.5 * (job == 2)
    y = (rng.random(n) < 1 / (1 + np.exp(-line))).astype(int)
    return {
        "y": drawn(y, YES, rng) if noisy_outcome else y,
        "g": g,
        "job": drawn(job, JOB, rng),
    }


@pytest.mark.parametrize("noisy_outcome", [True, False])
def test_it_is_the_maximum_of_the_likelihood_by_definition(noisy_outcome):
    data = table(np.random.default_rng(0), 5000, noisy_outcome=noisy_outcome)
    channels = {"job": JOB} | ({"y": YES} if noisy_outcome else {})
    found = regress("y ~ g + job", data, channels=channels, method="likelihood")
    C = JOB.channel.matrix.floats
    D = YES.channel.matrix.floats if noisy_outcome else np.eye(2)
    at = np.array([JOB.channel.columns.index(label) for label in data["job"]])
    counts = np.zeros((2, 3, 2))
    np.add.at(counts, (data["g"], at, data["y"]), 1)

    def minus(t):
        law = np.exp(np.pad(t[4:].reshape(2, 2), ((0, 0), (1, 0))))
        law /= law.sum(axis=1, keepdims=True)
        value = 0.0
        for z in range(2):
            up = 1 / (1 + np.exp(-(t[0] + t[1] * z + np.array([0, t[2], t[3]]))))
            seen = np.einsum("x,xa,xy,yb->ab", law[z], C, np.stack([1 - up, up], axis=1), D)
            value -= (counts[z] * np.log(seen)).sum()
        return value / 5000

    best = minimize(minus, np.zeros(8), method="BFGS", options={"gtol": 1e-9})
    assert found.method == "maximum likelihood"
    assert found.values == pytest.approx(best.x[:4], abs=2e-3)
    assert found.log_likelihood == pytest.approx(-5000 * best.fun, abs=1e-4)


def test_it_is_as_sharp_as_corrected_scores():
    data = table(np.random.default_rng(1), 20_000)
    both = [
        regress("y ~ g + job", data, channels={"y": YES, "job": JOB}, method=method)
        for method in ("likelihood", "score")
    ]
    errors = [np.sqrt(np.diagonal(fit.covariance)) for fit in both]
    assert errors[0] == pytest.approx(errors[1], rel=0.1)
    assert (np.abs(both[0].values - both[1].values) < errors[1]).all()


def test_the_way_out_where_corrected_scores_have_no_solution():
    """Of many small tables some have no corrected solution and a likelihood with a maximum."""
    ways = []
    for seed in range(600):
        rng = np.random.default_rng(seed)
        job = randomised_response(["a", "b", "c"], eps="2")
        g, x = rng.integers(0, 3, 300), rng.choice(3, 300, p=[0.6, 0.35, 0.05])
        y = (rng.random(300) < 1 / (1 + np.exp(-1 + 0.5 * g - (x == 1)))).astype(int)
        data = {"y": y, "g": g, "x": drawn(x, job, rng)}
        try:
            ways.append(regress("y ~ x + g", data, channels={"x": job}).method)
        except Unidentified:
            continue
        if ways[-1] == "maximum likelihood":
            with pytest.raises(Unidentified):
                regress("y ~ x + g", data, channels={"x": job}, method="score")
            break
    assert ways[-1] == "maximum likelihood"


@pytest.mark.parametrize(
    ("formula", "options"),
    [
        ("y ~ z + job", {}),
        ("z ~ job", {"family": "linear"}),
        ("y ~ g + job", {"of": "table"}),
    ],
)
def test_where_it_is_not_offered(formula, options):
    rng = np.random.default_rng(2)
    data = table(rng, 500) | {"z": rng.normal(size=500)}
    noisy = {"y": YES, "job": JOB} if formula.startswith("y") else {"job": JOB}
    with pytest.raises(NotApplicable, match="at most 200 combinations"):
        regress(formula, data, channels=noisy, method="likelihood", **options)
