"""The local-privacy polytope: stochastic matrices with a_ij ≤ e^ε·a_kj, and what is tight in them."""

from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import NotPrivate
from dprivacy.model import Channel, Verdict, about, shown
from dprivacy.polytope.cones.exact_columns import exact_channel
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.sources import result
from dprivacy.spaces import discrete
from dprivacy.typing import ChannelLike, Label, LevelLike


@dataclass(frozen=True)
class MembershipVerdict(Verdict):
    """Whether a matrix lies in the polytope; `violated` is (x, z, y) where A[x, y] > e^ε·A[z, y].

    Examples
    --------
    >>> found = local_privacy([["3/4", "1/4"], ["1/4", "3/4"]], eps="ln 2")
    >>> found.violated, found.ratio
    ((0, 1, 0), Fraction(3, 1))
    """

    violated: tuple[Label, Label, Label] | None = None
    ratio: Fraction | None = None

    def explain(self) -> str:
        """The verdict in words, with the entries that break the bound."""
        if self.violated is None:
            return super().explain()
        x, z, y = (shown(label) for label in self.violated)
        if self.ratio is None:
            return f"{super().explain()} Output '{y}' can follow '{x}' but never '{z}'."
        times = about(self.ratio)
        return (
            f"{super().explain()} Output '{y}' is {times} times as likely for '{x}' as for '{z}'."
        )


def read_local(A: ChannelLike, eps: LevelLike) -> tuple[Channel, Cone]:
    """An exact channel, and the cone of its columns under the discrete metric."""
    channel = exact_channel(A)
    return channel, Cone.of(discrete(channel.rows), eps)


@result("P", "Def 4")
def local_privacy(A: ChannelLike, *, eps: LevelLike) -> MembershipVerdict:
    """Whether A is a point of the local-privacy polytope: a_ij ≤ e^ε·a_kj for all i, k, j.

    Parameters
    ----------
    A
        An exact channel, or anything `as_channel` reads; square in the source, any shape here.
    eps
        The level ≥ 0, rational e^ε or not. At ε = 0 all rows must be equal.

    Examples
    --------
    >>> A = [["4/7", "1/7", "2/7"], ["3/7", "2/7", "2/7"], ["2/7", "1/7", "4/7"]]
    >>> bool(local_privacy(A, eps="ln 2")), local_privacy(A, eps="ln(3/2)").violated
    (True, (0, 2, 0))
    """
    channel, cone = read_local(A, eps)
    level = f"the local-privacy polytope at ε = {about(cone.eps)}"
    claim, denial = f"the matrix lies in {level}", f"the matrix lies outside {level}"
    for y, column in zip(channel.columns, channel.matrix.entries.T.tolist(), strict=True):
        high, low = max(column), min(column)
        gathered, apart = cone.gathered(column)
        if apart is None and cone.violated(gathered) is None:
            continue
        x, z = channel.rows[column.index(high)], channel.rows[column.index(low)]
        ratio = Fraction(high, low) if low else None
        return MembershipVerdict(claim, False, True, 0.0, (x, z, y), ratio, denial=denial)
    return MembershipVerdict(claim, True, True, denial=denial)


@result("P", "Def 5", "Lem 2")
def loose_entries(A: ChannelLike, *, eps: LevelLike) -> tuple[tuple[Label, Label], ...]:
    """λ(A): the entries that are neither e^ε·(smallest) nor e^(−ε)·(largest entry of their column).

    Parameters
    ----------
    A
        An exact matrix of the polytope, or anything `as_channel` reads.
    eps
        The level ≥ 0, rational e^ε or not.

    Returns
    -------
    tuple of (input, output)
        The labels of the loose entries, row by row.

    Examples
    --------
    >>> A = [["4/7", "1/7", "2/7"], ["3/7", "2/7", "2/7"], ["2/7", "1/7", "4/7"]]
    >>> loose_entries(A, eps="ln 2")
    ((1, 0),)
    """
    verdict = local_privacy(A, eps=eps)
    if not verdict:
        raise NotPrivate(f"{verdict.explain()} Only matrices of the polytope have loose entries.")
    channel, cone = read_local(A, eps)
    return tuple(
        (x, y)
        for i, x in enumerate(channel.rows)
        for j, y in enumerate(channel.columns)
        if _loose(cone, channel.matrix.entries[:, j].tolist(), i)
    )


def _loose(cone: Cone, column: list[int], i: int) -> bool:
    if not any(column) or not cone.eps:
        return False
    if cone.n == 1:
        return True
    factor = cone.edges[0].factor
    return bool(factor.compare(column[i], min(column)) and factor.compare(max(column), column[i]))
