"""Chernoff's bound on binomial tails."""

import math
from fractions import Fraction as Q

import pytest
from scipy.stats import binom

from dprivacy.errors import BadLevel, Malformed
from dprivacy.verify import bernoulli_divergence, binomial_alpha, binomial_tail_bound


@pytest.mark.statement("T", "Lem A3")
@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", ["0", "0.05", "1/3", "1/2", "0.9", "1"])
def test_chernoff_bounds_the_binomial_tail(n: int, p: str) -> None:
    for k in range(n + 1):
        alpha = Q(k, n) - Q(p)
        if alpha >= 0:
            bound = binomial_tail_bound(n, p, alpha)
            assert bound >= binom.sf(k - 1, n, float(Q(p))) * (1 - 1e-12)
            divergence = bernoulli_divergence(Q(k, n), p)
            assert bound == pytest.approx(math.exp(-n * float(divergence)), rel=1e-9, abs=1e-300)
    assert binomial_tail_bound(n, p, 2) == 0


def test_alpha_at_its_ends() -> None:
    assert binomial_alpha(10, 0, delta="0.01") == 0
    assert binomial_alpha(10, 1, delta="0.01") == 0
    assert binomial_alpha(10, "1/2", delta=1) == 0
    assert binomial_alpha(3, "1/2", delta="0.01") == 0.5  # 2^−3 > δ: nothing below 1 will do
    assert binomial_alpha(10**6, "1/2", delta="1e-9") == pytest.approx(0.003219, rel=1e-3)
    with pytest.raises(BadLevel, match="greater than 0"):
        binomial_alpha(3, "1/2", delta=0)
    with pytest.raises(BadLevel, match="p should be"):
        binomial_alpha(3, 2, delta="0.1")
    with pytest.raises(Malformed, match="whole number"):
        binomial_alpha(2.5, "1/2", delta="0.1")  # type: ignore[arg-type]
    with pytest.raises(BadLevel, match="α should be at least 0"):
        binomial_tail_bound(3, "1/2", -1)
