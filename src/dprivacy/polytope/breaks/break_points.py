"""Where the number of kernels of a space changes with ε, exactly; in between it is constant."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from dprivacy.errors import BadNumber, NotApplicable, TooLarge
from dprivacy.model import Answer, Pictured, as_space, counted
from dprivacy.numbers import Root, as_level, as_rational, samples
from dprivacy.polytope.breaks.circuit_signs import (
    Circuits,
    Factored,
    all_polynomials,
    counts_along,
)
from dprivacy.polytope.breaks.minor_polynomials import Configuration
from dprivacy.polytope.cones.lipschitz_vertices import tight_functions
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.sources import result
from dprivacy.typing import SpaceLike

Parts = Mapping[int, int]

_MOST_SETS = 2_000_000
_MOST_MINORS = 100_000_000
_LONGEST = 64  # units between two points: the degree of the polynomials grows with it
_SHOWN = 12


@dataclass(frozen=True)
class KernelBreak:
    """A level at which the number of kernels changes.

    `root` is e^ε; `before`, `at` and `after` count kernels by number of posteriors, left of it, at it
    and right of it.

    Examples
    --------
    >>> last = kernel_breaks("line:5").breaks[-1]
    >>> print(last)
    2: 214 before, 187 at, 195 after
    >>> last.totals, last.to_dict()["at"]
    ((214, 187, 195), {'2': 1, '3': 5, '4': 24, '5': 157})
    """

    root: Root
    before: Parts
    at: Parts
    after: Parts

    @property
    def totals(self) -> tuple[int, int, int]:
        """How many kernels there are before, at and after."""
        return sum(self.before.values()), sum(self.at.values()), sum(self.after.values())

    def __str__(self) -> str:
        before, at, after = (f"{total:,}" for total in self.totals)
        return f"{self.root}: {before} before, {at} at, {after} after"

    def to_dict(self) -> dict[str, Any]:
        """The break as plain data."""
        parts = {"before": self.before, "at": self.at, "after": self.after}
        told = {k: {str(size): n for size, n in part.items()} for k, part in parts.items()}
        return {**self.root.to_dict(), **told}


@dataclass(frozen=True, eq=False, repr=False)
class KernelBreaks(Answer, Pictured):
    """The levels at which the number of kernels of a space changes, as values b of e^(ε·unit).

    The count can change at `candidates` only, in order; that is proved. `breaks` are those at which it
    does, and `first` counts the kernels, by number of posteriors, for b between 1 and the first of
    them. Where counting at every candidate is out of reach, both are None. `points`, `vertices`,
    `minors` and `polynomials` say how large the space is, how many determinants decide, and how many of
    these are different; `unit` is the distance of which all distances are multiples.

    Examples
    --------
    >>> found = kernel_breaks("line:5")
    >>> sum(found.first.values()), len(found.breaks)
    (230, 4)
    >>> sum(found.count_at("3/2").values())
    222
    >>> print(*found.samples)
    4/3 3/2 5/3 9/5 3
    """

    points: int
    unit: Fraction
    vertices: int
    minors: int
    polynomials: int
    candidates: tuple[Root, ...]
    first: Parts | None
    breaks: tuple[KernelBreak, ...] | None
    exact: ClassVar[bool] = True

    @property
    def samples(self) -> list[Fraction]:
        """A rational b in each interval between candidates; a count there holds in all of it."""
        return samples(list(self.candidates))

    def count_at(self, base: Any) -> Parts:
        """How many kernels there are, by number of posteriors, at a rational b > 1."""
        value = as_rational(base, f"e^(ε·{self.unit})")
        if value <= 1:
            raise BadNumber(f"e^(ε·{self.unit}) should be more than 1, since ε > 0, not {value}")
        if self.breaks is None or self.first is None:
            raise TooLarge(
                "kernels were not counted between the candidates, which are too many; "
                "count_kernels counts them at one level"
            )
        here = self.first
        for found in self.breaks:
            side = found.root.above(value)
            if side > 0:
                break
            here = found.at if side == 0 else found.after
        return here

    def explain(self) -> str:
        """The table in words."""
        base = "e^ε" if self.unit == 1 else f"e^(ε·{self.unit})"
        lines = [
            f"{counted(self.points, 'point')}, {counted(self.vertices, 'vertex', 'vertices')}: "
            f"{counted(self.minors, 'determinant')} with {counted(self.polynomials, 'polynomial')} "
            f"in {base}, which change sign at {counted(len(self.candidates), 'number')} above 1."
        ]
        if not self.candidates and self.first is None:
            lines.append("So the number of kernels is the same at every ε > 0.")
        elif self.first is None or self.breaks is None:
            lines.append(
                f"The count is constant between neighbours among them, from {self.candidates[0]} to "
                f"{self.candidates[-1]}. Count kernels at one level of an interval to know it in all."
            )
        elif not self.breaks:
            kernels = counted(sum(self.first.values()), "kernel")
            lines.append(f"{kernels} at every ε > 0.")
        else:
            lines.append(f"The count changes at {len(self.breaks):,} of them ({base}):")
            shown = self.breaks[:_SHOWN] if len(self.breaks) > 2 * _SHOWN else self.breaks
            lines += [f"  {found}" for found in shown]
            if len(shown) < len(self.breaks):
                lines += [
                    f"  … {len(self.breaks) - 2 * _SHOWN} more …",
                    *(f"  {found}" for found in self.breaks[-_SHOWN:]),
                ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            **self._told("points", "unit", "vertices", "minors", "polynomials", "first"),
            "candidates": [root.to_dict() for root in self.candidates],
            "breaks": None if self.breaks is None else [found.to_dict() for found in self.breaks],
            "exact": True,
        }


@result("T", "Table 6.1")
def kernel_breaks(space: SpaceLike, *, force: bool = False) -> KernelBreaks:
    """The levels at which the number of kernels changes, exactly, with the counts around them.

    Parameters
    ----------
    space
        A finite space with rational distances.
    force
        Go on although the determinants are very many.

    Returns
    -------
    KernelBreaks
        The break points as roots of integer polynomials, and the counts before, at and after each. For
        larger spaces (the line of 7, the cube) the candidates only.

    Raises
    ------
    NotApplicable
        Distances that are not rational: the vertices are then not powers of one number.
    TooLarge
        Too many vertices, or distances of very different sizes.

    Notes
    -----
    1. Let all distances be multiples of a unit, and b = e^(ε·unit). The vertices are b^g for whole
       functions g that do not depend on b.
    2. A kernel is a positive circuit of the vertices modulo (1, …, 1), which are vectors of rank
       r = n − 1. The weights of the circuit in n of them are the r×r minors with alternating signs, so
       that the signs of all minors determine the kernels.
    3. The minors are integer polynomials in b. They are computed exactly, factored, and the real roots
       above 1 isolated in disjoint intervals with rational ends. Between neighbouring roots all signs
       stay, and so does the count: this is a proof for the whole interval.
    4. At a root of a factor f the minors that f divides are 0, and the others have the signs they have
       beside it. No arithmetic with algebraic numbers is needed.
    5. From one interval to the next only sets with a minor divisible by f are looked at again.

    Examples
    --------
    >>> for found in kernel_breaks("line:5").breaks:
    ...     print(found)
    1.465571 (x³ − x² − 1): 230 before, 216 at, 222 after
    1.618034 (x² − x − 1): 222 before, 210 at, 218 after
    1.754878 (x³ − 2x² + x − 1): 218 before, 206 at, 214 after
    2: 214 before, 187 at, 195 after
    """
    unit, cone = _with_unit(space)
    if cone.n == 1:
        return KernelBreaks(1, unit, 1, 0, 0, (), {1: 1}, ())
    configuration = _configuration(cone, force)
    size = (cone.n, unit, configuration.count, configuration.minors)
    if configuration.count > 64 or math.comb(configuration.count, cone.n) > _MOST_SETS:
        factored = Factored.of(all_polynomials(configuration))
        return KernelBreaks(*size, len(factored.polynomials), factored.roots, None, None)
    circuits = Circuits.of(configuration)
    factored = Factored.of(circuits.polynomials)
    counts = list(counts_along(circuits, factored))
    breaks = [
        KernelBreak(root, before, at, after)
        for root, ((before, at), (after, _)) in zip(factored.roots, pairwise(counts), strict=True)
        if at is not None
    ]
    different = sum(1 for c in factored.polynomials if c)
    return KernelBreaks(*size, different, factored.roots, counts[0][0], tuple(breaks))


def _with_unit(space: SpaceLike) -> tuple[Fraction, Cone]:
    """The distance of which all distances are multiples, and the cone in which its factor is 2."""
    space = as_space(space)
    whole = space.distances.integers
    if whole is None:
        raise NotApplicable(
            f"{space!r} should have rational distances, so that vertices are powers of one number; use "
            "a metric such as 'grid:3x3:manhattan', or round the distances to fractions"
        )
    common = math.gcd(*whole[0].ravel().tolist())
    unit = Fraction(common, whole[1]) if common else Fraction(1)
    longest = int(whole[0].max()) // common if common else 0
    if longest > _LONGEST:
        raise TooLarge(
            f"the largest distance should be at most {_LONGEST} times the unit of all distances, which "
            f"is {unit}, not {longest:,} times: the polynomials in e^(ε·{unit}) would have very high "
            "degrees; round the distances to multiples of a larger unit"
        )
    return unit, Cone.of(space, as_level("ln 2") * (1 / unit))


def _configuration(cone: Cone, force: bool) -> Configuration:
    """The differences of the vertices along a tree of edges."""
    powers = cone.powers
    assert powers is not None
    levels = []
    for g in tight_functions(cone.n, powers[1]):
        levels.append(g)
        if not force and math.comb(len(levels), cone.n - 1) > _MOST_MINORS:
            raise TooLarge(
                f"with {len(levels)} vertices or more, {math.comb(len(levels), cone.n - 1):,} "
                "determinants or more decide the kernels; pass force=True to compute them "
                "nevertheless, or count the kernels at one level"
            )
    return Configuration.of(levels, _tree(cone.n, powers[1]))


def _tree(n: int, edges: tuple[tuple[int, int, int], ...]) -> list[tuple[int, int]]:
    """Edges that connect all points without a cycle, short ones first."""
    part = list(range(n))
    tree = []
    for i, j, _ in sorted(edges, key=lambda edge: edge[2]):
        if part[i] != part[j]:
            tree.append((i, j))
            old = part[j]
            part = [part[i] if p == old else p for p in part]
    return tree
