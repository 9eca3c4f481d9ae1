"""Ordered losses: those for which the geometric mechanism on a line is best, whatever the prior."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.flow import costs, restrict
from dprivacy.model import Gain, Verdict, shown
from dprivacy.sources import result
from dprivacy.typing import Label


@dataclass(frozen=True)
class OrderedVerdict(Verdict):
    """Whether a loss is ordered along a line.

    `actions` are the actions in their order, without those that another one beats on all points;
    `conflict` are actions that cannot be put in order.

    Examples
    --------
    >>> from dprivacy.design import is_ordered
    >>> from dprivacy.flow import loss
    >>> from dprivacy.spaces import line
    >>> found = is_ordered(loss.metric(line(3)), [0, 1, 2])
    >>> found.actions
    (0, 1, 2)
    """

    actions: tuple[Any, ...] = ()
    conflict: tuple[Any, ...] = ()

    def explain(self) -> str:
        """The verdict in words, with the order or the conflict."""
        if self.conflict:
            names = " and ".join(map(shown, self.conflict))
            return f"{super().explain()}\n{names} cannot be put in order."
        return f"{super().explain()}\nIn order: {', '.join(map(shown, self.actions))}."


@result("T", "Thm 6.4")
def is_ordered(loss: Gain, points: Sequence[Label]) -> OrderedVerdict:
    """Whether the loss is ordered along points of a line: further actions suit further points.

    The actions have an order w_1, …, w_k such that going from w_j to w_{j+1} costs more up to some
    point of the line and less beyond it, and these points do not fall with j. Every loss that is
    monotonic in the distance is ordered, by the places the actions stand for; so are losses that
    punish one direction more than the other.

    Parameters
    ----------
    loss
        A loss, or a gain (judged by its mirror image), on these points at least.
    points
        Points of a line, in its order.

    Notes
    -----
    1. Leave out the actions that another one beats on all points: no consumer needs them.
    2. Of any two that are left, one must come first; if that makes an order, check it.

    On any line, with even steps or not, the geometric mechanism is universally optimal for ordered
    losses. The source states it for monotonic losses and even steps; the theory page has the proof.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> late = loss.function(range(4), range(4), lambda w, x: x - w if x > w else 5 * (w - x))
    >>> bool(is_ordered(late, range(4)))
    True
    """
    table = restrict(loss, points)
    verdict = partial(
        OrderedVerdict,
        "the loss is ordered along the line",
        denial="the loss is not ordered along the line",
        exact=loss.exact,
    )
    entries = costs(table)
    kept = _undominated(entries)
    signs = {
        (w, v): _turn(entries[v] - entries[w]) for w in kept for v in kept if w != v
    }  # where v becomes better than w
    for w, v in combinations(kept, 2):
        if signs[w, v] is None and signs[v, w] is None:
            pair = (table.actions[w], table.actions[v])
            return verdict(holds=False, conflict=pair)
    order = sorted(kept, key=lambda v: sum(signs[w, v] is not None for w in kept if w != v))
    reached = -1
    for w, v in pairwise(order):
        turn = signs[w, v]
        if turn is None or max(reached, turn[0]) > turn[1]:
            names = tuple(table.actions[k] for k in order)
            return verdict(holds=False, conflict=names)
        reached = max(reached, turn[0])
    return verdict(holds=True, actions=tuple(table.actions[k] for k in order))


def _undominated(entries: NDArray[Any]) -> list[int]:
    """The actions that no other beats everywhere; of equal ones the first."""
    kept: list[int] = []
    for w in range(len(entries)):
        beaten = any(
            (entries[v] <= entries[w]).all() and (v < w or (entries[v] < entries[w]).any())
            for v in range(len(entries))
            if v != w
        )
        if not beaten:
            kept.append(w)
    return kept


def _turn(difference: NDArray[Any]) -> tuple[int, int] | None:
    """The positions (first, last) up to which the difference is ≥ 0 and after which ≤ 0, if any."""
    up, down = np.flatnonzero(difference > 0), np.flatnonzero(difference < 0)
    first = int(up[-1]) if len(up) else -1
    last = int(down[0]) - 1 if len(down) else len(difference) - 1
    return (first, last) if first <= last else None
