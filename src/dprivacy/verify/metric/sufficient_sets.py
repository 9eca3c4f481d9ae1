"""Sufficient sets: which sets of outputs have to be looked at to know (ε, δ)-privacy."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.model import as_channel, plain
from dprivacy.sources import result


@result("C", "Thm 2", "Cor 2")
def sufficient_set(C: Any, x: Any, z: Any) -> tuple[Any, ...]:
    """The outputs that are strictly more likely for x than for z.

    (ε, δ)-privacy of the ordered pair holds on every set of outputs if it holds on the subsets of
    this one. Ties are decided exactly for exact channels.
    """
    channel = as_channel(C)
    p, q = (channel.matrix.entries[channel.row_position(label)] for label in (x, z))
    return tuple(y for y, more in zip(channel.columns, p > q, strict=True) if more)


@result("C", "Thm 3", "Cor 1")
def sufficient_partition(C: Any, x: Any, z: Any) -> dict[Fraction | float, tuple[Any, ...]]:
    """The sufficient set split by the ratio of its probabilities, smallest ratio first.

    On a part where P/Q is constant, a bound that holds on the part holds on all its subsets; with
    δ = 0 it is enough to look at the parts.

    Returns
    -------
    dict
        From the ratio P/Q (``inf`` where z cannot give the output) to the outputs that have it.
    """
    channel = as_channel(C)
    parts: dict[Fraction | float, list[Any]] = {}
    for y in sufficient_set(channel, x, z):
        p, q = channel[x, y], channel[z, y]
        parts.setdefault(p / q if q else math.inf, []).append(y)
    return {ratio: tuple(parts[ratio]) for ratio in sorted(parts)}


@dataclass(frozen=True)
class Workload:
    """How many (pair, set) checks privacy takes, by three ways of choosing the sets."""

    pairs: int
    all_subsets: int
    sufficient_subsets: int
    one_set_a_pair: int

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@result("C", "Ex 2")
def checks_needed(C: Any, *, pairs: Iterable[tuple[Any, Any]] | None = None) -> Workload:
    """The number of checks that sufficient sets save.

    Parameters
    ----------
    C
        A channel.
    pairs
        The ordered pairs of inputs to protect from each other; all of them when omitted.

    Returns
    -------
    Workload
        Against 2^m − 2 subsets a pair, the 2^|S| − 1 subsets of the sufficient set, or the single
        set {P > e^ε·Q} that is always the worst.
    """
    channel = as_channel(C)
    chosen = (
        [(x, z) for x in channel.rows for z in channel.rows if x != z]
        if pairs is None
        else list(pairs)
    )
    sizes = [len(sufficient_set(channel, x, z)) for x, z in chosen]
    return Workload(
        pairs=len(chosen),
        all_subsets=len(chosen) * (2 ** len(channel.columns) - 2),
        sufficient_subsets=sum(2**size - 1 for size in sizes),
        one_set_a_pair=len(chosen),
    )
