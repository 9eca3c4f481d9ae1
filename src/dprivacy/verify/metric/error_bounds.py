"""How much error privacy forces, whatever the mechanism."""

import math
from fractions import Fraction
from typing import Any, Literal

from dprivacy.errors import BadNumber, NotApplicable, UnknownCategory, UnknownName
from dprivacy.model import as_channel, space_for
from dprivacy.numbers import Factor, Level, as_delta, as_eps, as_level, float_down
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace, plus, positions, times
from dprivacy.typing import ChannelLike, LevelLike, Number, NumberLike, SpaceLike


def expected_error(C: ChannelLike, space: SpaceLike | None = None) -> Distance:
    """The largest expected distance between an input and its output: max_x Σ_y C[x,y]·d(x, y).

    Parameters
    ----------
    C
        A channel whose inputs and outputs are labels of the space.
    space
        The metric; a mechanism's own when omitted.

    Returns
    -------
    Fraction, Level or float
        Exact for an exact channel on an exact space.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> print(expected_error(geometric(range(3), eps="ln 2")))
    2/3
    """
    channel, metric = as_channel(C), space_for(C, space)
    index = positions(metric.labels)
    missing = [y for y in (*channel.rows, *channel.columns) if y not in index]
    if missing:
        raise UnknownCategory(
            f"{missing[0]!r} is not a point of the space, so that its distances are unknown; inputs "
            "and outputs must both be points of it"
        )
    zero: Distance = Fraction(0) if channel.exact and metric.exact else 0.0
    worst = zero
    for i, x in enumerate(channel.rows):
        total = zero
        for y, p in zip(channel.columns, channel.matrix.row(i), strict=True):
            d = metric.distance(x, y)
            if p:
                cost = (
                    times(d, p) if isinstance(p, Fraction) and metric.exact else float(d) * float(p)
                )
                total = plus(total, cost)
        worst = max(worst, total)
    return worst


def _over(
    numerator: Level | Fraction, delta: Fraction, factor: Factor, offset: int
) -> Number | Level:
    """(1 − δ)·numerator / (e^ε + offset): exact when e^ε is rational, else rounded down."""
    if factor.exact is not None:
        return (as_level(numerator) * ((1 - delta) / (factor.exact + offset))).simplified
    low = as_level(numerator).bounds(128)[0]
    return float_down(low * (1 - delta) / (factor.high + offset))


@result("C", "Thm 5", "Thm 9")
def hamming_error_bounds(
    categories: int, *, eps: LevelLike, delta: NumberLike = 0
) -> tuple[Number | Level, Fraction]:
    """The share of rows that an (ε, δ)-private response on m+1 categories changes: lowest, highest.

    (1−δ)/(1 + e^ε/m) ≤ E/n ≤ m/(m+1); the lower end is reached by randomised response.

    Parameters
    ----------
    categories
        The number of categories, m + 1.
    eps, delta
        The level of privacy.

    Examples
    --------
    >>> low, high = hamming_error_bounds(2, eps="ln 3")
    >>> print(low, high)
    1/4 1/2
    """
    m = categories - 1
    if m < 1:
        raise BadNumber(f"categories should be at least 2, not {categories}")
    low = _over(Fraction(m), as_delta(delta), Factor(as_eps(eps)), m)
    return low, Fraction(m, m + 1)


@result("M", "Thm 6", "Thm 7")
def error_floor(
    space: FiniteSpace,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    outputs: Literal["inside", "anywhere"] = "inside",
) -> Any:
    """The least expected error of any (ε, δ)-private mechanism on a space.

    The larger of two bounds, with a = e^ε, κ the separation and m + 1 points:
    (1−δ)·diam/(1+a), which is twice the printed bound and tight for two points; and
    (1−δ)·κ·m/(m+a) for mechanisms with values in the space, half of it for values anywhere.

    Parameters
    ----------
    space
        The points to protect from each other, all pairs alike (ε is not multiplied by distance).
    eps, delta
        The level of privacy.
    outputs
        "inside" when outputs are points of the space, "anywhere" when they may lie in a larger one.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(error_floor(line(2), eps="ln 3"))
    1/4
    """
    m = len(space) - 1
    if m < 1:
        raise NotApplicable(f"the space should have at least 2 points, not {m + 1}")
    if outputs not in ("inside", "anywhere"):
        raise UnknownName.among("outputs", outputs, ("inside", "anywhere"))
    factor, slack = Factor(as_eps(eps)), as_delta(delta)
    far, near = space.diameter, space.separation
    if math.inf in (far, near):
        return math.inf if slack < 1 else 0.0
    half = Fraction(1) if outputs == "inside" else Fraction(1, 2)
    packing = _over(as_level(near) * (m * half), slack, factor, m)
    spread = _over(as_level(far), slack, factor, 1)
    found = max(spread, packing)
    return found if space.exact else float_down(as_level(found).rational)
