"""An attack on any number of shuffled reports: do more speak for one value than for the other?"""

import math
from collections.abc import Sequence
from fractions import Fraction

from dprivacy.verify.shuffling.worst_pair import rounded
from dprivacy.verify.sums.count_law import OUTSIDE, CountLaw

Row = Sequence[Fraction]

_BITS = 200  # of a root
_UNIT = 2.0**-53
_SPARE = 2 * OUTSIDE  # what the window leaves out; a root to 200 bits changes far less
_MOST = 10**9


def difference_factor(
    p: Row, q: Row, others: Row, n: int, delta: Fraction, top: Fraction
) -> Fraction | None:
    """The largest e^ε below `top` found at which n shuffled reports are not (ε, δ)-private, or None.

    Parameters
    ----------
    p, q
        The reports' laws for the two values of one person.
    others
        The law of everybody else's reports: all have one value.
    n, delta, top
        How many reports there are, δ, and an e^ε that holds.

    Notes
    -----
    Count the reports that are likelier under p, subtract those that are likelier under q, accept from
    a threshold on. If the others send both with one chance h ≤ 1/4, each adds 1, −1 or 0 to the
    difference, which is a sum of two coins with chances u and 1 − u, less 1, where u(1 − u) = h.
    """
    for_p = [y for y, (a, b) in enumerate(zip(p, q, strict=True)) if a > b]
    for_q = [y for y, (a, b) in enumerate(zip(p, q, strict=True)) if a < b]
    h, same = (sum((others[y] for y in some), Fraction(0)) for some in (for_p, for_q))
    if h != same or not 0 < h <= Fraction(1, 4) or not 1 < n <= _MOST:
        return None
    ups, downs = (
        [sum((row[y] for y in some), Fraction(0)) for row in (p, q)] for some in (for_p, for_q)
    )
    chance = (1 - _root(1 - 4 * h)) / 2
    law = CountLaw(n - 1, chance, n - 1, 1 - chance)  # n − 1 more than the difference
    low, high, found = 0.0, math.log(top), None
    for _ in range(30):
        middle = (low + high) / 2
        a = rounded(middle)
        gain = float(ups[0] - a * ups[1]), float(a * downs[1] - downs[0])
        if _best(law, gain, float(a - 1)) > delta:
            low, found = middle, a
        else:
            high = middle
    return found


def _best(law: CountLaw, gain: tuple[float, float], cost: float) -> float:
    """The largest lower bound of δ that a threshold near the best one gives."""

    def told(t: int) -> float:
        parts = gain[0] * law.at(t - 1), gain[1] * law.at(t), -cost * law.above(t)
        slack = sum(map(abs, parts)) * (law.error + 16 * _UNIT)
        return sum(parts) - slack - (cost + 2) * _SPARE

    low, high = int(law.mean), int(law.mean + 11 * math.sqrt(law.variance)) + 2
    while high - low > 3:  # it rises, and then falls
        first, second = low + (high - low) // 3, high - (high - low) // 3
        low, high = (first, high) if told(first) < told(second) else (low, second)
    return max(told(t) for t in range(low - 1, high + 2))


def _root(square: Fraction) -> Fraction:
    """A square root, rounded down to 200 bits."""
    return Fraction(math.isqrt(int(square * (1 << 2 * _BITS))), 1 << _BITS)
