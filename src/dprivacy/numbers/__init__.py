"""Exact numbers: privacy levels, matrices over one denominator, linear algebra, certified programs."""

from dprivacy.numbers.level import Level, as_eps, as_level, ln, root
from dprivacy.numbers.matrix import Mat

__all__ = ["Level", "Mat", "as_eps", "as_level", "ln", "root"]
