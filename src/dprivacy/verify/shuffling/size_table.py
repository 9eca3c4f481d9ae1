"""`shuffled_sizes`: how ε falls with the number of reports, for several δ."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, Pictured, about
from dprivacy.numbers import Level
from dprivacy.typing import ChannelLike, LevelLike, NumberLike
from dprivacy.verify.shuffling.shuffled_reports import level_above, shuffled


@dataclass(frozen=True)
class ShuffledSize:
    """One number of reports: ε of all without order at δ, and one that an attack refutes.

    Examples
    --------
    >>> ShuffledSize(100, Fraction(1, 1000), Level("1/4"), None).n
    100
    """

    n: int
    delta: Fraction
    eps: Level | float
    attacked: Level | None


@dataclass(frozen=True)
class ShuffledSizes(Pictured, Answer):
    """ε of shuffled reports by their number and δ, beside that of a single report.

    Parameters
    ----------
    rows
        One for each number of reports and δ.
    local
        ε of a single report, at the smallest of the δ.

    Examples
    --------
    >>> found = shuffled_sizes("ln 3", [100, 1000], deltas=["1e-4"])
    >>> [f"{float(row.eps):.3f}" for row in found.rows]
    ['0.525', '0.140']
    """

    rows: tuple[ShuffledSize, ...]
    local: Level | float

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more, so that the bounds are proved."""
        return True

    def explain(self) -> str:
        """The table in words."""
        lines = [f"A single report has ε = {level_above(self.local)}. Without order and names:"]
        for row in self.rows:
            lines.append(f"  {row.n:,} reports, δ = {about(row.delta)}: ε = {level_above(row.eps)}")
        return "\n".join(lines)


def shuffled_sizes(
    C: ChannelLike | LevelLike,
    sizes: Iterable[int] = (100, 1000, 10_000, 100_000, 1_000_000),
    *,
    deltas: Iterable[NumberLike] = ("1e-6", "1e-9"),
) -> ShuffledSizes:
    """What shuffling is worth for tables of several sizes.

    Parameters
    ----------
    C
        As in `shuffled`.
    sizes
        Numbers of reports.
    deltas
        Values of δ.

    Returns
    -------
    ShuffledSizes
        A table; `plot` draws a curve for each δ.

    Examples
    --------
    >>> print(shuffled_sizes("ln 3", [1000], deltas=["1e-4", "1e-6"]))
    A single report has ε = 1.0987. Without order and names:
      1,000 reports, δ = 1/10000: ε = 0.14008
      1,000 reports, δ = 1/1000000: ε = 0.20942
    """
    numbers, slacks = list(sizes), list(deltas)
    if not numbers or not slacks:
        raise BadNumber("at least one number of reports and one δ are needed")
    found = [shuffled(C, n, delta=delta) for delta in slacks for n in numbers]
    rows = [ShuffledSize(one.n, one.delta, one.eps, one.attacked) for one in found]
    return ShuffledSizes(tuple(rows), max(one.local for one in found))
