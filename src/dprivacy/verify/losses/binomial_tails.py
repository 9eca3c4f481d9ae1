"""Chernoff's bound on the tail of a binomial, and the α at which it falls to a given δ."""

import math
from fractions import Fraction

from dprivacy.errors import BadLevel
from dprivacy.numbers import Level, as_level, as_share, exp_bounds, float_up, ln, read_whole
from dprivacy.sources import result
from dprivacy.typing import NumberLike

_BITS = 128


def bernoulli_divergence(a: NumberLike | Level, b: NumberLike | Level) -> Level | float:
    """D(a‖b) = a·ln(a/b) + (1−a)·ln((1−a)/(1−b)): the divergence of two coins.

    Exact, a Level; ``inf`` when b is 0 or 1 and a is not.

    Examples
    --------
    >>> print(bernoulli_divergence("3/4", "1/2"))
    3/4*ln(3/2) - 1/4*ln(2)
    """
    p, q = as_share(a, "a"), as_share(b, "b")
    total = Level(0)
    for top, bottom in ((p, q), (1 - p, 1 - q)):
        if top and not bottom:
            return math.inf
        if top:
            total = total + ln(top / bottom) * top
    return total


@result("T", "Lem A3")
def binomial_tail_bound(n: int, p: NumberLike | Level, alpha: NumberLike | Level) -> float:
    """Chernoff: Pr[Z ≥ n·(p + α)] ≤ e^(−n·D(p+α‖p)) for Z binomial with n trials of probability p.

    Parameters
    ----------
    n
        The number of trials.
    p
        The probability of each.
    alpha
        The excess share α ≥ 0. Beyond p + α = 1 the probability is 0.

    Returns
    -------
    float
        The bound, rounded up.

    Examples
    --------
    >>> binomial_tail_bound(10, "1/2", "1/2")
    0.0009765625
    """
    trials, share, excess = read_whole(n, "n"), as_share(p, "p"), as_level(alpha)
    if excess < 0:
        raise BadLevel(f"α should be at least 0, not {alpha}")
    reached = excess + share
    if reached >= 1:
        return float_up(share**trials) if reached == 1 else 0.0
    divergence = bernoulli_divergence(reached, share)
    if isinstance(divergence, float):
        return 0.0
    return float_up(exp_bounds(*(divergence * -trials).bounds(_BITS), _BITS)[1])


@result("T", "Prop 10.8")
def binomial_alpha(n: int, p: NumberLike | Level, *, delta: NumberLike) -> float:
    """The smallest α with e^(−n·D(p+α‖p)) ≤ δ, at most 1 − p.

    Pr[Z > n·(p + α)] ≤ δ for Z binomial with n trials of probability p. Where no α up to 1 − p
    brings the bound down to δ, it is 1 − p: n·(p + α) = n is never exceeded.

    Parameters
    ----------
    n
        The number of trials (bits of a hash).
    p
        The probability of each (the distance of two inputs).
    delta
        δ in (0, 1].

    Returns
    -------
    float
        α, rounded up: n·D(p+α‖p) ≥ −ln δ is checked exactly for what is returned.

    Notes
    -----
    1. D(p+α‖p) increases with α, so bisection in floats finds α to the last few bits.
    2. α is moved up, double by double, until the exact comparison of logarithms holds.

    Examples
    --------
    >>> round(binomial_alpha(10, "1/20", delta="0.01"), 4)
    0.3111
    """
    trials, share, slack = read_whole(n, "n"), as_share(p, "p"), as_share(delta, "δ")
    if not slack:
        raise BadLevel(
            f"δ should be greater than 0, not {delta}; the bound that always holds is α = 1 − p"
        )
    if slack == 1 or share in (0, 1):
        return 0.0
    wanted = -ln(slack)
    if ln(1 / share) * trials <= wanted:
        return float_up(1 - share)
    goal, q = float(wanted) / trials, float(share)
    low, high = 0.0, 1 - q
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _divergence(q + middle, q) < goal:
            low = middle
        else:
            high = middle
    alpha = low
    while not _reaches(share + Fraction(alpha), share, trials, wanted):
        alpha = math.nextafter(alpha, 1.0)
    return alpha


def _divergence(a: float, b: float) -> float:
    return a * math.log(a / b) + ((1 - a) * math.log((1 - a) / (1 - b)) if a < 1 else 0.0)


def _reaches(reached: Fraction, share: Fraction, trials: int, wanted: Level) -> bool:
    if reached >= 1:
        return True
    divergence = bernoulli_divergence(reached, share)
    return isinstance(divergence, float) or divergence * trials >= wanted
