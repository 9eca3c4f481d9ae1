"""Geometric noise on a line: on declared points, over-truncated, and on all integers."""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, WrongKind, WrongShape
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import Weight, channel_of_exponentials
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.space_demands import require_exact, space_or
from dprivacy.model import Guarantee
from dprivacy.numbers import as_eps, read_number
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, line
from dprivacy.typing import Label, LevelLike, NumberLike, SpaceLike


def _coordinates(space: FiniteSpace) -> list[Fraction]:
    """Positions along a line that give the space's distances; NotApplicable if it is not a line."""
    require_exact(space, "geometric noise")
    table, den = space.distances.integers or (None, 1)  # None: some are irrational or infinite
    from_end = None if table is None else table[table[0].argmax()]
    if from_end is None or (np.abs(np.subtract.outer(from_end, from_end)) != table).any():
        raise NotApplicable(
            f"geometric noise needs points on a line at rational distances, and {space!r} is not one; "
            "use any_metric or exponential there"
        )
    return [Fraction(int(value), den) for value in from_end]


class _Products(dict[int, Fraction]):
    """factor·e^(−ε·step/den) by step, each computed once."""

    def __init__(self, factor: Fraction, weight: Weight, den: int) -> None:
        super().__init__()
        self._factor, self._weight, self._den = factor, weight, den

    def __missing__(self, step: int) -> Fraction:
        self[step] = self._factor * self._weight(Fraction(step, self._den))
        return self[step]


@result("T", "Def 3.4.2")
def geometric(space: SpaceLike | Iterable[NumberLike] | int, *, eps: LevelLike) -> ChannelMechanism:
    """The truncated geometric mechanism on points of a line: noise e^(−ε·|x−y|), clamped at the ends.

    Parameters
    ----------
    space
        Numbers on a line, a number n for the points 0 … n−1, or a space that is a line (equally
        spaced or not).
    eps
        The level of privacy per unit of distance.

    Returns
    -------
    ChannelMechanism
        Tight on every pair of neighbours.

    Notes
    -----
    With α_i = e^(−ε·gap_i) between neighbouring points, column y is e^(−ε·d(x,y)) times the factor
    1/(1+α_left) + 1/(1+α_right) − 1, where a missing neighbour counts as α = 0. For equal
    gaps that is (1−α)/(1+α) inside and 1/(1+α) at the ends.

    Examples
    --------
    >>> print(geometric(range(3), eps="ln 2").channel[0, 2])
    1/6
    """
    space, level = space_or(space, line), as_eps(eps)
    along = _coordinates(space)
    order = sorted(range(len(along)), key=along.__getitem__)
    gaps = [along[order[k + 1]] - along[order[k]] for k in range(len(order) - 1)]
    den = math.lcm(*(place.denominator for place in along))
    whole = [int(place * den) for place in along]

    def rows(weight: Weight) -> list[list[Fraction]]:
        ends = [Fraction(0), *(weight(gap) for gap in gaps), Fraction(0)]
        scale = [1 / (1 + ends[k]) + 1 / (1 + ends[k + 1]) - 1 for k in range(len(order))]
        # Equal gaps have two kinds of columns and n distances: 2n products instead of n².
        kinds = {factor: _Products(factor, weight, den) for factor in scale}
        columns = {position: kinds[scale[k]] for k, position in enumerate(order)}
        across = [(columns[y], whole[y]) for y in range(len(whole))]
        return [[products[abs(a - b)] for products, b in across] for a in whole]

    channel = channel_of_exponentials(space.labels, space.labels, space, level, rows)
    return promised(
        "geometric", channel, Guarantee(level, space, Fraction(0), "T Def 3.4.2"), eps=level
    )


@result("T", "Def 4.7.1")
def over_truncated(
    inputs: SpaceLike | Iterable[NumberLike] | int,
    outputs: Iterable[NumberLike],
    *,
    eps: LevelLike,
) -> ChannelMechanism:
    """The geometric mechanism on integers, clamped to outputs that need not hold all inputs.

    Parameters
    ----------
    inputs
        Whole numbers on a line, or a number n for 0 … n−1.
    outputs
        The integers that may come out; noise beyond them is clamped to the nearest.
    eps
        The level of privacy per unit of distance.

    Examples
    --------
    >>> print(over_truncated(3, [0, 1], eps="ln 2").channel[2, 0])
    1/6
    """
    space, level = space_or(inputs, line), as_eps(eps)
    x_values = _whole(space.labels, "inputs")
    if space != line(space.labels):
        raise NotApplicable(f"inputs should be whole numbers on a line, not {space!r}")
    if isinstance(outputs, int):
        raise WrongKind(
            f"outputs should be a list of whole numbers, not {outputs}; write range({outputs})"
        )
    outputs = list(outputs)
    y_values = _whole(outputs, "outputs")
    y_labels = [label for _, label in sorted(zip(y_values, outputs, strict=True))]
    y_sorted = sorted(y_values)

    def below(weight: Weight, k: int) -> Fraction:
        """P(noise ≤ k)."""
        alpha = weight(Fraction(1))
        if k >= 0:
            return 1 - weight(Fraction(k + 1)) / (1 + alpha)
        return weight(Fraction(-k)) / (1 + alpha)

    def rows(weight: Weight) -> list[list[Fraction]]:
        table = []
        for x in x_values:
            # Output j takes the integers nearest to it: up to halfway (rounded down) to the next.
            cuts = [(y_sorted[j] + y_sorted[j + 1]) // 2 for j in range(len(y_sorted) - 1)]
            reached = [Fraction(0), *(below(weight, cut - x) for cut in cuts), Fraction(1)]
            table.append([reached[j + 1] - reached[j] for j in range(len(y_sorted))])
        return table

    channel = channel_of_exponentials(space.labels, y_labels, space, level, rows)
    guarantee = Guarantee(level, space, Fraction(0), "T Def 4.7.1")
    return promised("over_truncated", channel, guarantee, eps=level, outputs=list(y_labels))


def _whole(labels: Iterable[Label], what: str) -> list[int]:
    values = []
    for label in labels:
        value = read_number(label, what)
        if math.isinf(value) or value != int(value):
            raise BadNumber(f"{what} should be whole numbers, and {label!r} is not one")
        values.append(int(value))
    if not values:
        raise WrongShape(f"{what} should hold at least one whole number")
    return values


FAMILY = Family(
    "geometric",
    geometric,
    because="T Def 3.4.2",
    cases=({"space": line(4)}, {"space": line(["0", "1/2", "2"])}),
    fits=("ordered",),
    usual_for=("ordered",),
)
OVER_TRUNCATED = Family(
    "over_truncated",
    over_truncated,
    because="T Def 4.7.1",
    cases=(
        {"inputs": 3, "outputs": [-1, 0, 1]},
        {"inputs": line([0, 1, 5]), "outputs": [4, 0]},
        {"inputs": 2, "outputs": [7, 8, 30]},
    ),
)
