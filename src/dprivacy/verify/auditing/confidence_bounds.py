"""Exact confidence bounds on a probability from counts."""

import math
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.numbers import Floats

_SAFE = 1e-10  # relative widening that covers the error of the inverse incomplete beta function


def clopper_pearson(hits: int, trials: int, *, miss: float) -> tuple[float, float]:
    """Clopper–Pearson bounds: each fails to cover the probability at most `miss` of the time.

    Parameters
    ----------
    hits, trials
        The event was seen `hits` times in `trials` independent draws.
    miss
        The probability that one bound (lower, or upper) is wrong.

    Returns
    -------
    tuple of float
        (low, high), widened by a relative 1e-10.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 1000, miss=0.0005)
    >>> low, round(high, 5)  # about −ln(miss)/trials
    (0.0, 0.00757)
    """
    if not 0 <= hits <= trials or trials < 1:
        raise BadNumber(f"hits should lie between 0 and the {trials} trials, not {hits}")
    from scipy.special import betainccinv, betaincinv

    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, miss))
    high = 1.0 if hits == trials else float(betainccinv(hits + 1, trials - hits, miss))
    return low * (1 - _SAFE), min(1.0, high * (1 + _SAFE))


def wilson(hits: Any, trials: Any, z: float) -> tuple[Floats, Floats]:
    """Wilson's approximate bounds at z standard deviations, on arrays: quick, for choosing only."""
    share = np.asarray(hits, dtype=np.float64) / trials
    middle = share + z * z / (2 * trials)
    spread = z * np.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    low = np.maximum((middle - spread) / scale, 0.0)
    return np.asarray(np.where(share > 0, low, 0.0)), np.asarray((middle + spread) / scale)


def normal_quantile(miss: float) -> float:
    """The z that a standard normal exceeds with probability `miss`."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - miss) if miss > 1e-15 else math.sqrt(-2 * math.log(miss))
