"""Where the noise goes: on the useful value or on the secret; and what is hidden or revealed."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dprivacy.errors import BadNumber, UnknownName, WrongShape
from dprivacy.flow.capacities.capacity_bounds import d_capacity
from dprivacy.flow.gains.gain_shapes import block_table
from dprivacy.flow.measures.leaks import leakage
from dprivacy.model import Channel, Gain, Verdict, about, as_channel, prior_for, shown
from dprivacy.numbers import as_eps, as_level, read_number
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, read_labels
from dprivacy.typing import ChannelLike, Label, LevelLike, Number, NumberLike, PriorLike

_ULPS = 4 * float(np.finfo(np.float64).eps)
_LARGEST = float(np.finfo(np.float64).max)

Blocks = Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]


@result("T", "Def 5.5.2", "Def 5.5.4")
def focussed(
    C: ChannelLike, others: Iterable[Label], *, on: Literal["secret", "useful"]
) -> Channel:
    """A channel on one value as a channel on pairs (secret, useful value) that ignores the other.

    Parameters
    ----------
    C
        The channel.
    others
        The values of the coordinate that it does not see.
    on
        "useful" for a utility-focussed mechanism, "secret" for a secrecy-focussed one.

    Examples
    --------
    >>> coin = {"ill": {0: "3/4", 1: "1/4"}, "well": {0: "1/4", 1: "3/4"}}
    >>> print(focussed(coin, ["smokes", "does not"], on="useful")[("smokes", "ill"), 0])
    3/4
    """
    if on not in ("secret", "useful"):
        raise UnknownName.among("on", on, ("secret", "useful"))
    channel, ignored = as_channel(C), read_labels(others)
    n, m = len(channel.rows), len(ignored)
    if on == "secret":
        pairs = [(x, u) for x in channel.rows for u in ignored]
        order = np.repeat(np.arange(n), m)
    else:
        pairs = [(s, x) for s in ignored for x in channel.rows]
        order = np.tile(np.arange(n), m)
    return Channel(pairs, channel.columns, channel.matrix.take(rows=order.tolist()))


@dataclass(frozen=True)
class FocusVerdict(Verdict):
    """Whether a channel on pairs ignores a coordinate, and the channel on the other that remains.

    Examples
    --------
    >>> on_both = {("s", "u"): {0: 1}, ("t", "u"): {1: 1}}
    >>> print(is_insensitive(on_both, "secret"))
    No: the channel depends on the secret (disproved exactly).
    Its rows for (s, u) and (t, u) differ.
    """

    channel: Channel | None = None
    pair: tuple[Any, Any] | None = None

    def explain(self) -> str:
        """The verdict in words."""
        if self.pair is None:
            return super().explain()
        a, b = map(shown, self.pair)
        return f"{super().explain()}\nIts rows for {a} and {b} differ."


@result("T", "Def 5.5.1")
def is_insensitive(C: ChannelLike, to: Literal["secret", "useful"]) -> FocusVerdict:
    """Whether a channel on pairs (secret, useful value) ignores one of them.

    Parameters
    ----------
    C
        A channel whose inputs are pairs.
    to
        The coordinate that it should ignore.

    Returns
    -------
    FocusVerdict
        With the channel on the other coordinate, or two pairs that it treats differently. Float rows
        that differ by no more than rounding are undecided.

    Examples
    --------
    >>> coin = {"ill": {0: "3/4", 1: "1/4"}, "well": {0: "1/4", 1: "3/4"}}
    >>> wide = focussed(coin, ["smokes", "does not"], on="useful")
    >>> is_insensitive(wide, "secret").channel.rows
    ('ill', 'well')
    """
    if to not in ("secret", "useful"):
        raise UnknownName.among("to", to, ("secret", "useful"))
    channel = as_channel(C)
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in channel.rows):
        raise WrongShape(
            f"the channel's inputs should be pairs (secret, useful value), not {channel.rows[0]!r}, …"
        )
    kept, what = (1, "secret") if to == "secret" else (0, "useful value")
    claim = f"the channel does not depend on the {what}"
    denial = f"the channel depends on the {what}"
    first: dict[Any, int] = {}
    entries, exact = channel.matrix.entries, channel.exact
    error = 0.0 if exact else _ULPS
    unsure: tuple[Any, Any] | None = None
    for i, pair in enumerate(channel.rows):
        j = first.setdefault(pair[kept], i)
        if (entries[i] == entries[j]).all():
            continue
        pairs = (channel.rows[j], pair)
        # Doubles stand for numbers within half a unit in the last place.
        if exact or not np.allclose(entries[i], entries[j], rtol=_ULPS, atol=0.0):
            return FocusVerdict(claim, False, exact, error, pair=pairs, denial=denial)
        unsure = unsure or pairs
    if unsure is not None:
        return FocusVerdict(claim, None, exact, error, pair=unsure, denial=denial)
    rest = Channel(list(first), channel.columns, channel.matrix.take(rows=list(first.values())))
    return FocusVerdict(claim, True, exact, error, channel=rest, denial=denial)


@result("T", "Def 5.5.2", "Def 5.5.4")
def is_focussed(
    C: ChannelLike, space: FiniteSpace, *, eps: LevelLike, on: Literal["secret", "useful"]
) -> FocusVerdict:
    """Whether a channel on pairs is an ε-private mechanism on one coordinate that ignores the other.

    Parameters
    ----------
    C
        A channel whose inputs are pairs (secret, useful value).
    space
        The metric on that coordinate.
    eps
        The level of privacy.
    on
        "useful" for utility-focussed, "secret" for secrecy-focussed.

    Returns
    -------
    FocusVerdict
        Proved or refuted for exact input; for floats measured, and undecided within rounding of ε.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> coin = {"ill": {0: "3/4", 1: "1/4"}, "well": {0: "1/4", 1: "3/4"}}
    >>> wide = focussed(coin, ["smokes", "does not"], on="useful")
    >>> bool(is_focussed(wide, discrete(["ill", "well"]), eps="ln 3", on="useful"))
    True
    """
    other: Literal["secret", "useful"] = "useful" if on == "secret" else "secret"
    alone = is_insensitive(C, other)
    level = as_eps(eps)
    words = "utility" if on == "useful" else "secrecy"
    claim = f"the mechanism is {words}-focussed and ε-private at ε = {about(level)}"
    denial = f"the mechanism is not {words}-focussed and ε-private at ε = {about(level)}"
    if alone.channel is None:
        return FocusVerdict(
            claim, alone.holds, alone.exact, alone.error, pair=alone.pair, denial=denial
        )
    needed = d_capacity(alone.channel, space)
    exact = alone.exact and space.exact
    error = 0.0 if exact else _rate_error(alone.channel, space)
    if exact and isinstance(needed, float) and needed < math.inf:
        error = math.ulp(needed)  # rounded up, since the quotient has no exact form
    holds: bool | None = False
    if needed != math.inf:
        over = as_level(needed) - level
        # What was rounded up and still is small enough is proved all the same.
        sure = over <= (0 if exact else -Fraction(error))
        holds = True if sure else False if over >= Fraction(error) else None
    return FocusVerdict(claim, holds, exact, error, channel=alone.channel, denial=denial)


def _rate_error(channel: Channel, space: FiniteSpace) -> float:
    """A bound on the error of a float d-capacity: that of a few logarithms, per unit of distance."""
    entries, apart = channel.matrix.floats, space.distances.floats
    least = float(entries[entries > 0].min())
    closest = float(apart[apart > 0].min(initial=math.inf))
    logs = 2.0**-48 * (1 - math.log(least)) + 2 * math.log1p(math.ulp(0.0) / least)
    return min(logs / closest, _LARGEST)


@dataclass(frozen=True)
class BlockVerdict(Verdict):
    """Whether a partition is hidden or revealed; `leakage` is the multiplicative one of the block.

    Examples
    --------
    >>> print(is_hiding([["3/4", "1/4"], ["1/4", "3/4"]], [[0], [1]], eps="1/4"))
    No: the mechanism is not 1/4-hiding for the partition (disproved exactly).
    The output multiplies the probability of guessing the block, 1/2, by 3/2.
    """

    leakage: Number = Fraction(1)
    before: Number = Fraction(1)

    def explain(self) -> str:
        """The verdict in words."""
        return (
            f"{super().explain()}\nThe output multiplies the probability of guessing the block, "
            f"{about(self.before)}, by {about(self.leakage)}."
        )


@result("T", "Def 9.5.1")
def is_hiding(
    C: ChannelLike, blocks: Blocks, *, eps: NumberLike, prior: PriorLike = None
) -> BlockVerdict:
    """Whether a mechanism multiplies the chance of guessing the block by at most 1 + ε.

    Parameters
    ----------
    C
        A channel.
    blocks
        The partition that should stay hidden, as for `gain.partition`.
    eps
        How much may be learned (a number; not a level of d-privacy).
    prior
        A distribution on the channel's inputs; uniform when omitted.

    Examples
    --------
    >>> bool(is_hiding([["3/4", "1/4"], ["1/4", "3/4"]], [[0], [1]], eps="1/2"))
    True
    """
    return _block_verdict(C, prior, blocks, eps, "hiding")


@result("T", "Def 9.5.2")
def is_revealing(
    C: ChannelLike, blocks: Blocks, *, delta: NumberLike, prior: PriorLike = None
) -> BlockVerdict:
    """Whether a mechanism multiplies the chance of guessing the block by at least 1 + Δ.

    If the hidden partition is finer than the revealed one and its blocks are equally likely, Δ ≤ ε.

    Parameters
    ----------
    C, blocks, prior
        As in `is_hiding`.
    delta
        How much should be learned.

    Examples
    --------
    >>> bool(is_revealing([["3/4", "1/4"], ["1/4", "3/4"]], [[0], [1]], delta="1/2"))
    True
    """
    return _block_verdict(C, prior, blocks, delta, "revealing")


def _amount(value: NumberLike) -> Number:
    number = read_number(value, "the amount") if not isinstance(value, float) else value
    if number < 0:
        raise BadNumber(f"the amount should be at least 0, not {value}")
    return as_level(number).rational


def _of_blocks(C: ChannelLike, prior: PriorLike, blocks: Blocks) -> tuple[Number, Number]:
    channel = as_channel(C)
    gain = Gain(*block_table(blocks))
    found: Number = leakage(channel, prior=prior, gain=gain)
    belief = prior_for(channel, prior)
    inside = {x: w for w, block in enumerate(gain.rows) for x in gain.columns if gain[block, x]}
    sums: dict[int, Any] = {}
    for x, p in belief.items():
        sums[inside[x]] = sums.get(inside[x], 0) + p
    return found, max(sums.values())


def _block_verdict(
    C: ChannelLike, prior: PriorLike, blocks: Blocks, share: NumberLike, kind: str
) -> BlockVerdict:
    amount = _amount(share)
    found, before = _of_blocks(C, prior, blocks)
    what, bound = f"{about(amount)}-{kind} for the partition", 1 + amount
    exact = isinstance(found, Fraction)
    error = 0.0 if exact else 1e-12 * float(found)
    holds: bool | None = found <= bound if kind == "hiding" else found >= bound
    if not exact and abs(float(found) - float(bound)) <= error:
        holds = None
    return BlockVerdict(
        f"the mechanism is {what}",
        holds,
        exact,
        error,
        leakage=found,
        before=before,
        denial=f"the mechanism is not {what}",
    )
