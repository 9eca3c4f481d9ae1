"""The constraints of a piece at every scale: ε·d as whole numbers, e^(ε·d) as balls or rationals."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.design.problems.independent_pieces import Piece, reach_of
from dprivacy.numbers import Floats, Level, as_level, ln

_FINE = 140  # −log₂ of what ε·d, or the share of d, may lose where distances have no common unit
_NUDGES = 12  # bits of the whole numbers that keep two sums of distances from being equal
_TINY = 20  # −log₂ of their size in comparison with a difference of two sums
_COARSE = 8  # log₂ of more than what rounding a sum of distances to whole numbers comes to
_ROUGHLY, _LEAST = (
    2.0**-30,
    2.0**-44,
)  # the same in floats, of the shortest and the longest distance
_WORD = 2**60
_RESERVE = 64  # bits beyond the precision of the balls in which factors are known

Ball = Any  # of python-flint, which has no types
Balls = list[Ball]


@dataclass(frozen=True, eq=False)
class Cone:
    """The constraints of a piece.

    Attributes
    ----------
    lengths
        ε·d in whole numbers of a tiny unit, each a little longer by an amount of its own, so that no
        two sums agree and no way round is shorter. A column that keeps these, rounded to its tight
        pairs, keeps ε·d.
    rough
        The same in floats, with larger amounts in the same proportions.
    codes
        Which of the distinct factors e^(ε·d) a pair has.
    exact
        Those factors where all are rational.
    eps, distances
        The level, and the distances whose factors they are: the space's own, or (where those have no
        common unit) rationals just below them.
    """

    lengths: NDArray[Any]
    rough: Floats
    codes: NDArray[np.int64]
    exact: tuple[Fraction, ...] | None
    eps: Level
    distances: tuple[Fraction, ...]

    @classmethod
    def of(cls, piece: Piece) -> "Cone":
        """The cone of a piece without a spanner.

        Notes
        -----
        1. Rational distances have a common unit, and different sums differ by a unit at least.
        2. Rational factors have logarithms whose sums, where they differ, do so by 2^(−bits of the
           products) at least.
        3. Other distances are taken a little shorter, to multiples of a tiny unit; then they have one.
        """
        table, values = piece.space.distances.table, piece.space.distances.values
        assert values is not None
        n, used = piece.n, np.unique(table)
        codes = np.searchsorted(used, table).astype(np.int64)
        levels = [values[code] for code in used.tolist()]
        nudges = _nudges(n)
        unit = (n + 2) << (_NUDGES + _TINY)
        exact = None
        if piece.rational:
            exact = tuple(reach_of(piece.eps, value, None).low for value in levels)
        if all(isinstance(value, Fraction) for value in levels):
            distances = tuple(Fraction(value) for value in levels)
            whole = _whole(distances)
        elif exact is not None:
            distances = tuple(Fraction(0) for _ in levels)  # only the factors count
            bits = 2 * (n + 1) * max((q.numerator * q.denominator).bit_length() for q in exact)
            whole = [_logarithm(q, bits) for q in exact]
        else:
            apart = piece.space.distances.floats
            shortest, longest = apart[apart > 0].min(), apart.max()
            fine = max(0, _FINE + math.ceil(math.log2(max(float(piece.eps), 1 / shortest))))
            grain = Fraction(1, 1 << fine)
            bits = fine + max(0, math.ceil(math.log2(longest))) + _RESERVE
            below = [int(as_level(value).bounds(bits)[0] / grain) for value in levels]
            # As much shorter as the nudges at most make up for, in proportion: a metric, as below.
            least, most = min(value for value in below if value), 1 << (_NUDGES + _COARSE)
            short = np.array([value - -(-value * most // least) for value in below], dtype=object)
            short = short[codes] + (nudges.astype(object) << _COARSE)
            np.fill_diagonal(short, 0)
            short = _closed(short)
            steps, inverse = np.unique(short, return_inverse=True)
            codes = inverse.reshape(n, n).astype(np.int64)
            whole = [int(step) for step in steps]
            distances = tuple(step * grain for step in whole)
        small = 4 * max(whole) * unit < _WORD
        # Nudges differ by less than a factor of 2, so that lengths with them are a metric still.
        unit -= 1 << _NUDGES
        lengths = np.array([value * unit for value in whole], dtype=np.int64 if small else object)
        spread = lengths[codes] + nudges
        np.fill_diagonal(spread, 0)
        tiny = max(piece.nearest * _ROUGHLY, piece.scaled.max() * _LEAST)
        rough = piece.scaled + nudges * (tiny / (1 << _NUDGES))
        np.fill_diagonal(rough, 0.0)
        return cls(spread, rough, codes, exact, piece.eps, distances)

    @property
    def unit(self) -> float:
        """The unit of the lengths."""
        return float(self.rough.max()) / float(self.lengths.max())

    def factors(self, bits: int) -> tuple[Balls, Balls]:
        """e^(ε·d) and e^(−ε·d) by code, as balls in the precision that holds."""
        from flint import arb, fmpq

        if self.exact is not None:
            up = [arb(fmpq(q.numerator, q.denominator)) for q in self.exact]
        else:
            low, high = self.eps.bounds(bits + _RESERVE)
            middle = (low + high) / 2
            levels = [middle * d for d in self.distances]
            up = [arb(fmpq(q.numerator, q.denominator)).exp() for q in levels]
        return up, [1 / ball for ball in up]

    def exact_factors(self) -> tuple[list[Any], list[Any]]:
        """The same as flint's rationals."""
        from flint import fmpq

        assert self.exact is not None
        up = [fmpq(q.numerator, q.denominator) for q in self.exact]
        return up, [1 / q for q in up]


def _whole(distances: tuple[Fraction, ...]) -> list[int]:
    """Rationals as whole numbers of their common unit."""
    common = math.lcm(*(d.denominator for d in distances))
    whole = [int(d * common) for d in distances]
    unit = math.gcd(*whole) or 1
    return [value // unit for value in whole]


def _logarithm(factor: Fraction, bits: int) -> int:
    """ln factor in units of 2^−bits."""
    return int(ln(factor).bounds(bits + _RESERVE)[0] * (1 << bits)) if factor != 1 else 0


def _closed(table: NDArray[Any]) -> NDArray[Any]:
    """Lengths of shortest paths."""
    table = table.copy()
    for k in range(len(table)):
        table = np.minimum(table, table[:, k : k + 1] + table[k])
    return table


def _nudges(n: int) -> NDArray[np.int64]:
    """Small whole numbers, one for each pair, without a pattern, and the same every time."""
    at = np.arange(1.0, n + 1)
    mixed = np.outer(at * np.sqrt(2.0), at * np.sqrt(3.0)) + np.add.outer(at, at) * np.sqrt(5.0)
    amounts = (1 << (_NUDGES - 1)) * (1.0 + (mixed + mixed.T) % 1.0)
    return np.asarray(amounts.astype(np.int64))
