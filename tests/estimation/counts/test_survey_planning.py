"""What can be planned before there is any data."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadLevel, BadNumber, DPrivacyError, NotApplicable, UnknownName
from dprivacy.estimation import count_error, estimate, sample_size, smallest_eps_for
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel

G = geometric(5, eps="ln 2")


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
    n = sample_size(G, error=0.02)
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
