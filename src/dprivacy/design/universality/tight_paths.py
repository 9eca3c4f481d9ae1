"""Paths of a space along which a mechanism is geometric."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any, ClassVar

from dprivacy.design.universality.candidate import Candidate
from dprivacy.model import Answer, shown
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike

MOST_PATHS = 1000


@dataclass(frozen=True)
class GeometricPath(Answer):
    """Points that lie on a line, in its order, on which the channel is the geometric mechanism.

    `even` says whether its steps are equally long, as the source's optimality theorem asks; `step` is
    the factor e^(ε·d) of the first.

    Examples
    --------
    >>> from dprivacy.design import geometric_paths
    >>> from dprivacy.mechanisms import geometric
    >>> (path,) = geometric_paths(geometric([0, 1, 3], eps="ln 2"), eps="ln 2")
    >>> path.points, path.even, int(path.step)
    ((0, 1, 3), False, 2)
    """

    points: tuple[Any, ...]
    even: bool
    step: Fraction
    exact: ClassVar[bool] = True

    def __len__(self) -> int:
        return len(self.points)

    def explain(self) -> str:
        """The points in their order."""
        return " – ".join(map(shown, self.points))


@result("T", "Fig 6.5", "Lem 6.21")
def geometric_paths(
    C: ChannelLike, space: SpaceLike | None = None, *, eps: LevelLike, most: int = MOST_PATHS
) -> list[GeometricPath]:
    """The longest paths on which C restricts to the geometric mechanism of the path.

    A path is a sequence of points whose distances add up along it; the path must have three points at
    least (on two points this is being T, see `best_on_pair`), and no point can be added at either end.

    Parameters
    ----------
    C, space, eps
        As for `universally_optimal`.
    most
        The largest number of paths to list; a space may have very many.

    Returns
    -------
    list of GeometricPath
        Each once, not also backwards.

    Notes
    -----
    1. C restricts to the geometric mechanism exactly when, in every column, neighbouring entries have
       the quotient e^(±ε·d), first rising and then falling along the path: the geometric has one such
       column for every point, they are independent, and so the weights are settled.
    2. A part of a path without gaps inherits that, so paths are grown point by point from pairs.

    On such a path with even steps C is universally optimal for every monotonic loss on the path, lifted
    to all secrets (T Thm 6.4, and Lem 6.21 as corrected in E21).

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> print(*geometric_paths(geometric(4, eps="ln 2"), line(4), eps="ln 2"))
    0 – 1 – 2 – 3
    """
    return found_paths(Candidate.of(C, space, eps), most)


def found_paths(candidate: Candidate, most: int = MOST_PATHS) -> list[GeometricPath]:
    """The longest geometric paths of a candidate, as many as asked for."""
    factors = candidate.factors
    found = []
    for path in islice(_longest(candidate), most):
        steps = [factors[i][j] for i, j in pairwise(path)]
        found.append(GeometricPath(candidate.labels(path), len(set(steps)) == 1, steps[0]))
    return found


def _rises(candidate: Candidate) -> list[list[int | None]]:
    """As bits, the columns that rise from one class to another; None unless all are tight."""

    def bits(i: int, j: int) -> int | None:
        a, rising = candidate.factors[i][j], 0
        for k, column in enumerate(columns):
            if column[j] == a * column[i]:
                rising |= 1 << k
            elif column[i] != a * column[j]:
                return None
        return rising

    columns = sorted(candidate.columns)
    n = range(candidate.cone.n)
    return [[None if i == j else bits(i, j) for j in n] for i in n]


def _longest(candidate: Candidate) -> Iterator[tuple[int, ...]]:
    """Paths that cannot be made longer, grown at their end from every start."""
    n, factors, rises = candidate.cone.n, candidate.factors, _rises(candidate)
    everything = (1 << len(candidate.columns)) - 1

    def grown(path: tuple[int, ...], length: Fraction, rose: int) -> Iterator[tuple[int, ...]]:
        """`length` is e^(ε·d) from end to end, `rose` the columns that rise somewhere on the path."""
        start, last, ended = path[0], path[-1], True
        # A column that fell on the last step may not rise again.
        fell = 0 if len(path) == 1 else everything & ~(rises[path[-2]][last] or 0)
        for k in range(n):
            up = None if k in path else rises[last][k]
            if up is not None and not up & fell and length * factors[last][k] == factors[start][k]:
                ended = False
                yield from grown((*path, k), factors[start][k], rose | up)
        if ended and len(path) > 2 and start < last and not before(path, length, rose):
            yield path

    def before(path: tuple[int, ...], length: Fraction, rose: int) -> bool:
        start, last = path[0], path[-1]
        return any(
            k not in path
            and (up := rises[k][start]) is not None
            and not everything & ~up & rose
            and factors[k][start] * length == factors[k][last]
            for k in range(n)
        )

    for i in range(n):
        yield from grown((i,), Fraction(1), 0)
