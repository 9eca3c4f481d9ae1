"""Quick estimates of r·√k·ln q in doubles, which know when they cannot be trusted."""

import math
from fractions import Fraction


def safe_float(q: Fraction) -> float:
    """The nearest double, ±inf beyond the largest."""
    try:
        return float(q)
    except OverflowError:
        return math.inf if q > 0 else -math.inf


def _log(q: Fraction) -> float:
    """ln q for q > 1, accurate to a few units in the last place (unless q − 1 underflows)."""
    if q < 2:
        return math.log1p(safe_float(q - 1))
    ratio = safe_float(q)
    return math.log(ratio) if ratio < math.inf else math.log(q.numerator // q.denominator)


_COARSE = 1e-290  # below this a product of doubles may lose digits to underflow


def term_float(k: int, q: Fraction | None, r: Fraction) -> float:
    """r·√k·ln q to a few units in the last place; NaN where doubles cannot hold it that well."""
    try:
        factors = (float(r), math.sqrt(k), 1.0 if q is None else _log(q))
    except OverflowError:
        return math.nan
    value = math.prod(factors)
    return value if min(abs(value), *map(abs, factors)) > _COARSE else math.nan
