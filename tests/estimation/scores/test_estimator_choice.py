"""The choice between score and likelihood: by forecast error, named, and to be overruled."""

import math

import numpy as np
import pytest

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation.scores.estimator_choice import chosen_share, spread_of
from dprivacy.estimation.scores.range_likelihood import Likelihood
from dprivacy.estimation.scores.signed_rows import column_scores
from dprivacy.mechanisms import geometric, laplace

X = np.arange(31)
LAW = np.exp(-0.5 * ((X - 12) / 5) ** 2)
LAW[X % 5 == 0] *= 3
LAW /= LAW.sum()
F = ((X >= 8) & (X <= 14)) * 1.0


def asked(eps, size, rng, **more):
    mechanism = geometric(31, eps=eps)
    scores = column_scores(mechanism)
    q = rng.multinomial(size, LAW @ mechanism.channel.matrix.floats) / size
    g = scores.apply(F)
    spread = spread_of(g, q)
    score = (float(q @ g), math.sqrt(spread / size), spread)
    return chosen_share(
        scores.known.operator,
        F,
        size,
        score=score,
        likelihood=lambda: Likelihood(scores.known.operator, q, size),
        **more,
    ), score


def test_a_quiet_score_is_kept_and_a_loud_one_replaced():
    rng = np.random.default_rng(1)
    found, score = asked("2", 5000, rng)
    assert (found.method, found.value) == ("score", score[0])
    assert found.spread <= 2
    found, score = asked("2/10", 5000, rng)
    assert found.method == "maximum likelihood"
    assert found.standard_error < 0.8 * score[1]
    assert "the unbiased score would err by ±" in found.note()
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_choice_can_be_overruled():
    rng = np.random.default_rng(2)
    assert asked("2/10", 5000, rng, method="score")[0].method == "score"
    assert asked("2", 5000, rng, method="likelihood")[0].method == "maximum likelihood"
    with pytest.raises(UnknownName, match="method"):
        asked("2", 5000, rng, method="best")


def test_too_many_cells_keep_the_score_or_are_refused():
    noise = column_scores(laplace(0, 20_000, eps="1/10", grid=1))
    f = (np.arange(20_001) < 50) * 1.0
    known = noise.known.operator
    loud = {"score": (0.1, 0.1, 900.0), "likelihood": lambda: pytest.fail("climbed")}
    assert chosen_share(known, f, 100, **loud).method == "score"
    with pytest.raises(NotApplicable, match=r"20,001 cells.*method"):
        chosen_share(known, f, 100, **loud, method="likelihood")


@pytest.mark.parametrize("eps", ["2/10", "4/10", "8/10"])
def test_choosing_does_not_spoil_the_coverage(eps):
    rng = np.random.default_rng(3)
    truth = float(LAW @ F)
    runs = [asked(eps, 500, rng) for _ in range(20)]
    assert sum(found.low <= truth <= found.high for found, _ in runs) >= 16
    error = np.mean([(found.value - truth) ** 2 for found, _ in runs])
    assert error <= 1.3 * np.mean([(score[0] - truth) ** 2 for _, score in runs])
