"""Where the noise goes: on the useful value or on the secret; and what is hidden or revealed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.flow.capacities.capacity_bounds import d_capacity
from dprivacy.flow.gains.gain_shapes import block_table
from dprivacy.flow.gains.loss_table import Number
from dprivacy.flow.measures.leaks import leakage
from dprivacy.model import Channel, Gain, Verdict, about, as_channel, as_prior, shown
from dprivacy.numbers import as_eps, as_level, read_number
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, read_labels

Blocks = Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]


@result("T", "Def 5.5.2", "Def 5.5.4")
def focussed(C: Any, others: Iterable[Any], *, on: Literal["secret", "useful"]) -> Channel:
    """A channel on one value as a channel on pairs (secret, useful value) that ignores the other.

    Parameters
    ----------
    C
        The channel.
    others
        The values of the coordinate that it does not see.
    on
        "useful" for a utility-focussed mechanism, "secret" for a secrecy-focussed one.
    """
    if on not in ("secret", "useful"):
        raise Malformed(f'on must be "secret" or "useful", not {on!r}')
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
    """Whether a channel on pairs ignores a coordinate, and the channel on the other that remains."""

    channel: Channel | None = None
    pair: tuple[Any, Any] | None = None

    def explain(self) -> str:
        """The verdict in words."""
        if self.pair is None:
            return super().explain()
        a, b = map(shown, self.pair)
        return f"{super().explain()}\nIts rows for {a} and {b} differ."


@result("T", "Def 5.5.1")
def is_insensitive(C: Any, to: Literal["secret", "useful"]) -> FocusVerdict:
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
        With the channel on the other coordinate, or two pairs that it treats differently.
    """
    if to not in ("secret", "useful"):
        raise Malformed(f'to must be "secret" or "useful", not {to!r}')
    channel = as_channel(C)
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in channel.rows):
        raise Malformed("the channel's inputs should be pairs (secret, useful value)")
    kept = 1 if to == "secret" else 0
    claim = f"the channel does not depend on the {'secret' if to == 'secret' else 'useful value'}"
    first: dict[Any, int] = {}
    entries = channel.matrix.entries
    for i, pair in enumerate(channel.rows):
        j = first.setdefault(pair[kept], i)
        if (entries[i] != entries[j]).any():
            return FocusVerdict(claim, False, channel.exact, pair=(channel.rows[j], pair))
    rest = Channel(list(first), channel.columns, channel.matrix.take(rows=list(first.values())))
    return FocusVerdict(claim, True, channel.exact, channel=rest)


@result("T", "Def 5.5.2", "Def 5.5.4")
def is_focussed(
    C: Any, space: FiniteSpace, *, eps: Any, on: Literal["secret", "useful"]
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
    """
    other: Literal["secret", "useful"] = "useful" if on == "secret" else "secret"
    alone = is_insensitive(C, other)
    level = as_eps(eps)
    words = "utility" if on == "useful" else "secrecy"
    claim = f"the mechanism is {words}-focussed and ε-private at ε = {about(level)}"
    if alone.channel is None:
        return FocusVerdict(claim, False, alone.exact, pair=alone.pair)
    needed = d_capacity(alone.channel, space)
    return FocusVerdict(
        claim, bool(needed <= level), alone.exact and space.exact, channel=alone.channel
    )


@dataclass(frozen=True)
class BlockVerdict(Verdict):
    """Whether a partition is hidden or revealed; `leakage` is the multiplicative one of the block."""

    leakage: Number = Fraction(1)
    before: Number = Fraction(1)

    def explain(self) -> str:
        """The verdict in words."""
        return (
            f"{super().explain()}\nThe chance of guessing the block is multiplied by "
            f"{about(self.leakage)}, from {about(self.before)}."
        )


@result("T", "Def 9.5.1")
def is_hiding(C: Any, blocks: Blocks, *, eps: Any, prior: Any = None) -> BlockVerdict:
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
    """
    amount = _amount(eps)
    found, before = _of_blocks(C, prior, blocks)
    claim = f"the mechanism is {about(amount)}-hiding for the partition"
    return _block_verdict(claim, 1 + amount, found, before, below=True)


@result("T", "Def 9.5.2")
def is_revealing(C: Any, blocks: Blocks, *, delta: Any, prior: Any = None) -> BlockVerdict:
    """Whether a mechanism multiplies the chance of guessing the block by at least 1 + Δ.

    If the hidden partition is finer than the revealed one and its blocks are equally likely, Δ ≤ ε.

    Parameters
    ----------
    C
        A channel.
    blocks
        The partition that should be revealed.
    delta
        How much should be learned.
    prior
        A distribution on the channel's inputs; uniform when omitted.
    """
    amount = _amount(delta)
    found, before = _of_blocks(C, prior, blocks)
    claim = f"the mechanism is {about(amount)}-revealing for the partition"
    return _block_verdict(claim, 1 + amount, found, before, below=False)


def _amount(value: Any) -> Number:
    number = read_number(value, "the amount") if not isinstance(value, float) else value
    if number < 0:
        raise Malformed(f"the amount must be at least 0, not {value}")
    return as_level(number).rational


def _of_blocks(C: Any, prior: Any, blocks: Blocks) -> tuple[Number, Number]:
    channel = as_channel(C)
    gain = Gain(*block_table(blocks))
    found: Number = leakage(channel, prior=prior, gain=gain)
    belief = as_prior(prior, channel.rows, exact=channel.exact)
    inside = {x: w for w, block in enumerate(gain.rows) for x in gain.columns if gain[block, x]}
    sums: dict[int, Any] = {}
    for x, p in belief.items():
        sums[inside[x]] = sums.get(inside[x], 0) + p
    return found, max(sums.values())


def _block_verdict(
    claim: str, bound: Number, found: Number, before: Number, *, below: bool
) -> BlockVerdict:
    exact = isinstance(found, Fraction)
    error = 0.0 if exact else 1e-12 * float(found)
    holds: bool | None = found <= bound if below else found >= bound
    if not exact and abs(float(found) - float(bound)) <= error:
        holds = None
    return BlockVerdict(claim, holds, exact, error, leakage=found, before=before)
