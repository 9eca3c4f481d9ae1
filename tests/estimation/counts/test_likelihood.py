"""How likely what was observed is."""

import math

import pytest

from dprivacy.estimation import log_likelihood
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Dist

R = randomised_response(["tea", "coffee", "water"], eps="ln 2")


def test_log_likelihood() -> None:
    counts = {"tea": 5, "water": 2}
    p = {"tea": "1/2", "water": "1/2"}
    expected = 5 * math.log(3 / 8) + 2 * math.log(3 / 8)
    assert log_likelihood(R, counts, dist=p) == pytest.approx(expected)
    q = Dist(["tea", "water"], ["5/7", "2/7"])
    assert log_likelihood(R, q, dist=p, n=1) == pytest.approx(expected / 7)
    identity = [[1, 0], [0, 1]]
    assert log_likelihood(identity, {1: 1}, dist=[1, 0]) == -math.inf
