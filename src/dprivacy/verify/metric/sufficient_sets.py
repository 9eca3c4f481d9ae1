"""Sufficient sets: which sets of outputs have to be looked at to know (ε, δ)-privacy."""

import math
from dataclasses import dataclass
from typing import ClassVar

from dprivacy.model import Answer, as_channel
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, Number
from dprivacy.verify.metric.row_ratios import Pairs, ordered_pairs


@result("C", "Thm 2", "Cor 2")
def sufficient_set(C: ChannelLike, x: Label, z: Label) -> tuple[Label, ...]:
    """The outputs that are strictly more likely for x than for z.

    (ε, δ)-privacy of the ordered pair holds on every set of outputs if it holds on the subsets of
    this one. Ties are decided exactly for exact channels.

    Examples
    --------
    >>> sufficient_set([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]], 0, 1)
    (0,)
    """
    channel = as_channel(C)
    p, q = (channel.matrix.entries[channel.row_position(label)] for label in (x, z))
    return tuple(y for y, more in zip(channel.columns, p > q, strict=True) if more)


@result("C", "Thm 3", "Cor 1")
def sufficient_partition(C: ChannelLike, x: Label, z: Label) -> dict[Number, tuple[Label, ...]]:
    """The sufficient set split by the ratio of its probabilities, smallest ratio first.

    On a part where P/Q is constant, a bound that holds on the part holds on all its subsets; with
    δ = 0 it is enough to look at the parts.

    Returns
    -------
    dict
        From the ratio P/Q (``inf`` where z cannot give the output) to the outputs that have it.

    Examples
    --------
    >>> C = [["1/2", "3/8", "1/8"], ["1/4", "1/8", "5/8"]]
    >>> {str(ratio): outputs for ratio, outputs in sufficient_partition(C, 0, 1).items()}
    {'2': (0,), '3': (1,)}
    """
    channel = as_channel(C)
    parts: dict[Number, list[Label]] = {}
    for y in sufficient_set(channel, x, z):
        p, q = channel[x, y], channel[z, y]
        parts.setdefault(p / q if q else math.inf, []).append(y)
    return {ratio: tuple(parts[ratio]) for ratio in sorted(parts)}


@dataclass(frozen=True)
class Workload(Answer):
    """How many (pair, set) checks privacy takes, by three ways of choosing the sets."""

    pairs: int
    all_subsets: int
    sufficient_subsets: int
    one_set_a_pair: int
    exact: ClassVar = True  # counts are exact

    def explain(self) -> str:
        """The counts in words."""
        return (
            f"For {self.pairs:,} pairs there are {self.all_subsets:,} sets of outputs to check; the "
            f"sufficient sets leave {self.sufficient_subsets:,}, and the worst sets "
            f"{self.one_set_a_pair:,}."
        )


@result("C", "Ex 2")
def checks_needed(C: ChannelLike, *, pairs: Pairs = None) -> Workload:
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

    Examples
    --------
    >>> print(checks_needed([["3/4", "1/4"], ["1/4", "3/4"]]))
    For 2 pairs there are 4 sets of outputs to check; the sufficient sets leave 2, and the worst \
sets 2.
    """
    channel = as_channel(C)
    chosen = ordered_pairs(channel, pairs)
    sizes = [len(sufficient_set(channel, x, z)) for x, z in chosen]
    return Workload(
        pairs=len(chosen),
        all_subsets=len(chosen) * (2 ** len(channel.columns) - 2),
        sufficient_subsets=sum(2**size - 1 for size in sizes),
        one_set_a_pair=len(chosen),
    )
