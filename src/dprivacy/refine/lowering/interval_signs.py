"""Signs of integer polynomials between 0 and 1, decided exactly."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.numbers import dyadic

Polynomial = Any  # flint's fmpz_poly


def negative_at(p: Polynomial, end: Fraction = Fraction(1)) -> Fraction | None:
    """A rational number between 0 and `end` at which p is negative; None where it never is.

    Notes
    -----
    1. With t = 1/(1 + s) the interval from 0 to 1 becomes s > 0. Where no coefficient is negative then,
       p is not negative.
    2. Otherwise the real roots are isolated, and one value between each two of them decides. A
       polynomial that touches 0 and turns back is not negative.
    """
    if not _turned_negative(p):
        return None
    gaps = pairwise([(Fraction(0), Fraction(0)), *roots_below(p, end), (end, end)])
    for middle in [(left + right) / 2 for (_, left), (right, _) in gaps]:
        if _scaled_value(p, middle) < 0:
            return _simplest(p, middle, end)
    return None


def _simplest(p: Polynomial, at: Fraction, end: Fraction) -> Fraction:
    """A number with few digits near one at which p is negative, at which p is negative too."""
    for most in (10, 100, 1000, 10_000):
        near = at.limit_denominator(most)
        if 0 < near < end and _scaled_value(p, near) < 0:
            return near
    return at


def roots_below(p: Polynomial, end: Fraction = Fraction(1)) -> list[tuple[Fraction, Fraction]]:
    """Rational bounds of each real root between 0 and `end`, which must be 1 or not a root."""
    from flint import fmpz_poly

    simple = p // p.gcd(p.derivative())
    for known in (fmpz_poly([0, 1]), fmpz_poly([-1, 1])):
        if not simple % known:
            simple //= known
    found = []
    for root, _ in simple.complex_roots() if simple.degree() > 0 else ():
        if root.imag == 0 and root.real > 0:  # flint tells real roots from others
            low, high = dyadic(root.real.lower()), dyadic(root.real.upper())
            if low < end:
                found.append((low, min(high, end)))
    return sorted(found)


def _turned_negative(p: Polynomial) -> bool:
    """Whether (1 + s)^degree·p(1/(1 + s)) has a negative coefficient."""
    from flint import fmpz_poly

    return any(c < 0 for c in fmpz_poly(p.coeffs()[::-1])(fmpz_poly([1, 1])).coeffs())


def _scaled_value(p: Polynomial, at: Fraction) -> int:
    """p at a rational number, times the denominator to the degree."""
    total, power = 0, 1
    for c in reversed(p.coeffs()):
        total = total * at.numerator + int(c) * power
        power *= at.denominator
    return total
