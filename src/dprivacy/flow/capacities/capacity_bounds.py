"""Capacities: the most that a channel can leak, whatever the prior or the gain."""

import math
from fractions import Fraction
from typing import Any, Literal

from dprivacy.errors import Uncertified, UnknownName
from dprivacy.flow.gains.loss_table import joint_matrix
from dprivacy.flow.measures.distance_vulnerability import d_vulnerability
from dprivacy.flow.measures.vulnerabilities import sum_of_largest
from dprivacy.model import Hyper, as_channel, as_space, push, require_channel_space, space_for
from dprivacy.numbers import Factor, Level, as_eps, as_level, float_up
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, Number, PriorLike, SpaceLike

_LARGEST_EXPONENT = 710  # of e, for a double


@result("T", "§9.5.2")
def capacity(C: ChannelLike) -> Number:
    """The multiplicative Bayes capacity Σ_y max_x C[x, y], which bounds every multiplicative leakage.

    No prior and no gain without negative entries makes V_g[π ▷ C]/V_g(π) larger (the "miracle"
    theorem); the identity gain under the uniform prior reaches it.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.

    Returns
    -------
    Fraction or float
        From 1 (nothing leaks) to the number of secrets.

    Examples
    --------
    >>> print(capacity([["2/3", "1/3"], ["1/3", "2/3"]]))
    4/3
    """
    matrix = as_channel(C).matrix
    return sum_of_largest(matrix.entries, matrix.den)


@result("T", "Thm 4.8", "Thm 4.9")
def d_capacity(C: ChannelLike, space: SpaceLike | None = None) -> Level | float:
    """The additive max-case d-capacity max_y V_d(δ^y) under the uniform prior.

    It is Priv_d(C), the smallest ε for which the channel is ε·d-private: privacy is a capacity.

    Parameters
    ----------
    C, space
        A channel, or anything `as_channel` reads, and the metric on the secrets; a mechanism's own
        when omitted.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> print(d_capacity(geometric(range(3), eps="ln 2")))
    ln(2)
    """
    channel, metric = as_channel(C), space_for(C, space)
    require_channel_space(channel.rows, metric.labels)
    return max(map(d_vulnerability(metric), push(channel).inners))


@result("T", "Thm 9.11")
def leakage_bound(space: SpaceLike, *, eps: LevelLike) -> Number:
    """e^(ε·diameter): no ε·d-private mechanism leaks more, whatever the gain and the prior.

    It needs no channel, only the promise.

    Parameters
    ----------
    space
        The metric.
    eps
        The level of privacy.

    Returns
    -------
    Fraction or float
        Exact when rational, else rounded up.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(leakage_bound(line(3), eps="ln 2"))
    4
    """
    far = as_space(space).diameter
    level = as_eps(eps, zero=True)
    if far == math.inf:  # at every level, 0 too: such secrets need no protection from each other
        return math.inf
    try:
        exponent = level * as_level(far)
    except Uncertified:  # a product of two logarithms
        exponent = as_level(level.bounds(128)[1] * as_level(far).bounds(128)[1])
    if exponent > _LARGEST_EXPONENT and exponent.exp() is None:
        return math.inf
    factor = Factor(exponent)
    return factor.exact if factor.exact is not None else float_up(factor.high)


def additive_bound(
    C: ChannelLike, *, prior: PriorLike = None, gains: Literal["bounded", "spanning"] = "bounded"
) -> Number:
    """The additive capacity over gains, for one prior: the largest V_g[π ▷ C] − V_g(π).

    Parameters
    ----------
    C, prior
        As in `leakage`.
    gains
        "bounded": all gains whose vulnerabilities lie between 0 and 1; then it is
        Σ_y P(y)·(1 − min_x δ^y_x/π_x). "spanning": all gains whose entries, for each action, differ
        by at most 1; then it is Σ_y P(y)·tv(π, δ^y).

    Examples
    --------
    >>> print(additive_bound([["3/4", "1/4"], ["1/4", "3/4"]]))
    1/2
    """
    if gains not in ("bounded", "spanning"):
        raise UnknownName.among("gains", gains, ("bounded", "spanning"))
    channel, joint = joint_matrix(C, prior)
    hyper = Hyper(channel.rows, channel.columns, joint)
    belief = hyper.prior().weights
    zero: Number = Fraction(0) if joint.exact else 0.0
    total: Any = zero
    for chance, inner in zip(hyper.outer.weights, hyper.inners, strict=True):
        pairs = [(p, q) for p, q in zip(belief, inner.weights, strict=True) if p]
        if gains == "bounded":
            apart: Any = 1 - min(q / p for p, q in pairs)
        else:
            apart = sum((q - p for p, q in pairs if q > p), zero)
        total += chance * apart
    found: Number = total
    return found
