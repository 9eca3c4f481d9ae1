"""Counts that remember their parts: whole numbers with the tables they are the sums of."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from dprivacy.model import Answer, Pictured, about, counted
from dprivacy.numbers import Level


@dataclass(frozen=True, eq=False, repr=False)
class Count(Answer, Pictured, int):
    """A whole number with its parts."""

    total: int
    exact: ClassVar[bool] = True

    def __new__(cls, total: int, **parts: Any) -> Self:
        """The number; its parts are the fields."""
        return int.__new__(cls, total)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KernelCount(Count):
    """The number of kernels of a space at a level; an int with its parts.

    `by_posteriors` counts them by number of posteriors; `classes` counts them up to the `symmetries`
    of the space (both None when the space has very many); `vertices` is the number of vertices of the
    space of private hypers, with δ > 0 of rays of the fan; `eps`, `delta` and `points` say what was
    counted.

    Examples
    --------
    >>> from dprivacy.polytope import count_kernels
    >>> found = count_kernels("line:4", eps="ln 2")
    >>> int(found), found.vertices, found.classes
    (11, 8, 7)
    """

    points: int
    eps: Level
    vertices: int
    by_posteriors: Mapping[int, int]
    classes: int | None
    symmetries: int | None
    delta: Fraction = Fraction(0)

    def explain(self) -> str:
        """The count in words."""
        if not self.eps and not self.delta:
            return (
                "At ε = 0 all entries of a column are equal: the uniform distribution is the one "
                "vertex, and the channel that says nothing is the one kernel."
            )
        parts = ", ".join(f"{count:,} with {k}" for k, count in self.by_posteriors.items())
        made = ("ray", "rays of the fan") if self.delta else ("vertex", "vertices")
        lines = [
            f"{counted(self, 'kernel')} on {counted(self.points, 'point')} at ε = "
            f"{about(self.eps)}{f', δ = {self.delta}' if self.delta else ''}, made of "
            f"{counted(self.vertices, *made)}.",
            f"By number of posteriors: {parts}.",
        ]
        if self.classes is not None and self.symmetries is not None:
            lines.append(
                f"Up to the {counted(self.symmetries, 'symmetry', 'symmetries')} of the space: "
                f"{self.classes:,}."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The count as plain data."""
        return {
            **self._told("points", "eps", "delta", "vertices"),
            "kernels": int(self),
            **self._told("by_posteriors", "classes", "symmetries"),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExtremePointCount(Count):
    """The number of extreme points of the local-privacy polytope; an int with its parts.

    `table` counts them by (number of non-zero columns, number of loose entries); `classes` does the
    same up to permutations of rows and of columns. `n` inputs, `outputs` outputs, `eps` and `delta` the
    level. The loose entries of the points with one non-zero column, all of them, are not counted as
    loose: the column is free because nothing stands beside it.

    Examples
    --------
    >>> from dprivacy.polytope import count_extreme_points
    >>> found = count_extreme_points(3, eps=1)
    >>> int(found), found.by_columns
    (33, {1: 3, 2: 18, 3: 12})
    >>> found.facets, found.by_loose
    (18, {0: 33})
    """

    n: int
    outputs: int
    eps: Level
    delta: Fraction
    table: Mapping[tuple[int, int], int]
    classes: Mapping[tuple[int, int], int]

    @property
    def facets(self) -> int:
        """The number of inequalities of which none is redundant: the vertices of the dual polytope."""
        n, m = self.n, self.outputs
        if m == 1:
            return 0
        if self.delta == 1:
            return n * m
        if not self.delta:
            return n * (n - 1) * m if self.eps and n > 1 else m
        pairs = n * (n - 1) * ((1 << m) - 2)
        return n * m + (pairs if self.eps else pairs // 2)

    @property
    def by_columns(self) -> dict[int, int]:
        """By number of non-zero columns."""
        return _summed(self.table, 0)

    @property
    def by_loose(self) -> dict[int, int]:
        """By number of loose entries."""
        return _summed(self.table, 1)

    def explain(self) -> str:
        """The count in words."""
        parts = ", ".join(f"{count:,} with {k}" for k, count in self.by_columns.items())
        loose = ", ".join(f"{count:,} with {k}" for k, count in self.by_loose.items())
        lines = [
            f"{counted(self, 'extreme point')} of the {self.n}×{self.outputs} local-privacy polytope "
            f"at ε = {about(self.eps)}{f', δ = {self.delta}' if self.delta else ''}; up to "
            f"permutations {sum(self.classes.values()):,}.",
            f"By number of non-zero columns: {parts}.",
            f"By number of loose entries beside another column: {loose}.",
            f"Facets: {self.facets:,}.",
        ]
        if not self.eps and not self.delta:
            lines.append("At ε = 0 every column is constant, and only one of them is not zero.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The count as plain data."""
        return {
            **self._told("n", "outputs", "eps", "delta", "facets"),
            "extreme_points": int(self),
            **self._told("by_columns", "by_loose"),
            "table": [
                {"columns": k, "loose": loose, "count": count, "classes": self.classes[k, loose]}
                for (k, loose), count in self.table.items()
            ],
            "classes": sum(self.classes.values()),
        }


def _summed(table: Mapping[tuple[int, int], int], part: int) -> dict[int, int]:
    sums: dict[int, int] = {}
    for key, count in table.items():
        sums[key[part]] = sums.get(key[part], 0) + count
    return dict(sorted(sums.items()))
