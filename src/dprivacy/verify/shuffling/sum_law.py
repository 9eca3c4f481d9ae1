"""E[(X₁ + … + X_n)⁺] for independent draws of one law, in whole numbers that are only rounded up.

(·)⁺ rises and is convex. So splitting an atom over two neighbouring points of a grid with the same mean
can only raise the expectation, and so can moving mass up; masses are integers over 2^bits, rounded up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

_MOST = 4096  # points of one draw
_LEADING = 10  # bits of n that are kept


@dataclass(frozen=True)
class SumLaw:
    """Masses at first·step, (first + 1)·step, …, and the mass that was cut off above; over 2^bits."""

    masses: tuple[int, ...]
    lost: int
    first: int
    step: Fraction
    bits: int
    cut: int

    def joined(self, other: "SumLaw") -> "SumLaw":
        """The law of the sum of two independent draws, on one grid."""
        from flint import fmpz_poly

        product = fmpz_poly(list(self.masses)) * fmpz_poly(list(other.masses))
        masses = tuple(-(-int(mass) >> self.bits) for mass in product.coeffs())
        first, lost = self.first + other.first, self.lost + other.lost
        return replace(self, masses=masses, first=first, lost=lost).trimmed()

    def trimmed(self) -> "SumLaw":
        """Without the ends: the upper one is lost, the lower one moves up."""
        masses, high, above = self.masses, len(self.masses), 0
        while high > 1 and above + masses[high - 1] <= self.cut:
            high -= 1
            above += masses[high]
        low, below = 0, 0
        while low < high - 1 and below + masses[low] <= self.cut:
            below += masses[low]
            low += 1
        kept = (masses[low] + below, *masses[low + 1 : high])
        return replace(self, masses=kept, lost=self.lost + above, first=self.first + low)

    def coarser(self) -> "SumLaw":
        """On a grid of twice the step: points between are split half and half."""
        start = self.first // 2
        masses = [0] * ((self.first + len(self.masses)) // 2 - start + 1)
        for index, mass in enumerate(self.masses, self.first):
            at = index // 2 - start
            up = -(-mass // 2) if index % 2 else 0
            masses[at] += mass - up
            if up:
                masses[at + 1] += up
        return replace(self, masses=tuple(masses), first=start, step=self.step * 2)

    def positive_part(self) -> Fraction:
        """The mean of the positive part of what was not lost."""
        pairs = enumerate(self.masses, self.first)
        return (
            sum(index * mass for index, mass in pairs if index > 0) * self.step / (1 << self.bits)
        )


def draw(atoms: Mapping[Fraction, Fraction], points: int, bits: int, cut: int) -> SumLaw:
    """One draw on a grid of so many points a standard deviation; atoms are {value: probability}."""
    low, high = float(min(atoms)), float(max(atoms))
    mean = sum(float(v) * float(w) for v, w in atoms.items())
    spread = math.sqrt(sum(float(w) * (float(v) - mean) ** 2 for v, w in atoms.items()))
    step = Fraction(max(spread / points, (high - low) / _MOST, 1e-300))
    scale, masses = 1 << bits, dict[int, int]()
    for value, weight in atoms.items():
        index = math.floor(value / step)
        whole = math.ceil(weight * scale)
        up = min(whole, math.ceil(whole * (value / step - index)))
        for at, part in ((index, whole - up), (index + 1, up)):
            masses[at] = masses.get(at, 0) + part
    first = min(masses)
    listed = tuple(masses.get(at, 0) for at in range(first, max(masses) + 1))
    return SumLaw(listed, 0, first, step, bits, cut)


def shortened(n: int) -> int:
    """At most n: its leading bits, so that few sums are left to be joined."""
    short = max(n.bit_length() - _LEADING, 0)
    return (n >> short) << short


def mean_positive_sum(
    atoms: Mapping[Fraction, Fraction], n: int, *, points: int, negligible: Fraction
) -> Fraction:
    """An upper bound of E[(sum of n draws)⁺], too high by n·max·negligible at most through what is cut.

    By squaring; the step doubles with every second one, as the standard deviation does.
    """
    top = max(atoms)
    if top <= 0:
        return Fraction(0)
    cut_off = negligible / (4 * n)
    bits = math.ceil(1 / cut_off).bit_length() + 20
    law = draw(atoms, points, bits, int(cut_off * (1 << bits)))
    total: SumLaw | None = None
    for level in range(n.bit_length()):
        if level:
            law = law.joined(law)
            if level % 2 == 0:
                law = law.coarser()
        if n >> level & 1:
            while total is not None and total.step < law.step:
                total = total.coarser()
            total = law if total is None else total.joined(law)
    assert total is not None
    return total.positive_part() + Fraction(total.lost, 1 << bits) * top * n
