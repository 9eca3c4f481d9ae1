"""`shuffled_profile`: δ of a shuffled release as a function of ε, for composing it with others."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.errors import BadNumber
from dprivacy.numbers import Level, float_up
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, NumberLike
from dprivacy.verify.composing.loss_atoms import lies_above
from dprivacy.verify.metric.delta_profile import PrivacyProfile
from dprivacy.verify.shuffling.blanket_pairs import Blanket
from dprivacy.verify.shuffling.column_covers import cover_of, exact_rows
from dprivacy.verify.shuffling.column_products import record_pairs, shuffled_columns
from dprivacy.verify.shuffling.shuffled_reports import Shuffled, shuffled
from dprivacy.verify.shuffling.two_outputs import two_output_delta
from dprivacy.verify.shuffling.worst_pair import FINE, rounded

_POINTS = 61
_MOST_WORK = 20_000  # pairs times points


@result("B", "§5")
def shuffled_profile(
    C: ChannelLike | LevelLike, n: int, *, delta: NumberLike = "1e-15", points: int = _POINTS
) -> PrivacyProfile:
    """δ as a function of ε for n shuffled reports: never below the truth.

    Parameters
    ----------
    C, n
        As in `shuffled`.
    delta
        How small δ may get: where the curve ends. Smaller than what is left of δ for one release.
    points
        At how many ε it is computed, evenly from 0 on; lines in e^ε join them.

    Returns
    -------
    PrivacyProfile
        For `compose`, with `times` for releases of independent noise, and for pictures.

    Notes
    -----
    The true δ is convex in a = e^ε, so that it is below every line between two points that are not
    below it. After the last point it does not rise.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.verify import compose
    >>> curve = shuffled_profile(randomised_response(range(4), eps="ln 3"), 10_000)
    >>> print(f"{float(compose([curve], delta='1e-6', times=12).eps):.4f}")
    0.1493
    """
    if type(points) is not int or points < 2:
        raise BadNumber(f"a curve has at least two points, not {points!r}")
    end, listed = shuffled(C, n, delta=delta), exact_rows(C)
    chances = [row[1] for row in listed[1]] if listed and len(listed[1][0]) == 2 else []
    return _followed(list(cover_of(C).changed), end, points, chances)


@result("B", "§5")
def record_profile(columns: Mapping[str, Any], n: int, *, delta: NumberLike) -> PrivacyProfile:
    """The same for whole records of several columns, as in `shuffled_columns`."""
    end = shuffled_columns(columns, n, delta=delta)
    return _followed(list(record_pairs(columns, columns)), end, _POINTS)


def _followed(
    pairs: Sequence[Blanket], end: Shuffled, points: int, chances: Sequence[Fraction] = ()
) -> PrivacyProfile:
    """The curve of all pairs up to a known ε; `chances` are those of two outputs, if there are two."""
    n = end.n
    if len(pairs) * points > _MOST_WORK:
        raise BadNumber(
            f"{len(pairs):,} pairs of values at {points} points are too many; take fewer points"
        )
    if not isinstance(end.eps, Level) or not end.eps:
        raise BadNumber("no δ this small is reached at any ε; take a larger delta")
    known = []
    for k in range(points):
        a = rounded(float(end.eps) * k / (points - 1)) if k else Fraction(1)
        most = max(pair.delta(n, a, points=FINE, goal=end.delta) for pair in pairs)
        if chances and n > 1:
            ends = max(chances), min(chances)
            most = min(most, two_output_delta([ends], *ends[::-1], n, a))
        known.append((a, Fraction(float_up(most))))
    return _joined(known)


def _joined(points: list[tuple[Fraction, Fraction]]) -> PrivacyProfile:
    """The lower hull of points (a, δ) as lines p − q·a, and level after the last."""
    hull: list[tuple[Fraction, Fraction]] = []
    for a, d in points:
        while len(hull) > 1 and lies_above(hull[-2], hull[-1], (a, d)):
            hull.pop()
        hull.append((a, d))
    lines = []
    for (a, d), (b, e) in pairwise(hull):
        fall = (d - e) / (b - a)
        if fall > 0:
            lines.append((d + fall * a, fall))
    return PrivacyProfile((*lines, (hull[-1][1], Fraction(0))))
