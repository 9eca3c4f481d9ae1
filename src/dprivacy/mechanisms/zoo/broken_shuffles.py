"""Twins of bounds for shuffled reports, caught by adding up all tables of a few people."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from dprivacy.mechanisms.zoo.exhibit import Exhibit, Finding
from dprivacy.verify import CountLaw, blankets, peak

_PEOPLE = 6
_HIGH, _LOW = Fraction(3, 4), Fraction(1, 4)  # how often two values are answered with "yes"
_FACTOR = Fraction(3, 2)  # e^ε
_SHARE = Fraction(1, 2)  # γ, of these answers
_GOAL = Fraction(1, 10**6)


def _law(chances: Sequence[Fraction]) -> list[Fraction]:
    """How many of these people say "yes"."""
    law = [Fraction(1)]
    for q in chances:
        pairs = zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)
        law = [no * (1 - q) + yes * q for no, yes in pairs]
    return law


def _told(u: Fraction, v: Fraction, others: Sequence[Fraction], a: Fraction) -> Fraction:
    """δ between two chances of one person beside the others, from the definition."""
    both = zip(_law([u, *others]), _law([v, *others]), strict=True)
    return sum((max(p - a * q, Fraction(0)) for p, q in both), Fraction(0))


def _truth(u: Fraction, v: Fraction, a: Fraction, n: int) -> Fraction:
    return max(_told(u, v, [u] * m + [v] * (n - 1 - m), a) for m in range(n))


def _blanket(u: Fraction, v: Fraction, a: Fraction, n: int) -> Fraction:
    """The blanket's own δ: k of the others answer "yes" and "no" alike, and the rest are known."""
    rest = n - 1
    return sum(
        (
            comb(rest, k) * _SHARE**k * (1 - _SHARE) ** (rest - k) * _told(u, v, [_SHARE] * k, a)
            for k in range(n)
        ),
        Fraction(0),
    )


def by_enumeration(bound: Fraction, truth: Fraction, most: Fraction) -> Finding:
    """A bound must not be below the truth, nor above what it says it computes."""
    if bound < truth:
        return Finding(True, f"δ = {float(bound):.5f} where {float(truth):.5f} is reached")
    if bound > most * Fraction(101, 100):
        return Finding(True, f"δ = {float(bound):.5f} where the blanket has {float(most):.5f}")
    return Finding(False, f"δ = {float(bound):.5f}, between {float(truth):.5f} and the blanket's")


def _by_share(power: int) -> Callable[[bool], Finding]:
    """A bound that is multiplied by γ once too often, or too rarely."""

    def inspect(broken: bool) -> Finding:
        (pair,) = blankets([[1 - _HIGH, _HIGH], [1 - _LOW, _LOW]])
        bound = pair.delta(_PEOPLE, _FACTOR, points=96, goal=_GOAL)
        cases = _HIGH, _LOW, _FACTOR, _PEOPLE
        wrong = _SHARE**power if broken else 1
        return by_enumeration(bound * wrong, _truth(*cases), _blanket(*cases))

    return inspect


class _Endless(CountLaw):
    """Compares 0 with 0 after the last point, and goes on."""

    def crossing(self, ratio: float) -> int:
        low, high = self.first, self.last + 64
        while high - low > 1:
            j = (low + high) // 2
            low, high = (low, j) if self.at(j - 1) > ratio * self.at(j) else (j, high)
        return high


def _past_the_end(broken: bool) -> Finding:
    u, v, a, n = Fraction(98, 100), Fraction(2, 100), Fraction(40), 4
    law = (_Endless if broken else CountLaw)(n - 1, u, 0, v)
    bound = Fraction(peak(law, u, v, a, side=1))
    return by_enumeration(bound, _told(u, v, [u] * (n - 1), a), _truth(u, v, a, n))


SHUFFLE_EXHIBITS = [
    Exhibit(
        "a lost share",
        "the bound of shuffled reports is multiplied by γ, as if it were divided by n alone",
        "all small tables",
        _by_share(1),
    ),
    Exhibit(
        "a spare share",
        "the bound of shuffled reports is divided by γ twice: true, and too high to be of use",
        "all small tables",
        _by_share(-1),
    ),
    Exhibit(
        "past the end",
        "the best threshold is looked for after the last point of a law, where 0 is compared with 0",
        "all small tables",
        _past_the_end,
    ),
]
