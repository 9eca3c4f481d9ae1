"""Real numbers between bounds: Arb's balls, directed rounding to doubles, and quick estimates."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from threading import RLock
from typing import Any

_precision_lock = RLock()
_COARSE = 1e-290  # below this a product of doubles may lose digits to underflow


@contextmanager
def ball_precision(bits: int) -> Iterator[None]:
    """Compute with balls of this many bits; python-flint has one precision for all threads."""
    from flint import ctx

    with _precision_lock, ctx.workprec(bits):
        yield


def dyadic(ball: Any) -> Fraction:
    """An exact ball (radius 0) as a Fraction."""
    mantissa, exponent = ball.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def bounds_of_terms(
    terms: Mapping[tuple[int, Fraction | None], Fraction], bits: int
) -> tuple[Fraction, Fraction]:
    """Rational bounds of Σ r·√k·ln q, given as {(k, q): r}."""
    from flint import arb

    with ball_precision(bits):
        total = arb(0)
        for (k, q), r in terms.items():
            term = _ball(r)
            if k != 1:
                term *= arb(k).sqrt()
            if q is not None:
                term *= _ball(q).log()
            total += term
        return dyadic(total.lower()), dyadic(total.upper())


@lru_cache(maxsize=4096)
def exp_bounds(lo: Fraction, hi: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds of e^x for lo ≤ x ≤ hi, to about `bits` significant bits."""
    with ball_precision(bits):
        return dyadic(_ball(lo).exp().lower()), dyadic(_ball(hi).exp().upper())


def _ball(value: Fraction) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def root_above(square: Fraction) -> Fraction:
    """√square, or a rational just above it where that is irrational."""
    inside = (square.numerator * square.denominator) << 128
    root = math.isqrt(inside)
    return Fraction(root + (root * root != inside), square.denominator << 64)


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


def safe_float(q: Fraction) -> float:
    """The nearest double, ±inf beyond the largest."""
    try:
        return float(q)
    except OverflowError:
        return math.inf if q > 0 else -math.inf


def term_float(k: int, q: Fraction | None, r: Fraction) -> float:
    """r·√k·ln q to a few units in the last place; NaN where doubles cannot hold it that well."""
    try:
        factors = (float(r), math.sqrt(k), 1.0 if q is None else _log(q))
    except OverflowError:
        return math.nan
    value = math.prod(factors)
    return value if min(abs(value), *map(abs, factors)) > _COARSE else math.nan


def _log(q: Fraction) -> float:
    """ln q for q > 1, accurate to a few units in the last place (unless q − 1 underflows)."""
    if q < 2:
        return math.log1p(safe_float(q - 1))
    ratio = safe_float(q)
    return math.log(ratio) if ratio < math.inf else math.log(q.numerator // q.denominator)
