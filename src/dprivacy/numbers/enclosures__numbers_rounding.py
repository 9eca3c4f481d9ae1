"""Directed rounding of rationals to doubles."""

import math
from fractions import Fraction


def float_up(q: Fraction) -> float:
    """The smallest double that is at least q."""
    try:
        nearest = float(q)
    except OverflowError:
        return math.inf if q > 0 else -math.nextafter(math.inf, 0)
    return (
        nearest
        if nearest == math.inf or Fraction(nearest) >= q
        else math.nextafter(nearest, math.inf)
    )


def float_down(q: Fraction) -> float:
    """The largest double that is at most q."""
    return -float_up(-q)
