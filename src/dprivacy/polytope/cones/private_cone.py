"""The cone of d-private columns: the inequalities that hold in every column of a private channel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.errors import MixedArithmetic, NotAMetric, TooLarge, Uncertified
from dprivacy.model import as_space, shown
from dprivacy.numbers import Factor, Level, as_eps, as_level, power_part
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace, zero_classes
from dprivacy.typing import Label, LevelLike, SpaceLike

Column = tuple[int, ...]
Number = int | Fraction


@dataclass(frozen=True)
class Edge:
    """Two classes of points whose entries may differ by the factor e^(ε·d), and by no more."""

    i: int
    j: int
    factor: Factor


@dataclass(frozen=True)
class Inequality:
    """One facet of the cone: C[x, y] ≤ factor·C[z, y] in every column y.

    Examples
    --------
    >>> print(inequalities("line:2", eps=1)[0])
    C[0, y] ≤ e^(1)·C[1, y]
    """

    x: Label
    z: Label
    factor: Fraction | None
    level: Level

    def __str__(self) -> str:
        factor = f"e^({self.level})" if self.factor is None else str(self.factor)
        return f"C[{shown(self.x)}, y] ≤ {factor}·C[{shown(self.z)}, y]"


@dataclass(frozen=True)
class Cone:
    """{c ≥ 0 : c_x ≤ e^(ε·d(x, z))·c_z for all x, z}, ready for exact work.

    Points at distance 0 (all points, at ε = 0) must have equal entries: they are one `class`, and
    columns are tuples with one entry a class. `edges` are the pairs that imply all others.
    """

    space: FiniteSpace
    eps: Level
    classes: tuple[tuple[int, ...], ...]
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, space: SpaceLike, eps: LevelLike) -> "Cone":
        """Read a space and a level, and refuse what has no exact cone."""
        space, level = as_space(space), as_eps(eps, zero=True)
        if not space.exact:
            raise MixedArithmetic(
                f"{space!r} has float distances, and vertices are where constraints are equalities; "
                "build it from whole numbers, fractions or text such as '0.1'"
            )
        _require_finite(space)
        everything = (tuple(range(len(space))),)
        classes = zero_classes(space.distances) if level else everything
        at = [members[0] for members in classes]
        kept = space if len(at) == len(space) else space.restrict([space.labels[i] for i in at])
        factors: dict[Distance, Factor] = {}
        edges = []
        for i, j in kept.edges.tolist() if len(at) > 1 else ():
            distance = kept.distances[i, j]
            if distance not in factors:
                factors[distance] = _factor(kept, level, i, j)
            edges.append(Edge(i, j, factors[distance]))
        return cls(space, level, classes, tuple(edges))

    @property
    def n(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def label(self, i: int) -> Any:
        """The label of a class: that of its first point."""
        return self.space.labels[self.classes[i][0]]

    @cached_property
    def rational(self) -> tuple[tuple[int, int, int, int], ...]:
        """(i, j, p, q) for each edge with e^(ε·d) = p/q; Uncertified if one is not rational."""
        found = []
        for edge in self.edges:
            if edge.factor.exact is None:
                raise Uncertified(self._irrational(edge))
            found.append(
                (edge.i, edge.j, edge.factor.exact.numerator, edge.factor.exact.denominator)
            )
        return tuple(found)

    def require_rational(self) -> None:
        """Raise Uncertified, with the pair and the way out, unless all e^(ε·d) are rational."""
        len(self.rational)

    @cached_property
    def powers(self) -> tuple[Fraction, tuple[tuple[int, int, int], ...]] | None:
        """(b, edges (i, j, k)) with e^(ε·d) = b^k for whole k > 0, when one b serves all edges."""
        parts = [(i, j, *power_part(Fraction(p, q))) for i, j, p, q in self.rational]
        if not parts or len({b for _, _, b, _ in parts}) > 1:
            return None
        unit = math.gcd(*(k for *_, k in parts))
        return parts[0][2] ** unit, tuple((i, j, k // unit) for i, j, _, k in parts)

    def tight(self, column: Sequence[Number]) -> list[tuple[int, int]]:
        """The ordered pairs (i, j) with c_i = e^(ε·d)·c_j, among the edges."""
        found = []
        for edge in self.edges:
            for i, j in ((edge.i, edge.j), (edge.j, edge.i)):
                if edge.factor.compare(column[i], column[j]) == 0:
                    found.append((i, j))
        return found

    def violated(self, column: Sequence[Number]) -> Edge | None:
        """The first edge with c_i > e^(ε·d)·c_j, in that order; None for a private column."""
        for edge in self.edges:
            for i, j in ((edge.i, edge.j), (edge.j, edge.i)):
                if not edge.factor.admits(column[i], column[j]):
                    return Edge(i, j, edge.factor)
        return None

    def parts(self, column: Sequence[Number]) -> list[list[int]]:
        """The classes tied together by tight constraints; a vertex has one part."""
        root = list(range(self.n))
        for i, j in self.tight(column):
            a, b = _find(root, i), _find(root, j)
            root[max(a, b)] = min(a, b)
        groups: dict[int, list[int]] = {}
        for i in range(self.n):
            groups.setdefault(_find(root, i), []).append(i)
        return list(groups.values())

    def spread(self, column: Sequence[Any]) -> list[Any]:
        """A column on classes as a column on points."""
        values: list[Any] = [0] * len(self.space)
        for value, members in zip(column, self.classes, strict=True):
            for i in members:
                values[i] = value
        return values

    def gathered(self, column: Sequence[Any]) -> tuple[list[Any], tuple[int, int] | None]:
        """A column on points as one on classes, and two points of one class that differ, if any."""
        for members in self.classes:
            for i in members[1:]:
                if column[i] != column[members[0]]:
                    return [], (members[0], i)
        return [column[members[0]] for members in self.classes], None

    def _irrational(self, edge: Edge) -> str:
        x, z = self.label(edge.i), self.label(edge.j)
        distance = self.space.distance(x, z)
        text = (
            f"e^(ε·d) is not rational for {shown(x)} and {shown(z)} (ε = {self.eps}, d = {distance}), "
            "so that the vertices have no exact coordinates; "
        )
        whole = self.space.distances.integers
        if whole is None:
            return text + (
                "use a metric with rational distances, such as 'grid:3x3:manhattan' for a grid (which "
                "is Euclidean unless it says otherwise), and ε = ln(q) with q rational"
            )
        unit = Fraction(math.gcd(*whole[0].ravel().tolist()), whole[1])
        below = Factor(self.eps * unit).low
        q = Fraction(math.floor(below * 1000), 1000)
        q = q if q > 1 else 1 + (below - 1).limit_denominator(10**9) / 2
        near = f"ln({q})" if unit == 1 else f"{1 / unit} ln({q})"
        return (
            text + f"take ε = ln(q) with q rational: '{near}' is a little smaller, so more private"
        )


def _find(root: list[int], i: int) -> int:
    while root[i] != i:
        i = root[i]
    return i


def _require_finite(space: FiniteSpace) -> None:
    floats = space.distances.floats
    for i in range(len(space)):
        for j in range(i):
            if math.isinf(floats[i, j]):
                raise NotAMetric(
                    f"the distance between {shown(space.labels[j])} and {shown(space.labels[i])} is "
                    "infinite, so that nothing binds their entries to each other; take each part of "
                    "the space by itself with restrict"
                )


def _factor(space: FiniteSpace, eps: Level, i: int, j: int) -> Factor:
    distance = as_level(space.distances[i, j])
    x, z = shown(space.labels[i]), shown(space.labels[j])
    try:
        return Factor(eps * distance)
    except Uncertified:
        raise Uncertified(
            f"ε·d has no exact form for {x} and {z}: both ε = {eps} and d = {distance} are "
            "logarithms; give ε as a rational number for a space that was scaled by ln(q)"
        ) from None
    except TooLarge as reason:
        raise TooLarge(f"{x} and {z}, at distance {distance}: {reason}") from None


@result("T", "Eq 6.2")
def inequalities(space: SpaceLike, *, eps: LevelLike) -> list[Inequality]:
    """The inequalities that define the cone of ε·d-private columns, none of them implied.

    C[x, y] ≤ e^(ε·d(x, z))·C[z, y], both ways round, for the pairs that no third point lies between.

    Parameters
    ----------
    space
        A finite space with exact, finite distances.
    eps
        The level. At ε = 0 every two entries of a column must be equal, and there is no inequality
        left to list.

    Notes
    -----
    Non-negativity is not listed: for two or more points and ε > 0 it follows (P Lem 1). The printed
    form (6.2) of the first inequality is the wrong way round (E22).

    Examples
    --------
    >>> for facet in inequalities("line:3", eps="ln 2")[:2]:
    ...     print(facet)
    C[0, y] ≤ 2·C[1, y]
    C[1, y] ≤ 2·C[0, y]
    """
    cone = Cone.of(space, eps)
    found = []
    for edge in cone.edges:
        for i, j in ((edge.i, edge.j), (edge.j, edge.i)):
            found.append(
                Inequality(cone.label(i), cone.label(j), edge.factor.exact, edge.factor.level)
            )
    return found
