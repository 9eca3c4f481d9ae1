"""(ε, δ)-privacy both ways, and the whole privacy profile δ(ε)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import Uncertified
from dprivacy.model import Answer, Channel, Pictured, about, as_channel, plain
from dprivacy.numbers import Factor, Level, as_delta, as_eps, as_level, exp_bounds, float_up, ln
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, LevelLike, Number, NumberLike
from dprivacy.verify.metric.row_ratios import Pairs, ordered_pairs

_LISTED = 12
_FIRST_BITS, _MOST_BITS = 160, 1 << 14


@result("C", "Thm 2")
def delta_at(C: ChannelLike, *, eps: LevelLike, pairs: Pairs = None) -> Number:
    """The smallest δ for which the channel is (ε, δ)-private: max over pairs of Σ_y (P_y − e^ε·Q_y)⁺.

    The worst set of outputs for an ordered pair is {y : P_y > e^ε·Q_y}, so that one sum a pair takes
    the place of all subsets.

    Parameters
    ----------
    C
        A channel.
    eps
        ε ≥ 0.
    pairs
        The ordered pairs of inputs to protect from each other; all of them when omitted. (For
        databases, give the neighbours, both ways round.)

    Returns
    -------
    Fraction or float
        For an exact channel exact, too, when e^ε is rational or the worst set has probability 0 for
        the other input (δ = 0 among these); otherwise rounded up.

    Examples
    --------
    >>> print(delta_at([["3/4", "1/4"], ["1/4", "3/4"]], eps="ln 2"))
    1/4
    """
    channel = as_channel(C)
    level = as_eps(eps, zero=True)
    if not channel.exact:
        a = _float_exp(float(level))
        return max((_excess(p, q, a) for p, q in _row_pairs(channel, pairs)), default=0.0)
    # Beyond every ratio of two entries, each level has the same worst sets.
    factor = Factor(min(level, Level(channel.matrix.den.bit_length())))
    worst = {_worst_set(p, q, factor) for p, q in _row_pairs(channel, pairs)}
    return largest_line(worst | {(Fraction(0), Fraction(0))}, factor)


def _worst_set(p: Sequence[Any], q: Sequence[Any], factor: Factor) -> tuple[Fraction, Fraction]:
    """The probabilities (P, Q) of the set {y : p_y > factor·q_y}."""
    chosen = [(a, b) for a, b in zip(p, q, strict=True) if not factor.admits(a, b)]
    return sum((a for a, _ in chosen), Fraction(0)), sum((b for _, b in chosen), Fraction(0))


def largest_line(lines: Iterable[tuple[Any, Any]], factor: Factor) -> Number:
    """The largest of P − factor·Q, or the smallest double above it.

    Exact where the factor is, or where the largest has Q = 0. Otherwise the factor is enclosed ever
    more tightly, until both ends round up to the same double.
    """
    pairs = list(lines)
    if factor.exact is not None:
        return Fraction(max(p - factor.exact * q for p, q in pairs))
    still = max((Fraction(p) for p, q in pairs if not q), default=None)
    if still is not None and all(p <= still or factor.admits(p - still, q) for p, q in pairs):
        return still
    low, high, bits = factor.low, factor.high, _FIRST_BITS
    while True:
        least, most = (float_up(max(p - f * q for p, q in pairs)) for f in (high, low))
        if least == most or bits > _MOST_BITS:
            return most
        bits *= 2
        low, high = exp_bounds(*factor.level.bounds(bits), bits)


def _excess(p: Sequence[Any], q: Sequence[Any], factor: float) -> float:
    """Σ (p − factor·q)⁺."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        gap = a - factor * b if b else a  # inf·0 would be NaN
        if gap > 0:
            total += gap
    return total


def _float_exp(exponent: float) -> float:
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf


def _row_pairs(channel: Channel, pairs: Pairs) -> Iterable[tuple[list[Number], list[Number]]]:
    at = channel.row_position
    asked = [(at(x), at(z)) for x, z in ordered_pairs(channel, pairs)]
    rows = {i: channel.matrix.row(i) for i in sorted({i for pair in asked for i in pair})}
    return [(rows[i], rows[j]) for i, j in asked]


@result("C", "Def 3")
def eps_at(C: ChannelLike, *, delta: NumberLike, pairs: Pairs = None) -> Level | float:
    """The smallest ε ≥ 0 for which the channel is (ε, δ)-private; the inverse of `delta_at`.

    Parameters
    ----------
    C, pairs
        As in `delta_at`.
    delta
        δ from 0 to 1.

    Returns
    -------
    Level or float
        ln a with a rational, for an exact channel; ``inf`` when no ε is large enough.

    Notes
    -----
    For one pair δ is a convex, piecewise linear function of a = e^ε with kinks at the ratios P/Q.
    Going down the ratios, the set {P > a·Q} grows; on each piece p − a·q = δ is solved for a.

    Examples
    --------
    >>> print(eps_at([["3/4", "1/4"], ["1/4", "3/4"]], delta="1/4"))
    ln(2)
    """
    channel = as_channel(C)
    slack = as_delta(delta)
    largest: Number = 1
    for p, q in _row_pairs(channel, pairs):
        factor = factor_at(p, q, slack if channel.exact else float(slack))
        largest = max(largest, factor)
    if largest == math.inf:
        return math.inf
    return ln(largest) if channel.exact else math.log(largest)


def factor_at(p: Sequence[Number], q: Sequence[Number], slack: Number) -> Number:
    """The smallest a ≥ 0 with Σ (p − a·q)⁺ ≤ slack; inf when there is none."""
    escaped = sum(
        (a for a, b in zip(p, q, strict=True) if b == 0),
        Fraction(0) if isinstance(slack, Fraction) else 0.0,
    )
    if escaped > slack:
        return math.inf
    cells = sorted(((a / b, a, b) for a, b in zip(p, q, strict=True) if b > 0), reverse=True)
    top, bottom = escaped, slack * 0
    for k, (_, a, b) in enumerate(cells):
        top, bottom = top + a, bottom + b
        factor = (top - slack) / bottom
        if k + 1 == len(cells) or factor >= cells[k + 1][0]:
            return max(factor, slack * 0)
    return slack * 0


@dataclass(frozen=True)
class PrivacyProfile(Pictured, Answer):
    """δ as a function of ε: convex and piecewise linear in a = e^ε.

    `lines` are pairs (p, q), steepest first: δ(ε) is the largest of p − q·e^ε. Two neighbouring
    lines meet at the `kinks`.

    Examples
    --------
    >>> profile = privacy_profile([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> print(profile.delta("ln 2"), profile.eps("1/4"), profile.floor)
    1/4 ln(2) 0
    >>> print(*profile.kinks[0])
    ln(3) 0
    """

    lines: tuple[tuple[Number, Number], ...]

    @property
    def exact(self) -> bool:
        """Whether the lines are exact."""
        return not isinstance(self.lines[0][0], float)

    def delta(self, eps: LevelLike) -> Number:
        """The smallest δ at ε ≥ 0 (rounded up where it is an irrational number)."""
        level = as_eps(eps, zero=True)
        if not self.exact:
            a = _float_exp(float(level))
            return max(p - q * a if q else p for p, q in self.lines)
        steepest = max((Fraction(p) / Fraction(q) for p, q in self.lines if q), default=Fraction(1))
        beyond = Level(math.ceil(steepest).bit_length())  # from there on only q = 0 is above 0
        return largest_line(self.lines, Factor(min(level, beyond)))

    def eps(self, delta: NumberLike) -> Level | float:
        """The smallest ε ≥ 0 at δ; inf when none is large enough."""
        slack: Number = as_delta(delta) if self.exact else float(as_delta(delta))
        largest: Number = 1
        for p, q in self.lines:
            if p > slack:
                largest = max(largest, (p - slack) / q if q else math.inf)
        if largest == math.inf:
            return math.inf
        return ln(largest) if self.exact else math.log(largest)

    @property
    def floor(self) -> Number:
        """The δ that no ε removes: the chance of an output that is impossible for another input."""
        p, q = self.lines[-1]
        return p if not q else p * 0

    @property
    def kinks(self) -> tuple[tuple[Level | float, Number], ...]:
        """The points (ε, δ) with ε > 0 where the profile changes its slope."""
        found = []
        for (p, q), (r, s) in zip(self.lines, self.lines[1:], strict=False):
            a = (p - r) / (q - s)
            if a > 1:
                eps = ln(a) if isinstance(a, Fraction) else math.log(a)
                found.append((eps, p - q * a))
        return tuple(found)

    def explain(self) -> str:
        """The profile in words."""
        lines = [f"At ε = 0 the smallest δ is {about(self.delta(0))}."]
        lines += [f"  at ε = {about(eps)} it is {about(d)}" for eps, d in self.kinks[:_LISTED]]
        if len(self.kinks) > _LISTED:
            lines.append(f"  and {len(self.kinks) - _LISTED} more corners follow")
        lines.append(
            f"However large ε is, δ = {about(self.floor)} remains."
            if self.floor
            else f"From ε = {about(self.eps(0))} on, δ = 0 is enough."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain data."""
        return {**super().to_dict(), "kinks": plain(self.kinks)}


def privacy_profile(C: ChannelLike, *, pairs: Pairs = None) -> PrivacyProfile:
    """The whole curve δ(ε) of a channel, exactly.

    Parameters
    ----------
    C, pairs
        As in `delta_at`.

    Notes
    -----
    1. For each pair, adding outputs in order of falling ratio gives lines p − q·a, whose maximum is
       that pair's profile.
    2. The channel's profile is the upper envelope of all lines for a ≥ 1 (it is convex).

    Examples
    --------
    >>> print(privacy_profile([["3/4", "1/4"], ["1/4", "3/4"]]))
    At ε = 0 the smallest δ is 1/2.
      at ε = ln(3) ≈ 1.099 it is 0
    From ε = ln(3) ≈ 1.099 on, δ = 0 is enough.
    """
    channel = as_channel(C)
    zero: Number = Fraction(0) if channel.exact else 0.0
    lines: set[tuple[Number, Number]] = {(zero, zero)}
    for p, q in _row_pairs(channel, pairs):
        top, bottom = zero, zero
        order = sorted(
            zip(p, q, strict=True),
            key=lambda cell: cell[0] / cell[1] if cell[1] else math.inf if cell[0] else -1,
            reverse=True,
        )
        for a, b in order:
            if not a > b:
                break
            top, bottom = top + a, bottom + b
            lines.add((top, bottom))
    return PrivacyProfile(_upper_envelope(sorted(lines, key=lambda line: (-line[1], line[0]))))


def _upper_envelope(lines: Sequence[tuple[Number, Number]]) -> tuple[tuple[Number, Number], ...]:
    """The lines p − q·a (sorted by falling q) that are the largest somewhere on a ≥ 1."""
    hull: list[tuple[Number, Number]] = []
    for p, q in lines:
        if hull and hull[-1][1] == q:
            hull.pop()
        while len(hull) >= 2 and _is_below(hull[-2], hull[-1], (p, q)):
            hull.pop()
        while hull and hull[-1][0] - hull[-1][1] <= p - q:  # already overtaken at a = 1
            hull.pop()
        hull.append((p, q))
    return tuple(hull)


def _is_below(
    first: tuple[Number, Number], middle: tuple[Number, Number], last: tuple[Number, Number]
) -> bool:
    """Whether the middle line never rises above both its neighbours."""
    (p1, q1), (p2, q2), (p3, q3) = first, middle, last
    return (p1 - p3) * (q1 - q2) <= (p1 - p2) * (q1 - q3)


def worst_delta(
    channel: Channel, space: FiniteSpace, eps: Level, slack: Fraction
) -> tuple[Number, bool | None, float, tuple[int, int] | None]:
    """The δ that ε·d needs, whether it is within `slack`, the float error, and the pair that needs it.

    Notes
    -----
    With irrational a = e^(ε·d) the sums are enclosed ever more tightly until they fall on one side of
    the slack, and round up to one double; they cannot meet either, since p − a·q = δ would make a
    rational.
    """
    n = len(channel.rows)
    finite = [
        (i, j)
        for i in range(n)
        for j in range(n)
        if i != j and float(space.distances[i, j]) < math.inf
    ]
    if not (channel.exact and space.exact):
        floats = channel.matrix.floats.tolist()
        sums = {
            (i, j): float(
                _excess(floats[i], floats[j], _float_exp(float(eps) * float(space.distances[i, j])))
            )
            for i, j in finite
        }
        pair = max(sums, key=sums.__getitem__, default=None)
        measured = 0.0 if pair is None else sums[pair]
        farthest = max((float(space.distances[i, j]) for i, j in finite), default=0.0)
        rounded = channel.matrix.shape[1] + min(float(eps) * farthest, 2.0**50)
        error = 2**-50 * rounded * (1 + float(measured))
        gap = float(measured) - float(slack)
        held = True if gap + error <= 0 else False if gap - error > 0 else None
        return measured, held, error, pair
    needed, holds, at = Fraction(0), True, None
    irrational = False
    known: dict[Any, tuple[Fraction, Fraction]] = {}
    for i, j in finite:
        distance = space.distances[i, j]
        assert not isinstance(distance, float)
        bits = _FIRST_BITS
        if distance not in known:
            known[distance] = _factor_bounds(eps, distance, bits, channel.matrix.den)
        lower, upper = known[distance]
        low, high = (_exact_excess(channel, i, j, f) for f in (upper, lower))
        while lower < upper and (low <= slack < high or float_up(low) < float_up(high)):
            bits *= 2
            lower, upper = _factor_bounds(eps, distance, bits, channel.matrix.den)
            low, high = (_exact_excess(channel, i, j, f) for f in (upper, lower))
        holds &= high <= slack
        irrational |= lower < upper
        if high > needed:
            needed, at = high, (i, j)
    return (float_up(needed) if irrational else needed), holds, 0.0, at


def _factor_bounds(
    eps: Level, distance: Level | Fraction, bits: int, beyond: int
) -> tuple[Fraction, Fraction]:
    """Rationals around e^(ε·d), equal where it is rational.

    A factor above `beyond`, the largest ratio of two entries, gives way to that: then the same
    outputs exceed it, those that the other input cannot give.
    """
    first, second = eps, as_level(distance)
    try:
        level = first * second
    except Uncertified:  # a product of two logarithms
        (least, most), (near, far) = first.bounds(bits), second.bounds(bits)
        low, high = least * near, most * far
    else:
        low, high = level.bounds(bits)
        exact = level.exp() if low <= beyond.bit_length() else None
        if exact is not None:
            return exact, exact
    if low > beyond.bit_length():
        return Fraction(beyond), Fraction(beyond)
    return exp_bounds(low, high, bits)


def _exact_excess(channel: Channel, i: int, j: int, factor: Fraction) -> Fraction:
    """Σ_y (C[i,y] − factor·C[j,y])⁺, in the channel's integers."""
    p, q = (channel.matrix.entries[k].tolist() for k in (i, j))
    top, bottom = factor.numerator, factor.denominator
    gaps = (a * bottom - b * top for a, b in zip(p, q, strict=True))
    return Fraction(sum(gap for gap in gaps if gap > 0), channel.matrix.den * bottom)
