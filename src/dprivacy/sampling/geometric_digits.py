"""One digit of a geometric number: a table draw, and the exact law of what the table leaves out."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Frozen, Level, exp_bounds
from dprivacy.sampling.alias_tables import alias_table, pick
from dprivacy.sampling.lane_words import lane_of
from dprivacy.sampling.random_source import Source

BASE = 255  # digits 0 … 254, so that with the residual outcome they fill 2^8 columns
_M = 8
_GUARD = 64  # bits of precision beyond those that are asked for

Enclosed = tuple[list[int], list[int]]


class GeometricDigit(Frozen):
    """A digit D with P(d) in proportion to Q^d, Q = e^(−rate), for d < 255 or for every d ≥ 0.

    Parameters
    ----------
    rate
        The level −ln Q > 0.
    top
        Whether the digit is unbounded, P(d) = (1 − Q)·Q^d; otherwise d < 255 and
        P(d) = (1 − Q)·Q^d/(1 − Q^255).
    bits
        Bits of a random word that are used, 9 to 64.

    Notes
    -----
    With B bits:

    1. w_d = ⌊2^B·P(d)⌋ for d < 255, and ρ = 2^B − Σ w_d is the weight of the residual outcome. One
       word picks a digit or the residual outcome from an alias table with these weights.
    2. The floor comes from an enclosure of Q at growing precision. That ends: 2^B·P(d) is never an
       integer, except for an unbounded digit whose Q has a denominator 2^j with j ≤ B, and there
       the enclosure is exact. (For rational Q = a/b a bounded digit has the denominator
       Σ a^t·b^(254−t) > 2^254 in lowest terms, and an unbounded one b^(d+1). For irrational Q, a
       rational P(d) would be a relation between two neighbouring powers of Q and at most two
       others, Q^0 and Q^255; comparing exponents modulo the degree of Q shows there is none.)
    3. The residual outcome has the law r_d/ρ with r_d = 2^B·P(d) − w_d and, for an unbounded digit,
       the rest for d ≥ 255. A real V, uniform on [0, ρ), is drawn 64 bits at a time until it lies
       surely between two sums R(d) = 2^B·P(D ≤ d) − Σ_{e ≤ d} w_e.
    4. Beyond 254 an unbounded digit starts afresh: D − 255 given D ≥ 255 has the law of D.
    """

    weights: list[int]
    _rate: Level
    _top: bool
    _bits: int
    _exact: Fraction | None
    _sums: list[int]
    _residual: int
    _table: NDArray[np.uint64]

    def __init__(self, rate: Level, *, top: bool, bits: int) -> None:
        exact = rate.exp() if top else None
        if exact is not None and exact.numerator > 1 << bits:
            exact = None
        self._set(_rate=rate, _top=top, _bits=bits, _exact=exact)
        weights = self._floors()
        residual = (1 << bits) - sum(weights)
        self._set(weights=weights, _sums=list(accumulate(weights)), _residual=residual)
        self._set(_table=alias_table([*weights, residual], bits, _M))

    def add_to(self, total: NDArray[np.int64], place: int, source: Source) -> None:
        """Add an independent digit times `place` to every element of `total`."""
        digit = np.empty(total.size, dtype=np.uint8)
        pick(self._table, _M, source.words(total.size), digit)
        if place == 1:
            total += digit
        else:
            total += digit * np.int64(place)
        for i in np.flatnonzero(digit == BASE):
            total[i] = int(total[i]) + (self.resolve(lane_of(source, int(i))) - BASE) * place

    def from_words(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The digit that each word below 2^bits gives, −1 where it is left to `resolve`."""
        digit = np.empty(words.size, dtype=np.uint8)
        pick(self._table, _M, words << np.uint64(64 - self._bits), digit)
        return np.where(digit == BASE, np.int64(-1), digit.astype(np.int64))

    def resolve(self, source: Source) -> int:
        """A digit from the part of the law that `bits` bits cannot express (steps 3 and 4)."""
        v = known = 0
        while True:
            v, known = (v << 64) | source.below(1 << 64), known + 64
            digit = self._locate(v, known)
            if digit is not None:
                break
        if digit < BASE:
            return digit
        fresh = np.zeros(1, dtype=np.int64)
        self.add_to(fresh, 1, source)
        return BASE + int(fresh[0])

    def _locate(self, v: int, known: int) -> int | None:
        """The digit for every V in [v, v + 1)·ρ/2^known, 255 for any above; None if they differ."""
        precision = known + self._bits + _GUARD
        shift = precision - known
        least, most = (v * self._residual) << shift, ((v + 1) * self._residual) << shift
        at_least, at_most = self._cumulative(precision)
        for d, weight in enumerate(self._sums):
            if most <= (at_least[d] << self._bits) - (weight << precision):
                return d
            if least < (at_most[d] << self._bits) - (weight << precision):
                return None
        return BASE

    def _floors(self) -> list[int]:
        precision = 2 * self._bits + _GUARD
        while True:
            low, high = self._probabilities(precision)
            shift = precision - self._bits
            floors = [p >> shift for p in low]
            if floors == [p >> shift for p in high]:
                return floors
            precision *= 2

    def _probabilities(self, precision: int) -> Enclosed:
        """Integers around 2^precision·P(d) for each d < 255."""
        low, high = self._powers(precision)
        return self._normalised(
            [max(low[d] - high[d + 1], 0) for d in range(BASE)],
            [high[d] - low[d + 1] for d in range(BASE)],
            precision,
        )

    def _cumulative(self, precision: int) -> Enclosed:
        """Integers around 2^precision·P(D ≤ d) for each d < 255."""
        one = 1 << precision
        low, high = self._powers(precision)
        return self._normalised([one - q for q in high[1:]], [one - q for q in low[1:]], precision)

    def _normalised(self, low: list[int], high: list[int], precision: int) -> Enclosed:
        """Divide by P(D < 255), outward, if the digit is bounded."""
        if self._top:
            return low, high
        one = 1 << precision
        least, most = self._powers(precision)
        return (
            [(p << precision) // (one - least[BASE]) for p in low],
            [-((-p << precision) // (one - most[BASE])) for p in high],
        )

    def _powers(self, precision: int) -> Enclosed:
        """Integers around 2^precision·Q^d for d = 0 … 255."""
        if self._exact is not None:
            bounds = 1 / self._exact, 1 / self._exact
        else:
            least, most = self._rate.bounds(precision + _GUARD)
            bounds = exp_bounds(-most, -least, precision + _GUARD)
        q, up = _scaled(bounds[0], precision), -_scaled(-bounds[1], precision)
        low, high = [1 << precision], [1 << precision]
        for _ in range(BASE):
            low.append((low[-1] * q) >> precision)
            high.append(-((-high[-1] * up) >> precision))
        return low, high


def _scaled(q: Fraction, precision: int) -> int:
    """⌊2^precision·q⌋."""
    return (q.numerator << precision) // q.denominator
