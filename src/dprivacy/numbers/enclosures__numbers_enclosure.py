"""Rigorous enclosures of real numbers, from Arb's ball arithmetic."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from threading import RLock
from typing import Any

# python-flint keeps its working precision in one global context.
_precision_lock = RLock()


def _ball(value: Fraction) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def _dyadic(ball: Any) -> Fraction:
    """An exact ball (radius 0) as a Fraction."""
    mantissa, exponent = ball.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def bounds_of_terms(
    terms: Mapping[tuple[int, Fraction | None], Fraction], bits: int
) -> tuple[Fraction, Fraction]:
    """Rational bounds of Σ r·√k·ln q, given as {(k, q): r}."""
    from flint import arb, ctx

    with _precision_lock, ctx.workprec(bits):
        total = arb(0)
        for (k, q), r in terms.items():
            term = _ball(r)
            if k != 1:
                term *= arb(k).sqrt()
            if q is not None:
                term *= _ball(q).log()
            total += term
        return _dyadic(total.lower()), _dyadic(total.upper())


@lru_cache(maxsize=4096)
def exp_bounds(lo: Fraction, hi: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds of e^x for lo ≤ x ≤ hi, to about `bits` significant bits."""
    from flint import ctx

    with _precision_lock, ctx.workprec(bits):
        return _dyadic(_ball(lo).exp().lower()), _dyadic(_ball(hi).exp().upper())


def log_bounds(lo: Fraction, hi: Fraction, bits: int = 96) -> tuple[Fraction, Fraction]:
    """Rational bounds of ln x for 0 < lo ≤ x ≤ hi."""
    from flint import ctx

    with _precision_lock, ctx.workprec(bits):
        return _dyadic(_ball(lo).log().lower()), _dyadic(_ball(hi).log().upper())
