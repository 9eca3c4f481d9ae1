"""`shuffled_distances`: what shuffled reports guarantee between values that are near or far."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer, Guarantee, Pictured, about, as_space
from dprivacy.numbers import Level, as_level
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike, SpaceLike
from dprivacy.verify.shuffling.blanket_pairs import Blanket, RowPairs, lowest
from dprivacy.verify.shuffling.column_covers import (
    Pairs,
    cover_of_level,
    exact_rows,
    farthest_level,
)
from dprivacy.verify.shuffling.shuffled_reports import level_above, proved, read_sizes


@dataclass(frozen=True)
class ShuffledDistance:
    """One row of a table by distances: ε of one report and of all without order.

    Examples
    --------
    >>> ShuffledDistance(2, Level("ln 4"), Level("1/10")).distance
    2
    """

    distance: Any
    local: Level | float
    eps: Level | float


@dataclass(frozen=True)
class ShuffledDistances(Pictured, Answer):
    """ε of n shuffled reports at each distance between the two values of a person; δ is the same.

    Parameters
    ----------
    rows
        For each distance, nearest first: ε of a single report at this δ, and of all without order.
    delta, n
        δ, and how many reports there are.
    share
        γ, the share of each report that does not depend on the value.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> found = shuffled_distances(geometric(line(4), eps="ln 2"), 1000, delta="1e-6")
    >>> [f"{row.distance}: {float(row.eps):.3f}" for row in found.rows]
    ['1: 0.174', '2: 0.273', '3: 0.363']
    >>> f"{found.slope:.3f}"
    '0.174'
    """

    rows: tuple[ShuffledDistance, ...]
    delta: Fraction
    n: int
    share: Fraction

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more, so that the bound is proved."""
        return True

    @property
    def slope(self) -> float:
        """The largest ε per unit of distance: for all distances at once, ε ≤ slope·d."""
        return max(float(row.eps) / float(row.distance) for row in self.rows) * (1 + 1e-12)

    def explain(self) -> str:
        """The table in words."""
        lines = [
            f"{self.n:,} reports without order and names, δ = {about(self.delta)}; at most "
            f"{level_above(self.slope)} per unit of distance:"
        ]
        for row in self.rows:
            lines.append(
                f"  at distance {about(row.distance)}: ε = {level_above(row.eps)} (a single report: "
                f"{level_above(row.local)})"
            )
        return "\n".join(lines)


@result("B", "§5")
def shuffled_distances(
    C: ChannelLike | LevelLike,
    n: int,
    space: SpaceLike | None = None,
    *,
    delta: NumberLike,
    distances: Iterable[LevelLike] | None = None,
) -> ShuffledDistances:
    """What n shuffled reports guarantee between values at each distance from each other.

    Parameters
    ----------
    C
        An exact channel or a mechanism with one; or a mechanism of which only the level is used.
    n
        How many reports there are.
    space
        The distances between the values; the mechanism's own when omitted.
    delta
        δ, greater than 0.
    distances
        The distances to be shown; all when omitted. They are needed where a mechanism has no channel.

    Returns
    -------
    ShuffledDistances
        For each distance the largest of the bounds of all pairs at that distance.

    Notes
    -----
    Far pairs gain most, because all people hide each other alike while the level grows with the
    distance. Where only a level is known, the pair is ε·d apart and everybody within ε·diameter.

    Examples
    --------
    >>> from dprivacy.mechanisms import laplace
    >>> age = laplace(0, 2000, eps="1/1000", grid=1)
    >>> print(shuffled_distances(age, 10**5, delta="1e-6", distances=[100, 2000]))
    100,000 reports without order and names, δ = 1/1000000; at most 0.000022952 per unit of distance:
      at distance 100: ε = 0.0022952 (a single report: 0.099999)
      at distance 2000: ε = 0.045036 (a single report: 2.0000)
    """
    slack, _ = read_sizes(n, delta, 1)
    listed = exact_rows(C)
    guarantee = getattr(C, "guarantee", None)
    wanted = None if distances is None else [as_level(d) for d in distances]
    if listed is None:
        if not isinstance(guarantee, Guarantee) or wanted is None:
            raise NotApplicable(
                "a mechanism without a channel needs distances=…, a list of those to be shown"
            )
        far = farthest_level(guarantee)
        kinds: dict[Level, Pairs] = {
            d: cover_of_level(guarantee.eps * d, far).changed for d in wanted
        }
    else:
        metric = as_space(space if space is not None else _space_of(guarantee))
        kinds = _by_distance(metric, *listed, wanted)
    found, share = [], Fraction(1)
    for distance, pairs in sorted(kinds.items()):
        answer = proved(pairs, n, slack, 1)
        share = min(share, answer.share)
        found.append(ShuffledDistance(distance, answer.local, answer.eps))
    return ShuffledDistances(tuple(found), slack, n, share)


def _space_of(guarantee: Any) -> FiniteSpace:
    space = getattr(guarantee, "space", None)
    if not isinstance(space, FiniteSpace):
        raise NotApplicable("a channel alone has no distances; give its space as well")
    return space


def _by_distance(
    space: FiniteSpace,
    labels: Sequence[Label],
    rows: Sequence[Sequence[Fraction]],
    wanted: list[Level] | None,
) -> dict[Level, Pairs]:
    """At each distance the ordered pairs of values that look different."""
    seen, kinds = RowPairs(rows, lowest([rows])), dict[Level, dict[Blanket, tuple[Label, Label]]]()
    for (i, x), (j, z) in permutations(enumerate(labels), 2):
        distance = as_level(space.distance(x, z))
        if wanted is None or distance in wanted:
            kinds.setdefault(distance, {}).setdefault(seen.of(i, j), (x, z))
    if not kinds:
        raise NotApplicable("no two values are at one of these distances")
    return dict(kinds)
