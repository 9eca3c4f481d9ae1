"""Reports with two outputs: the reader sees one count, and its law is known."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from dprivacy.numbers import float_up
from dprivacy.verify.shuffling.worst_pair import BEYOND, growth, rounded
from dprivacy.verify.sums.count_law import OUTSIDE, CountLaw

Chances = tuple[Fraction, Fraction, Fraction, Fraction]

_ALL = 2000  # people up to which every number of them with the higher chance is looked at
_BLOCKS = 200  # this many groups of numbers of them otherwise
_MOST = 10**9
_UNIT = 2.0**-53


def peak(law: CountLaw, u: Fraction, v: Fraction, a: Fraction, *, side: int) -> float:
    """An upper (side = 1) or lower (−1) bound of δ at e^ε = a between chances u > v of a "yes".

    Notes
    -----
    1. The best test is a threshold, as the quotient of the two laws of the count rises: δ is the
       largest g(j) = A·P(others = j−1) − (a−1)·P(others ≥ j) with A = u − a·v.
    2. g rises while P(j−1)/P(j) < 1 + (a−1)/A and falls afterwards, as the law is log-concave. Where
       doubles cannot tell, all j in between are looked at.
    """
    gain = u - a * v
    if gain <= 0:
        return 0.0
    margin = 4 * law.error + 1e-14
    ratio = 1 + float((a - 1) / gain)
    first, last = law.crossing(ratio * (1 - margin)), law.crossing(ratio * (1 + margin))
    plus, minus = float(gain), float(a - 1)
    spare = side * (law.error + 8 * _UNIT)
    found = max(
        plus * law.at(j - 1) * (1 + spare) - minus * law.above(j) * (1 - spare)
        for j in range(first, last + 1)
    )
    return max(found + side * (float_up(a) + 1) * OUTSIDE, 0.0)


def _directions(u: Fraction, v: Fraction, low: Fraction, high: Fraction) -> set[Chances]:
    """Both orders of a pair, the second with the outputs renamed, beside the others' two chances."""
    most, least = max(u, v), min(u, v)
    return {(most, least, low, high), (1 - least, 1 - most, 1 - high, 1 - low)}


def holds(
    pairs: Iterable[tuple[Fraction, Fraction]],
    low: Fraction,
    high: Fraction,
    n: int,
    a: Fraction,
    goal: Fraction,
) -> bool:
    """Whether δ at e^ε = a is at most the goal for all pairs, whatever the others' chances are.

    Parameters
    ----------
    pairs
        The chances of a "yes" for two values of one person.
    low, high
        Between which the others' chances lie.
    n, a, goal
        The number of reports, e^ε, and δ.

    Notes
    -----
    δ is convex in the chance of each other person, so that it is largest with m of them at `high` and
    the others at `low`, for some m. If s of the others are revealed, the rest with m₀ at `high` covers
    all m from m₀ to m₀ + s; such groups are halved until they are small.
    """
    others, most = n - 1, float(goal) * (1 - 1e-15)
    least = 0 if n <= _ALL else -(-others // _BLOCKS)
    for pair in pairs:
        for u, v, low_, high_ in _directions(*pair, low, high):
            groups = [(0, others)]
            while groups:
                m, s = groups.pop()
                law = CountLaw(m, high_, others - m - s, low_)
                if peak(law, u, v, a, side=1) <= most:
                    continue
                if s <= least:
                    return False
                half = (s - 1) // 2
                groups += [(m, half), (m + half + 1, s - half - 1)]
    return True


def two_output_delta(
    pairs: Iterable[tuple[Fraction, Fraction]], low: Fraction, high: Fraction, n: int, a: Fraction
) -> Fraction:
    """An upper bound of δ at e^ε = a; the parameters are those of `holds`."""
    others, worst = n - 1, 0.0
    size = 0 if n <= _ALL else -(-others // _BLOCKS)
    for pair in pairs:
        for u, v, low_, high_ in _directions(*pair, low, high):
            for m in range(0, others + 1, size + 1):
                rest = others - m - min(size, others - m)
                worst = max(worst, peak(CountLaw(m, high_, rest, low_), u, v, a, side=1))
    return Fraction(worst)


def two_output_factors(
    pairs: list[tuple[Fraction, Fraction]],
    chances: Iterable[Fraction],
    n: int,
    goal: Fraction,
    known: Fraction,
    times: int = 1,
) -> tuple[Fraction, Fraction | None]:
    """The smallest e^ε that is found and proved, and the largest that an attack refutes.

    Parameters
    ----------
    pairs
        The chances of a "yes" for two values of one person.
    chances
        Of everybody.
    n, goal
        The number of reports, and δ.
    known
        An e^ε that holds: what comes back where nothing smaller is found.
    times
        How many rows one person has. (Then nothing is attacked.)
    """
    if n > _MOST or known > BEYOND:
        return known, None
    listed, top = list(chances), math.log(known)
    low, high = min(listed), max(listed)

    def proved(eps: float) -> bool:
        a = rounded(eps)
        return holds(pairs, low, high, n, a, goal / growth(a, times))

    def attacked(eps: float) -> bool:
        a = rounded(eps)
        return Fraction(count_attack(pairs, low, high, n, a)) * growth(a, times) > goal

    below, above = 0.0, top
    while above - below > 1e-5 * above:
        middle = (below + above) / 2
        below, above = (middle, above) if attacked(middle) else (below, middle)
    refuted = rounded(below) if rounded(below) > 1 and times == 1 else None
    more = 1e-4
    while above * (1 + more) < top and not proved(above * (1 + more)):
        more *= 2
    if above * (1 + more) >= top:
        return known, refuted
    found = rounded(_narrowed(above * (1 + more / 2), above * (1 + more), proved))
    return min(found, known), refuted


def _narrowed(low: float, high: float, proved: Callable[[float], bool]) -> float:
    """A smaller number that is proved still, to a two-thousandth."""
    while high - low > 5e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if proved(middle) else (middle, high)
    return high


def count_attack(
    pairs: Iterable[tuple[Fraction, Fraction]], low: Fraction, high: Fraction, n: int, a: Fraction
) -> float:
    """A lower bound of δ: all others have one of the two chances, or half of them each."""
    others, found = n - 1, [0.0]
    for pair in pairs:
        for u, v, low_, high_ in _directions(*pair, low, high):
            for m in {0, others // 2, others}:
                found.append(peak(CountLaw(m, high_, others - m, low_), u, v, a, side=-1))
    return max(found)
