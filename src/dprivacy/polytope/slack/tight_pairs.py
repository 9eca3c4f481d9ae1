"""What each pair of inputs leaks above e^ε, and which entries that ties together."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from dprivacy.errors import BadLevel, WrongKind
from dprivacy.numbers import Factor, as_delta
from dprivacy.typing import NumberLike

Number = int | Fraction
Cell = tuple[int, int]


@dataclass(frozen=True)
class Leak:
    """Σ_y max(0, C[x, y] − a·C[z, y]) against δ: `side` is −1 below it, 0 at it (tight), 1 above.

    `over` are the outputs with C[x, y] > a·C[z, y], `ties` those with equality.
    """

    x: int
    z: int
    over: tuple[int, ...]
    ties: tuple[int, ...]
    side: int


def read_slack(delta: NumberLike) -> Fraction:
    """δ as an exact number from 0 to 1; a float is refused, since ties decide here."""
    if isinstance(delta, float):
        raise WrongKind(
            f"δ should be exact here, a fraction or text such as '1/10', not the float {delta!r}"
        )
    if isinstance(delta, bool):
        raise BadLevel(f"δ should be a rational number from 0 to 1, not {delta}")
    return as_delta(delta)


def leaks(table: Sequence[Sequence[Number]], factor: Factor, delta: Number) -> list[Leak]:
    """Every ordered pair of rows, for entries and δ over one denominator."""
    found = []
    for x, z in permutations(range(len(table)), 2):
        sides = [factor.compare(p, q) for p, q in zip(table[x], table[z], strict=True)]
        over = tuple(y for y, side in enumerate(sides) if side > 0)
        most = sum(table[x][y] for y in over) - delta
        least = sum(table[z][y] for y in over)
        side = -1 if most < 0 else factor.compare(most, least)
        ties = tuple(y for y, side in enumerate(sides) if side == 0)
        found.append(Leak(x, z, over, ties, side))
    return found


def pieces(table: Sequence[Sequence[Number]], found: Sequence[Leak]) -> list[tuple[Cell, ...]]:
    """The entries above 0, put together where a tie of a tight pair joins them, column by column."""
    root = {(x, y): (x, y) for y in range(len(table[0])) for x in range(len(table)) if table[x][y]}

    def top(cell: Cell) -> Cell:
        while root[cell] != cell:
            cell = root[cell]
        return cell

    for leak in found:
        for y in leak.ties if leak.side == 0 else ():
            if table[leak.x][y]:
                root[top((leak.x, y))] = top((leak.z, y))
    groups: dict[Cell, list[Cell]] = {}
    for cell in root:
        groups.setdefault(top(cell), []).append(cell)
    return [tuple(cells) for cells in groups.values()]


def equations(
    table: Sequence[Sequence[Number]],
    found: Sequence[Leak],
    parts: Sequence[Sequence[Cell]],
    factor: Factor,
) -> list[list[Fraction]]:
    """What the scales of the pieces must meet, so that C ± t·D is private for some t > 0.

    D is a scale times C on each piece. Its rows must sum to 0; and the leak of a tight pair must not
    change: Σ (D[x, y] − a·D[z, y]) = 0 over the outputs that count. Where a is irrational, all
    C[z, y] of these outputs are 0, since a multiple of a and rational numbers sum to a rational one.
    """
    a = Fraction(0) if factor.exact is None else factor.exact
    rows = []
    for x in range(len(table)):
        rows.append([Fraction(sum(table[i][y] for i, y in part if i == x)) for part in parts])
    for leak in found:
        if leak.side == 0 and leak.over:
            counted = set(leak.over)
            rows.append(
                [
                    sum(
                        (
                            Fraction(table[i][y]) * (1 if i == leak.x else -a)
                            for i, y in part
                            if y in counted and i in (leak.x, leak.z)
                        ),
                        Fraction(0),
                    )
                    for part in parts
                ]
            )
    return rows
