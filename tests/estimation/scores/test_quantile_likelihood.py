"""Quantiles: where they lie, that intervals hold them, and that leaps find what a walk finds."""

import numpy as np
import pytest

from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.scores.quantile_likelihood import _reach, likely_quantile
from dprivacy.estimation.scores.range_likelihood import Likelihood
from dprivacy.mechanisms import geometric

X = np.arange(31)
LAW = np.exp(-0.5 * ((X - 12) / 5) ** 2)
LAW /= LAW.sum()
MECHANISM = geometric(31, eps="3/10")
Z = 1.959964


@pytest.mark.parametrize("level", [0.25, 0.5, 0.9])
def test_quantiles_are_covered(level):
    C, operator = MECHANISM.channel.matrix.floats, Known(MECHANISM).operator
    truth = int(np.searchsorted(np.cumsum(LAW), level))
    rng = np.random.default_rng(4)
    hits, lengths = 0, []
    for _ in range(12):
        likelihood = Likelihood(operator, rng.multinomial(5000, LAW @ C) / 5000, 5000)
        found = likely_quantile(likelihood, level, Z)
        assert found.low <= found.at <= found.high
        hits += found.low <= truth <= found.high
        lengths.append(found.high - found.low)
    assert hits >= 10
    assert np.mean(lengths) < 6


def test_leaps_find_what_a_walk_finds():
    q = np.random.default_rng(5).multinomial(400, LAW @ MECHANISM.channel.matrix.floats) / 400
    likelihood = Likelihood(Known(MECHANISM).operator, q, 400)
    found = likely_quantile(likelihood, 0.5, Z)
    low = found.at
    while low and likelihood.drop((low - 1 >= X) * 1.0, 0.5)[0] <= Z**2:
        low -= 1
    high = found.at
    while high < 30 and likelihood.drop((high >= X) * 1.0, 0.5)[0] <= Z**2:
        high += 1
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize(("true", "most"), [(0, 5), (1, 5), (5, 5), (6, 20), (3, 3), (0, 0)])
def test_how_far_something_holds(true, most):
    asked = []

    def possible(k):
        asked.append(k)
        assert 1 <= k <= most
        return k <= true

    assert _reach(possible, most) == true
