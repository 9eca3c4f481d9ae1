"""The privacy loss of hashing to κ bits and sending each through randomised response (LSHRR).

Two inputs at distance d get different hash bits with probability d, bit by bit. A bit that differs
gives a loss of ±ε, a bit that does not gives none; the hash functions are public.
"""

import math
from fractions import Fraction

from dprivacy.errors import NotApplicable
from dprivacy.model import about
from dprivacy.numbers import (
    Level,
    as_delta,
    as_eps,
    as_level,
    as_share,
    quotient_up,
    read_whole,
    root,
)
from dprivacy.sources import result
from dprivacy.spaces import Distance
from dprivacy.typing import LevelLike, Number, NumberLike
from dprivacy.verify.losses.binomial_tails import (
    binomial_alpha,
    binomial_tail_bound,
)
from dprivacy.verify.losses.implied_guarantees import (
    ConcentratedGuarantee,
    ExtendedGuarantee,
    affine,
    probabilistic_from_concentrated,
    rounded_up,
)
from dprivacy.verify.losses.privacy_loss_law import PrivacyLoss


def lshrr_loss(*, eps: LevelLike, bits: int, distance: NumberLike) -> PrivacyLoss:
    """The exact distribution of the loss between two inputs at the given distance.

    Parameters
    ----------
    eps
        The level ε of the response on each bit.
    bits
        κ, the number of bits.
    distance
        d(x, z) in [0, 1], the probability that a hash bit tells them apart.

    Returns
    -------
    PrivacyLoss
        Exact when e^ε is rational, else in floats; at most 2κ + 1 atoms. Inputs are named "x", "z".

    Examples
    --------
    >>> loss = lshrr_loss(eps="ln 3", bits=2, distance="1/2")
    >>> loss.mean == Level("0.5 ln 3"), loss.tail("ln 3")
    (True, Fraction(9, 64))
    """
    level, kappa, d = as_eps(eps), read_whole(bits, "bits"), as_share(distance, "distance")
    factor = level.exp()
    if factor is not None:
        exact: dict[Number, Number] = {
            1 / factor: d / (1 + factor),
            Fraction(1): 1 - d,
            factor: d * factor / (1 + factor),
        }
        cells = tuple((key, p) for key, p in sorted(exact.items()) if p)
        return PrivacyLoss("x", "z", cells, True).repeated(kappa)
    # In floats every sum of losses is a whole multiple of ε: count the multiples.
    up = 1 / (1 + math.exp(-float(level)))
    steps = {-1: float(d) * (1 - up), 0: 1 - float(d), 1: float(d) * up}
    totals = {0: 1.0}
    for _ in range(kappa):
        following: dict[int, float] = {}
        for k, p in totals.items():
            for step, q in steps.items():
                following[k + step] = following.get(k + step, 0.0) + p * q
        totals = following
    floats = tuple((k * float(level), p) for k, p in sorted(totals.items()) if p)
    return PrivacyLoss("x", "z", floats, False)


@result("T", "Thm 10.6")
def lshrr_concentrated(*, eps: LevelLike, bits: int) -> ConcentratedGuarantee:
    """LSHRR is (εκ·tanh(ε/2), ε√κ, d)-CXDP.

    The printed constants, (εκ, εκ/2), are safe only from four bits on (the source takes the loss of a
    differing bit to be ε; it is ±ε, which deviates by more than ε/2).

    Parameters
    ----------
    eps, bits
        As in `lshrr_loss`.

    Returns
    -------
    ConcentratedGuarantee
        τ is exact where ε√κ has an exact form; μ is when e^ε is rational, else rounded up.

    Notes
    -----
    1. A differing bit is worth ε with probability e^ε/(1+e^ε) and −ε otherwise: ε·tanh(ε/2) on
       average, and it differs with probability d.
    2. The loss of a bit lies in [−ε, ε], so it is ε-subgaussian around its mean (Hoeffding's
       lemma); κ independent ones are ε√κ-subgaussian.

    Examples
    --------
    >>> g = lshrr_concentrated(eps="ln 3", bits=4)
    >>> print(g.mu, g.tau)
    ln(9) ln(9)
    """
    level, kappa = as_eps(eps), read_whole(bits, "bits")
    factor = level.exp()
    mu: Level | float
    if factor is not None:
        mu = level * (kappa * (factor - 1) / (factor + 1))
    else:
        size = quotient_up(level, 1)
        mu = rounded_up(size * kappa * math.tanh(size / 2)) or math.ulp(0.0)
    return ConcentratedGuarantee(mu, level * root(kappa), "T Thm 10.6")


@result("T", "Thm 10.7")
def lshrr_hoeffding(*, eps: LevelLike, bits: int, delta: NumberLike) -> ExtendedGuarantee:
    """LSHRR is (ξ, δ)-PXDP with ξ = εκ·d + ε·√(−κ·ln(δ)/2).

    Parameters
    ----------
    eps, bits
        As in `lshrr_loss`.
    delta
        δ in (0, 1].

    Examples
    --------
    >>> print(lshrr_hoeffding(eps=1, bits=20, delta="0.01").explain("1/20"))
    At distance 1/20 the privacy loss is at most 7.78614, except with probability 1/100 (ξ = 20·d + \
6.78614, δ = 1/100).
    """
    level, kappa = as_eps(eps), read_whole(bits, "bits")
    # ε·Z with Z binomial has mean εκ·d and is (ε√κ/2)-subgaussian; the loss is at most ε·Z.
    bound = ConcentratedGuarantee(
        level * kappa, rounded_up(quotient_up(level, 1) * math.sqrt(kappa) / 2)
    )
    offset = probabilistic_from_concentrated(bound, delta=delta).xi(Fraction(0))
    slack = as_delta(delta)
    return ExtendedGuarantee(
        affine(level * kappa, float(offset)),
        lambda d: slack,
        True,
        "T Thm 10.7",
        f"ξ = {about(level * kappa)}·d + {about(float(offset))}, δ = {about(slack)}",
    )


@result("T", "Prop 10.8")
def lshrr_chernoff(
    *, eps: LevelLike, bits: int, delta: NumberLike | None = None, alpha: NumberLike | None = None
) -> ExtendedGuarantee:
    """LSHRR is (ξ, δ)-PXDP with ξ = εκ·(d + α) and δ = e^(−κ·D(d+α‖d)): give δ or α.

    Parameters
    ----------
    eps, bits
        As in `lshrr_loss`.
    delta
        A constant δ; then α depends on the distance (`binomial_alpha`).
    alpha
        A constant α; then δ depends on the distance (`binomial_tail_bound`).

    Examples
    --------
    >>> g = lshrr_chernoff(eps=1, bits=20, delta="0.01")
    >>> round(g.xi(Fraction("0.05")), 3)
    5.056
    """
    level, kappa = as_eps(eps), read_whole(bits, "bits")
    if (delta is None) == (alpha is None):
        raise NotApplicable(f"give one of delta and alpha, not delta={delta!r} and alpha={alpha!r}")
    rate = quotient_up(level, 1) * kappa
    if delta is not None:
        slack = as_delta(delta)

        def xi(d: Distance) -> float:
            return rounded_up(rate * (quotient_up(d, 1) + binomial_alpha(kappa, d, delta=slack)))

        formula = f"ξ = {about(level * kappa)}·(d + α(d)), δ = {about(slack)}"
        return ExtendedGuarantee(xi, lambda d: slack, True, "T Prop 10.8", formula)
    assert alpha is not None
    excess = as_level(alpha)
    return ExtendedGuarantee(
        affine(level * kappa, rounded_up(rate * quotient_up(excess, 1))),
        lambda d: binomial_tail_bound(kappa, d, excess),
        True,
        "T Prop 10.8",
        f"ξ = {about(level * kappa)}·(d + {about(excess)}), δ = e^(−{kappa}·D(d+α‖d))",
    )
