"""How far counts of coins stray from their means: bounds that hold for every number of coins."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = float | NDArray[Any]
_ROUNDING = 1e-15  # more than doubles lose of a divergence


def divergence(share: Floats, chance: Floats) -> NDArray[np.float64]:
    """share·ln(share/chance) + (1 − share)·ln((1 − share)/(1 − chance)), rounded down."""
    x, c = np.asarray(share, dtype=np.float64), np.asarray(chance, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(x > 0, x * np.log(x / c), 0.0)
        tails = np.where(x < 1, (1 - x) * np.log((1 - x) / (1 - c)), 0.0)
    return np.maximum(heads + tails - _ROUNDING, 0.0)


def at_least(n: int, chance: Floats, heads: Floats) -> NDArray[np.float64]:
    """A bound of P(S ≥ heads), for the sum S of n coins or of a sample of more coins.

    Chernoff's bound: the mean of the coins' chances is what counts, and coins that are drawn without
    putting them back stray no more than independent ones (Hoeffding 1963).
    """
    share = np.asarray(heads) / n
    return np.where(share > chance, np.exp(-n * divergence(share, chance)), 1.0)


def at_most(n: int, chance: Floats, heads: Floats) -> NDArray[np.float64]:
    """A bound of P(S ≤ heads), as `at_least` has it for the other side."""
    share = np.asarray(heads) / n
    return np.where(share < chance, np.exp(-n * divergence(share, chance)), 1.0)


def least_surprise(n: int, chance: float, log_level: float) -> int:
    """The smallest number of heads that n equal coins reach with a probability of at most e^log_level.

    It is n + 1 where even n heads are too probable.

    Notes
    -----
    For s above the mean, P(S ≥ s) ≤ P(S = s)/(1 − ρ) with ρ = (n − s)·c/((s + 1)(1 − c)), because
    later terms fall at least that fast; and P(S = s) ≤ e^(−n·D)·√(n/(2π·s·(n − s))) for 0 < s < n,
    with D the divergence of s/n from c.

    Examples
    --------
    >>> least_surprise(100, 0.5, math.log(0.05))
    60
    >>> least_surprise(3, 0.5, math.log(0.05))
    4
    """
    low, high = math.floor(n * chance), n + 1  # the answer is above low, and at most high
    while high - low > 1:
        middle = (low + high) // 2
        if _log_tail(n, chance, middle) <= log_level:
            high = middle
        else:
            low = middle
    return high


def _log_tail(n: int, chance: float, heads: int) -> float:
    if heads >= n:
        return n * math.log(chance)
    ratio = (n - heads) * chance / ((heads + 1) * (1 - chance))
    size = 0.5 * math.log(n / (2 * math.pi * heads * (n - heads)))
    return -n * float(divergence(heads / n, chance)) + size - math.log1p(-ratio)
