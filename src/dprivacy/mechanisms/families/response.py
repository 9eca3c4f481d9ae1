"""Randomised response: keep the answer with some chance, otherwise give another one."""

import math
from collections.abc import Iterable
from fractions import Fraction

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import factor_below
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.mechanisms.groundwork.space_demands import require_exact, space_or
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level, Mat, as_delta, as_eps, as_rational, ln
from dprivacy.sources import result
from dprivacy.spaces import discrete, line
from dprivacy.typing import Label, LevelLike, NumberLike, SpaceLike


@result("C", "Thm 8", "Thm 10")
@result("T", "Def 3.4.3")
def randomised_response(
    space: SpaceLike | Iterable[Label], *, eps: LevelLike, delta: NumberLike = 0
) -> ChannelMechanism:
    """Randomised response on m+1 values: each other value with p = (1−δ)/(e^ε + m), else the truth.

    On unordered categories that are equally frequent it changes the fewest answers of all
    (ε, δ)-private mechanisms.

    Parameters
    ----------
    space
        Labels, which are then unordered categories, or a space. On a space with other distances than
        1, ε is per unit of distance, and the closest pair decides how much noise there is.
    eps
        The level of privacy.
    delta
        The slack, for unordered categories.

    Returns
    -------
    ChannelMechanism
        Exact: rational when e^ε is, and otherwise a rational channel just within ε.

    Examples
    --------
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> print(coin.channel["yes", "yes"])
    3/4
    """
    space = space_or(space, discrete)
    level, slack = as_eps(eps), as_delta(delta)
    require_exact(space, "randomised response")
    m = len(space) - 1
    if m < 1:
        raise NotApplicable(
            f"randomised response needs at least two labels, not {list(space.labels)} alone"
        )
    closest = space.separation
    if closest == 0:
        raise NotApplicable(
            f"randomised response tells every two labels apart, but {space!r} has two at distance 0; "
            "make one label of them, or use any_metric"
        )
    if slack and space.uniform_distance is None:
        raise NotApplicable(
            f"randomised response takes δ for unordered categories, but the distances of {space!r} "
            "differ; leave delta out, or use discrete(labels)"
        )
    p = response_chance(len(space), eps=level * closest, delta=slack)
    rows = [[1 - m * p if x == y else p for y in space.labels] for x in space.labels]
    channel = Channel(space.labels, space.labels, Mat.of(rows))
    because = "C Thm 8" if slack else "T Def 3.4.3"
    return promised(
        "randomised_response",
        channel,
        Guarantee(level, space, slack, because),
        eps=level,
        delta=slack,
    )


@result("C", "Thm 8")
def response_chance(categories: int, *, eps: LevelLike, delta: NumberLike = 0) -> Fraction:
    """The chance p of each other answer: (1−δ)/(e^ε + m), rounded up where e^ε is irrational.

    Never more than 1/(m+1), at which nothing is said at all.

    Examples
    --------
    >>> response_chance(5, eps="ln 6")
    Fraction(1, 10)
    """
    m = whole(categories, "categories", 2) - 1
    p = (1 - as_delta(delta)) / (factor_below(as_eps(eps)) + m)
    return min(p, Fraction(1, m + 1))


@result("C", "Thm 7")
def response_exponent(categories: int, *, p: NumberLike) -> Level | float:
    """The k of the equivalent exponential mechanism: e^k = 1/p − m.

    Examples
    --------
    >>> print(response_exponent(5, p="1/10"))
    ln(6)
    """
    chance, m = _chance(categories, p)
    return math.inf if chance == 0 else ln(1 / chance - m)


@result("C", "Thm 4")
def response_eps(categories: int, *, p: NumberLike, delta: NumberLike = 0) -> Level | float:
    """The smallest ε ≥ 0 that chance p gives with slack δ: e^ε = (1−δ)/p − m.

    The same as e^k ≤ (e^ε + m·δ)/(1−δ) solved for ε.

    Examples
    --------
    >>> print(response_eps(5, p="1/10", delta="1/10"))
    ln(5)
    """
    (chance, m), slack = _chance(categories, p), as_delta(delta)
    if chance == 0:
        return Level(0) if slack == 1 else math.inf
    factor = (1 - slack) / chance - m
    return ln(factor) if factor > 1 else Level(0)


def _chance(categories: int, p: NumberLike) -> tuple[Fraction, int]:
    """The chance of each other answer, and how many others there are."""
    chance, m = as_rational(p, "p"), whole(categories, "categories", 2) - 1
    if not 0 <= chance <= Fraction(1, m + 1):
        raise BadNumber(f"p should be a rational number from 0 to 1/{m + 1}, not {p}")
    return chance, m


FAMILY = Family(
    "randomised_response",
    randomised_response,
    because="C Thm 8",
    cases=({"space": discrete(["Sports", "Cars", "Reading"])}, {"space": line(4)}),
    fits=("categories", "ordered", "tree", "graph", "distances"),
    usual_for=("categories",),
    options=("delta",),
)
