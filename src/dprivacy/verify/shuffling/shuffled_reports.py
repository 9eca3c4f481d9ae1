"""`shuffled`: what a table of n reports without order guarantees, by the privacy blanket."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, about, shown
from dprivacy.numbers import Level, as_delta, ln
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike
from dprivacy.verify.shuffling.attack_choice import attack_cases, best_attack
from dprivacy.verify.shuffling.column_covers import Listed, Pairs, cover_of, exact_rows
from dprivacy.verify.shuffling.two_outputs import two_output_factors
from dprivacy.verify.shuffling.worst_pair import local_factor, worst_pair

Method = Literal["none", "blanket", "two outputs"]

_MOST = 10**12  # reports
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
        `eps`. None where none was found or looked for (several columns, several rows of a person).
    rows_per_person
        How many of the rows may be of one person.
    between
        What the guarantee is about, in words: any "two values", "two records", or fewer of them.

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
    between: str = "two values"

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
        alone = f"{who} ε = {level_above(self.local)} at this δ"
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
        text = (
            f"{self.n:,} reports without order and names are (ε, δ)-private{several} with ε = "
            f"{level_above(self.eps)} and δ = {slack}, between {x} and {z} as between any "
            f"{self.between}; {alone}."
        )
        if self.attacked is None:
            return text
        return f"{text} An attack shows that nothing below {_down(self.attacked)} holds."


def level_above(eps: Level | float) -> str:
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
    C: ChannelLike | LevelLike,
    n: int,
    *,
    delta: NumberLike,
    rows_per_person: int = 1,
    beside: Sequence[ChannelLike] = (),
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
    beside
        Channels with the same outputs that some of the people use instead; what holds then holds for
        all of them.

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
    3. With two outputs the reader sees one count, whose law is known: that is exact up to 2,000
       reports, nearly so above, and up to 1.4 times smaller.
    4. m rows of a person are changed one after another: (m·ε, δ·(1 + e^ε + … + e^((m−1)·ε))).

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> print(shuffled(randomised_response(range(4), eps="ln 3"), 100, delta="1e-3"))
    100 reports without order and names are (ε, δ)-private with ε = 0.23454 and δ = 1/1000, \
between 0 and 1 as between any two values; a single report has ε = 1.0967 at this δ. \
An attack shows that nothing below 0.23341 holds.
    """
    slack, m = read_sizes(n, delta, rows_per_person)
    found = proved(cover_of(C, beside).changed, n, slack, m, f"two values{finite_only(C)}")
    tables = [listed for listed in map(exact_rows, (C, *beside)) if listed is not None]
    if not isinstance(found.eps, Level) or not found.eps or n == 1:
        return found
    if tables and all(len(rows[0]) == 2 for _, rows in tables):
        return _counted(found, found.eps / m, tables)
    if found.pair is None or m > 1:
        return found
    a = found.eps.exp()
    assert a is not None
    return replace(found, attacked=best_attack(attack_cases(C, found.pair), n, slack, a))


def _counted(found: Shuffled, level: Level, tables: list[Listed]) -> Shuffled:
    """Where there are two outputs: the answer from the law of their count, if that is below."""
    m, known = found.rows_per_person, level.exp()
    assert known is not None
    pairs = dict[tuple[Fraction, Fraction], tuple[Label, Label]]()
    for labels, rows in tables:
        chances = [row[1] for row in rows]
        first, second = sorted(chances.index(end(chances)) for end in (max, min))
        pairs.setdefault((chances[first], chances[second]), (labels[first], labels[second]))
    everyone = [row[1] for _, rows in tables for row in rows]
    a, refuted = two_output_factors(list(pairs), everyone, found.n, found.delta, known, m)
    attacked = None if refuted is None else ln(refuted)
    if a == known:
        return replace(found, attacked=attacked)
    widest = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
    return replace(
        found, eps=ln(a) * m, method="two outputs", pair=pairs[widest], attacked=attacked
    )


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


def finite_only(*mechanisms: Any) -> str:
    """What to say where values are at infinite distance, which are told apart anyway."""
    spaces = (getattr(getattr(one, "guarantee", None), "space", None) for one in mechanisms)
    apart = any(isinstance(space, FiniteSpace) and space.diameter == math.inf for space in spaces)
    return " at a finite distance" if apart else ""


def proved(pairs: Pairs, n: int, slack: Fraction, m: int, between: str = "two values") -> Shuffled:
    """What the blanket proves for these pairs, or the local answer."""
    local = local_factor(pairs, slack, m)
    share = min(blanket.share for blanket in pairs)
    level = math.inf if local is None else ln(local) * m
    found = None
    if n > 1 and share and local is not None and local > 1:
        found = worst_pair(pairs, n, slack, local, m)
    if found is None:
        return Shuffled(level, slack, n, level, share, "none", None, None, m, between)
    a, pair = found
    return Shuffled(ln(a) * m, slack, n, level, share, "blanket", pair, None, m, between)
