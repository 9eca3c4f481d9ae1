"""Two values of one person as the privacy blanket sees them, and their bound on δ."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

from dprivacy.errors import TooLarge
from dprivacy.sources import result
from dprivacy.verify.sums.sum_law import mean_positive_sum, shortened

Row = Sequence[Fraction]
Cell = tuple[Fraction, Fraction]

_CUT = Fraction(1, 10**9)  # of δ
_WIDEST = 10**300  # what outputs may be worth that the law of a sum is computed for
_MOST_KINDS = 10_000


@dataclass(frozen=True)
class Blanket:
    """One ordered pair of inputs as the blanket sees it.

    Parameters
    ----------
    inside
        {(P/least, Q/least): least} over the outputs that every input gives; least = min over inputs.
    outside
        (P, Q) at the others.
    share
        γ = Σ least: how much of each report does not depend on the input.
    """

    inside: tuple[tuple[Cell, Fraction], ...]
    outside: tuple[Cell, ...]
    share: Fraction

    @cached_property
    def _hash(self) -> int:
        return hash((self.inside, self.outside, self.share))

    def __hash__(self) -> int:
        return self._hash

    @property
    def spread(self) -> float:
        """How far apart the two rows are, roughly: the pair that needs most comes first."""
        try:
            return sum(float(w) * float(p - q) ** 2 for (p, q), w in self.inside)
        except OverflowError:
            return math.inf

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The two rows themselves: (P, Q) at all outputs."""
        return (*((p * w, q * w) for (p, q), w in self.inside), *self.outside)

    def times(self, other: "Blanket") -> "Blanket":
        """The pair of two independent columns: blankets multiply, and so do rows."""
        inside = merged(
            ((p * r, q * s), w * v) for (p, q), w in self.inside for (r, s), v in other.inside
        )
        known = len(self.inside), len(other.inside)
        outside = [
            (p * r, q * s)
            for i, (p, q) in enumerate(self.cells)
            for j, (r, s) in enumerate(other.cells)
            if i >= known[0] or j >= known[1]
        ]
        return Blanket(inside, alike(outside), self.share * other.share)

    @result("B", "§5")
    def delta(self, n: int, a: Fraction, *, points: int, goal: Fraction) -> Fraction:
        """An upper bound of δ at e^ε = a, by cutting off at most a billionth of `goal`.

        Notes
        -----
        δ(a) ≤ E[(B₁L₁ + … + B_nL_n)⁺]/(γn) + Σ (P − a·Q)⁺ over outputs outside the blanket, with
        B_i = 1 with probability γ and L_i = (P − a·Q)/ω at an output drawn from ω = least/γ. Fewer
        reports only help the attacker, so that n may be shortened.
        """
        told = sum((max(p - a * q, Fraction(0)) for p, q in self.outside), Fraction(0))
        if not self.inside:
            return min(told, Fraction(1))
        atoms = {Fraction(0): 1 - self.share}
        for (p, q), weight in self.inside:
            value = self.share * (p - a * q)
            atoms[value] = atoms.get(value, Fraction(0)) + weight
        used, top = shortened(n), max(atoms)
        if top <= 0:
            return min(told, Fraction(1))
        if max(top, -min(atoms)) > _WIDEST:
            return Fraction(1)  # beyond doubles nothing is computed, and nothing is claimed
        negligible = _CUT * goal * self.share / top
        mean = mean_positive_sum(atoms, used, points=points, negligible=negligible)
        return min(mean / (self.share * used) + told, Fraction(1))


def merged(atoms: Iterable[tuple[Cell, Fraction]]) -> tuple[tuple[Cell, Fraction], ...]:
    """Atoms inside the blanket, equal ratios as one."""
    found: dict[Cell, Fraction] = {}
    for cell, weight in atoms:
        found[cell] = found.get(cell, Fraction(0)) + weight
    return tuple(sorted(found.items()))


def alike(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Outputs outside the blanket, those of one ratio P/Q as one; where P is 0 nothing is told."""
    found: dict[Fraction | None, Cell] = {}
    for p, q in cells:
        if p:
            ratio = p / q if q else None
            a, b = found.get(ratio, (Fraction(0), Fraction(0)))
            found[ratio] = a + p, b + q
    return tuple(sorted(found.values()))


def lowest(tables: Iterable[Sequence[Row]]) -> list[Fraction]:
    """γω: at each output the least probability that any row gives it."""
    return [min(column) for column in zip(*chain.from_iterable(tables), strict=True)]


class RowPairs:
    """The pairs of some rows under one blanket, of which each ratio is computed and compared once."""

    def __init__(self, rows: Sequence[Row], least: Row) -> None:
        self._rows, self._least = rows, least
        self._share = sum(least, Fraction(0))
        self._known = [k for k, w in enumerate(least) if w]
        ratios = [[row[k] / least[k] for k in self._known] for row in rows]
        self._values = sorted({value for row in ratios for value in row})
        rank = {value: k for k, value in enumerate(self._values)}
        self._ranks = [[rank[value] for value in row] for row in ratios]

    def of(self, i: int, j: int) -> Blanket:
        """The pair of two rows by their positions."""
        found: dict[tuple[int, int], Fraction] = {}  # ranks stand in the order of their ratios
        for k, ranks in zip(
            self._known, zip(self._ranks[i], self._ranks[j], strict=True), strict=True
        ):
            weight = self._least[k]
            found[ranks] = found[ranks] + weight if ranks in found else weight
        inside = tuple(
            ((self._values[a], self._values[b]), weight) for (a, b), weight in sorted(found.items())
        )
        outside = [
            (a, b)
            for a, b, w in zip(self._rows[i], self._rows[j], self._least, strict=True)
            if not w
        ]
        return Blanket(inside, alike(outside), self._share)


def blankets(
    rows: Sequence[Row], least: Row | None = None, *, same: bool = False
) -> dict[Blanket, tuple[int, int]]:
    """The ordered pairs of rows, those that look alike once, with the positions of one such pair.

    With `same`, the pairs of a row with itself instead: what a column says that does not change.
    """
    low = lowest([rows]) if least is None else least
    codes: dict[Cell, int] = {}  # whole numbers are compared quickly

    def coded(row: Row) -> list[int]:
        return [codes.setdefault(cell, len(codes)) for cell in zip(row, low, strict=True)]

    table = [coded(row) for row in rows]
    kinds: dict[tuple[int, ...], tuple[int, int]] = {}
    for i, j in ((i, j) for i in range(len(rows)) for j in range(len(rows)) if (i == j) == same):
        pairs = zip(table[i], table[j], strict=True)
        kinds.setdefault(tuple(sorted(a * len(codes) + b for a, b in pairs)), (i, j))
    if len(kinds) > _MOST_KINDS:
        raise TooLarge(
            f"{len(rows):,} values have {len(kinds):,} kinds of pairs, which would take minutes to "
            "compare; give the level alone, or fewer values"
        )
    seen, found = RowPairs(rows, low), dict[Blanket, tuple[int, int]]()
    for i, j in kinds.values():
        found.setdefault(seen.of(i, j), (i, j))
    return found
