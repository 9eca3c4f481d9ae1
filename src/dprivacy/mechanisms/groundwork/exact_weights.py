"""Building channels out of e^(−ε·d): rational when they can be, certified integers when not."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import Uncertified
from dprivacy.model import Channel
from dprivacy.numbers import Factor, Level, Mat, as_level, exp_bounds
from dprivacy.spaces import Exact, FiniteSpace
from dprivacy.verify import bits_for, round_outward

# Real ε: everything is built at a level lower by this share, so that rounding cannot exceed it.
SLACK = 1 - Fraction(1, 1 << 30)
_MOST_EXTRA = 1100  # bits, for a level below the smallest double

Weight = Callable[[Exact], Fraction]
Rows = Callable[[Weight], Sequence[Sequence[Fraction]]]


def factor_below(level: Level, bits: int = 128) -> Fraction:
    """e^level when it is rational; otherwise a rational just below it.

    It is good to about `bits` bits after the point, and to as many more as a small level needs.
    """
    factor = Factor(level)
    if factor.exact is not None:
        return factor.exact
    size = float(level)
    bits += max(0, math.ceil(-math.log2(size))) if size > 0 else _MOST_EXTRA
    scale = 1 << bits
    low, high = level.bounds(bits + 64)
    return Fraction(int(exp_bounds(low, high, bits + 64)[0] * scale), scale)


def channel_of_exponentials(
    inputs: Sequence[Any], outputs: Sequence[Any], space: FiniteSpace, eps: Level, rows: Rows
) -> Channel:
    """A channel whose entries are built from weights e^(−ε·d).

    Parameters
    ----------
    inputs, outputs
        Labels.
    space
        The metric on the inputs (it sets the precision).
    eps
        The level asked for.
    rows
        Given the function d → e^(−ε·d), the rows of the channel.

    Notes
    -----
    1. When every weight is rational the rows are exact and are taken as they are.
    2. Otherwise weights are rationals just below e^(−ε'·d), with ε' lower than ε by a share of 2⁻³⁰,
       and the rows are rounded outward to integers over 2^b, with b large enough for the farthest
       distance that was asked for. The caller verifies the result.
    """
    try:
        table = rows(_Weights(eps, bits=0))
    except _Irrational:
        bits, needed = 0, bits_for(space, eps)
        while bits < needed:
            bits = needed
            weights = _Weights(eps * SLACK, bits=bits + 64)
            table = rows(weights)
            needed = bits_for(space, eps, reach=max(weights.known))
        return round_outward(inputs, outputs, table, bits, Fraction(0))
    return Channel(inputs, outputs, Mat.of(table))


class _Irrational(Uncertified):
    """A weight that is not a rational number."""


class _Weights:
    """e^(−ε·d) for many distances, each computed once: exactly, or from below to some bits."""

    def __init__(self, eps: Level, *, bits: int) -> None:
        self.eps, self.bits = eps, bits
        self.known: dict[Exact, Fraction] = {}

    def __call__(self, distance: Exact) -> Fraction:
        if distance not in self.known:
            self.known[distance] = self._weight(as_level(self.eps * distance))
        return self.known[distance]

    def _weight(self, level: Level) -> Fraction:
        if self.bits:
            low, high = level.bounds(self.bits)
            return exp_bounds(-high, -low, self.bits)[0]
        factor = (-level).exp()
        if factor is None:
            raise _Irrational(f"e^-({level}) is irrational")
        return factor
