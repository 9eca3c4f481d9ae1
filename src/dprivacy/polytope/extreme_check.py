"""Is a matrix an extreme point of the local-privacy polytope? The rank test, with a witness."""

from dataclasses import dataclass
from fractions import Fraction

from dprivacy.model import Channel, Verdict, about, shown
from dprivacy.numbers import Mat, null_space
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.polytope.local_polytope import local_privacy, loose_entries, read_local
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike


@dataclass(frozen=True)
class ExtremeVerdict(Verdict):
    """Whether a matrix is an extreme point, with what decides it.

    `columns` is γ(A), `loose` is λ(A); `rank` is the rank of the tight constraints (row sums and
    privacy), which must be `needed`, the number of entries. A matrix that is not extreme is the middle
    of the two `ends`, both in the polytope. `kind` is "constant" (one non-zero column), "tame" (no
    loose entry) or "loose"; `statements` are the statements of P that describe it. The `columns` of a
    tame one are a kernel of the discrete metric, and a kernel with k posteriors gives n!/(n − k)! tame
    ones.

    Examples
    --------
    >>> found = is_extreme([["2/3", "1/3"], ["1/3", "2/3"]], eps="ln 2")
    >>> found.kind, found.rank, found.needed
    ('tame', 4, 4)
    """

    columns: tuple[Label, ...] = ()
    loose: tuple[tuple[Label, Label], ...] = ()
    rank: int = 0
    needed: int = 0
    ends: tuple[Channel, Channel] | None = None
    violated: tuple[Label, Label, Label] | None = None
    kind: str = ""
    statements: tuple[str, ...] = ()

    def explain(self) -> str:
        """The verdict in words."""
        lines = [super().explain()]
        if self.violated is not None:
            x, z, y = (shown(label) for label in self.violated)
            outside = f"It lies outside the polytope: output '{y}' tells '{x}' from '{z}' too well."
            return f"{lines[0]} {outside}"
        lines.append(
            f"Non-zero columns: {len(self.columns)}; loose entries: {len(self.loose)}; its tight "
            f"constraints have rank {self.rank} of {self.needed}."
        )
        if self.ends is not None:
            lines.append("It is the middle of two other matrices of the polytope (see ends).")
        if self.kind:
            lines.append(f"Kind: {self.kind}.")
        return "\n".join(lines)


@result("P", "Thm 1", "Def 3", "Thm 2", "Thm 3", "Thm 4", "Lem 3")
def is_extreme(A: ChannelLike, *, eps: LevelLike) -> ExtremeVerdict:
    """Whether A is an extreme point of the local-privacy polytope.

    Parameters
    ----------
    A
        An exact matrix, or anything `as_channel` reads; square in the source, any shape here.
    eps
        The level ≥ 0, rational e^ε or not. At ε = 0 only matrices that always answer the same are
        extreme.

    Returns
    -------
    ExtremeVerdict
        With the rank of the tight constraints; for a matrix that is not extreme, two matrices of the
        polytope of which it is the middle.

    Notes
    -----
    A is extreme when its tight constraints have full rank (P Thm 1), that is, when no change B ≠ 0
    keeps all of them. Which changes do?

    1. A zero column must stay zero.
    2. A column may move by scaling each of its parts, where a part is tied together by tight
       constraints: one direction for each part.
    3. The changes of a row must add up to 0. So the changes are the dependencies between the
       directions of all columns, and the rank is n·m less the number of independent ones.

    This needs the rank of a matrix of n rows instead of n·m.

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
    member = local_privacy(A, eps=eps)
    channel, cone = read_local(A, eps)
    level = f"an extreme point of the polytope at ε = {about(cone.eps)}"
    claim, denial = f"the matrix is {level}", f"the matrix is not {level}"
    rows, outputs = channel.matrix.shape
    if not member:
        return ExtremeVerdict(
            claim, False, True, violated=member.violated, needed=rows * outputs, denial=denial
        )
    directions: list[tuple[int, list[int]]] = []  # column, direction on the rows
    used = []
    for j, column in enumerate(channel.matrix.entries.T.tolist()):
        if not any(column):
            continue
        used.append(channel.columns[j])
        gathered, _ = cone.gathered(column)
        for part in cone.parts(gathered):
            inside = {i for k in part for i in cone.classes[k]}
            directions.append((j, [v if i in inside else 0 for i, v in enumerate(column)]))
    basis = null_space(Mat.of([list(row) for row in zip(*(d for _, d in directions), strict=True)]))
    loose = loose_entries(channel, eps=eps)
    freedom = basis.shape[0]
    extreme = freedom == 0
    kind, statements = _kind(len(used), len(loose), outputs, rows) if extreme else ("", ())
    return ExtremeVerdict(
        claim,
        extreme,
        True,
        columns=tuple(used),
        loose=loose,
        rank=rows * outputs - freedom,
        needed=rows * outputs,
        ends=None if extreme else _ends(channel, cone, directions, basis),
        kind=kind,
        statements=statements,
        denial=denial,
    )


@result("P", "Thm 5", "Thm 6", "Thm 7", "Thm 8", "Cor 4", "Cor 5", "Def 6")
def _kind(columns: int, loose: int, outputs: int, rows: int) -> tuple[str, tuple[str, ...]]:
    """What P says about an extreme point with these numbers of non-zero columns and loose entries."""
    if columns == 1:
        return "constant", ("Thm 5",)
    if loose:
        return "loose", ("Thm 4", "§5")
    found = ["Thm 7", "Cor 4"]
    if columns == 2:
        found = ["Thm 6", "Cor 3", *found]
    if columns == outputs == rows:
        found.append("Cor 5")
    return "tame", tuple(found)


def _ends(
    channel: Channel, cone: Cone, directions: list[tuple[int, list[int]]], basis: Mat
) -> tuple[Channel, Channel]:
    """Two matrices of the polytope with A in the middle: A ± t·B, with t halved until both fit."""
    entries = channel.matrix.entries
    rows, outputs = channel.matrix.shape
    change = [[Fraction(0)] * outputs for _ in range(rows)]
    for (j, direction), factor in zip(directions, basis.row(0), strict=True):
        for i, value in enumerate(direction):
            change[i][j] += Fraction(factor) * value
    limits = (
        Fraction(int(entries[i, j])) / abs(change[i][j])
        for i in range(rows)
        for j in range(outputs)
        if change[i][j]
    )
    step = _largest_step(channel, cone, change) or min(limits)
    while True:
        ends = [
            [
                [int(entries[i, j]) + sign * step * change[i][j] for j in range(outputs)]
                for i in range(rows)
            ]
            for sign in (1, -1)
        ]
        if all(_fits(cone, end) for end in ends):
            first, second = (
                Channel(
                    channel.rows,
                    channel.columns,
                    Mat.of(end).scaled(Fraction(1, channel.matrix.den)),
                )
                for end in ends
            )
            return first, second
        step /= 2


def _largest_step(channel: Channel, cone: Cone, change: list[list[Fraction]]) -> Fraction | None:
    """The largest t with A ± t·B in the polytope, where e^ε is rational; None where it is not."""
    if any(edge.factor.exact is None for edge in cone.edges) or not cone.edges:
        return None
    factor = cone.edges[0].factor.exact
    assert factor is not None
    entries = channel.matrix.entries
    rows, outputs = channel.matrix.shape
    steps = []
    for j in range(outputs):
        for i in range(rows):
            for k in range(rows):
                moved = abs(factor * change[k][j] - change[i][j])
                if i != k and moved:
                    steps.append((factor * int(entries[k, j]) - int(entries[i, j])) / moved)
    return min((step for step in steps if step), default=None)


def _fits(cone: Cone, table: list[list[Fraction]]) -> bool:
    for column in zip(*table, strict=True):
        if min(column) < 0:
            return False
        gathered, apart = cone.gathered(column)
        if apart is not None or cone.violated(gathered) is not None:
            return False
    return True
