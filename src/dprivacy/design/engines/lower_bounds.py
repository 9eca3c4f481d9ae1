"""Lower bounds that anyone can check: no private channel has a smaller expected loss.

For weights f ≥ 0 on the constraints z[x] ≤ e^(ε·d)·z[x'] of every output, let

    g[x, y] = costs[x, y] − Σ f·(e^(ε·d)·[x is below] − [x is above]).

A private channel C pays Σ costs·C ≥ Σ g·C, since each constraint has the right sign, and
Σ g·C ≥ Σ_x min_y g[x, y], since rows sum to 1. So any f at all gives a bound, and the multipliers
λ_x = min_y g[x, y] with the flows f are its proof.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.design.problems.approximation import Flows
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.numbers import fraction_of


@dataclass(frozen=True, eq=False)
class ExactFlows:
    """Dual weights as rationals: {(output, above, below): amount}, by position."""

    amounts: dict[tuple[int, int, int], Fraction]


@dataclass(frozen=True, eq=False)
class Bound:
    """A lower bound on the loss of a piece, with its proof: one multiplier a row, and the flows."""

    value: Fraction
    multipliers: tuple[Fraction, ...]
    flows: Flows | ExactFlows

    def holds(self, piece: Piece) -> bool:
        """Check the proof again in rationals, from the flows alone."""
        again = bound_of_exact(piece, exact_flows(self.flows))
        return sum(self.multipliers, Fraction(0)) == self.value and all(
            mine <= best for mine, best in zip(self.multipliers, again.multipliers, strict=True)
        )


def exact_flows(flows: Flows | ExactFlows) -> ExactFlows:
    """The same flows as rationals: a double is its exact binary value."""
    if isinstance(flows, ExactFlows):
        return flows
    amounts: dict[tuple[int, int, int], Fraction] = {}
    columns = (flows.outputs, flows.above, flows.below, flows.amounts)
    for y, i, j, amount in zip(*(column.tolist() for column in columns), strict=True):
        if amount > 0:
            amounts[y, i, j] = amounts.get((y, i, j), Fraction(0)) + Fraction(amount)
    return ExactFlows(amounts)


def bound_of_exact(piece: Piece, flows: ExactFlows) -> Bound:
    """The bound of rational flows, in rational arithmetic."""
    from flint import fmpq

    den = piece.costs.den
    left = [[fmpq(v, den) for v in row] for row in piece.costs.entries.tolist()]
    highs: dict[int, Any] = {}
    codes, values = piece.space.distances.table, piece.space.distances.values
    assert values is not None
    for (y, i, j), amount in flows.amounts.items():
        code = int(codes[i, j])
        if code not in highs:
            high = piece.high(values[code])
            highs[code] = fmpq(high.numerator, high.denominator)
        flow = fmpq(amount.numerator, amount.denominator)
        left[j][y] -= flow * highs[code]
        left[i][y] += flow
    multipliers = tuple(fraction_of(min(row)) for row in left)
    return Bound(sum(multipliers, Fraction(0)), multipliers, flows)


def bound_of_nothing(piece: Piece) -> Bound:
    """The bound without flows: to every secret its cheapest output."""
    least = piece.costs.entries.min(axis=1).tolist()
    multipliers = tuple(Fraction(value, piece.costs.den) for value in least)
    return Bound(sum(multipliers, Fraction(0)), multipliers, ExactFlows({}))


def bound_of_floats(piece: Piece, flows: Flows) -> Bound:
    """The bound of flows in doubles; every rounding is taken downward, so that it stays a bound.

    Notes
    -----
    1. Each term f·e^(ε·d) is rounded up, from a double above e^(ε·d).
    2. g[x, y] is a sum in doubles, less twice what its additions can have erred by.
    3. The multipliers are doubles; their sum is exact.
    """
    ceilings = piece.ceilings(flows.above, flows.below)
    usable = (flows.amounts > 0) & np.isfinite(ceilings)
    amounts = flows.amounts[usable]
    with np.errstate(over="ignore"):
        lost = np.nextafter(amounts * ceilings[usable], np.inf)
    outputs, above, below = (side[usable] for side in (flows.outputs, flows.above, flows.below))
    rows = np.maximum(np.nextafter(piece.costs.floats, -np.inf), 0.0)
    sizes = rows.copy()
    for x, terms in ((above, amounts), (below, -lost)):
        np.add.at(rows, (x, outputs), terms)
        np.add.at(sizes, (x, outputs), np.abs(terms))
    counts = np.bincount(np.concatenate([above, below]) * piece.m + np.tile(outputs, 2))
    # Each addition errs by at most 2⁻⁵³ of a partial sum, which is at most the sum of the sizes.
    rows -= 2.0**-52 * (counts.max(initial=0) + 2) * sizes
    multipliers = tuple(Fraction(value) for value in rows.min(axis=1).tolist())
    found = Bound(sum(multipliers, Fraction(0)), multipliers, Flows(outputs, above, below, amounts))
    plain = bound_of_nothing(piece)
    return found if found.value > plain.value else plain
