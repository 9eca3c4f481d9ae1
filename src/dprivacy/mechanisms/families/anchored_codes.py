"""Laplace noise for numbers that have special codes beside them: refused, not applicable, 999."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadNumber, TooLarge, counted
from dprivacy.mechanisms.families.geometric_line import geometric
from dprivacy.mechanisms.families.laplace_grid import MOST_LISTED, grid_line
from dprivacy.mechanisms.families.response import response_chance
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Mat, as_eps, as_rational
from dprivacy.sources import result
from dprivacy.spaces import anchored, quantised, read_labels
from dprivacy.typing import Label, LevelLike, NumberLike

MOST_CODES = 64


@result("A", "Thm 1")
def coded_laplace(
    low: NumberLike,
    high: NumberLike,
    *,
    codes: Iterable[Label],
    eps: LevelLike,
    grid: NumberLike,
    anchor: NumberLike | None = None,
    code_distance: NumberLike | None = None,
) -> ChannelMechanism:
    """Laplace noise for numbers on a grid, with special codes beside them that it protects as well.

    The class, "number" or one of the codes, is drawn by randomised response; then a number is clamped
    noise around the true one, or around the anchor where the truth is a code.

    Parameters
    ----------
    low, high, grid
        The public range and its grid, as for `laplace`; the points are labels.
    codes
        The labels of the codes.
    eps
        The level of privacy per unit of distance.
    anchor
        The point of the grid that codes are near to; the middle one (of two, the lower) when omitted.
    code_distance
        How far codes are from the anchor and from each other. When omitted half the range, or, with
        the middle as the anchor, as much as leaves the largest distance at high − low.

    Returns
    -------
    ChannelMechanism
        ε·d-private on `dprivacy.spaces.anchored`; whether a person has a number or a code, and which,
        is protected by the factor e^(ε·code_distance).

    Notes
    -----
    Both parts are exact channels that are private by themselves, and the result is their exact
    composition. At a number y the ratio for x and a code is at most e^(ε·a)·e^(ε·|x−m|), for two
    codes at most e^(ε·a); at a code it is e^(ε·a) or 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> hours = coded_laplace(0, 10, codes=["N"], eps="ln 2", grid=1)
    >>> print(hours.channel["N", "N"], hours.channel[5, "N"], hours.space.diameter)
    32/33 1/33 10
    """
    line, level = grid_line(low, high, grid), as_eps(eps)
    first, last, step = line.low, line.high, line.step
    assert first is not None
    assert last is not None
    labels = read_labels(codes, "codes")
    count = int((last - first) / step) + 1
    if len(labels) > MOST_CODES or count + len(labels) > MOST_LISTED:
        raise TooLarge(
            f"{counted(count, 'point')} and {counted(len(labels), 'code')} are too many: numbers with "
            f"codes have a table of at most {MOST_LISTED:,} points and codes, {MOST_CODES} of them "
            "codes; take a coarser grid, or fewer codes"
        )
    m, apart = _anchor(first, last, step, anchor, code_distance)
    space = anchored(quantised(first, last, step).labels, labels, anchor=m, code_distance=apart)
    noise = geometric(quantised(first, last, step), eps=level).channel.matrix
    wrong = response_chance(len(labels) + 1, eps=level * apart)
    right = 1 - len(labels) * wrong
    own, other = (int(chance * wrong.denominator) for chance in (right, wrong))
    table = np.full((count + len(labels),) * 2, other * noise.den, dtype=object)
    table[:count, :count] = noise.entries * own
    table[count:, :count] = noise.entries[int((m - first) / step)] * other
    np.fill_diagonal(table[count:, count:], own * noise.den)
    channel = Channel(space.labels, space.labels, Mat(table, noise.den * wrong.denominator))
    guarantee = Guarantee(level, space, because="A Thm 1")
    return promised("coded_laplace", channel, guarantee, eps=level, anchor=m, code_distance=apart)


def _anchor(
    first: Fraction,
    last: Fraction,
    step: Fraction,
    anchor: NumberLike | None,
    code_distance: NumberLike | None,
) -> tuple[Fraction, Fraction]:
    """The anchor and the distance of codes, as they are given or as they follow from the range."""
    width = last - first
    middle = first + width // (2 * step) * step
    m = middle if anchor is None else as_rational(anchor, "anchor")
    if not first <= m <= last or (m - first) % step:
        raise BadNumber(
            f"the anchor should be a point of the grid, {first}, {first + step} … {last}, not {m}"
        )
    if code_distance is not None:
        return m, as_rational(code_distance, "code_distance")
    beyond = width - max(m - first, last - m)
    return m, beyond if anchor is None and beyond else width / 2


FAMILY = Family(
    "coded_laplace",
    coded_laplace,
    because="A Thm 1",
    cases=(
        {"low": 0, "high": 3, "grid": 1, "codes": ["N"]},
        {"low": 0, "high": 1, "grid": "1/4", "codes": ["N", "999"], "anchor": 0},
        {"low": -2, "high": 2, "grid": 2, "codes": ["a", "b", None], "code_distance": "1/3"},
    ),
    fits=("numbers", "dates"),
    needs=("low", "high", "grid", "codes"),
    options=("anchor", "code_distance"),
)
