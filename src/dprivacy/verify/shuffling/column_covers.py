"""What hides a column's values among those of others: from its channel, its design or its level."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from dprivacy.errors import NotApplicable, Uncertified, WrongShape
from dprivacy.model import BlockLaw, Guarantee, as_channel
from dprivacy.numbers import Level, as_eps, exp_bounds, ln
from dprivacy.sources import result
from dprivacy.spaces import BitStrings, FiniteSpace, GridLine
from dprivacy.typing import Label
from dprivacy.verify.shuffling.blanket_pairs import Blanket, blankets, lowest, merged

Pairs = Mapping[Blanket, tuple[Label, Label]]
Listed = tuple[Sequence[Label], list[list[Fraction]]]

_BITS = 64  # of an irrational e^ε
_MOST_BITS = 24  # of which all pairs are built


@dataclass(frozen=True)
class Cover:
    """A column's ordered pairs of values, and those of a value with itself, as blankets see them.

    `level` is an upper bound of the column's local level, from which a coarser cover can be had;
    `worse` says that equal values never tell more than different ones.
    """

    changed: Pairs
    same: Pairs
    level: Level | None
    worse: bool = False


def cover_of(column: Any, beside: Sequence[Any] = ()) -> Cover:
    """The cover of a mechanism, channel or level; `beside` it, channels that others use instead."""
    listed = exact_rows(column)
    if listed is None and beside:
        raise NotApplicable(
            "only channels can be used beside each other; take the level of the weakest of them instead"
        )
    if listed is not None:
        return _cover_of_rows([(column, listed), *((other, _required(other)) for other in beside)])
    law = getattr(column, "reports", None)
    if isinstance(law, BlockLaw):
        return cover_of_design(law, column.guarantee.eps)
    if hasattr(column, "flip"):
        return _cover_of_bits(cover_of(column.flip), column.bits)
    guarantee = getattr(column, "guarantee", None)
    if isinstance(guarantee, Guarantee):
        return cover_of_level(farthest_level(guarantee))
    return cover_of_level(as_eps(column, zero=True))


def exact_rows(column: Any) -> Listed | None:
    """Labels and rows of a channel; None where there is none, or where a design says it in short."""
    if isinstance(column, Level | int | float | Fraction) or _is_level(column):
        return None
    if isinstance(getattr(column, "reports", None), BlockLaw):
        return None
    if getattr(column, "channel", False) is None or hasattr(column, "flip"):
        return None
    channel = as_channel(column)
    if not channel.exact:
        raise Uncertified(
            f"a shuffled release is certified from exact numbers, and {channel!r} has floats; write "
            "its entries as fractions, or take the channel that `exactly` gives"
        )
    return channel.rows, [[Fraction(value) for value in row] for row in channel.matrix.rows()]


def _required(column: Any) -> Listed:
    listed = exact_rows(column)
    if listed is None:
        raise NotApplicable(f"channels are used beside each other, and {column!r} has none")
    return listed


def _cover_of_rows(tables: Sequence[tuple[Any, Listed]]) -> Cover:
    """The cover of one channel, or of several that have the same outputs."""
    if len(tables) > 1 and len({as_channel(column).columns for column, _ in tables}) > 1:
        raise WrongShape(
            "channels that are used beside each other have the same outputs in the same order"
        )
    labels, rows = tables[0][1]
    law = _response_law(rows) if len(tables) == 1 else None
    if law is not None:
        short = cover_of_design(law, ln(law.factor))
        (changed,), (same,) = short.changed, short.same
        return Cover({changed: (labels[0], labels[1])}, {same: (labels[0],) * 2}, short.level)
    pairs: dict[Blanket, tuple[Label, Label]] = {}
    equal: dict[Blanket, tuple[Label, Label]] = {}
    everywhere = lowest([rows for _, (_, rows) in tables])
    for column, (labels, rows) in tables:
        guarantee = getattr(column, "guarantee", None)
        parts = _told_apart(guarantee, labels) if len(tables) == 1 else [range(len(rows))]
        for part in parts:  # one person's two values; the others may have those of any part
            some = [rows[i] for i in part]
            for kept, alone in ((pairs, False), (equal, True)):
                for blanket, (i, j) in blankets(some, everywhere, same=alone).items():
                    kept.setdefault(blanket, (labels[part[i]], labels[part[j]]))
    told = pairs or equal  # where no value can become another, nothing is told
    return Cover(told, equal, _level_of(told))


def _response_law(rows: Sequence[Sequence[Fraction]]) -> BlockLaw | None:
    """Rows of one probability for the truth and a smaller one for all else, as sets of one label."""
    k, (p, q) = len(rows), rows[0][:2] if len(rows[0]) > 1 else (Fraction(1), Fraction(1))
    if k < 3 or k != len(rows[0]) or not p >= q > 0:
        return None
    plain = all(v == (p if x == y else q) for x, row in enumerate(rows) for y, v in enumerate(row))
    one = Fraction(1)
    return BlockLaw(k, p / q, Fraction(k), one, 0 * one) if plain else None


def _is_level(column: Any) -> bool:
    """Texts are levels where they can be, and else the names of files with channels."""
    if not isinstance(column, str):
        return False
    try:
        as_eps(column, zero=True)
    except ValueError:
        return False
    return True


@result("B", "§5")
def cover_of_level(level: Level, farthest: Level | None = None) -> Cover:
    """The cover of a column of which only a level is known.

    Parameters
    ----------
    level
        Between the two values of one person.
    farthest
        Between any two values, the others' too; as `level` when omitted.

    Notes
    -----
    The blanket of the pair is ω = (P + Q)/2 with γ = e^(−farthest), which no row falls below. P/ω
    lies between 2/(e^ε + 1) and 2e^ε/(e^ε + 1) with mean 1, Q/ω = 2 − P/ω, and the bound is convex in
    it: of all such laws the two ends with a half each are the worst. Equal values, where P/ω is 1, are
    one of them.
    """
    near, far = factor_above(level), factor_above(level if farthest is None else farthest)
    low, high = 2 * far / (near + 1), 2 * far * near / (near + 1)
    half = 1 / (2 * far)
    changed = Blanket(merged([((high, low), half), ((low, high), half)]), (), 1 / far)
    same = Blanket((((far, far), 1 / far),), (), 1 / far)
    return Cover(
        {changed: ("a value", "another")}, {same: ("a value", "a value")}, level, worse=True
    )


@result("B", "§5")
def cover_of_design(law: BlockLaw, level: Level) -> Cover:
    """The cover of reports that are sets: all pairs of labels look alike.

    Every set weighs a or 1 over Z, so that 1/Z of its weight is the blanket. Of the sets, those of
    weight λ hold both labels, those of weight r − λ only the first, and so on.
    """
    a, z = law.factor, law.normaliser
    one, both, total = law.single, law.pair, law.total
    unit = Fraction(1)
    changed = [
        ((a, a), both / z),
        ((a, unit), (one - both) / z),
        ((unit, a), (one - both) / z),
        ((unit, unit), (total - 2 * one + both) / z),
    ]
    same = [((a, a), one / z), ((unit, unit), (total - one) / z)]
    found = [
        Blanket(merged(atom for atom in atoms if atom[1]), (), total / z)
        for atoms in (changed, same)
    ]
    return Cover({found[0]: ("a value", "another")}, {found[1]: ("a value", "a value")}, level)


def factor_above(level: Level) -> Fraction:
    """e^level, or a short rational just above it."""
    exact = level.exp()
    if exact is not None:
        return exact
    high = exp_bounds(*level.bounds(2 * _BITS), 2 * _BITS)[1]
    return Fraction(math.ceil(high * (1 << _BITS)), 1 << _BITS)


def _cover_of_bits(flip: Cover, bits: int) -> Cover:
    """Bits that are flipped independently: pairs are alike that differ in as many of them."""
    assert flip.level is not None
    if bits > _MOST_BITS:
        return cover_of_level(flip.level * bits)
    (other,), (same,) = flip.changed, flip.same
    zeros = (0,) * bits
    pairs = {
        reduce(Blanket.times, [other] * d + [same] * (bits - d)): (zeros, (1,) * d + zeros[d:])
        for d in range(bits + 1)
    }
    *_, (alone, where) = reversed(pairs.items())
    changed = {blanket: pair for blanket, pair in pairs.items() if blanket != alone}
    return Cover(changed, {alone: where}, flip.level * bits)


def _level_of(pairs: Pairs) -> Level | None:
    """The local level of all pairs; None where none is finite."""
    worst = Fraction(1)
    for blanket in pairs:
        for p, q in blanket.cells:
            if p and not q:
                return None
            if q:
                worst = max(worst, p / q)
    return ln(worst)


def farthest_level(guarantee: Guarantee) -> Level:
    """The level between the two values that are farthest apart."""
    space = guarantee.space
    if guarantee.delta:
        raise NotApplicable(
            "what is shuffled has a channel or a level without δ; this mechanism has neither"
        )
    if isinstance(space, GridLine) and space.low is not None and space.high is not None:
        return guarantee.eps * (space.high - space.low)
    if isinstance(space, BitStrings):
        return guarantee.eps * space.bits
    if isinstance(space, FiniteSpace) and space.diameter != math.inf:
        return guarantee.eps * Level(space.diameter)
    raise NotApplicable(
        "values can be arbitrarily far apart here, so that no part of a report is the same for all of "
        "them, and shuffling adds nothing to the local guarantee; declare a range of values"
    )


def _told_apart(guarantee: Any, labels: Sequence[Label]) -> list[Sequence[int]]:
    """Positions of the values, in groups at infinite distance from each other."""
    space = getattr(guarantee, "space", None)
    if not isinstance(space, FiniteSpace) or space.diameter != math.inf:
        return [range(len(labels))]
    groups: list[list[int]] = []
    for i, label in enumerate(labels):
        near = [g for g in groups if space.distance(labels[g[0]], label) != math.inf]
        if near:
            near[0].append(i)
        else:
            groups.append([i])
    return list(groups)
