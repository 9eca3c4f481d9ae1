"""Before the survey: what error to expect, how many answers to ask for, which ε is affordable."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, UnknownName
from dprivacy.estimation.counts.standard_errors import OF, SCALES, Of, Scale
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.transport.two_distributions import DistLike, weights_on
from dprivacy.mechanisms import LocalMechanism, response_chance
from dprivacy.numbers import Floats, as_level, as_rational, inverse, read_number
from dprivacy.typing import ChannelLike, Label, NumberLike

_MOST_EXACT = 32  # labels up to which a channel is inverted in rationals


def count_error(
    C: ChannelLike,
    *,
    n: NumberLike,
    share: DistLike | None = None,
    of: Of = "table",
    scale: Scale = "counts",
) -> dict[Label, float]:
    """The standard error that every estimated count will have, from n answers.

    √(n·(Σ_y r_y·B_yx² − p_x)) with B = C⁻¹ and r = pC; for the population, p_x² in place of p_x.

    Parameters
    ----------
    C
        The channel or mechanism to be used.
    n
        The number of answers expected.
    share
        The shares expected, as a Dist, a mapping or numbers in order; equal shares when omitted.
    of, scale
        As for `Estimate.errors`.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> round(count_error(coin, n=1000)["yes"], 2)
    27.39
    """
    size = _positive(n, "n")
    UnknownName.require("scale", scale, SCALES)
    unit = 1.0 if scale == "counts" else size
    one = _variances(C, share, of)
    return {label: math.sqrt(size * value) / unit for label, value in one.items()}


def sample_size(
    C: ChannelLike, *, error: NumberLike, share: DistLike | None = None, of: Of = "table"
) -> int:
    """The fewest answers for which every estimated proportion has at most this standard error.

    Parameters
    ----------
    C
        The channel or mechanism to be used.
    error
        The standard error of a proportion that is acceptable, such as 0.01.
    share, of
        As for `count_error`.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> sample_size(coin, error=0.01)
    7500
    """
    most = _positive(error, "error")
    exact = _exact_variances(C, share, of)
    if exact is not None:
        return max(1, math.ceil(max(exact) / as_rational(error, "error") ** 2))
    worst = max(_variances(C, share, of).values())
    return max(1, math.ceil(worst / most**2))


def _exact_variances(C: ChannelLike, share: DistLike | None, of: Of) -> list[Fraction] | None:
    """As `_variances`, in rationals, for small channels that have them; None elsewhere."""
    UnknownName.require("of", of, OF)
    channel = None if isinstance(C, LocalMechanism) else Known(C).exact
    if channel is None or len(channel.rows) != len(channel.columns) > _MOST_EXACT:
        return None
    k = len(channel.rows)
    held = [Fraction(1, k)] * k if share is None else weights_on(share, channel.rows, "the shares")
    if any(isinstance(weight, float) for weight in held):
        return None
    p, law, undone = [Fraction(weight) for weight in held], channel.matrix, inverse(channel.matrix)
    seen = [sum((p[x] * Fraction(law[x, y]) for x in range(k)), Fraction(0)) for y in range(k)]
    squares = (
        sum((seen[y] * Fraction(undone[y, x]) ** 2 for y in range(k)), Fraction(0))
        for x in range(k)
    )
    return [s - (v if of == "table" else v * v) for s, v in zip(squares, p, strict=True)]


def _variances(C: ChannelLike, share: DistLike | None, of: Of) -> dict[Label, float]:
    """The variance of each estimated count, for one answer."""
    UnknownName.require("of", of, OF)
    if isinstance(C, LocalMechanism):
        labels = C.labels
        held = np.full(len(labels), 1 / len(labels)) if share is None else _shares(share, labels)
        known_of = {h: float(C.reports.variance(h, of=of)) for h in set(held.tolist())}
        return dict(zip(labels, map(known_of.__getitem__, held.tolist()), strict=True))
    known = Known(C)
    k = len(known.rows)
    p = np.full(k, 1 / k) if share is None else _shares(share, known.rows)
    r = known.operator.forward(p) * np.exp(known.operator.column_logs)
    squares = known.operator.inverted_squares(r)
    variances = np.maximum(squares - (p if of == "table" else p**2), 0.0)
    return dict(zip(known.rows, variances.tolist(), strict=True))


def _shares(share: DistLike, labels: Sequence[Label]) -> Floats:
    p = np.array([float(weight) for weight in weights_on(share, labels, "the shares")])
    if (p < 0).any():
        least = labels[int(p.argmin())]
        raise BadNumber(f"shares should be at least 0, but that of {least!r} is {p.min():.6g}")
    return p


def smallest_eps_for(
    *,
    error: NumberLike,
    n: NumberLike,
    categories: int,
    share: NumberLike | None = None,
    of: Of = "table",
    scale: Scale = "counts",
) -> float:
    """The smallest ε at which randomised response estimates counts with at most a given standard error.

    With a = e^ε and k categories, a count with share s has the variance
    n·((1−s)·(a+k−2) + s·a·(k−1))/(a−1)², plus n·s·(1−s) for the population.

    Parameters
    ----------
    error
        The standard error wanted.
    n
        The number of answers.
    categories
        k, at least 2.
    share
        The share of the category in question; the worst one when omitted.
    of, scale
        As for `Estimate.errors`.

    Returns
    -------
    float
        Rounded up, and checked in rationals against the very channel that
        ``randomised_response(…, eps=…)`` will use: the error is no larger than asked for.

    Raises
    ------
    NotApplicable
        For the population: an error smaller than that of drawing the people, which no ε can undo.

    Notes
    -----
    1. The variance falls as ε grows; its limit, ε → ∞, is the error of drawing the people.
    2. Bisect down to two neighbouring doubles, each time with the exact probabilities of the channel at
       that ε, and return the upper one.

    Examples
    --------
    >>> round(smallest_eps_for(error=50, n=1000, categories=2), 3)
    0.622
    """
    size = Fraction(_positive(n, "n"))
    target = Fraction(_positive(error, "error"))
    UnknownName.require("scale", scale, SCALES)
    UnknownName.require("of", of, OF)
    if scale == "proportions":
        target *= size
    if categories < 2:
        raise BadNumber(f"categories should be at least 2, not {categories!r}")
    allowed = target**2 / size
    given = None if share is None else _share(share)
    if _variance(Fraction(0), given, of, categories) >= allowed:
        raise NotApplicable(
            f"drawing the people alone causes an error of at least {error}, whatever ε is; allow a "
            "larger error, or ask more people"
        )
    low, high = 0.0, 1.0
    while not _enough(high, allowed, given, of, categories):
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        if _enough(middle, allowed, given, of, categories):
            high = middle
        else:
            low = middle
    return high


def _enough(eps: float, allowed: Fraction, share: Fraction | None, of: Of, k: int) -> bool:
    """Whether the exact channel at this ε meets the error."""
    p = response_chance(k, eps=as_level(Fraction(eps)))
    return k * p < 1 and _variance(p, share, of, k) <= allowed


def _variance(p: Fraction, share: Fraction | None, of: Of, k: int) -> Fraction:
    """Of one count, for one answer; each other answer has the chance p. The worst share if None."""
    kept = 1 - k * p
    truth = kept + p
    at_none, at_all = p * (1 - p) / kept**2, truth * (1 - truth) / kept**2
    if share is None and of == "population":  # a parabola in the share: take its top
        share = min(max((1 + at_all - at_none) / 2, Fraction(0)), Fraction(1))
    elif share is None:
        share = Fraction(int(at_all > at_none))
    noise = (1 - share) * at_none + share * at_all
    return noise + share * (1 - share) if of == "population" else noise


def _share(share: NumberLike) -> Fraction:
    value = Fraction(read_number(share, "share"))
    if not 0 <= value <= 1:
        raise BadNumber(f"share should be between 0 and 1, not {share!r}")
    return value


def _positive(value: NumberLike, what: str) -> float:
    number = float(read_number(value, what))
    if not 0 < number < math.inf:
        raise BadNumber(f"{what} should be a positive number, not {value!r}")
    return number
