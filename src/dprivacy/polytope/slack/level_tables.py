"""How many extreme points there are at every δ at once, from the lifted polytope.

L = {(C, δ) : 0 ≤ δ ≤ 1}. At a δ that no vertex of L has, the extreme points are the edges of L that
cross it; at one that some vertex has, they are those vertices and the edges that pass it. So the number
can change only at the δ of a vertex of L.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from dprivacy.numbers import Root, polynomial_text
from dprivacy.polytope.slack.edge_walk import Told, Walk
from dprivacy.polytope.slack.root_signs import sign_at


@dataclass(frozen=True)
class Curve:
    """A rational function of a = e^ε: the δ at which some vertices of the lifted polytope lie.

    `top` and `bottom` are coefficients, the constant one first.

    Examples
    --------
    >>> half = Curve((0, 1), (1, 2))
    >>> print(half, half.at(Fraction(2)))
    a/(2a + 1) 2/5
    >>> half.meets(Curve((0, 2), (2, 4)), Root((-2, 1), Fraction(2), Fraction(2)))
    True
    """

    top: tuple[int, ...]
    bottom: tuple[int, ...]

    def at(self, a: Fraction) -> Fraction:
        """Its value."""
        return _value(self.top, a) / _value(self.bottom, a)

    def meets(self, other: "Curve", a: Root) -> bool:
        """Whether two curves have the same value at an algebraic number."""
        from flint import fmpz_poly

        (p, q), (r, s) = (
            [fmpz_poly(list(part)) for part in (curve.top, curve.bottom)] for curve in (self, other)
        )
        return sign_at(p * s - r * q, a) == 0

    def __str__(self) -> str:
        top, bottom = polynomial_text(self.top, "a"), polynomial_text(self.bottom, "a")
        if bottom == "1":
            return top
        return f"{_bracketed(top)}/{bottom if bottom.isdigit() or bottom == 'a' else f'({bottom})'}"


def _value(coefficients: Sequence[int], a: Fraction) -> Fraction:
    return sum((c * a**k for k, c in enumerate(coefficients)), Fraction(0))


def _bracketed(text: str) -> str:
    return f"({text})" if " " in text else text


@dataclass(frozen=True)
class LevelCell:
    """The number of extreme points by δ, for all a = e^ε strictly between two bounds, or for one a.

    Attributes
    ----------
    low, high
        The bounds of a, real algebraic numbers; None for infinity. Where they are equal, it is that a
        alone.
    levels
        The δ of vertices of the lifted polytope, from 0 to 1, as functions of a.
    at
        How many extreme points there are at each of them.
    between
        How many there are between each two neighbours.

    Examples
    --------
    >>> from dprivacy.polytope import delta_breaks
    >>> (cell,) = delta_breaks(3, eps="ln 2").cells
    >>> [str(level) for level in cell.levels], cell.between
    (['0', '2/5', '1/2', '1'], (393, 393, 327))
    >>> cell.where, cell.single
    ('a = 2', True)
    """

    low: Root
    high: Root | None
    levels: tuple[Curve, ...]
    at: tuple[int, ...]
    between: tuple[int, ...]

    @property
    def single(self) -> bool:
        """Whether it is one a alone."""
        return self.low == self.high

    @property
    def where(self) -> str:
        """The values of a, in words."""
        if self.single:
            return f"a = {self.low}"
        return f"a > {self.low}" if self.high is None else f"{self.low} < a < {self.high}"


@dataclass(frozen=True)
class LevelTable:
    """Levels of δ as ratios of ring elements, with counts at and between them."""

    levels: tuple[tuple[Any, Any], ...]
    at: tuple[int, ...]
    between: tuple[int, ...]


def level_table(walk: Walk, told: Told = None) -> LevelTable:
    """The counts at every δ, from a walk on the lifted polytope."""
    ring, classes = walk.ring, list(walk.found(told))
    deltas: dict[Any, tuple[Any, Any]] = {}  # by the name of the ratio
    names = {}
    for found in classes:
        top, bottom = ring.reduced(found.point[-2:])
        names[found.key] = name = tuple(ring.names((top, bottom)))
        deltas[name] = (top, bottom)
    ordered = sorted(
        deltas,
        key=cmp_to_key(lambda p, q: ring.sign(_cross(deltas[p], deltas[q]))),
    )
    place = {name: k for k, name in enumerate(ordered)}
    at, between = [0] * len(ordered), [0] * (len(ordered) - 1)
    for found in classes:
        low = place[names[found.key]]
        at[low] += found.size
        for end, edges in found.ends.items():
            high = place[names[end]]
            for k in range(low, high):
                between[k] += found.size * edges
            for k in range(low + 1, high):
                at[k] += found.size * edges
    return LevelTable(tuple(deltas[name] for name in ordered), tuple(at), tuple(between))


def _cross(p: tuple[Any, Any], q: tuple[Any, Any]) -> Any:
    """A number with the sign of p − q, for two ratios with positive denominators."""
    return p[0] * q[1] - q[0] * p[1]
