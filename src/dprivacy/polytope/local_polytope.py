"""The local-privacy polytope: stochastic matrices with a_ij ≤ e^ε·a_kj, and what is tight in them.

With a slack δ, Σ_j max(0, a_ij − e^ε·a_kj) ≤ δ for all i, k, which is the same as
P(S) ≤ e^ε·Q(S) + δ for all rows P, Q and sets S of outputs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dprivacy.errors import NotPrivate
from dprivacy.model import Channel, Verdict, about, shown
from dprivacy.numbers import Factor, as_eps
from dprivacy.polytope.cones.exact_columns import exact_channel
from dprivacy.polytope.slack.tight_pairs import Cell, Leak, leaks, pieces, read_slack
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike


@dataclass(frozen=True)
class MembershipVerdict(Verdict):
    """Whether a matrix lies in the polytope; `violated` is (x, z, y) where A[x, y] > e^ε·A[z, y].

    With δ > 0, `together` are all such outputs y, which together leak more than δ.

    Examples
    --------
    >>> found = local_privacy([["3/4", "1/4"], ["1/4", "3/4"]], eps="ln 2")
    >>> found.violated, found.ratio
    ((0, 1, 0), Fraction(3, 1))
    """

    violated: tuple[Label, Label, Label] | None = None
    ratio: Fraction | None = None
    together: tuple[Label, ...] = ()

    def explain(self) -> str:
        """The verdict in words, with the entries that break the bound."""
        if self.violated is None:
            return super().explain()
        x, z, y = (shown(label) for label in self.violated)
        if self.together:
            return f"{super().explain()} {too_likely(x, z, self.together)}"
        if self.ratio is None:
            return f"{super().explain()} Output '{y}' can follow '{x}' but never '{z}'."
        times = about(self.ratio)
        return (
            f"{super().explain()} Output '{y}' is {times} times as likely for '{x}' as for '{z}'."
        )


def too_likely(x: str, z: str, together: tuple[Label, ...]) -> str:
    """In words that some outputs tell x from z too well."""
    some = ", ".join(f"'{shown(label)}'" for label in together)
    which = f"Output {some} is" if len(together) == 1 else f"Outputs {some} together are"
    return f"{which} too likely for '{x}' beside '{z}'."


@dataclass(frozen=True, eq=False)
class LocalTable:
    """An exact channel, read against a level and a slack: its entries are `table` over one number."""

    channel: Channel
    factor: Factor
    delta: Fraction

    @classmethod
    def of(cls, A: ChannelLike, eps: LevelLike, delta: NumberLike) -> "LocalTable":
        """Read a channel, a level ≥ 0 and a slack."""
        channel = exact_channel(A)
        return cls(channel, Factor(as_eps(eps, zero=True)), read_slack(delta))

    @property
    def level(self) -> str:
        """ε, and δ where it is not 0, in words."""
        return f"ε = {about(self.factor.level)}" + (f", δ = {self.delta}" if self.delta else "")

    @cached_property
    def table(self) -> list[list[int]]:
        """The entries as whole numbers over the denominator of the matrix."""
        found: list[list[int]] = self.channel.matrix.entries.tolist()
        return found

    @cached_property
    def leaks(self) -> list[Leak]:
        """What every pair of inputs leaks, against δ."""
        return leaks(self.table, self.factor, self.delta * self.channel.matrix.den)

    @cached_property
    def pieces(self) -> list[tuple[Cell, ...]]:
        """The entries above 0 that ties of tight pairs hold together."""
        return pieces(self.table, self.leaks)

    @property
    def loose(self) -> list[Cell]:
        """The entries above 0 that nothing is tied to, row by row."""
        return sorted(part[0] for part in self.pieces if len(part) == 1)

    def named(self, cells: Iterable[Cell]) -> tuple[tuple[Label, Label], ...]:
        """Cells by the labels of their input and output."""
        return tuple((self.channel.rows[x], self.channel.columns[y]) for x, y in cells)


@result("P", "Def 4")
def local_privacy(A: ChannelLike, *, eps: LevelLike, delta: NumberLike = 0) -> MembershipVerdict:
    """Whether A is a point of the local-privacy polytope: a_ij ≤ e^ε·a_kj for all i, k, j.

    Parameters
    ----------
    A
        An exact channel, or anything `as_channel` reads; square in the source, any shape here.
    eps
        The level ≥ 0, rational e^ε or not. At ε = 0 and δ = 0 all rows must be equal.
    delta
        The slack δ from 0 to 1, exact: Σ_j max(0, a_ij − e^ε·a_kj) may be as large.

    Examples
    --------
    >>> A = [["4/7", "1/7", "2/7"], ["3/7", "2/7", "2/7"], ["2/7", "1/7", "4/7"]]
    >>> bool(local_privacy(A, eps="ln 2")), local_privacy(A, eps="ln(3/2)").violated
    (True, (0, 2, 0))
    >>> bool(local_privacy(A, eps="ln(3/2)", delta="1/7"))
    True
    """
    local = LocalTable.of(A, eps, delta)
    channel, level = local.channel, f"the local-privacy polytope at {local.level}"
    claim, denial = f"the matrix lies in {level}", f"the matrix lies outside {level}"
    broken = next((leak for leak in local.leaks if leak.side > 0), None)
    if broken is None:
        return MembershipVerdict(claim, True, True, denial=denial)
    if local.delta:
        some = tuple(channel.columns[y] for y in broken.over)
        place = (channel.rows[broken.x], channel.rows[broken.z], some[0])
        return MembershipVerdict(claim, False, True, 0.0, place, together=some, denial=denial)
    first = min(leak.over[0] for leak in local.leaks if leak.over)
    column = [row[first] for row in local.table]
    high, low = max(column), min(column)
    x, z = channel.rows[column.index(high)], channel.rows[column.index(low)]
    ratio = Fraction(high, low) if low else None
    place = (x, z, channel.columns[first])
    return MembershipVerdict(claim, False, True, 0.0, place, ratio, denial=denial)


@result("P", "Def 5", "Lem 2")
def loose_entries(
    A: ChannelLike, *, eps: LevelLike, delta: NumberLike = 0
) -> tuple[tuple[Label, Label], ...]:
    """λ(A): the entries that are neither e^ε·(smallest) nor e^(−ε)·(largest entry of their column).

    With δ > 0 these are the entries above 0 that no pair of inputs that uses all of δ ties to another.

    Parameters
    ----------
    A
        An exact matrix of the polytope, or anything `as_channel` reads.
    eps
        The level ≥ 0, rational e^ε or not.
    delta
        The slack δ from 0 to 1, exact.

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
    verdict = local_privacy(A, eps=eps, delta=delta)
    if not verdict:
        raise NotPrivate(f"{verdict.explain()} Only matrices of the polytope have loose entries.")
    local = LocalTable.of(A, eps, delta)
    return local.named(local.loose)
