"""`shuffled`: what a table of n reports without order guarantees, by the privacy blanket."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, BlockLaw, about, as_channel, shown
from dprivacy.numbers import Level, as_delta, ln
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike
from dprivacy.verify.shuffling.blanket_pairs import Blanket
from dprivacy.verify.shuffling.column_covers import Pairs, cover_of
from dprivacy.verify.shuffling.threshold_attack import attack_factor
from dprivacy.verify.shuffling.worst_pair import DIGITS, local_factor, worst_pair

Cells = tuple[tuple[Fraction, Fraction, Fraction], ...]
Method = Literal["none", "blanket", "two outputs"]

_MOST = 10**12  # reports
_MOST_ATTACKED = 10_000
_MOST_ROWS = 10_000  # of one person


@dataclass(frozen=True)
class Shuffled(Answer):
    """What the multiset of n reports guarantees to each of those who sent one: (ε, δ).

    Parameters
    ----------
    eps, delta
        Whoever sees the reports without order and names: (ε, δ), for every pair of values of one person
        and whatever everybody else has. ``inf`` where no ε is enough.
    n
        How many reports there are.
    local
        Against whoever sees who sent which report: the ε at the same δ.
    share
        γ, the share of each report that does not depend on the value: what hides the others. (The
        smallest, where it is not the same for all pairs.)
    method
        "blanket" or "two outputs" for how it was proved, "none" where `eps` is the local one.
    pair
        The two values that are told apart best; for several columns two records. None where shuffling
        proves nothing.
    attacked
        An ε below which an attack shows that the reports are not private: the truth lies between it and
        `eps`. None where none was looked for (more than 10,000 reports, or several columns) or found.
    rows_per_person
        How many of the rows may be of one person.

    Examples
    --------
    >>> found = shuffled([["3/4", "1/4"], ["1/4", "3/4"]], 100, delta="1e-3")
    >>> found.local, found.share, found.pair
    (Level('ln(749/250)'), Fraction(1, 2), (0, 1))
    """

    eps: Level | float
    delta: Fraction
    n: int
    local: Level | float
    share: Fraction
    method: Method
    pair: tuple[Label, Label] | None = None
    attacked: Level | None = None
    rows_per_person: int = 1

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more, so that the bound is proved."""
        return True

    def explain(self) -> str:
        """The guarantee in words, beside that of a single report."""
        slack, m = about(self.delta), self.rows_per_person
        if self.eps == math.inf:
            return (
                f"Not (ε, δ)-private for any ε at δ = {slack}: an output that another value never "
                "gives is likelier than that."
            )
        who = "a single report has" if m == 1 else f"the {m:,} rows of one person alone have"
        alone = f"{who} ε = {_up(self.local)} at this δ"
        if self.pair is None:
            why = (
                "there is one report only"
                if self.n == 1
                else "no output is given by every value"
                if not self.share
                else "the table is too small"
            )
            return f"Shuffling proves nothing here, since {why}: {alone}."
        x, z = (shown(value) for value in self.pair)
        several = "" if m == 1 else f" for people with at most {m:,} of them"
        return (
            f"{self.n:,} reports without order and names are (ε, δ)-private{several} with ε = "
            f"{_up(self.eps)} and δ = {slack}, between {x} and {z} as between any two values; {alone}."
            + (
                f" An attack shows that nothing below {_down(self.attacked)} holds."
                if self.attacked
                else ""
            )
        )


def _up(eps: Level | float) -> str:
    """A level as a decimal that is not less."""
    size = float(eps)
    digits = 4 - math.floor(math.log10(size)) if 0 < size < math.inf else 0
    return f"{math.ceil(size * 10**digits) / 10**digits:.{max(digits, 0)}f}"


def _down(eps: Level) -> str:
    """A level as a decimal that is not more."""
    digits = max(0, 4 - math.floor(math.log10(float(eps))))
    return f"{math.floor(float(eps) * 10**digits) / 10**digits:.{digits}f}"


@result("B", "§5")
def shuffled(
    C: ChannelLike | LevelLike, n: int, *, delta: NumberLike, rows_per_person: int = 1
) -> Shuffled:
    """What n reports of a channel guarantee when their order and senders are forgotten.

    Parameters
    ----------
    C
        Everybody sends one report through it: an exact channel, a mechanism with one, a mechanism
        whose reports are sets (of any size), or a level ε of which nothing else is known.
    n
        How many reports there are. It must be public: neighbours are tables of n reports in which one
        person has another value.
    delta
        δ, greater than 0; at most 1/n², for publishing one report in clear has δ = 1/n.
    rows_per_person
        How many of the reports may be of one person.

    Returns
    -------
    Shuffled
        A proved upper bound, never above that of a single report.

    Raises
    ------
    Uncertified
        The channel has floats: give fractions.

    Notes
    -----
    1. Each other person sends, with probability γ = Σ_y min_x C[x, y], an output that does not depend
       on their value. Tell the attacker who does not, and what they send; the rest is one binomial
       mixture of sums of independent losses, whose law is computed on a grid with upward rounding.
    2. e^ε is a rational number that is looked for on a coarse grid and proved on a fine one.
    3. m rows of a person are changed one after another: (m·ε, δ·(1 + e^ε + … + e^((m−1)·ε))).

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> print(shuffled(randomised_response(range(4), eps="ln 3"), 100, delta="1e-3"))
    100 reports without order and names are (ε, δ)-private with ε = 0.23455 and δ = 1/1000, \
between 0 and 1 as between any two values; a single report has ε = 1.0967 at this δ. \
An attack shows that nothing below 0.23341 holds.
    """
    slack, m = read_sizes(n, delta, rows_per_person)
    pairs = cover_of(C).changed
    found = proved(pairs, n, slack, m)
    if found.pair is None or m > 1 or n > _MOST_ATTACKED:
        return found
    at = next(blanket for blanket, pair in pairs.items() if pair == found.pair)
    return replace(found, attacked=_attacked(_cases(C, at, found.pair), found))


def read_sizes(n: Any, delta: NumberLike, rows_per_person: Any) -> tuple[Fraction, int]:
    """δ and m, and n is checked."""
    slack = as_delta(delta)
    if type(n) is not int or not 1 <= n <= _MOST:
        raise BadNumber(f"n is the number of reports, a whole number from 1 on, not {n!r}")
    if not 0 < slack < 1:
        raise BadNumber(f"δ lies between 0 and 1 where reports are shuffled, not at {slack}")
    if type(rows_per_person) is not int or not 1 <= rows_per_person <= _MOST_ROWS:
        raise BadNumber(
            f"rows_per_person is a whole number from 1 to {_MOST_ROWS:,}, not {rows_per_person!r}"
        )
    return slack, rows_per_person


def proved(pairs: Pairs, n: int, slack: Fraction, m: int) -> Shuffled:
    """What the blanket proves for these pairs, or the local answer."""
    local = local_factor(pairs, slack, m)
    share = min(blanket.share for blanket in pairs)
    level = math.inf if local is None else ln(local) * m
    found = None
    if n > 1 and share and local is not None and local > 1:
        found = worst_pair(pairs, n, slack, local, m)
    if found is None:
        return Shuffled(level, slack, n, level, share, "none", rows_per_person=m)
    a, pair = found
    return Shuffled(ln(a) * m, slack, n, level, share, "blanket", pair, rows_per_person=m)


def _cases(C: Any, pair: Blanket, labels: tuple[Label, Label]) -> set[Cells]:
    """The rows of the two values, and beside them what everybody else may send: one value's row."""
    if isinstance(getattr(C, "reports", C), BlockLaw | Level | str | int | float | Fraction):
        return {tuple((*cell, cell[at]) for cell in pair.cells) for at in (0, 1)}
    channel = as_channel(C)
    rows = [[Fraction(value) for value in row] for row in channel.matrix.rows()]
    p, q = (rows[channel.rows.index(label)] for label in labels)
    return {tuple(sorted(zip(p, q, row, strict=True))) for row in rows}


def _attacked(cases: set[Cells], found: Shuffled) -> Level | None:
    """The best attack on one pair of values, everybody else having one and the same."""
    assert isinstance(found.eps, Level)
    a, best = found.eps.exp(), Fraction(0)
    assert a is not None
    for cells in cases:
        p, q, others = zip(*cells, strict=True)
        best = max(best, attack_factor(p, q, others, found.n, found.delta, a) or best)
    return ln(Fraction(math.floor(best * 10**DIGITS), 10**DIGITS)) if best > 1 else None
