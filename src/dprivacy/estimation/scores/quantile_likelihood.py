"""Quantiles of a noisy number: the most likely one, and all that a likelihood-ratio test leaves."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dprivacy.estimation.scores.range_likelihood import Likelihood

_ROUNDING = 1e-9


@dataclass(frozen=True)
class LikelyQuantile:
    """Places among the ordered true values: the estimate, and the ends of its interval."""

    at: int
    low: int
    high: int


def likely_quantile(likelihood: Likelihood, level: float, quantile: float) -> LikelyQuantile:
    """The first value up to which a share of at least `level` of the truth lies, and its interval.

    Parameters
    ----------
    likelihood
        Of the released values, true values in ascending order.
    level
        Between 0 and 1; 1/2 for the median.
    quantile
        √χ²₁ of the confidence: 1.96 for 95 %.

    Notes
    -----
    t belongs to the interval unless the test of "at most `level` lies up to t" (it would be larger), or
    that of "at least `level` lies below t", is rejected. Both are tests of F = `level` at a value, and
    are asked in leaps, then by halving.
    """
    n = likelihood.operator.inputs
    at = min(int(np.searchsorted(np.cumsum(likelihood.p), level - _ROUNDING)), n - 1)

    def possible(t: int) -> bool:
        """Whether F(t) = level is not rejected."""
        f = (np.arange(n) <= t).astype(np.float64)
        return likelihood.drop(f, level)[0] <= quantile**2

    low = at - _reach(lambda k: possible(at - k), at)
    high = at + _reach(lambda k: possible(at + k - 1), n - 1 - at)
    return LikelyQuantile(at, low, high)


def _reach(possible: Callable[[int], bool], most: int) -> int:
    """The largest k up to `most` for which 1, …, k are possible, if that ends once."""
    inside, step = 0, 1
    while inside + step <= most and possible(inside + step):
        inside, step = inside + step, 2 * step
    outside = min(inside + step, most + 1)
    while outside - inside > 1:
        middle = (inside + outside) // 2
        if possible(middle):
            inside = middle
        else:
            outside = middle
    return inside
