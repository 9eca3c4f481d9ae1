"""The law of a privacy loss on a grid, in whole numbers that are only ever rounded up.

δ(ε) = escape + Σ mass_i·(1 − e^(ε − loss_i))⁺ grows with every mass, and when mass moves to a higher
loss. So masses are integers over 2^bits, rounded up, and whatever must move, moves up: no error has
to be carried along.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

import numpy as np

from dprivacy.model import about
from dprivacy.numbers import Level, as_level, exp_bounds
from dprivacy.sources import result
from dprivacy.typing import Number

_MOST = 4096  # points of a law; one that is longer gets twice the step
_NANO = 10**9
_GUARD = 64  # more bits where exponentials are enclosed


@dataclass(frozen=True)
class GridLaw:
    """P's mass at the losses first·step, (first + 1)·step, …, and at an infinite loss.

    Parameters
    ----------
    masses, escape
        Integers over 2^bits; together they may exceed 1, by what was rounded up.
    first
        The grid's index of the first mass.
    step
        The distance of two points of the grid.
    bits
        How fine masses are.
    cut
        The most mass, in units of 2^(−bits), that is moved at each end when two laws are joined.
    """

    masses: tuple[int, ...]
    escape: int
    first: int
    step: Level
    bits: int
    cut: int

    @result("D", "Thm 10")
    def joined(self, other: "GridLaw") -> "GridLaw":
        """The law of both losses together, for releases that are independent given the secret."""
        from flint import fmpz_poly

        one, two = self, other
        while one.step < two.step:
            one = one.coarser()
        while two.step < one.step:
            two = two.coarser()
        bits, full = self.bits, 1 << self.bits
        product = fmpz_poly(list(one.masses)) * fmpz_poly(list(two.masses))
        masses = tuple(-(-int(mass) >> bits) for mass in product.coeffs())
        shares = [min(law.escape, full) for law in (one, two)]
        escape = sum(shares) - (shares[0] * shares[1] >> bits)  # 1 − (1 − e₁)(1 − e₂)
        law = replace(one, masses=masses, escape=escape, first=one.first + two.first).trimmed()
        while len(law.masses) > _MOST:
            law = law.coarser()
        return law

    def repeated(self, times: int) -> "GridLaw":
        """The law of this many such losses together, by squaring."""
        if times == 1:
            return self
        half = self.repeated(times // 2)
        twice = half.joined(half)
        return twice.joined(self) if times % 2 else twice

    def trimmed(self) -> "GridLaw":
        """Without the ends: the upper one goes to an infinite loss, the lower one moves up."""
        masses = self.masses
        high, above = len(masses), 0
        while high > 1 and above + masses[high - 1] <= self.cut:
            high -= 1
            above += masses[high]
        low, below = 0, 0
        while low < high - 1 and below + masses[low] <= self.cut:
            below += masses[low]
            low += 1
        kept = (masses[low] + below, *masses[low + 1 : high]) if masses else ()
        return replace(self, masses=kept, escape=self.escape + above, first=self.first + low)

    def coarser(self) -> "GridLaw":
        """On a grid of twice the step: what lies between its points is split over its neighbours.

        With r = e^(−step), the share 1/(1 + r) goes up and the rest down, which leaves P and Q what
        they are; the share is rounded up.
        """
        shrink = exp_bounds(*(-self.step).bounds(self.bits + _GUARD), self.bits + _GUARD)[0]
        share = math.ceil((1 << self.bits) / (1 + shrink))
        start = self.first // 2
        masses = [0] * ((self.first + len(self.masses)) // 2 - start + 1)
        for index, mass in enumerate(self.masses, self.first):
            at = index // 2 - start
            if index % 2 and mass:
                up = -(-mass * share >> self.bits)
                masses[at] += mass - up
                masses[at + 1] += up
            else:
                masses[at] += mass
        return replace(self, masses=tuple(masses), first=start, step=self.step * 2)

    def delta(self, eps: Level) -> Fraction:
        """An upper bound of δ at ε."""
        bits, full = self.bits + _GUARD, 1 << (self.bits + _GUARD)
        low = max(0, math.floor(float(eps) / float(self.step)) - 1 - self.first)
        if low >= len(self.masses):
            return min(Fraction(self.escape, 1 << self.bits), Fraction(1))
        away = eps - self.step * (self.first + low)
        # e^(ε − loss) at the first point and from point to point, both rounded down
        weight = math.floor(exp_bounds(*away.bounds(bits), bits)[0] * full)
        shrink = math.floor(exp_bounds(*(-self.step).bounds(bits), bits)[0] * full)
        total = 0
        for mass in self.masses[low:]:
            if weight < full:
                total += mass * (full - weight)
            weight = weight * shrink >> bits
        bound = Fraction(self.escape, 1 << self.bits) + Fraction(total, full << self.bits)
        return min(bound, Fraction(1))

    def eps(self, delta: Fraction) -> Level | float:
        """An ε with δ(ε) ≤ delta, in whole billionths; inf when an infinite loss is too likely.

        Doubles look for it, and `delta` proves it.
        """
        if Fraction(self.escape, 1 << self.bits) > delta:
            return math.inf
        nano = max(0, math.ceil(self._sought(float(delta)) * _NANO))
        further = 1
        while self.delta(as_level(Fraction(nano, _NANO))) > delta:
            nano, further = nano + further, further * 2
        return as_level(Fraction(nano, _NANO))

    def _sought(self, delta: float) -> float:
        step = float(self.step)
        losses = (self.first + np.arange(len(self.masses))) * step
        masses = np.array([math.ldexp(float(mass), -self.bits) for mass in self.masses])
        escape = math.ldexp(float(self.escape), -self.bits)

        def is_enough(eps: float) -> bool:
            return escape - float(masses @ np.expm1(np.minimum(eps - losses, 0.0))) <= delta

        low, high = 0.0, max(float(losses.max(initial=0.0)), 0.0)
        if is_enough(low):
            return low
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high


def all_joined(laws: list[GridLaw]) -> GridLaw:
    """The law of all losses together, the shortest first."""
    return reduce(GridLaw.joined, sorted(laws, key=lambda law: len(law.masses)))


def in_billionths(eps: Level | Number) -> str:
    """A level in a sentence; one that was rounded up to billionths as a decimal that is not less."""
    exact = as_level(eps).simplified
    if not isinstance(exact, Fraction) or exact.denominator < 10**4 or _NANO % exact.denominator:
        return about(eps)
    digits = max(0, 5 - math.floor(math.log10(exact)))
    return f"{math.ceil(exact * 10**digits) / 10**digits:.{digits}f}".rstrip("0")
