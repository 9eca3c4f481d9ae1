"""What levels are used for: is a ≤ e^level·b? And how many times as large is one as another?"""

import math
from fractions import Fraction

from dprivacy.errors import TooLarge, Uncertified
from dprivacy.numbers.enclosures import exp_bounds, float_up
from dprivacy.numbers.frozen_values import Frozen
from dprivacy.numbers.levels import Level, as_level, ln

_BITS = 160
_LARGEST = 10**7
_MOST_BITS = 1 << 14


class Factor(Frozen):
    """e^level for one level, ready for many exact comparisons.

    Rational when e^level is; otherwise an enclosure that is tried first, with a comparison of
    logarithms (which always decides) for what falls inside it.
    """

    level: Level
    exact: Fraction | None
    low: Fraction
    high: Fraction

    def __init__(self, level: Level) -> None:
        exact = level.exp()
        if exact is None and not -_LARGEST < level < _LARGEST:
            raise TooLarge(
                f"e to the power {float(level):.3g} has too many digits to compare with; levels "
                f"between −{_LARGEST:,} and {_LARGEST:,} are kept exact"
            )
        low, high = exp_bounds(*level.bounds(_BITS), _BITS) if exact is None else (exact, exact)
        self._set(level=level, exact=exact, low=low, high=high)

    def admits(self, a: int | Fraction, b: int | Fraction) -> bool:
        """Whether a ≤ e^level·b, for a, b ≥ 0; decided exactly."""
        if a <= self.low * b:
            return True
        if a > self.high * b:
            return False
        return self.compare(a, b) <= 0

    def compare(self, a: int | Fraction, b: int | Fraction) -> int:
        """The sign of a − e^level·b, for a, b ≥ 0; decided exactly."""
        if a < self.low * b:
            return -1
        if a > self.high * b:
            return 1
        if a == 0 or b == 0:
            return (a > 0) - (b > 0)
        if self.exact is not None:
            return 0
        return (ln(Fraction(a) / Fraction(b)) - self.level).sign()

    def __float__(self) -> float:
        try:
            return float((self.low + self.high) / 2)
        except OverflowError:
            return math.inf


def quotient_up(top: Level | Fraction | float, bottom: Level | Fraction | float) -> float:
    """The smallest double that is at least top/bottom, for top ≥ 0 and bottom > 0.

    A double stands for its exact binary value. What is irrational is enclosed ever more tightly, until
    both ends round up to the same double.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> quotient_up(ln(8), ln(2)), quotient_up(ln(3), ln(2)) >= 1.584962500721156
    (3.0, True)
    """
    if math.inf in (top, bottom):
        return 0.0 if bottom == math.inf else math.inf
    above, below = as_level(top), as_level(bottom)
    try:
        exact = (above / below).simplified
    except Uncertified:
        exact = None
    if isinstance(exact, Fraction):
        return float_up(exact)
    bits = 128
    while True:
        (low, high), (near, far) = above.bounds(bits), below.bounds(bits)
        if near > 0:
            most = float_up(high / near)
            if bits >= _MOST_BITS or most == float_up(low / far):
                return most
        bits *= 2


def within_doubles(rate: float) -> float:
    """A rate that is known to be finite, if a double holds it; ∞ would say that no rate is enough."""
    if rate < math.inf:
        return rate
    raise TooLarge(
        "the smallest rate is finite, but beyond the largest double, and has no exact form; measure "
        "distances in smaller units"
    )
