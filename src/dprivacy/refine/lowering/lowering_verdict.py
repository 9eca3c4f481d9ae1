"""Whether lowering ε always makes the exponential mechanism of a space safer, with a witness."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.model import Channel, Verdict, about, as_space
from dprivacy.numbers import Floats, Level, Mat, ln
from dprivacy.refine.average_order import refined_on_average
from dprivacy.refine.deciding.channel_pairs import read_pair
from dprivacy.refine.deciding.refinement_verdicts import AverageRefinement
from dprivacy.refine.lowering.interval_signs import Polynomial, negative_at, roots_below
from dprivacy.refine.lowering.step_polynomials import Table, entry_conditions, tree_conditions
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import SpaceLike

_MOST_WORK = 1_500  # points × diameter up to which the polynomials of all pairs are made
_LEVELS = 200  # at which a larger space is looked at in doubles
_CLEARLY = -1e-9
_HALVINGS = 40
_LONGEST = 1_000_000


@dataclass(frozen=True)
class Lowering(Verdict):
    """Whether the exponential mechanism of a space is refined by that of every lower ε.

    `reason` says what shows it. Where it fails, `levels` are the ε before and after, and `step` is the
    refutation of that step, with its adversary.

    Examples
    --------
    >>> from dprivacy.refine import exponential_monotone
    >>> print(exponential_monotone("line:100").reason)
    the points lie on an even line, for which it is a theorem
    """

    reason: str = ""
    levels: tuple[Level, Level] | None = None
    step: AverageRefinement | None = None

    def explain(self) -> str:
        """The verdict in words, with what shows it."""
        if self.holds is None:
            return f"Undecided: {self.reason}."
        lines = [super().explain(), f"{self.reason[0].upper()}{self.reason[1:]}."]
        if self.levels is not None and self.step is not None:
            before, after = (about(level) for level in self.levels)
            lines += [f"From ε = {before} to ε = {after}:", *self.step.reasons()]
        return "\n".join(lines)


@result("T", "Conj 4.20")
def exponential_monotone(space: SpaceLike) -> Lowering:
    """Whether lowering ε always makes the exponential mechanism on this space safer.

    Safer is meant in the strongest sense: the mechanism at the lower ε is a post-processing of the one
    at the higher ε, so that nobody gains from the change, whatever they want to know. Inputs and
    outputs are the points of the space.

    Parameters
    ----------
    space
        A finite space with rational distances.

    Returns
    -------
    Lowering
        Proved, refuted with two levels and an adversary, or undecided for large spaces in which a
        search found nothing.

    Raises
    ------
    NotApplicable
        Distances that are not rational, infinite, 0 between different points, or very uneven.

    Notes
    -----
    1. Even lines, stars and equal distances: theorems (see the theory page on lowering ε). It is true
       of a product with the sum of the distances exactly if it is true of every factor.
    2. Trees with equal edges: one polynomial a vertex and neighbour. Other spaces up to a size: one
       polynomial a pair. Their signs between 0 and 1 are decided exactly.
    3. Larger spaces are searched in doubles, and what is found is proved exactly.

    Examples
    --------
    >>> exponential_monotone("cube:3").status
    'proved'
    >>> from dprivacy.spaces import graph
    >>> ring = graph([(k, (k + 1) % 6) for k in range(6)])
    >>> found = exponential_monotone(ring)
    >>> found.status, [str(level) for level in found.levels]
    ('refuted', ['ln(4)', 'ln(64/25)'])
    """
    known = as_space(space)
    table, unit = _whole(known)
    claim = "lowering ε always makes the exponential mechanism on this space safer"
    denial = "lowering ε can make the exponential mechanism on this space less safe"
    theorem = _theorem(known, table)
    if theorem is not None:
        return Lowering(claim, True, True, denial=denial, reason=theorem)
    factors = _factors(known, table)
    for factor in factors:
        found = exponential_monotone(factor)
        if not found:
            return replace(found, reason=f"on a factor of the product, {found.reason}")
    if factors:
        reason = "the space is a product, and it is true of every factor"
        return Lowering(claim, True, True, denial=denial, reason=reason)
    at, settled = _suspect(known, table)
    step = None if at is None else _refuted(known, table, unit, at)
    if step is not None:
        levels, refuted = step
        reason = "a step is not a post-processing"
        return Lowering(
            claim, False, True, denial=denial, reason=reason, levels=levels, step=refuted
        )
    if settled:
        reason = "no entry of an infinitely small step is negative at any level"
        return Lowering(claim, True, True, denial=denial, reason=reason)
    reason = f"{len(known)} points are too many to decide, and no step failed at {_LEVELS} levels"
    return Lowering(claim, None, False, denial=denial, reason=reason)


def _whole(space: FiniteSpace) -> tuple[Table, Fraction]:
    """The distances as whole numbers without a common divisor, and the unit they are in."""
    whole = space.distances.integers
    if whole is None or (whole[0] + np.eye(len(space), dtype=np.int64) == 0).any():
        raise NotApplicable(
            "lowering ε is decided for rational distances that are above 0 between different points; "
            "compare two levels with refines"
        )
    numerators, den = whole
    divisor = int(np.gcd.reduce(numerators, axis=None)) or 1
    longest = int(numerators.max()) // divisor
    if longest > _LONGEST:
        raise NotApplicable(
            f"the longest distance is {longest:.3g} times the unit in which all distances are whole "
            f"numbers, and at most {_LONGEST:,} can be looked at; compare two levels with refines"
        )
    return (numerators // divisor).astype(np.int64), Fraction(divisor, den)


def _theorem(space: FiniteSpace, table: Table) -> str | None:
    """The theorem that covers a space, if one does."""
    n = len(space)
    if n <= 2 or space.uniform_distance is not None:
        return "all points are equally far apart, for which it is a theorem"
    if not _even_tree(space, table):
        return None
    degrees = (table == 1).sum(axis=1)
    if degrees.max() <= 2:
        return "the points lie on an even line, for which it is a theorem"
    if degrees.max() == n - 1:
        return "the points form a star, for which it is a theorem"
    return None


def _even_tree(space: FiniteSpace, table: Table) -> bool:
    """Whether the pairs that no third point implies are a tree with equal edges, of length 1."""
    return len(space.edges) == len(space) - 1 and bool((table[tuple(space.edges.T)] == 1).all())


def _factors(space: FiniteSpace, table: Table) -> list[FiniteSpace]:
    """The factors of a product whose labels are tuples and whose distances add up; none otherwise."""
    if not all(isinstance(label, tuple | str) for label in space.labels):
        return []
    places = [tuple(label) for label in space.labels]
    width = len(places[0])
    if width < 2 or any(len(place) != width for place in places):
        return []
    sides = [list(dict.fromkeys(column)) for column in zip(*places, strict=True)]
    position = {place: i for i, place in enumerate(places)}
    if math.prod(map(len, sides)) != len(places):
        return []
    total, axes = np.zeros_like(table), []
    for k, side in enumerate(sides):
        axis = [position[*places[0][:k], value, *places[0][k + 1 :]] for value in side]
        where = [side.index(place[k]) for place in places]
        total += table[np.ix_(axis, axis)][np.ix_(where, where)]
        axes.append(axis)
    axes = [axis for axis in axes if len(axis) > 1]
    if len(axes) < 2 or (total != table).any():
        return []
    return [space.restrict([space.labels[i] for i in axis]) for axis in axes]


def _suspect(space: FiniteSpace, table: Table) -> tuple[Fraction | None, bool]:
    """An α at which a small step fails, if one was found, and whether all were looked at."""
    if _even_tree(space, table):
        return _first_negative(list(tree_conditions(table)), Fraction(1)), True
    if len(table) * int(table.max()) <= _MOST_WORK // len(table):
        det, entries = entry_conditions(table)
        singular = roots_below(det)
        end = singular[0][0] if singular else Fraction(1)
        found = _first_negative(entries, end)
        return found, not singular
    levels = [Fraction(k, _LEVELS) for k in range(1, _LEVELS)]
    return next((at for at in levels if _smallest_step(table, float(at)) < _CLEARLY), None), False


def _first_negative(polynomials: list[Polynomial], end: Fraction) -> Fraction | None:
    found = (negative_at(p, end) for p in polynomials)
    return next((at for at in found if at is not None), None)


def _smallest_step(table: Table, alpha: float) -> float:
    """The smallest entry off the diagonal of α·Q, in doubles."""
    K: Floats = alpha ** table.astype(np.float64)
    E = K / K.sum(axis=1, keepdims=True)
    moved = E * (table - (E * table).sum(axis=1, keepdims=True))
    try:
        step = np.linalg.solve(E, moved)
    except np.linalg.LinAlgError:
        return 0.0
    np.fill_diagonal(step, 0.0)
    return float(step.min())


def _refuted(
    space: FiniteSpace, table: Table, unit: Fraction, alpha: Fraction
) -> tuple[tuple[Level, Level], AverageRefinement] | None:
    """Two levels of which the lower is not a post-processing of the higher, and what refutes it."""
    before, high = _channel(space, table, alpha), 2 / unit * ln(1 / alpha)
    step = (1 - alpha) / 4
    for _ in range(_HALVINGS):
        beta = (alpha + step).limit_denominator(10_000)
        if beta > alpha:
            low = 2 / unit * ln(1 / beta)
            names = (f"ε = {float(high):.4g}", f"ε = {float(low):.4g}")
            after = _channel(space, table, beta)
            found = refined_on_average(read_pair(before, after), names)
            if found.holds is False:
                return (high, low), found
        step /= 2
    return None


def _channel(space: FiniteSpace, table: Table, alpha: Fraction) -> Channel:
    powers = [alpha**k for k in range(int(table.max()) + 1)]
    rows = [[powers[d] for d in row] for row in table.tolist()]
    return Channel(
        space.labels, space.labels, Mat.of([[v / sum(row) for v in row] for row in rows])
    )
