"""Leaders: readings that jitter around a place belong to the first of them, which is drawn for once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, BudgetExceeded
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.model import counted
from dprivacy.numbers import Whole

# metres: a receiver that errs by 10 m an axis misses it once in a million times
NEAR = Fraction(75)
_FARTHEST = 1 << 30  # steps whose squares, added up, stay within 64 bits

Leaders = Mapping[bytes, Whole]  # by the person's tag: lattice points, in the order they were met


@dataclass(frozen=True, eq=False)
class Followed:
    """Readings and the leaders that they belong to.

    Attributes
    ----------
    points
        The lattice point of each reading's leader.
    leaders
        All leaders of the people who were there, those of before first.
    before
        How many each of them had before.
    near
        How far a reading may be from its leader, in metres.
    """

    points: Whole
    leaders: Leaders
    before: Mapping[bytes, int]
    near: Fraction

    @property
    def most(self) -> int:
        """The most leaders of one person, over all time."""
        return max((len(mine) for mine in self.leaders.values()), default=1)

    @property
    def most_new(self) -> int:
        """The most leaders of one person that are new."""
        return max((len(mine) - self.before[who] for who, mine in self.leaders.items()), default=0)

    @property
    def newcomers(self) -> frozenset[bytes]:
        """Who has a new leader."""
        return frozenset(who for who, mine in self.leaders.items() if len(mine) > self.before[who])


def follow(
    points: Whole,
    tags: NDArray[np.uint64],
    known: Leaders,
    *,
    near: LengthLike,
    step: Fraction,
    limit: int | None = None,
) -> Followed:
    """The leader of every reading, in the order of the rows.

    A reading that is near an earlier leader of the same person belongs to the nearest of these (of two
    as near, to the earlier one); any other reading is a leader itself.

    Parameters
    ----------
    points
        Readings as lattice points, a row each, in the order of time.
    tags
        Whose each is.
    known
        Leaders of before.
    near
        How far a reading may be from its leader.
    step
        The lattice, in metres.
    limit
        The most leaders that a person may have.

    Notes
    -----
    Distances are compared in whole numbers, so that every machine decides alike. What comes later
    changes nothing: the leader of a reading depends on earlier rows only.

    Examples
    --------
    >>> readings = np.array([[0, 0], [3, 4], [90, 0], [1, 0]])
    >>> people = np.zeros((4, 2), dtype=np.uint64)
    >>> follow(readings, people, {}, near="1 m", step=Fraction(1, 5)).points.tolist()
    [[0, 0], [0, 0], [90, 0], [0, 0]]
    """
    length = metres(near, what="near")
    reach = _steps(length, step)
    led = np.empty_like(points)
    leaders: dict[bytes, Whole] = {}
    over: list[int] = []
    order = np.lexsort((tags[:, 1], tags[:, 0]))  # stable: each person's rows stay in their order
    turns = np.flatnonzero((np.diff(tags[order], axis=0) != 0).any(axis=1)) + 1
    for rows in np.split(order, turns) if len(order) else []:
        who = tags[rows[0]].tobytes()
        before = known.get(who, np.empty((0, points.shape[1]), dtype=np.int64))
        mine, which, met = _one_person(points[rows], before, reach)
        leaders[who], led[rows] = mine, mine[which]
        if limit is not None and len(mine) > limit:
            new = max(0, limit - len(before))
            over.append(int(rows[met[new]] if new < len(met) else rows[0]))
    if over:
        raise BudgetExceeded(
            f"row {min(over)}: its person has more than {counted(limit or 0, 'different place')}, and "
            f"the level was divided by {limit}; leave rows out, or declare more reports"
        )
    return Followed(led, leaders, {who: len(known.get(who, ())) for who in leaders}, length)


def _one_person(points: Whole, before: Whole, reach: int) -> tuple[Whole, Whole, list[int]]:
    """All leaders, the number of each reading's, and which readings became new ones."""
    n, known, side = len(points), len(before), math.isqrt(reach)
    best, which = np.full(n, reach + 1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    places = np.concatenate([before, points])
    order = np.argsort(points[:, 0], kind="stable")
    along = points[order, 0]
    first, last = (along.searchsorted(places[:, 0] + k).tolist() for k in (-side, side + 1))
    chosen: list[int] = []
    for k in range(known + n):
        if k >= known and which[k - known] >= 0:
            continue
        rows = order[first[k] : last[k]]  # no other reading can be near
        rows = rows[rows >= k - known]
        gaps = np.minimum(np.abs(points[rows] - places[k]), _FARTHEST)
        squares = np.einsum("ij,ij->i", gaps, gaps)
        nearer = squares < best[rows]
        rows = rows[nearer]
        best[rows], which[rows] = squares[nearer], len(chosen)
        chosen.append(k)
    return places[chosen], which, [k - known for k in chosen[known:]]


def _steps(length: Fraction, step: Fraction) -> int:
    """The square of a length in steps, rounded down."""
    if length / step >= _FARTHEST:
        raise BadNumber(
            f"near should be below {in_words(step * _FARTHEST)}, not {in_words(length)}"
        )
    return int((length / step) ** 2)
