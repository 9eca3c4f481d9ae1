"""Exact confidence bounds cover, and the quick ones are close."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from dprivacy.errors import Malformed
from dprivacy.verify.auditing.confidence_bounds import clopper_pearson, normal_quantile, wilson


@pytest.mark.parametrize("trials", [1, 7, 1000, 10**8])
@pytest.mark.parametrize("share", [0.0, 1e-4, 0.3, 0.9999, 1.0])
def test_clopper_pearson_is_scipys(trials: int, share: float) -> None:
    hits, miss = round(share * trials), 0.0005
    low, high = clopper_pearson(hits, trials, miss=miss)
    assert low == pytest.approx(beta.ppf(miss, hits, trials - hits + 1) if hits else 0, rel=1e-8)
    assert high == pytest.approx(
        beta.ppf(1 - miss, hits + 1, trials - hits) if hits < trials else 1, rel=1e-8
    )
    # What the bounds mean: at them, the counts seen are just too extreme.
    if hits:
        assert binom.sf(hits - 1, trials, low) <= miss * (1 + 1e-6)
    if hits < trials:
        assert binom.cdf(hits, trials, high) <= miss * (1 + 1e-6)


@pytest.mark.parametrize("p", [0.003, 0.2, 0.5])
def test_clopper_pearson_covers(p: float) -> None:
    n, miss = 60, 0.05
    weights = binom.pmf(np.arange(n + 1), n, p)
    bounds = [clopper_pearson(k, n, miss=miss) for k in range(n + 1)]
    assert sum(w for w, (low, _) in zip(weights, bounds, strict=True) if low > p) <= miss
    assert sum(w for w, (_, high) in zip(weights, bounds, strict=True) if high < p) <= miss


def test_quick_bounds_are_close() -> None:
    low, high = wilson(np.array([0, 300]), 1000, normal_quantile(0.001))
    exact = clopper_pearson(300, 1000, miss=0.001)
    assert low[0] == 0
    assert low[1] == pytest.approx(exact[0], abs=2e-3)
    assert high[1] == pytest.approx(exact[1], abs=2e-3)
    with pytest.raises(Malformed, match="3 trials, not 5"):
        clopper_pearson(5, 3, miss=0.1)
