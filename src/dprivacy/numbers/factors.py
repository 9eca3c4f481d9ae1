"""The factor e^level, and the question every guarantee comes down to: is a ≤ e^level·b?"""

import math
from fractions import Fraction

from dprivacy.errors import TooLarge
from dprivacy.numbers.enclosures import exp_bounds
from dprivacy.numbers.frozen_values import Frozen
from dprivacy.numbers.levels import Level, ln

_BITS = 160
_LARGEST = 10**7


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
