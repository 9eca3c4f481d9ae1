"""Joins and meets: the least safe channel above two, and the safest below them.

Average-case refinement has neither in general; the max case and privacy have both.
"""

import math
from fractions import Fraction
from typing import Any, Literal

from dprivacy.errors import Uncertified
from dprivacy.model import Channel, mixture
from dprivacy.numbers import Mat, Ray, as_level, minimise, solutions, spanned
from dprivacy.refine.deciding.channel_pairs import Pair, read_pair
from dprivacy.refine.refinement import require_order
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace
from dprivacy.typing import ChannelLike
from dprivacy.verify import distinguishability

NOTHING = "⊥"

Bound = Literal["max", "private"]
_LATTICES = ("max", "private")


@result("T", "§4.6.2", "§4.6.3", "Ex 4.6")
def join(A: ChannelLike, B: ChannelLike, *, by: Bound) -> Channel:
    """The least safe channel that refines both A and B, in the max case or for privacy.

    Parameters
    ----------
    A, B
        Channels on the same inputs; exact ones for "max".
    by
        "max" or "private". Refinement on average has no joins in general.

    Returns
    -------
    Channel
        For "max", its posteriors under the uniform prior are the corners of the intersection of the
        convex hulls of A's and B's; outputs are 0, 1, … for the corners. Other weights of the same
        corners would be as good: the max case does not see them. These are as even as they can be.
        For "private", its distinguishability metric is the largest one below both d_A and d_B:
        shortest paths through the smaller distances.

    Raises
    ------
    Uncertified
        With "max", the channels are floats: a corner of their intersection depends on the last bit.
    TooLarge
        The polytopes have too many corners on the way (the problem is hard in general).

    Notes
    -----
    1. Inequalities of the cones of A's and of B's columns (double description).
    2. The extreme rays of both sets of inequalities together, divided by their sums.
    3. Weights a > 0 with Σ a_y·δ^y = uniform: the exact program that makes the least weight largest.
       There are some, since the uniform prior lies in the relative interior of both hulls.

    Examples
    --------
    >>> A = [["2/3", "1/3"], ["1/3", "2/3"]]
    >>> B = [["3/4", "1/4"], ["1/2", "1/2"]]
    >>> print(join(A, B, by="max").equivalent(join(B, A, by="max")).status)
    proved
    >>> print(distinguishability(join(A, B, by="private")).distance(0, 1))
    ln(2)
    """
    require_order(by, _LATTICES)
    if by == "private":
        first, second = _metrics(A, B)
        return _with_metric(first.minimum(second))
    pair = read_pair(A, B)
    if not pair.exact:
        raise Uncertified(
            f"a join in the max case needs exact channels, and {pair.first.matrix[0, 0]!r} is a float, "
            "on whose last bit a corner depends; give fractions or strings, or use exactly(...)"
        )
    corners = _corners(pair)
    weights = _even_weights(corners)
    n = len(pair.secrets)
    rows = [
        [
            Fraction(corner[x], sum(corner)) * weight * n
            for corner, weight in zip(corners, weights, strict=True)
        ]
        for x in range(n)
    ]
    return Channel(pair.secrets, range(len(corners)), Mat.of(rows))


def _corners(pair: Pair) -> list[Ray]:
    inequalities: list[Ray] = []
    for matrix in (pair.a, pair.b):
        inequalities += spanned([tuple(column) for column in matrix.entries.T.tolist()])
    cone = solutions(inequalities, len(pair.secrets))
    return sorted(set(cone.rays), reverse=True)


def _even_weights(corners: list[Ray]) -> list[Fraction]:
    """a_y ≥ s with Σ a_y·δ^y = uniform and s as large as it can be."""
    n, k = len(corners[0]), len(corners)
    posteriors = [[Fraction(v, sum(corner)) for v in corner] for corner in corners]
    rows = [[p[x] for p in posteriors] for x in range(n)]
    table = Mat.of([[*row, sum(row, Fraction(0))] for row in rows])
    cost = [Fraction(0)] * k + [Fraction(-1)]
    outcome = minimise(cost, table, [Fraction(1, n)] * n)
    return [value + outcome.x[k] for value in outcome.x[:k]]


@result("T", "§4.6.2", "§4.6.3")
def meet(A: ChannelLike, B: ChannelLike, *, by: Bound) -> Channel:
    """The safest channel that both A and B refine, in the max case or for privacy.

    In the max case a coin decides which of the two is used, and is seen: its posteriors are those of A
    and those of B, so that their hull is the smallest that holds both. For privacy its
    distinguishability metric is the larger of the two.

    Parameters
    ----------
    A, B
        Channels on the same inputs.
    by
        "max" or "private". Refinement on average has no meets in general.

    Examples
    --------
    >>> meet([[1, 0], [0, 1]], [["1/2", "1/2"], ["1/2", "1/2"]], by="max").columns
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    require_order(by, _LATTICES)
    if by == "private":
        first, second = _metrics(A, B)
        return _with_metric(first.maximum(second))
    pair = read_pair(A, B)
    half: Any = Fraction(1, 2) if pair.exact else 0.5
    return mixture([half, half], [pair.first, pair.second], visible=True)


def _metrics(A: Any, B: Any) -> tuple[FiniteSpace, FiniteSpace]:
    pair = read_pair(A, B)
    return distinguishability(pair.first), distinguishability(pair.second)


@result("T", "Thm 4.13", "Lem 4.14")
def _with_metric(space: FiniteSpace) -> Channel:
    """A channel whose distinguishability metric is the given one.

    C[x, y] = e^(−d(x, y))/(2n), and the rest of each row goes to one more output. Distances that come
    from exact channels are logarithms of rationals, so that the entries are rational again; infinite
    ones give 0.
    """
    n = len(space)
    rows: list[list[Any]] = []
    for i in range(n):
        row = [_power(space.distances[i, j], exact=space.exact) / (2 * n) for j in range(n)]
        rows.append([*row, 1 - sum(row)])
    rest: Any = NOTHING
    while rest in space:
        rest = f"({rest})"
    return Channel(space.labels, [*space.labels, rest], rows)


def _power(distance: Distance, *, exact: bool) -> Any:
    if not exact:
        return math.exp(-distance)
    if isinstance(distance, float):
        return Fraction(0)
    value = (-as_level(distance)).exp()
    assert value is not None
    return value
