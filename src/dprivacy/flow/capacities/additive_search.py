"""The additive capacity of a channel for one gain: over priors, by exact branch and bound."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import TooLarge
from dprivacy.flow.gains.gain_input import as_gain
from dprivacy.flow.gains.loss_table import Loss, aligned
from dprivacy.model import Answer, Dist, about, as_channel, plain, shown
from dprivacy.numbers import Mat, minimise
from dprivacy.typing import ChannelLike, GainLike, Label, LossLike, Number

Rows = list[list[Fraction]]


@dataclass(frozen=True)
class AdditiveCapacity(Answer):
    """The largest V_g[π ▷ C] − V_g(π) over all priors, the prior that has it, and what is then done.

    Attributes
    ----------
    value
        Exact for exact input.
    prior
        A prior that reaches it.
    actions
        For each output (of the reduced channel) the action taken.
    programs
        How many linear programs were solved.

    Examples
    --------
    >>> print(additive_capacity([["3/4", "1/4"], ["1/4", "3/4"]]))
    Seeing the output gains at most 1/4, under the prior Dist(0: 1/2, 1: 1/2) (on 0: 0; on 1: 1).
    """

    value: Number
    prior: Dist
    actions: dict[Label, Label]
    programs: int

    @property
    def exact(self) -> bool:
        """Whether the value is exact."""
        return isinstance(self.value, Fraction)

    def __float__(self) -> float:
        return float(self.value)

    def explain(self) -> str:
        """The capacity in words."""
        acts = "; ".join(f"on {shown(y)}: {shown(w)}" for y, w in self.actions.items())
        return (
            f"Seeing the output gains at most {about(self.value)}, under the prior {self.prior} "
            f"({acts})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The capacity as plain data."""
        actions = {shown(y): plain(w) for y, w in self.actions.items()}
        return {**super().to_dict(), "actions": actions}


def additive_capacity(
    C: ChannelLike, *, gain: GainLike | LossLike = "bayes", most_programs: int = 5_000
) -> AdditiveCapacity:
    """max_π V_g[π ▷ C] − V_g(π), for a gain; for a loss max_π U_ℓ(π) − U_ℓ[π ▷ C].

    The problem is hard in general (already for the identity gain), so this is for channels with few
    outputs and actions.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.
    gain
        A gain or a loss.
    most_programs
        Give up, with TooLarge, after this many linear programs.

    Returns
    -------
    AdditiveCapacity
        With the prior. Floats are computed with by their exact binary values, and come back as floats.

    Notes
    -----
    1. Proportional columns are merged and actions that are nowhere better are left out.
    2. Once an action σ(y) is fixed for every output, the best prior solves a linear program:
       max Σ_x π_x·Σ_y C[x,y]·g(σ(y), x) − t with t ≥ Σ_x π_x·g(w, x) for all w.
    3. While outputs are open, g(σ(y), x) ≤ max_w g(w, x) makes the same program an upper bound;
       branches that cannot beat the best leaf are cut. Every program is settled in rationals.

    Examples
    --------
    >>> found = additive_capacity([[1, 0], [0, 1], ["1/2", "1/2"]])
    >>> print(found.value, found.prior)
    1/2 Dist(0: 1/2, 1: 1/2, 2: 0)
    """
    channel = as_channel(C)
    gain = as_gain(gain, channel.rows, C)
    reduced = channel.reduced()
    exact = channel.exact and gain.exact
    columns = [[Fraction(v) for v in column] for column in reduced.matrix.transposed.rows()]
    sign = -1 if isinstance(gain, Loss) else 1
    table = [[sign * Fraction(v) for v in row] for row in aligned(gain, channel.rows).rows()]
    lowest = min(v for row in table for v in row)
    shifted = [[v - lowest for v in row] for row in table]
    useful = _undominated(shifted)
    search = _Search(columns, [shifted[w] for w in useful], most_programs)
    search.descend({})
    weights: Any = search.prior if exact else [float(p) for p in search.prior]
    return AdditiveCapacity(
        search.value if exact else float(search.value),
        Dist(channel.rows, weights),
        {y: gain.actions[useful[w]] for y, w in zip(reduced.columns, search.choice, strict=True)},
        search.programs,
    )


def _undominated(table: Rows) -> list[int]:
    """Actions that are not everywhere at most as good as another one."""
    kept: list[int] = []
    for w, row in enumerate(table):
        beaten = any(
            all(a <= b for a, b in zip(row, other, strict=True)) and (row != other or v < w)
            for v, other in enumerate(table)
            if v != w
        )
        if not beaten:
            kept.append(w)
    return kept


class _Search:
    """Depth first over the outputs, likeliest first, best bound first."""

    def __init__(self, columns: Rows, gains: Rows, most: int) -> None:
        self.columns, self.gains, self.most = columns, gains, most
        self.order = sorted(range(len(columns)), key=lambda y: -sum(columns[y]))
        n = len(columns[0])
        self.tops = [max(row[x] for row in gains) for x in range(n)]
        # Σ_x π_x·g(w, x) − t + slack = 0 for every action, and Σ_x π_x = 1.
        zero, one = Fraction(0), Fraction(1)
        rows = [
            [*row, -one, *(one if k == w else zero for k in range(len(gains)))]
            for w, row in enumerate(gains)
        ]
        rows.append([*[one] * n, zero, *[zero] * len(gains)])
        self.matrix, self.right = Mat.of(rows), [*[zero] * len(gains), one]
        self.value, self.prior = Fraction(-1), [Fraction(1), *[zero] * (n - 1)]
        self.choice: list[int] = []
        self.programs = 0

    def _bound(self, chosen: dict[int, int]) -> tuple[Fraction, list[Fraction]]:
        self.programs += 1
        if self.programs > self.most:
            raise TooLarge(
                f"more than {self.most:,} linear programs were needed for {len(self.columns)} outputs "
                f"and {len(self.gains)} actions; raise most_programs, or bound the leakage with "
                "additive_bound"
            )
        n = len(self.tops)
        worth = [Fraction(0)] * n
        for y, column in enumerate(self.columns):
            gains = self.gains[chosen[y]] if y in chosen else self.tops
            for x in range(n):
                worth[x] += column[x] * gains[x]
        cost = [*(-v for v in worth), Fraction(1), *[Fraction(0)] * len(self.gains)]
        outcome = minimise(cost, self.matrix, self.right)
        return -outcome.value, outcome.x[:n]

    def descend(self, chosen: dict[int, int]) -> None:
        """Find the best prior and the best action on every output, given those chosen."""
        bound, prior = self._bound(chosen)
        self._offer(prior)
        if bound <= self.value or len(chosen) == len(self.order):
            return
        y = self.order[len(chosen)]
        ways = sorted(range(len(self.gains)), key=lambda w: -self._at(prior, y, w))
        for w in ways:
            self.descend({**chosen, y: w})

    def _at(self, prior: list[Fraction], y: int, w: int) -> Fraction:
        column, gains = self.columns[y], self.gains[w]
        return sum((p * c * g for p, c, g in zip(prior, column, gains, strict=True)), Fraction(0))

    def _offer(self, prior: list[Fraction]) -> None:
        """What a prior really reaches: a lower bound at every node."""
        before = max(
            sum((p * g for p, g in zip(prior, row, strict=True)), Fraction(0)) for row in self.gains
        )
        after, choice = Fraction(0), []
        for y in range(len(self.columns)):
            worth = [self._at(prior, y, w) for w in range(len(self.gains))]
            after += max(worth)
            choice.append(worth.index(max(worth)))
        if after - before > self.value:
            self.value, self.prior, self.choice = after - before, prior, choice
