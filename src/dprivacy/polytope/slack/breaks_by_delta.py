"""At which δ the number of extreme points changes, at one level or at every level at once."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dprivacy.model import Answer, Pictured, about
from dprivacy.numbers import Factor, Level, Root, as_eps, read_whole
from dprivacy.polytope.slack.edge_walk import Told
from dprivacy.polytope.slack.every_level import cell_at, every_cell
from dprivacy.polytope.slack.level_tables import Curve, LevelCell
from dprivacy.polytope.slack.slack_points import (
    closed,
    point_classes,
    require_rational,
    require_size,
    walk_seconds,
)
from dprivacy.typing import LevelLike

_HALF = Fraction(1, 2)
_LIFTED, _EVERY = 2.0, 400.0  # how much longer than one walk


@dataclass(frozen=True, repr=False)
class DeltaBreaks(Answer, Pictured):
    """How many extreme points the n×outputs polytope has at every δ, and where the number changes.

    Attributes
    ----------
    n, outputs
        The size of the matrices.
    eps
        The level; None for all levels.
    cells
        One `LevelCell` for the level; or one for ε = 0, and then as many as it takes to cover all
        a = e^ε > 1, from left to right. Each is proved for all of its a.

    Examples
    --------
    >>> print(delta_breaks(3))
    Extreme points of the 3×3 matrices that are (ε, δ)-private, a = e^ε
    a = 1:
      3 at δ = 0, 93 above
      81 at δ = 1/2, 123 above
      27 at δ = 1
    a > 1:
      33 at δ = 0, 393 above
      285 at δ = a/(2a + 1), 393 above
      285 at δ = 1/2, 327 above
      27 at δ = 1
    """

    n: int
    outputs: int
    eps: Level | None
    cells: tuple[LevelCell, ...]
    exact: ClassVar[bool] = True

    def explain(self) -> str:
        """The table in words."""
        level = "a = e^ε" if self.eps is None else f"ε = {about(self.eps)}"
        title = f"Extreme points of the {self.n}×{self.outputs} matrices that are (ε, δ)-private"
        lines = [f"{title}, {level}"]
        for cell in self.cells:
            indent = ""
            if self.eps is None:
                lines.append(f"{cell.where}:")
                indent = "  "
            for k, delta in enumerate(cell.levels):
                above = f", {cell.between[k]:,} above" if k < len(cell.between) else ""
                lines.append(f"{indent}{cell.at[k]:,} at δ = {delta}{above}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            **self._told("n", "outputs", "eps"),
            "cells": [
                {
                    "a": cell.where,
                    "levels": [str(level) for level in cell.levels],
                    "at": list(cell.at),
                    "between": list(cell.between),
                }
                for cell in self.cells
            ],
            "exact": True,
        }

    def __repr__(self) -> str:
        return f"DeltaBreaks({self.n}×{self.outputs}, {len(self.cells)} cells)"


def delta_breaks(
    n: int,
    *,
    eps: LevelLike | None = None,
    outputs: int | None = None,
    force: bool = False,
    progress: Told = None,
) -> DeltaBreaks:
    """At which δ the number of extreme points of (ε, δ)-private matrices changes, and what it is.

    Parameters
    ----------
    n
        The number of inputs.
    eps
        The level; e^ε must be rational, except with two inputs or two outputs. Without it, all levels
        at once: break points are functions of a = e^ε.
    outputs
        The number of outputs, when it is not n.
    force
        Go on although the estimate is long.
    progress
        Called with (done, known so far), from time to time.

    Returns
    -------
    DeltaBreaks
        Counts at each δ of a vertex of the lifted polytope, and between them.

    Notes
    -----
    The *lifted* polytope has δ between 0 and 1 as one more coordinate. At a δ that none of its vertices
    has, extreme points are its edges that cross this δ; so their number can change only at the δ of a
    vertex. All levels at once are found by walking over polynomials in a: every decision is the sign of
    a polynomial, and between the nearest roots of all of these the walk is the same. At the roots
    themselves it is done again, in the number field of the root. So all a are covered, with proof.

    Examples
    --------
    >>> print(delta_breaks(3, eps="ln 2"))
    Extreme points of the 3×3 matrices that are (ε, δ)-private, ε = ln(2) ≈ 0.6931
    33 at δ = 0, 393 above
    285 at δ = 2/5, 393 above
    285 at δ = 1/2, 327 above
    27 at δ = 1
    """
    n = read_whole(n, "n")
    m = n if outputs is None else read_whole(outputs, "outputs")
    factor = None if eps is None else Factor(as_eps(eps, zero=True))
    if closed(n, m, _HALF):
        cells = _closed_cells(n, m, factor)
    elif factor is not None:
        a = require_rational(factor, f"break points of {n}×{m} matrices")
        require_size(n, m, _LIFTED * walk_seconds(n, m), force=force)
        cells = (cell_at(n, m, a, progress),)
    else:
        require_size(n, m, _EVERY * walk_seconds(n, m), force=force)
        cells = every_cell(n, m, progress)
    return DeltaBreaks(n, m, None if factor is None else factor.level, cells)


def _closed_cells(n: int, m: int, factor: Factor | None) -> tuple[LevelCell, ...]:
    """One or two inputs or outputs: nothing changes between δ = 0 and δ = 1, nor with a > 1."""
    cells, one = [], Root((-1, 1), Fraction(1), Fraction(1))
    for eps, high, without in (("0", one, m), ("ln 2", None, m if n == 1 else m**n)):
        at = Factor(as_eps(eps, zero=True))
        inside = sum(kind.size for kind in point_classes(n, m, at, _HALF, force=False))
        cells.append(LevelCell(one, high, _ENDS, (without, m**n), (inside,)))
    if factor is None:
        return tuple(cells)
    return (cells[1 if factor.level else 0],)


_ENDS = (Curve((), (1,)), Curve((1,), (1,)))
