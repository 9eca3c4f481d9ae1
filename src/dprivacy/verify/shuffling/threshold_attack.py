"""An attack on shuffled reports: whole-number scores against a threshold, its success rounded down."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

Row = Sequence[Fraction]

_LARGEST = 12  # score of an output
_BITS = 160  # of a probability
_CUT = 1 << 30  # units that are forgotten at each end


def attack_factor(
    p: Row, q: Row, others: Row, n: int, delta: Fraction, a: Fraction
) -> Fraction | None:
    """The largest e^ε found at which n shuffled reports are not (ε, δ)-private; None if there is none.

    Parameters
    ----------
    p, q
        The reports' laws for the two values of one person.
    others
        The law of everybody else's reports: all have one value.
    n, delta
        How many reports there are, and δ.
    a
        e^ε at which scores are chosen; any is valid.

    Notes
    -----
    The attacker adds up scores of all reports and accepts from a threshold t on. With P(t) rounded
    down and Q(t) up, P(t) − e^ε·Q(t) > δ as long as e^ε < (P(t) − δ)/Q(t). Outputs of one score are
    alike, and all is whole numbers over one denominator.
    """
    rates = [(u - a * v) / w if w else None for u, v, w in zip(p, q, others, strict=True)]
    size = max((abs(rate) for rate in rates if rate is not None), default=Fraction(0))
    if not size:
        return None
    scores = [_LARGEST if rate is None else round(rate / size * _LARGEST) for rate in rates]
    first, law = _sum_of(scores, others, n - 1)
    above = [*accumulate(reversed(law))][::-1]  # from each point on, rounded down
    scale, unit = 1 << _BITS, math.lcm(*(x.denominator for x in (*p, *q, delta)))
    for_p, for_q = Counter[int](), Counter[int]()
    for score, u, v in zip(scores, p, q, strict=True):
        for_p[score] += int(u * unit)
        for_q[score] += int(v * unit)
    slack, spare = int(delta * unit) * scale, (scale - above[0] + 1) * unit

    def tail(at: int) -> int:
        return above[max(at - first, 0)] if at - first < len(law) else 0

    best, over = 1, 1
    for threshold in range(first + min(scores), first + len(law) + max(scores)):
        tails = {score: tail(threshold - score) for score in for_p}
        sure = sum(u * tails[score] for score, u in for_p.items()) - slack
        most = sum(v * tails[score] for score, v in for_q.items()) + spare
        if sure * over > best * most:
            best, over = sure, most
    return Fraction(best, over) if best > over else None


def _sum_of(scores: Sequence[int], row: Row, times: int) -> tuple[int, list[int]]:
    """The law of a sum of scores, first point and masses over 2^bits, rounded down."""
    low = min(scores)
    one = [0] * (max(scores) - low + 1)
    for score, weight in zip(scores, row, strict=True):
        one[score - low] += int(weight * (1 << _BITS))
    total: tuple[int, list[int]] = (0, [1 << _BITS])
    power = (low, one)
    while times:
        if times & 1:
            total = _joined(total, power)
        times >>= 1
        if times:
            power = _joined(power, power)
    return total


def _joined(one: tuple[int, list[int]], two: tuple[int, list[int]]) -> tuple[int, list[int]]:
    from flint import fmpz_poly

    product = fmpz_poly(one[1]) * fmpz_poly(two[1])
    masses = [int(mass) >> _BITS for mass in product.coeffs()]
    low, high = 0, len(masses)
    while low < high - 1 and masses[low] <= _CUT:
        low += 1
    while high > low + 1 and masses[high - 1] <= _CUT:
        high -= 1
    return one[0] + two[0] + low, masses[low:high]
