"""Real algebraic numbers: an irreducible integer polynomial, and an interval with one of its roots."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.errors import Uncertified
from dprivacy.numbers.enclosures import ball_precision, dyadic

Polynomial = Any  # flint's fmpz_poly
Coefficients = tuple[int, ...]

_FIRST_BITS = 64
_MOST_BITS = 1 << 14
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Root:
    """A real root of an irreducible integer polynomial.

    `polynomial` has the coefficients, the constant first; `low` ≤ root ≤ `high` holds for this one of
    its roots and for no other.

    Examples
    --------
    >>> golden = roots_above([(-1, -1, 1)])[0]
    >>> print(golden)
    1.618034 (x² − x − 1)
    >>> float(golden.high - golden.low) < 1e-15
    True
    """

    polynomial: Coefficients
    low: Fraction
    high: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The number itself, where it is rational."""
        if len(self.polynomial) == 2:
            return Fraction(-self.polynomial[0], self.polynomial[1])
        return None

    @property
    def equation(self) -> str:
        """The minimal polynomial, written out."""
        return polynomial_text(self.polynomial)

    def above(self, value: Fraction) -> int:
        """1 if the root is larger than a rational number, −1 if smaller, 0 if it is that number."""
        if value < self.low or value > self.high:
            return 1 if value < self.low else -1
        if self.rational is not None:
            return 0
        return 1 if (self._sign(value) > 0) == (self._sign(self.low) > 0) else -1

    def _sign(self, at: Fraction) -> int:
        """The sign of the polynomial; where it is irreducible and not linear, it is not 0."""
        total = Fraction(0)
        for c in reversed(self.polynomial):
            total = total * at + c
        return (total > 0) - (total < 0)

    def __float__(self) -> float:
        return float((self.low + self.high) / 2)

    def __str__(self) -> str:
        if self.rational is not None:
            return str(self.rational)
        return f"{float(self):.6f} ({self.equation})"

    def to_dict(self) -> dict[str, Any]:
        """The number as plain data."""
        return {
            "value": float(self),
            "polynomial": list(self.polynomial),
            "low": str(self.low),
            "high": str(self.high),
        }


def polynomial_text(coefficients: Coefficients, letter: str = "x") -> str:
    """A polynomial written out, the highest power first.

    Examples
    --------
    >>> print(polynomial_text((-1, 0, 2), "a"))
    2a² − 1
    """
    text = ""
    for power in range(len(coefficients) - 1, -1, -1):
        c = coefficients[power]
        if c:
            size = str(abs(c)) if abs(c) != 1 or power == 0 else ""
            raised = "" if power < 2 else str(power).translate(_RAISED)
            sign = ("− " if c < 0 else "+ ") if text else ("−" if c < 0 else "")
            text += f"{' ' if text else ''}{sign}{size}{letter + raised if power else ''}"
    return text or "0"


def roots_above(polynomials: Iterable[Coefficients], least: Fraction = Fraction(1)) -> list[Root]:
    """All real roots > `least` of irreducible integer polynomials, in order, in disjoint intervals.

    Parameters
    ----------
    polynomials
        Their coefficients, the constant first; irreducible, and no two the same up to a factor.
    least
        Where to begin.

    Notes
    -----
    By Descartes' rule a polynomial has no such root if p(x + least) has no change of sign. For the
    others all complex roots are enclosed in balls, with more bits until balls of real roots are
    disjoint and none of them contains `least`. Different irreducible polynomials share no root, so
    that this ends.
    """
    hopeful = [c for c in polynomials if _may_have_one(c, least)]
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        found = _enclosed(hopeful, least, bits)
        if found is not None and all(a.high < b.low for a, b in pairwise(found)):
            return found
        bits *= 2
    raise Uncertified(
        f"roots should lie apart from each other and from {least}, but {_MOST_BITS:,} bits did not "
        "tell them apart; give irreducible polynomials, each of them once"
    )


def _may_have_one(coefficients: Coefficients, least: Fraction) -> bool:
    from flint import fmpz_poly

    p, q = (
        least.numerator,
        least.denominator,
    )  # q^degree·f((x + p)/q) has the signs of f(x/q + least)
    scaled = [c * q ** (len(coefficients) - 1 - i) for i, c in enumerate(coefficients)]
    signs = [c > 0 for c in fmpz_poly(scaled)(fmpz_poly([p, 1])).coeffs() if c != 0]
    return any(a != b for a, b in pairwise(signs))


def _enclosed(polynomials: list[Coefficients], least: Fraction, bits: int) -> list[Root] | None:
    """The roots in order of their lower ends; None if a ball contains `least`."""
    from flint import fmpz_poly

    found = []
    with ball_precision(bits):
        for c in polynomials:
            if len(c) == 2:
                value = Fraction(-c[0], c[1])
                if value > least:
                    found.append(Root(c, value, value))
                continue
            p: Polynomial = fmpz_poly(list(c))
            for root, _ in p.complex_roots():
                if root.imag != 0:  # flint tells real roots from others
                    continue
                low, high = dyadic(root.real.lower()), dyadic(root.real.upper())
                if low <= least <= high:
                    return None
                if low > least:
                    found.append(Root(c, low, high))
    return sorted(found, key=lambda root: root.low)


def irreducible_factors(p: Polynomial) -> tuple[int, list[tuple[Coefficients, int]]]:
    """The sign of the content, and the factors with positive leading coefficient and exponents."""
    unit, parts = p.factor()
    found = []
    sign = 1 if unit > 0 else -1
    for factor, exponent in parts:
        c = tuple(int(value) for value in factor.coeffs())
        if c[-1] < 0:
            c, sign = tuple(-value for value in c), sign * (-1) ** exponent
        found.append((c, exponent))
    return sign, found


def samples(roots: list[Root], least: Fraction = Fraction(1)) -> list[Fraction]:
    """A rational number with few digits before, between and after roots: one more than roots."""
    lows = [*(root.low for root in roots), None]
    highs = [least, *(root.high for root in roots)]
    return [simplest_between(high, low) for high, low in zip(highs, lows, strict=True)]


def simplest_between(low: Fraction, high: Fraction | None) -> Fraction:
    """The fraction with the least denominator strictly between; None stands for infinity."""
    floor = math.floor(low)
    if high is None or floor + 1 < high:
        return Fraction(floor + 1)
    if low == floor:  # between floor and high ≤ floor + 1
        return floor + 1 / Fraction(math.floor(1 / (high - floor)) + 1)
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
