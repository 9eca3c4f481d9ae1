"""Leakage: how much seeing the output helps."""

import math
from fractions import Fraction
from typing import Literal, overload

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.flow.gains.gain_input import Measure, Worth, as_gain, is_measure
from dprivacy.flow.gains.loss_table import Loss
from dprivacy.flow.measures.vulnerabilities import (
    Case,
    posterior_uncertainty,
    posterior_vulnerability,
    uncertainty,
    vulnerability,
)
from dprivacy.model import Gain, as_channel, prior_for
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, GainLike, LossLike, Number, PriorLike

Kind = Literal["multiplicative", "additive"]


@overload
def leakage(
    C: ChannelLike,
    *,
    prior: PriorLike = None,
    gain: GainLike | LossLike = "bayes",
    case: Case = "average",
    kind: Kind = "multiplicative",
) -> Number: ...
@overload
def leakage(
    C: ChannelLike,
    *,
    prior: PriorLike = None,
    gain: Measure,
    case: Case = "average",
    kind: Kind = "multiplicative",
) -> Worth: ...
@result("T", "Def 2.2.6")
def leakage(
    C: ChannelLike,
    *,
    prior: PriorLike = None,
    gain: GainLike | LossLike | Measure = "bayes",
    case: Case = "average",
    kind: Kind = "multiplicative",
) -> Worth:
    """How much the output helps: V_g[π ▷ C] over V_g(π), or their difference.

    For a loss the other way up, U_ℓ(π) over U_ℓ[π ▷ C], or U_ℓ(π) − U_ℓ[π ▷ C]; so that 1 (or 0)
    always means that nothing leaks, and more means more.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.
    prior
        A distribution on its inputs, or weights in their order; uniform when omitted.
    gain
        A gain, a loss, "bayes" (guess the secret), "metric" for a mechanism, a table, a function of
        action and secret, or a function of a distribution (read as a vulnerability).
    case
        "average" or "max": over the outputs, or the worst of them.
    kind
        "multiplicative" or "additive".

    Returns
    -------
    Fraction, Level or float
        Exact for exact input. The quotient 0/0 is 1, no leakage; anything else over 0 is inf.

    Examples
    --------
    >>> coin = {"yes": {"yes": "3/4", "no": "1/4"}, "no": {"yes": "1/4", "no": "3/4"}}
    >>> print(leakage(coin), leakage(coin, prior={"yes": "1/10", "no": "9/10"}))
    3/2 1
    >>> print(leakage(coin, kind="additive"))
    1/4
    """
    if kind not in ("multiplicative", "additive"):
        raise UnknownName.among("kind", kind, ("multiplicative", "additive"))
    channel = as_channel(C)
    if not (is_measure(gain) or (isinstance(gain, str) and gain == "bayes")):
        gain = as_gain(gain, channel.rows, C)
    prior = prior_for(channel, prior)
    more: Worth
    less: Worth
    if isinstance(gain, Loss):
        more = uncertainty(prior, loss=gain)
        less = posterior_uncertainty(channel, prior=prior, loss=gain, case=case)
    else:
        less = vulnerability(prior, gain=gain)
        more = posterior_vulnerability(channel, prior=prior, gain=gain, case=case)
    if kind == "additive":
        return _difference(more, less)
    if isinstance(gain, Gain) and (gain.matrix.entries < 0).any():
        raise NotApplicable(
            f"multiplicative leakage needs a gain or loss that is nowhere negative, and {gain!r} has "
            'negative entries; shift it by its minimum, or ask for kind="additive"'
        )
    return _quotient(more, less)


def _difference(more: Worth, less: Worth) -> Worth:
    if isinstance(more, float) and isinstance(less, float) and math.isinf(less):
        return 0.0 if more == less else -math.inf
    return more - less


def _quotient(more: Worth, less: Worth) -> Worth:
    if not less:
        return math.inf if more else 1.0 if isinstance(more, float) else Fraction(1)
    if isinstance(more, float) or isinstance(less, float):
        return float(more) / float(less)
    return more / less
