"""The smallest e^ε for a list of pairs: looked for on a coarse grid, proved on a fine one."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from dprivacy.verify.metric.delta_profile import factor_at
from dprivacy.verify.shuffling.blanket_pairs import Blanket

P = TypeVar("P")

DIGITS = 12  # of e^ε
_MOST_ROWS = 1000  # of one person: beyond, a search takes minutes and levels add up to too much
_COARSE, FINE = 24, 96  # points a standard deviation: to search, to prove
_LARGEST, BEYOND = (
    340.0,
    10**148,
)  # ε up to which something smaller is looked for; more than its e^ε


def growth(a: Fraction, times: int) -> Fraction:
    """1 + a + … + a^(times−1): what δ is multiplied by when this many rows change one after another."""
    return Fraction(times) if a == 1 else (a**times - 1) / (a - 1)


def local_factor(pairs: Iterable[Blanket], goal: Fraction, times: int = 1) -> Fraction | None:
    """e^ε at δ = goal of one row that is seen by itself, or of `times` rows one by one; None for ∞."""
    worst = Fraction(1)
    for blanket in pairs:
        p, q = zip(*blanket.cells, strict=True)
        if times == 1:
            factor = factor_at(p, q, goal)
        else:
            factor = max((u / v for u, v in blanket.cells if v), default=Fraction(1))
            escaped = sum((u for u, v in blanket.cells if not v), Fraction(0))
            if escaped * growth(factor, times) > goal:
                return None
        if factor == math.inf:
            return None
        worst = max(worst, Fraction(factor))
    return worst


def worst_pair(
    pairs: Mapping[Blanket, P], n: int, goal: Fraction, local: Fraction, times: int = 1
) -> tuple[Fraction, P] | None:
    """The smallest e^ε found for the pair that needs most; None where one is not below `local`.

    Parameters
    ----------
    pairs
        Pairs of values, of which all shall be covered, and their names.
    n, goal
        The number of reports, and δ.
    local
        e^ε of one report alone.
    times
        How many rows one person has: δ(a)·(1 + a + … + a^(times−1)) is compared with the goal.
    """
    if times > _MOST_ROWS:
        return None
    ordered = sorted(pairs.items(), key=lambda item: -item[0].spread)
    worst, at = Fraction(1), ordered[0][1]
    highest = _LARGEST if local > BEYOND else math.log(local)
    for blanket, where in ordered:

        def holds(a: Fraction, points: int, pair: Blanket = blanket) -> bool:
            most = goal / growth(a, times)
            return pair.delta(n, a, points=points, goal=most) <= most

        if worst > 1 and (holds(worst, _COARSE) or holds(worst, FINE)):
            continue
        low, high = math.log(worst), highest
        while high - low > 1e-3 * high:
            middle = (low + high) / 2 if low else high / 3
            low, high = (low, middle) if holds(rounded(middle), _COARSE) else (middle, high)
        low = high * 0.97  # the fine grid lowers δ by a hundredth or two, and ε by less
        while high - low > 2e-5 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if holds(rounded(middle), FINE) else (middle, high)
        if high >= highest or rounded(high) >= local:
            return None
        worst, at = max(worst, rounded(high)), where
    return worst, at


def rounded(eps: float) -> Fraction:
    """A short rational near e^eps, not below it as far as doubles go."""
    return Fraction(math.ceil(math.exp(eps) * 10**DIGITS), 10**DIGITS)
