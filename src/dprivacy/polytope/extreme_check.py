"""Is a matrix an extreme point of the local-privacy polytope? The rank test, with a witness."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.model import Channel, Verdict, shown
from dprivacy.numbers import Mat, null_space
from dprivacy.polytope.local_polytope import LocalTable, local_privacy, too_likely
from dprivacy.polytope.slack.edge_walk import Walk
from dprivacy.polytope.slack.ordered_rings import AtRational
from dprivacy.polytope.slack.tight_pairs import Cell, equations, leaks
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike


@dataclass(frozen=True)
class ExtremeVerdict(Verdict):
    """Whether a matrix is an extreme point, with what decides it.

    `columns` is γ(A), `loose` is λ(A); `rank` is the rank of the tight constraints (row sums and
    privacy), which must be `needed`, the number of entries. A matrix that is not extreme is the middle
    of the two `ends`, both in the polytope. `kind` is "constant" (one non-zero column), "deterministic"
    (only 0 and 1), "tame" (no loose entry) or "loose"; `statements` are the statements of P that
    describe it, where δ = 0. The `columns` of a tame one are then a kernel of the discrete metric, and
    a kernel with k posteriors gives n!/(n − k)! tame ones. With δ > 0, `tight` are the pairs of inputs
    that use all of δ. `pieces` are the entries that tight constraints tie together, each a multiple of
    the others in its piece.

    Examples
    --------
    >>> found = is_extreme([["2/3", "1/3"], ["1/3", "2/3"]], eps="ln 2")
    >>> found.kind, found.rank, found.needed
    ('tame', 4, 4)
    >>> is_extreme([["7/10", "3/10"], ["3/10", "7/10"]], eps="ln 2", delta="1/10").tight
    ((0, 1), (1, 0))
    """

    columns: tuple[Label, ...] = ()
    loose: tuple[tuple[Label, Label], ...] = ()
    rank: int = 0
    needed: int = 0
    ends: tuple[Channel, Channel] | None = None
    violated: tuple[Label, Label, Label] | None = None
    kind: str = ""
    statements: tuple[str, ...] = ()
    tight: tuple[tuple[Label, Label], ...] = ()
    pieces: tuple[tuple[tuple[Label, Label], ...], ...] = ()
    together: tuple[Label, ...] = ()

    def explain(self) -> str:
        """The verdict in words."""
        lines = [super().explain()]
        if self.violated is not None:
            x, z, y = (shown(label) for label in self.violated)
            why = f"Output '{y}' tells '{x}' from '{z}' too well."
            if self.together:
                why = too_likely(x, z, self.together)
            return f"{lines[0]} It lies outside the polytope. {why}"
        lines.append(
            f"Non-zero columns: {len(self.columns)}; loose entries: {len(self.loose)}; its tight "
            f"constraints have rank {self.rank} of {self.needed}."
        )
        if self.tight:
            pairs = ", ".join(f"({shown(x)}, {shown(z)})" for x, z in self.tight)
            lines.append(f"Pairs of inputs that use all of δ: {pairs}.")
        if self.ends is not None:
            lines.append("It is the middle of two other matrices of the polytope (see ends).")
        if self.kind:
            lines.append(f"Kind: {self.kind}.")
        return "\n".join(lines)


@result("P", "Thm 1", "Def 3", "Thm 2", "Thm 3", "Thm 4", "Lem 3")
def is_extreme(A: ChannelLike, *, eps: LevelLike, delta: NumberLike = 0) -> ExtremeVerdict:
    """Whether A is an extreme point of the local-privacy polytope.

    Parameters
    ----------
    A
        An exact matrix, or anything `as_channel` reads; square in the source, any shape here.
    eps
        The level ≥ 0, rational e^ε or not. At ε = 0 and δ = 0 only matrices that always answer the same
        are extreme.
    delta
        The slack δ from 0 to 1, exact.

    Returns
    -------
    ExtremeVerdict
        With the rank of the tight constraints; for a matrix that is not extreme, two matrices of the
        polytope of which it is the middle.

    Notes
    -----
    A is extreme when its tight constraints have full rank (P Thm 1), that is, when no change D ≠ 0
    keeps all of them. A pair (x, z) is tight when Σ_y max(0, A[x, y] − e^ε·A[z, y]) = δ; at δ = 0 all
    pairs are. Which changes keep them?

    1. An entry that is 0 must stay 0.
    2. The leak of a tight pair is convex, so each of its terms must be linear along D: where
       A[x, y] = e^ε·A[z, y], D does the same. So D scales each piece that such ties hold together.
    3. The changes of a row must add up to 0, and so must those of the terms of a tight pair that count.

    This needs the rank of a matrix with at most n² rows and a column for each piece. So an extreme
    point has at most n² pieces, hence at most n² non-zero columns (n at δ = 0).

    Examples
    --------
    >>> bool(is_extreme([["2/3", "1/3"], ["1/3", "2/3"]], eps="ln 2"))
    True
    >>> print(is_extreme([["3/5", "2/5"], ["2/5", "3/5"]], eps="ln 2").ends[0])
    Channel(2×2, exact)
         0    1
    0  1/2  1/2
    1  2/5  3/5
    """
    local = LocalTable.of(A, eps, delta)
    member = local_privacy(A, eps=eps, delta=delta)
    channel = local.channel
    level = f"an extreme point of the polytope at {local.level}"
    claim, denial = f"the matrix is {level}", f"the matrix is not {level}"
    rows, outputs = channel.matrix.shape
    if not member:
        return ExtremeVerdict(
            claim,
            False,
            True,
            violated=member.violated,
            together=member.together,
            needed=rows * outputs,
            denial=denial,
        )
    parts = local.pieces
    basis = null_space(Mat.of(equations(local.table, local.leaks, parts, local.factor)))
    used = [y for y in range(outputs) if any(row[y] for row in local.table)]
    freedom = basis.shape[0]
    extreme = freedom == 0
    loose = local.loose
    return ExtremeVerdict(
        claim,
        extreme,
        True,
        columns=tuple(channel.columns[y] for y in used),
        loose=local.named(loose),
        rank=rows * outputs - freedom,
        needed=rows * outputs,
        ends=None if extreme else _ends(local, parts, [Fraction(v) for v in basis.row(0)]),
        kind=_kind(local, len(used)) if extreme else "",
        statements=_statements(len(used), len(loose), outputs, rows)
        if extreme and not local.delta
        else (),
        denial=denial,
        tight=tuple(
            (channel.rows[leak.x], channel.rows[leak.z])
            for leak in local.leaks
            if local.delta and leak.side == 0
        ),
        pieces=tuple(local.named(part) for part in parts),
    )


def _kind(local: LocalTable, columns: int) -> str:
    if columns == 1:
        return "constant"
    if all(value in (0, local.channel.matrix.den) for row in local.table for value in row):
        return "deterministic"
    return "loose" if local.loose else "tame"


@result("P", "Thm 5", "Thm 6", "Thm 7", "Thm 8", "Cor 4", "Cor 5", "Def 6")
def _statements(columns: int, loose: int, outputs: int, rows: int) -> tuple[str, ...]:
    """What P says about an extreme point with these numbers of non-zero columns and loose entries."""
    if columns == 1:
        return ("Thm 5",)
    if loose:
        return ("Thm 4", "§5")
    found = ["Thm 7", "Cor 4"]
    if columns == 2:
        found = ["Thm 6", "Cor 3", *found]
    if columns == outputs == rows:
        found.append("Cor 5")
    return tuple(found)


def _ends(
    local: LocalTable, parts: Sequence[Sequence[Cell]], scales: Sequence[Fraction]
) -> tuple[Channel, Channel]:
    """Two matrices of the polytope with A in the middle: A ± t·D, with t as large as can be."""
    rows, outputs = local.channel.matrix.shape
    change = [[Fraction(0)] * outputs for _ in range(rows)]
    for part, scale in zip(parts, scales, strict=True):
        for x, y in part:
            change[x][y] = scale * local.table[x][y]
    step = _largest_step(local, change)
    while True:
        ends = [
            [
                [local.table[x][y] + sign * step * change[x][y] for y in range(outputs)]
                for x in range(rows)
            ]
            for sign in (1, -1)
        ]
        if all(_fits(local, end) for end in ends):
            channel = local.channel
            first, second = (
                Channel(
                    channel.rows,
                    channel.columns,
                    Mat.of(end).scaled(Fraction(1, channel.matrix.den)),
                )
                for end in ends
            )
            return first, second
        step /= 2  # only where e^ε is irrational


def _largest_step(local: LocalTable, change: list[list[Fraction]]) -> Fraction:
    """The largest t with A ± t·D in the polytope, or one above it where e^ε is irrational."""
    den = local.channel.matrix.den
    cells = [
        (v, d)
        for row, more in zip(local.table, change, strict=True)
        for v, d in zip(row, more, strict=True)
    ]
    if local.factor.exact is None:
        return min(Fraction(v) / abs(d) for v, d in cells if d)
    walk = Walk(*local.channel.matrix.shape, AtRational(local.factor.exact), (0, 1))
    common = Mat.of([[d for _, d in cells]])
    slack = local.delta * den
    point = (*(v * slack.denominator for v, _ in cells), slack.numerator, den * slack.denominator)
    steps = []
    for sign in (1, -1):
        move = tuple(sign * int(d) for d in common.entries[0])
        found = walk.longest(point, (*move, 0))
        assert found is not None
        # the walk moves entries over den, and change is in units of 1/den
        steps.append(Fraction(*found) * den * common.den)
    return min(steps)


def _fits(local: LocalTable, table: list[list[Fraction]]) -> bool:
    """Whether a table over the same denominator lies in the polytope."""
    if min(map(min, table)) < 0:
        return False
    slack = local.delta * local.channel.matrix.den
    return all(leak.side <= 0 for leak in leaks(table, local.factor, slack))
