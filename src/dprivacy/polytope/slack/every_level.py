"""The number of extreme points by δ for every a = e^ε ≥ 1 at once, proved interval by interval.

A walk over polynomials in a holds between two roots of what it asked for; a walk at each such root
closes the gap. Together they cover all a.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count

from dprivacy.numbers import Root
from dprivacy.polytope.slack.edge_walk import Told, Walk
from dprivacy.polytope.slack.level_tables import Curve, LevelCell, LevelTable, level_table
from dprivacy.polytope.slack.ordered_rings import AtEvery, AtRational, AtRoot, SampleIsRoot
from dprivacy.polytope.slack.root_signs import compared, narrowed


def cell_at(n: int, m: int, a: Fraction, told: Told = None) -> LevelCell:
    """The counts at one rational a."""
    walk = Walk(n, m, AtRational(a))
    found = level_table(walk, told)
    levels = tuple(Curve((top,), (bottom,)) for top, bottom in found.levels)
    place = _number(a)
    return LevelCell(place, place, levels, found.at, found.between)


def cell_at_root(n: int, m: int, a: Root) -> LevelCell:
    """The counts at one algebraic a; each δ is written as a polynomial in a."""
    if a.rational is not None:
        return replace(cell_at(n, m, a.rational), low=a, high=a)
    walk = Walk(n, m, AtRoot(a))
    found = level_table(walk)
    return LevelCell(a, a, _curves(found), found.at, found.between)


def cell_around(n: int, m: int, sample: Fraction) -> LevelCell:
    """The counts for all a of an interval around a sample, as wide as one walk proves."""
    ring = AtEvery(sample)
    walk = Walk(n, m, ring)
    found = level_table(walk)
    low, high = ring.range()
    low = low or _number(Fraction(1))
    return LevelCell(low, high, _curves(found), found.at, found.between)


def _number(a: Fraction) -> Root:
    """A rational number as a root."""
    return Root((-a.numerator, a.denominator), a, a)


def _curves(found: LevelTable) -> tuple[Curve, ...]:
    coefficients = [[tuple(int(c) for c in v.coeffs()) for v in ratio] for ratio in found.levels]
    return tuple(Curve(top, bottom) for top, bottom in coefficients)


def every_cell(n: int, m: int, told: Told = None) -> tuple[LevelCell, ...]:
    """All a ≥ 1 in order: single values and the open intervals between them, alike ones joined."""
    cells, done = [cell_at(n, m, Fraction(1))], 1
    for cell in _covered(n, m, _number(Fraction(1)), None):
        cells.append(_as_beside(cell, cells[-1]))
        done += 1
        if told is not None:
            told(done, done)
        if len(cells) > 3 and _alike(*cells[-3:]):  # interval, its end, interval
            cells[-3:] = [replace(cells[-3], high=cell.high)]
    return tuple(cells)


def _covered(n: int, m: int, low: Root, high: Root | None) -> Iterator[LevelCell]:
    """Cells from left to right that cover all a strictly between two bounds."""
    middle = _cell_inside(n, m, low, high)
    if compared(middle.low, low) > 0:
        yield from _covered(n, m, low, middle.low)
        yield cell_at_root(n, m, middle.low)
        low = middle.low
    end = middle.high
    if end is None or (high is not None and compared(end, high) >= 0):
        yield replace(middle, low=low, high=high)
        return
    yield replace(middle, low=low)
    yield cell_at_root(n, m, end)
    yield from _covered(n, m, end, high)


def _cell_inside(n: int, m: int, low: Root, high: Root | None) -> LevelCell:
    """The cell around some sample between two bounds."""
    for sample in _samples(low, high):
        try:
            return cell_around(n, m, sample)
        except SampleIsRoot:
            continue
    raise AssertionError("samples do not end")


def _samples(low: Root, high: Root | None) -> Iterator[Fraction]:
    """Rationals strictly between two bounds, short ones first."""
    while high is not None and low.high >= high.low:
        low, high = narrowed(low), narrowed(high)
    left = low.high
    right = left + 3 if high is None else high.low
    tried = set()
    for parts in count(1):
        for odd in range(1, 1 << parts, 2):  # halves, then quarters, …
            exact = left + (right - left) * Fraction(odd, 1 << parts)
            short = (exact.limit_denominator(most) for most in (10, 100, 10_000))
            for near in (*short, exact):
                if left < near < right and near not in tried:
                    tried.add(near)
                    yield near
                    break


def _as_beside(cell: LevelCell, left: LevelCell) -> LevelCell:
    """A single irrational a with its levels written as the curves that lead to them from the left.

    The polytope depends continuously on a, so each of its vertices is a limit of vertices nearby.
    """
    if not cell.single or cell.low.rational is not None:
        return cell
    curves = [next(c for c in left.levels if c.meets(level, cell.low)) for level in cell.levels]
    return replace(cell, levels=tuple(curves))


def _alike(left: LevelCell, end: LevelCell, right: LevelCell) -> bool:
    """Whether two intervals and the value between them have the same curves and the same counts."""
    counts = {(cell.at, cell.between) for cell in (left, end, right)}
    if len(counts) > 1 or left.levels != right.levels:
        return False
    return all(p.meets(q, end.low) for p, q in zip(left.levels, end.levels, strict=True))
