"""The truncated Laplace mechanism on [0, 1], and its channels with stepped inputs and pixel outputs."""

import math
from fractions import Fraction

from dprivacy.errors import BadNumber
from dprivacy.mechanisms.families.geometric_line import geometric
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import Weight, channel_of_exponentials
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.model import Guarantee
from dprivacy.numbers import as_eps
from dprivacy.sources import result
from dprivacy.spaces import quantised
from dprivacy.typing import LevelLike, NumberLike


@result("T", "Def 7.4.3")
def truncated_laplace_cdf(x: NumberLike, y: NumberLike, *, eps: LevelLike) -> float:
    """P(output ≤ y) for input x, both in [0, 1].

    Everything below 0 is clamped to 0, which has the chance e^(−ε·x)/2, and everything above 1 to 1,
    which has e^(−ε·(1−x))/2; between them the density is ε/2·e^(−ε·|y−x|).

    Examples
    --------
    >>> truncated_laplace_cdf(0, 0, eps=1), truncated_laplace_cdf(0.5, 1, eps=1)
    (0.5, 1.0)
    """
    place, where, level = _place(x), _place(y), float(as_eps(eps))
    if where >= 1:
        return 1.0
    if where < place:
        return math.exp(-level * (place - where)) / 2
    return 1 - math.exp(-level * (where - place)) / 2


def _place(x: NumberLike) -> float:
    try:
        place = float(x)
    except (TypeError, ValueError, OverflowError):
        place = math.nan
    if not 0 <= place <= 1:
        raise BadNumber(f"inputs and outputs should be numbers from 0 to 1, not {x!r}")
    return place


@result("T", "Def 7.5.2")
def pixelated_laplace(N: int, T: int, *, eps: LevelLike) -> ChannelMechanism:
    """The truncated Laplace mechanism on inputs 0, 1/N, …, 1 with outputs gathered into T pixels.

    Output t/T stands for [t/T, (t+1)/T); the first pixel holds the atom at 0 and the last, [1−1/T, 1],
    the atom at 1.

    Parameters
    ----------
    N
        Steps of the input.
    T
        Pixels of the output.
    eps
        The level of privacy per unit of distance (the whole interval).

    Examples
    --------
    >>> print(pixelated_laplace(1, 2, eps="ln 4").channel[0, 0])
    3/4
    """
    N, T = whole(N, "steps"), whole(T, "pixels")
    level = as_eps(eps)
    space = quantised(0, 1, Fraction(1, N))
    pixels = [Fraction(t, T) for t in range(T)]

    def below(weight: Weight, x: Fraction, cut: Fraction) -> Fraction:
        half = weight(abs(cut - x)) / 2
        return half if cut < x else 1 - half

    def rows(weight: Weight) -> list[list[Fraction]]:
        table = []
        for k in range(N + 1):
            x = Fraction(k, N)
            reached = [Fraction(0), *(below(weight, x, cut) for cut in pixels[1:]), Fraction(1)]
            table.append([reached[t + 1] - reached[t] for t in range(T)])
        return table

    channel = channel_of_exponentials(space.labels, pixels, space, level, rows)
    guarantee = Guarantee(level, space, because="T Def 7.4.3")
    return promised("pixelated_laplace", channel, guarantee, eps=level, N=N, T=T)


@result("T", "Def 7.5.2")
def geometric_steps(N: int, *, eps: LevelLike) -> ChannelMechanism:
    """G_N: the truncated geometric mechanism on 0, 1/N, …, 1.

    Examples
    --------
    >>> print(geometric_steps(2, eps="ln 4").channel[0, 1])
    1/6
    """
    return geometric(quantised(0, 1, Fraction(1, whole(N, "steps"))), eps=eps)


FAMILY = Family(
    "pixelated_laplace", pixelated_laplace, because="T Def 7.4.3", cases=({"N": 2, "T": 3},)
)
