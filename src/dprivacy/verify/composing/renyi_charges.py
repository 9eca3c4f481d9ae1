"""Rényi divergences as exact levels: charges that may be added up even when releases are adaptive."""

from collections import Counter
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, Uncertified
from dprivacy.model import Channel, as_channel, shown
from dprivacy.numbers import Level, as_delta, as_eps, exp_bounds, ln
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, NumberLike
from dprivacy.verify.metric.row_ratios import RowRatios

_BITS = 256  # of what is irrational
_LARGEST_ORDER = 1024


@result("F", "§3")
def renyi_charge(C: ChannelLike, *, order: int) -> Level:
    """The Rényi divergence of a channel: ln(Σ_y P_y^α·Q_y^(1−α))/(α − 1), the largest over all pairs.

    At one order α, fixed beforehand, such charges may be added up even when each release is chosen
    after seeing the last, and what they come to is a guarantee (`renyi_eps`).

    Parameters
    ----------
    C
        An exact channel, or a mechanism with one.
    order
        α, a whole number from 2 on.

    Returns
    -------
    Level
        Exact: r·ln q.

    Raises
    ------
    NotApplicable
        Some output is possible for one input and impossible for another: the divergence is infinite.

    Examples
    --------
    >>> print(renyi_charge([["3/4", "1/4"], ["1/4", "3/4"]], order=2))
    ln(7/3)
    """
    channel, alpha = as_channel(C), as_order(order)
    if not channel.exact:
        raise Uncertified(
            f"a Rényi charge is exact, and {channel!r} has floats; write its entries as fractions, or "
            "take the channel that `exactly` gives"
        )
    den = channel.matrix.den
    # with integers a, b over den: (a/den)^α·(b/den)^(1−α) = a^α·b^(1−α)/den
    largest = max(
        (
            sum(
                (Fraction(a**alpha, b ** (alpha - 1)) * times for (a, b), times in cells),
                Fraction(0),
            )
            for cells in _candidates(channel, alpha)
        ),
        default=Fraction(den),
    )
    return ln(largest / den) / (alpha - 1)


def _candidates(channel: Channel, alpha: int) -> set[frozenset[tuple[tuple[int, int], int]]]:
    """The pairs of rows that doubles cannot exclude, as {((a, b), how often)}; each kind once."""
    ratios = RowRatios(channel)
    if (ratios.zeros != ratios.zeros[0]).any():
        i = int(np.argmax((ratios.zeros != ratios.zeros[0]).any(axis=1)))
        y = int(np.argmax(ratios.zeros[i] != ratios.zeros[0]))
        raise NotApplicable(
            f"the output {shown(channel.columns[y])!r} is possible for one of "
            f"{shown(channel.rows[0])!r} and {shown(channel.rows[i])!r} only, so that the Rényi "
            "divergence is infinite; keep an account by sums for such releases"
        )
    used = ~ratios.zeros[0]
    logs = ratios.logs[:, used]
    entries = channel.matrix.entries[:, used]
    error = 2.0**-44 * alpha * (1 + float(np.abs(logs).max(initial=0.0)))
    sizes = np.full((len(logs), len(logs)), -np.inf)
    for i, row in enumerate(logs):
        powers = alpha * row - (alpha - 1) * logs
        top = powers.max(axis=1)
        sizes[i] = top + np.log(np.exp(powers - top[:, None]).sum(axis=1))
        sizes[i, i] = -np.inf
    near = np.argwhere(sizes >= sizes.max(initial=-np.inf) - 2 * error).tolist()
    return {
        frozenset(Counter(zip(entries[i].tolist(), entries[j].tolist(), strict=True)).items())
        for i, j in near
        if i != j
    }


def level_charge(eps: LevelLike, *, order: int) -> Level:
    """The largest Rényi divergence that anything ε-private has: that of response on two values.

    Examples
    --------
    >>> print(level_charge("ln 3", order=2))
    ln(7/3)
    """
    level, alpha = as_eps(eps, zero=True), as_order(order)
    exact = level.exp()
    if exact is not None:
        return ln((exact**alpha + exact ** (1 - alpha)) / (1 + exact)) / (alpha - 1)
    powers = ((k, (level * k).bounds(_BITS)) for k in (1, alpha, 1 - alpha))
    low, high = zip(*(exp_bounds(*bounds, _BITS) for _, bounds in powers), strict=True)
    return ln((high[1] + high[2]) / (1 + low[0])) / (alpha - 1)


@result("R", "Prop 12")
def renyi_eps(total: LevelLike, *, delta: NumberLike, order: int) -> Level:
    """The ε that Rényi charges of this sum guarantee at δ: total + ln((α−1)/α) − ln(δ·α)/(α−1).

    Examples
    --------
    >>> print(f"{renyi_eps(1, delta='1e-6', order=16):.4f}")
    1.6717
    """
    return max(as_eps(total, zero=True) + _margin(delta, order), Level(0))


def renyi_budget(eps: LevelLike, *, delta: NumberLike, order: int) -> Level:
    """The sum of Rényi charges up to which a guarantee (ε, δ) holds; the inverse of `renyi_eps`.

    Raises
    ------
    BadNumber
        At this order nothing could be released; a higher one leaves more.

    Examples
    --------
    >>> renyi_eps(renyi_budget(3, delta="1e-6", order=12), delta="1e-6", order=12) == 3
    True
    """
    level, margin = as_eps(eps), _margin(delta, order)
    if margin >= level:
        raise BadNumber(
            f"at order {order} a δ of {as_delta(delta)} alone costs ε = {float(margin):.4g}, which "
            f"leaves nothing of {level}; choose a higher order, or a larger budget"
        )
    return level - margin


def _margin(delta: NumberLike, order: int) -> Level:
    alpha, slack = as_order(order), as_delta(delta)
    if not slack:
        raise BadNumber(
            "δ must be greater than 0 for Rényi charges; where levels add up it may be 0"
        )
    return ln(Fraction(alpha - 1, alpha)) - ln(slack * alpha) / (alpha - 1)


def as_order(order: int) -> int:
    """The order of a Rényi divergence, if it can be one."""
    if type(order) is not int or not 2 <= order <= _LARGEST_ORDER:
        raise BadNumber(
            f"the order is a whole number from 2 to {_LARGEST_ORDER}, fixed beforehand, not {order!r}"
        )
    return order
