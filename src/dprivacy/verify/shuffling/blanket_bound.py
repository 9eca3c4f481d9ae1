"""`shuffled`: what a table of n reports without order guarantees, by the privacy blanket."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import BadNumber, Uncertified
from dprivacy.model import Answer, about, as_channel, shown
from dprivacy.numbers import Level, as_delta, ln
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, NumberLike
from dprivacy.verify.metric.delta_profile import eps_at
from dprivacy.verify.shuffling.sum_law import mean_positive_sum, shortened
from dprivacy.verify.shuffling.threshold_attack import attack_factor

Row = Sequence[Fraction]

_DIGITS = 12  # of e^ε
_COARSE, _FINE = 24, 96  # points a standard deviation: to search, to prove
_CUT = Fraction(1, 10**9)  # of δ
_MOST = 10**12  # reports
_MOST_ATTACKED = 10_000


@dataclass(frozen=True)
class Blanket:
    """One ordered pair of inputs as the blanket sees it.

    Parameters
    ----------
    inside
        {(P/least, Q/least): least} over the outputs that every input gives; least = min over inputs.
    outside
        (P, Q) at the others.
    share
        γ = Σ least: how much of each report does not depend on the input.
    """

    inside: tuple[tuple[tuple[Fraction, Fraction], Fraction], ...]
    outside: tuple[tuple[Fraction, Fraction], ...]
    share: Fraction

    @property
    def spread(self) -> float:
        """How far apart the two rows are, roughly: the pair that needs most comes first."""
        return sum(float(w) * float(p - q) ** 2 for (p, q), w in self.inside)

    @result("B", "§5")
    def delta(self, n: int, a: Fraction, *, points: int, goal: Fraction) -> Fraction:
        """An upper bound of δ at e^ε = a, by cutting off at most a billionth of `goal`.

        Notes
        -----
        δ(a) ≤ E[(B₁L₁ + … + B_nL_n)⁺]/(γn) + Σ (P − a·Q)⁺ over outputs outside the blanket, with
        B_i = 1 with probability γ and L_i = (P − a·Q)/ω at an output drawn from ω = least/γ. Fewer
        reports only help the attacker, so that n may be shortened.
        """
        told = sum((max(p - a * q, Fraction(0)) for p, q in self.outside), Fraction(0))
        if not self.inside:
            return min(told, Fraction(1))
        atoms = {Fraction(0): 1 - self.share}
        for (p, q), weight in self.inside:
            value = self.share * (p - a * q)
            atoms[value] = atoms.get(value, Fraction(0)) + weight
        used, top = shortened(n), max(atoms)
        if top <= 0:
            return min(told, Fraction(1))
        negligible = _CUT * goal * self.share / top
        mean = mean_positive_sum(atoms, used, points=points, negligible=negligible)
        return min(mean / (self.share * used) + told, Fraction(1))


def blankets(rows: Sequence[Row]) -> dict[Blanket, tuple[int, int]]:
    """The ordered pairs of rows, those that look alike once, with the positions of one such pair."""
    least = [min(column) for column in zip(*rows, strict=True)]
    share, found = sum(least, Fraction(0)), dict[Blanket, tuple[int, int]]()
    for i, p in enumerate(rows):
        for j, q in enumerate(rows):
            if i == j:
                continue
            inside: dict[tuple[Fraction, Fraction], Fraction] = {}
            outside = []
            for a, b, w in zip(p, q, least, strict=True):
                if w:
                    inside[a / w, b / w] = inside.get((a / w, b / w), Fraction(0)) + w
                elif a or b:
                    outside.append((a, b))
            pair = Blanket(tuple(sorted(inside.items())), tuple(sorted(outside)), share)
            found.setdefault(pair, (i, j))
    return found


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
        γ, the share of each report that does not depend on the value: what hides the others.
    pair
        The two values that are told apart best; None where shuffling proves nothing.
    attacked
        An ε below which an attack shows that the reports are not private: the truth lies between it and
        `eps`. None where none was looked for (more than 10,000 reports) or found.

    Examples
    --------
    >>> found = shuffled([["3/4", "1/4"], ["1/4", "3/4"]], 100, delta="1e-3")
    >>> found.share, float(found.eps) < 0.5
    (Fraction(1, 2), True)
    """

    eps: Level | float
    delta: Fraction
    n: int
    local: Level | float
    share: Fraction
    pair: tuple[Label, Label] | None = None
    attacked: Level | None = None

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more, so that the bound is proved."""
        return True

    def explain(self) -> str:
        """The guarantee in words, beside that of a single report."""
        slack = about(self.delta)
        if self.eps == math.inf:
            return (
                f"Not (ε, δ)-private for any ε at δ = {slack}: an output that another value never "
                "gives is likelier than that."
            )
        alone = f"a single report has ε = {_up(self.local)} at this δ"
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
        return (
            f"{self.n:,} reports without order and names are (ε, δ)-private with ε = {_up(self.eps)} "
            f"and δ = {slack}, between {x} and {z} as between any two values; {alone}."
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
def shuffled(C: ChannelLike, n: int, *, delta: NumberLike) -> Shuffled:
    """What n reports of a channel guarantee when their order and senders are forgotten.

    Parameters
    ----------
    C
        An exact channel, or a mechanism with one: everybody sends one report through it.
    n
        How many people send one. It must be public: neighbours are tables of n reports in which one
        person has another value.
    delta
        δ, greater than 0; at most 1/n², for publishing one report in clear has δ = 1/n.

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

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> print(shuffled(randomised_response(range(4), eps="ln 3"), 100, delta="1e-3"))
    100 reports without order and names are (ε, δ)-private with ε = 0.23455 and δ = 1/1000, \
between 0 and 1 as between any two values; a single report has ε = 1.0967 at this δ. \
An attack shows that nothing below 0.23341 holds.
    """
    channel, slack = as_channel(C), as_delta(delta)
    if type(n) is not int or not 1 <= n <= _MOST:
        raise BadNumber(f"n is the number of reports, a whole number from 1 on, not {n!r}")
    if not 0 < slack < 1:
        raise BadNumber(f"δ lies between 0 and 1 where reports are shuffled, not at {slack}")
    if not channel.exact:
        raise Uncertified(
            f"a shuffled release is certified from exact numbers, and {channel!r} has floats; write "
            "its entries as fractions, or take the channel that `exactly` gives"
        )
    rows = [[Fraction(value) for value in row] for row in channel.matrix.rows()]
    local = eps_at(channel, delta=slack)
    share = sum((min(column) for column in zip(*rows, strict=True)), Fraction(0))
    nothing = Shuffled(local, slack, n, local, share)
    if n == 1 or not share or local == math.inf or not local:
        return nothing
    found = _worst(list(blankets(rows).items()), n, slack, float(local))
    if found is None:
        return nothing
    a, (i, j) = found
    pair = channel.rows[i], channel.rows[j]
    return Shuffled(ln(a), slack, n, local, share, pair, _attacked(rows, i, j, n, slack, a))


def _attacked(
    rows: Sequence[Row], i: int, j: int, n: int, slack: Fraction, a: Fraction
) -> Level | None:
    """The best attack on one pair of values, everybody else having one and the same."""
    if n > _MOST_ATTACKED:
        return None
    alike = {tuple(sorted(zip(rows[i], rows[j], row, strict=True))) for row in rows}
    found = []
    for cells in alike:
        p, q, others = ([cell[k] for cell in cells] for k in range(3))
        found.append(attack_factor(p, q, others, n, slack, a))
    best = max((factor for factor in found if factor is not None), default=None)
    return None if best is None else ln(Fraction(math.floor(best * 10**_DIGITS), 10**_DIGITS))


def _worst(
    pairs: list[tuple[Blanket, tuple[int, int]]], n: int, goal: Fraction, local: float
) -> tuple[Fraction, tuple[int, int]] | None:
    """The smallest e^ε found for the pair that needs most; None where one is not below e^local."""
    pairs.sort(key=lambda pair: -pair[0].spread)
    worst, at = Fraction(1), pairs[0][1]
    for blanket, where in pairs:

        def holds(eps: float, points: int, pair: Blanket = blanket) -> bool:
            return pair.delta(n, _factor(eps), points=points, goal=goal) <= goal

        low = math.log(worst)
        if worst > 1 and (
            blanket.delta(n, worst, points=_COARSE, goal=goal) <= goal
            or blanket.delta(n, worst, points=_FINE, goal=goal) <= goal
        ):
            continue
        high = local
        while high - low > 1e-3 * high:
            middle = (low + high) / 2 if low else high / 3
            low, high = (low, middle) if holds(middle, _COARSE) else (middle, high)
        low = high * 0.994  # the fine grid lowers δ by a hundredth, and ε by less
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle, _FINE) else (middle, high)
        if high >= local:
            return None
        worst, at = max(worst, _factor(high)), where
    return worst, at


def _factor(eps: float) -> Fraction:
    """A short rational not below e^eps, as far as doubles go."""
    return Fraction(math.ceil(math.exp(eps) * 10**_DIGITS), 10**_DIGITS)
