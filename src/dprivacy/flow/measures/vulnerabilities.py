"""Vulnerability and uncertainty, before and after a channel, on average and in the worst case."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownName, WrongKind
from dprivacy.flow.gains.gain_input import Measure, Worth, as_gain, as_loss, is_measure
from dprivacy.flow.gains.loss_table import Loss, aligned, expected, joint_matrix
from dprivacy.model import (
    Channel,
    Gain,
    Hyper,
    as_channel,
    as_prior,
    joint_entries,
    joint_probabilities,
)
from dprivacy.numbers import Mat, largest_in_columns
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, GainLike, Label, LossLike, Number, PriorLike

Case = Literal["average", "max"]


@overload
def vulnerability(prior: PriorLike, *, gain: GainLike = "bayes") -> Number: ...
@overload
def vulnerability(prior: PriorLike, *, gain: Measure) -> Worth: ...
@result("T", "Def 2.2.1", "Def 2.2.2")
def vulnerability(prior: PriorLike, *, gain: GainLike | Measure = "bayes") -> Worth:
    """V_g(π) = max_w Σ_x π_x·g(w, x): what the best action is worth to someone who knows the prior.

    Parameters
    ----------
    prior
        A distribution on the secrets; weights alone are of the secrets 0 … n−1, unless the gain names
        them.
    gain
        A gain, "bayes" (guess the secret), a table, a function of action and secret, or any function
        of a distribution.

    Returns
    -------
    Fraction or float
        Exact for an exact prior and gain. A function's own answer for a function.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> from dprivacy.model import Dist
    >>> print(vulnerability(Dist(["a", "b"], ["2/3", "1/3"]), gain=gain.identity(["a", "b"])))
    2/3
    """
    return _before(prior, gain, _worth)


@overload
def uncertainty(prior: PriorLike, *, loss: LossLike = "bayes") -> Number: ...
@overload
def uncertainty(prior: PriorLike, *, loss: Measure) -> Worth: ...
@result("T", "Def 2.2.4")
def uncertainty(prior: PriorLike, *, loss: LossLike | Measure = "bayes") -> Worth:
    """U_ℓ(π) = min_w Σ_x π_x·ℓ(w, x): what the best action costs someone who knows the prior.

    Parameters
    ----------
    prior, loss
        As in `vulnerability`; "bayes" is to miss the secret.

    Examples
    --------
    >>> from dprivacy.model import Dist
    >>> print(uncertainty(Dist(["a", "b"], ["2/3", "1/3"])))
    1/3
    """
    return _before(prior, loss, _cost, least=True)


@overload
def posterior_vulnerability(
    C: ChannelLike, *, prior: PriorLike = None, gain: GainLike = "bayes", case: Case = "average"
) -> Number: ...
@overload
def posterior_vulnerability(
    C: ChannelLike, *, prior: PriorLike = None, gain: Measure, case: Case = "average"
) -> Worth: ...
@result("T", "Def 2.2.5", "Thm 2.1", "Def 4.3.1")
def posterior_vulnerability(
    C: ChannelLike,
    *,
    prior: PriorLike = None,
    gain: GainLike | Measure = "bayes",
    case: Case = "average",
) -> Worth:
    """V_g[π ▷ C]: the vulnerability of the secret once the output has been seen.

    On average Σ_y max_w Σ_x π_x·C[x,y]·g(w, x); in the max case the largest V_g(δ^y) of any posterior.

    Parameters
    ----------
    C, prior
        As in `leakage`.
    gain
        As for `vulnerability`, or "metric" for a mechanism. A function of a distribution should be
        convex for the average case and quasi-convex for the max case: for others the data-processing
        inequality does not hold.
    case
        "average" or "max".

    Notes
    -----
    1. The joint matrix J[x, y] = π_x·C[x, y].
    2. G·J, the gain of every action on every output; one product, O(|W|·n·m).
    3. The largest entry of every column: their sum, or their largest quotient by P(y).

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> print(posterior_vulnerability(coin), posterior_vulnerability(coin, prior=["9/10", "1/10"]))
    3/4 9/10
    """
    channel = as_channel(C)
    if case == "average" and _guesses(gain, channel.rows):
        return sum_of_largest(*joint_entries(channel, prior))
    joint = joint_probabilities(channel, prior)
    return _after(channel, joint, _worth(gain, channel.rows, C), case)


@overload
def posterior_uncertainty(
    C: ChannelLike, *, prior: PriorLike = None, loss: LossLike = "bayes", case: Case = "average"
) -> Number: ...
@overload
def posterior_uncertainty(
    C: ChannelLike, *, prior: PriorLike = None, loss: Measure, case: Case = "average"
) -> Worth: ...
@result("T", "Def 6.2.1")
def posterior_uncertainty(
    C: ChannelLike,
    *,
    prior: PriorLike = None,
    loss: LossLike | Measure = "bayes",
    case: Case = "average",
) -> Worth:
    """U_ℓ[π ▷ C]: the uncertainty of the secret once the output has been seen.

    On average Σ_y min_w Σ_x π_x·C[x,y]·ℓ(w, x); in the max case, the worst for whoever keeps the
    secret, the smallest U_ℓ(δ^y) of any posterior.

    Parameters
    ----------
    C, prior, loss, case
        As in `leakage` and `uncertainty`; the loss may be "metric" for a mechanism.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> print(posterior_uncertainty(geometric(range(3), eps="ln 2"), loss="metric"))
    5/9
    """
    channel, joint = joint_matrix(C, prior)
    return _after(channel, joint, _cost(loss, channel.rows, C), case, least=True)


def _worth(gain: GainLike | Measure, secrets: Any, C: ChannelLike | None = None) -> Gain | Measure:
    """A gain, or a function of a distribution; refuse a loss."""
    if is_measure(gain):
        return gain
    found = as_gain(gain, secrets, C)
    if isinstance(found, Loss):
        raise WrongKind(
            f"{found!r} is a loss, where less is better; ask for `uncertainty`, or turn it into a gain "
            "with `mirror`"
        )
    return found


def _guesses(gain: GainLike | Measure, secrets: tuple[Label, ...]) -> bool:
    """Whether it is Bayes's gain, to guess the secret, whose product with a matrix is that matrix."""
    if type(gain) is Gain:
        return gain.matrix.is_identity and gain.secrets == secrets
    return isinstance(gain, str) and gain == "bayes"


def _cost(loss: LossLike | Measure, secrets: Any, C: ChannelLike | None = None) -> Gain | Measure:
    return loss if is_measure(loss) else as_loss(loss, secrets, C)


def _before(
    prior: PriorLike, given: Any, read: Callable[..., Gain | Measure], *, least: bool = False
) -> Worth:
    belief = as_prior(prior, given.secrets if isinstance(given, Gain) else None)
    if not least and _guesses(given, belief.labels):
        return max(belief.weights)
    gain = read(given, belief.labels)
    if not isinstance(gain, Gain):
        return gain(belief)
    scores = expected(aligned(gain, belief.labels), belief.matrix.transposed)
    return best_of(scores, least=least)[0][0]


def _after(
    channel: Channel, joint: Mat, gain: Gain | Measure, case: str, *, least: bool = False
) -> Worth:
    if case not in ("average", "max"):
        raise UnknownName.among("case", case, ("average", "max"))
    if not isinstance(gain, Gain):
        return _of_posteriors(Hyper(channel.rows, channel.columns, joint), gain, case, least)
    scores = expected(aligned(gain, channel.rows), joint)
    if case == "average":
        best = np.minimum if least else np.maximum
        total = np.add.reduce(best.reduce(scores.entries))
        return Fraction(int(total), scores.den) if scores.exact else float(total)
    found = best_of(scores, least=least)[0]
    worth = [b / a for b, a in zip(found, outers(joint), strict=True) if a]
    return min(worth) if least else max(worth)


def _of_posteriors(hyper: Hyper, measure: Measure, case: str, least: bool) -> Worth:
    values = [measure(inner) for inner in hyper.inners]
    if case == "max":
        return min(values) if least else max(values)
    pairs = list(zip(hyper.outer.weights, values, strict=True))
    if any(isinstance(v, float) and math.isinf(v) for v in values):
        return sum(float(v) for _, v in pairs)
    if any(isinstance(v, float) for v in values):
        return math.fsum(float(a) * float(v) for a, v in pairs)
    total: Worth = Fraction(0)
    for chance, value in pairs:
        total = value * chance + total
    return total


def best_of(scores: Mat, *, least: bool = False) -> tuple[list[Number], list[int]]:
    """The best entry of every column, and the first action that has it."""
    entries = scores.entries
    at = entries.argmin(axis=0) if least else entries.argmax(axis=0)
    values = entries[at, np.arange(entries.shape[1])].tolist()
    if scores.exact:
        return [Fraction(v, scores.den) for v in values], at.tolist()
    return [float(v) for v in values], at.tolist()


def sum_of_largest(entries: NDArray[Any], den: int) -> Number:
    """The largest entry of every column, added up, of a table in which none is negative."""
    if entries.dtype.hasobject:
        return Fraction(int(np.maximum.reduce(entries).sum()), den)
    return float(np.add.reduce(largest_in_columns(entries)))


def outers(joint: Mat) -> list[Number]:
    """The probability of every observation."""
    sums = joint.entries.sum(axis=0).tolist()
    return [Fraction(v, joint.den) for v in sums] if joint.exact else [float(v) for v in sums]
