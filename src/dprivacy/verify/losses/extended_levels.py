"""Extended privacy (XDP): the level ξ and the slack δ may be any functions of the pair of inputs."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadLevel
from dprivacy.model import Channel, Verdict, about, as_channel, shown
from dprivacy.numbers import Factor, Level, as_delta, as_eps, float_up
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, Number, NumberLike
from dprivacy.verify.metric.row_ratios import Case, Pairs, RowRatios, deciding, ordered_pairs

Pairwise = Callable[[Any, Any], Any]  # a function of two labels

_MOST_PAIRS = 1000  # violated pairs that are listed
_SHOWN = 8  # outputs of a set that are named in a sentence


@dataclass(frozen=True)
class WorstSet(Case):
    """The set of outputs that tells x from z best at level ξ: {y : C[x, y] > e^ξ·C[z, y]}.

    `p` and `q` are its probabilities on x and on z, `needed` is p − e^ξ·q (rounded up where e^ξ is
    irrational), `delta` is the slack that was allowed.

    Examples
    --------
    >>> C = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> worst = extended_privacy(C, xi="ln 2", delta="1/5").worst
    >>> print(worst.needed)
    1/4
    >>> print(worst.words().split(",")[0])
    the outputs {0} have probability 3/4 for 0 and 1/4 for 1
    >>> worst.to_dict()["needed"]
    '1/4'
    """

    outputs: tuple[Any, ...]
    p: Number
    q: Number
    xi: Level
    delta: Fraction
    needed: Number

    def words(self) -> str:
        """The set in a sentence."""
        named = ", ".join(shown(y) for y in self.outputs[:_SHOWN])
        if len(self.outputs) > _SHOWN:
            named += f" and {len(self.outputs) - _SHOWN} more"
        return (
            f"the outputs {{{named}}} have probability {about(self.p)} for {shown(self.x)} and "
            f"{about(self.q)} for {shown(self.z)}, which at ξ = {about(self.xi)} needs "
            f"δ = {about(self.needed)} where {about(self.delta)} is allowed"
        )


@dataclass(frozen=True)
class ExtendedVerdict(Verdict):
    """Whether a channel has extended privacy, with the set that comes closest to breaking it.

    `worst` is the pair and set with the largest needed − δ (None when no pair is constrained);
    `violated` lists one set for every pair that breaks the bound, at most 1000.

    Examples
    --------
    >>> C = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> extended_privacy(C, xi=lambda x, z: 2 * abs(x - z)).status
    'proved'
    """

    worst: WorstSet | None = None
    violated: tuple[WorstSet, ...] = ()

    def explain(self) -> str:
        """The verdict in words, with the set that decides it."""
        text = super().explain()
        if self.worst is None or not self.worst.outputs:
            return text
        return f"{text}\nDeciding case: {self.worst.words()}."


@result("T", "Def 10.3.1", "Def 10.3.2")
def extended_privacy(
    C: ChannelLike,
    *,
    xi: LevelLike | Pairwise,
    delta: NumberLike | Pairwise = 0,
    pairs: Pairs = None,
) -> ExtendedVerdict:
    """Whether C(x)(R) ≤ e^ξ(x,z)·C(z)(R) + δ(x,z) for all inputs x, z and all sets R of outputs.

    With ξ = ε·d and δ constant it is (ε·d, δ)-privacy; with ξ constant it is (ε, δ)-privacy.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.
    xi
        A function (x, z) ↦ ξ ≥ 0, or one level for all pairs; ``inf`` leaves a pair free. Levels are
        read as everywhere: a Level, "ln 2", a Fraction, an int, a float (its exact binary value).
        ``space.scaled(eps).distance`` is such a function. It need not be symmetric.
    delta
        A function (x, z) ↦ δ, or one number for all pairs.
    pairs
        The ordered pairs to look at (an adjacency relation); all of them when omitted.

    Returns
    -------
    ExtendedVerdict
        Proved or refuted for an exact channel, whatever ξ; measured for a float channel.

    Notes
    -----
    1. For each ordered pair the worst set is R = {y : C[x,y] > e^ξ·C[z,y]}; each output is decided
       exactly.
    2. With p = C(x)(R) and q = C(z)(R) the bound is p − δ ≤ e^ξ·q, one more exact comparison.

    O(n²·m).

    Examples
    --------
    >>> C = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> bool(extended_privacy(C, xi="ln 2", delta="1/4"))
    True
    >>> print(extended_privacy(C, xi="ln 2", delta="1/5").worst.words())
    the outputs {0} have probability 3/4 for 0 and 1/4 for 1, which at ξ = ln(2) ≈ 0.6931 needs \
δ = 1/4 where 1/5 is allowed
    """
    channel = as_channel(C)
    ratios, factors = RowRatios(channel), Factors(channel)
    error = 0.0
    verdicts: list[tuple[Number, bool | None, WorstSet]] = []
    for i, j, level, slack in constrained_pairs(channel, xi, delta, pairs):
        keeps: bool | None
        if channel.exact:
            factor = factors.of(level)
            found = _exact_set(ratios, i, j, level, factor, slack)
            keeps = found.p <= slack or factor.admits(Fraction(found.p) - slack, Fraction(found.q))
        else:
            found, low, high = _float_set(ratios, i, j, level, slack)
            keeps = True if high <= slack else False if low > slack else None
            error = max(error, high - low)
        verdicts.append((found.needed - slack, keeps, found))
    holds, worst = deciding(verdicts)
    return ExtendedVerdict(
        "the channel is (ξ, δ)-extended private",
        holds,
        channel.exact,
        error,
        worst,
        tuple(found for _, keeps, found in verdicts if keeps is False)[:_MOST_PAIRS],
        denial="the channel is not (ξ, δ)-extended private",
    )


class Factors:
    """e^ξ for every level ξ that comes up with one exact channel."""

    def __init__(self, channel: Channel) -> None:
        self.known: dict[int, tuple[Level, Factor]] = {}  # by identity: a level takes long to hash
        # no finite ratio of entries gets there
        self.beyond = Level(channel.matrix.den.bit_length())

    def of(self, level: Level) -> Factor:
        """e^ξ, or for a huge ξ a smaller one that admits the same outputs."""
        if id(level) not in self.known:
            self.known[id(level)] = level, Factor(min(level, self.beyond))
        return self.known[id(level)][1]


def constrained_pairs(
    channel: Channel, xi: LevelLike | Pairwise, delta: NumberLike | Pairwise, pairs: Pairs
) -> Iterator[tuple[int, int, Level, Fraction]]:
    """Positions, ξ and δ of every ordered pair that ξ constrains; bad values name their pair."""
    constant = None if callable(xi) or xi == math.inf else as_eps(xi, zero=True)
    for x, z in ordered_pairs(channel, pairs):
        level = xi(x, z) if callable(xi) else xi if constant is None else constant
        slack = delta(x, z) if callable(delta) else delta
        if isinstance(level, float) and level == math.inf:
            continue
        i, j = channel.row_position(x), channel.row_position(z)
        try:
            yield i, j, as_eps(level, zero=True), as_delta(slack)
        except BadLevel as reason:
            raise BadLevel(f"at the pair ({x!r}, {z!r}): {reason}") from None


def exceeding(ratios: RowRatios, i: int, j: int, factor: Factor) -> NDArray[np.bool_]:
    """Which outputs y have C[x,y] > e^ξ·C[z,y], in an exact channel.

    By float logarithms, and exactly where these are within rounding of ξ.
    """
    size = float(factor.level)
    gap = np.where(ratios.zeros[j], math.inf, ratios.logs[i] - ratios.logs[j]) - size
    possible = ~ratios.zeros[i]
    inside = np.asarray((gap > 0) & possible, dtype=bool)
    near = (np.abs(gap) <= 2 * ratios.error + 1e-14 * size) & possible
    for y in np.flatnonzero(near).tolist():
        inside[y] = not factor.admits(ratios.entries[i, y], ratios.entries[j, y])
    return inside


def _exact_set(
    ratios: RowRatios, i: int, j: int, level: Level, factor: Factor, slack: Fraction
) -> WorstSet:
    channel, inside = ratios.channel, exceeding(ratios, i, j, factor)
    p, q = (Fraction(int(ratios.entries[row][inside].sum()), channel.matrix.den) for row in (i, j))
    excess = p - factor.low * q
    needed = excess if factor.exact is not None or q == 0 else float_up(excess)
    outputs = tuple(channel.columns[y] for y in np.flatnonzero(inside).tolist())
    return WorstSet(channel.rows[i], channel.rows[j], outputs, p, q, level, slack, needed)


def _float_set(
    ratios: RowRatios, i: int, j: int, level: Level, slack: Fraction
) -> tuple[WorstSet, float, float]:
    """The set, and bounds on the δ it needs that allow for the rounding of entries and of e^ξ."""
    channel, floats = ratios.channel, ratios.entries
    size = float(level)
    factor = math.exp(size) if size < 709 else math.inf
    cells = list(zip(channel.columns, floats[i].tolist(), floats[j].tolist(), strict=True))
    chosen = [(y, a, b) for y, a, b in cells if a and (not b or a > factor * b)]
    p, q = math.fsum(a for _, a, _ in chosen), math.fsum(b for _, _, b in chosen)
    needed = p - factor * q if q else p
    # Relative: of the entries, of the operations, and of e^ξ, which inherits ξ ulps from ξ.
    rounding = ratios.error + 2**-50 * (8 + min(size, 709.0))
    low, high = (
        math.fsum(max(0.0, a - f * b) if b else a for _, a, b in cells) * (1 + side * rounding)
        for side in (-1, 1)
        for f in (factor * (1 - side * rounding),)
    )
    outputs = tuple(y for y, _, _ in chosen)
    found = WorstSet(channel.rows[i], channel.rows[j], outputs, p, q, level, slack, needed)
    return found, low, high
