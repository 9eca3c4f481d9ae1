"""Monotonic losses: those that only ask how far the action is from the secret."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.flow.gains.loss_classes import costs
from dprivacy.model import Gain, Verdict, plain, shown
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace

Bools = NDArray[np.bool_]
_MOST_CELLS = 60_000_000
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class MonotonicVerdict(Verdict):
    """Whether a loss is monotonic in a metric.

    `mapping` is α, from actions to the secrets they stand for, when it is; `conflict` is a pair of
    actions that no two secrets can stand for, when there is such a pair and it is not.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> from dprivacy.spaces import line
    >>> is_monotonic(loss.metric(line(3)), line(3)).mapping
    {0: 0, 1: 1, 2: 2}
    """

    mapping: dict[Any, Any] = field(default_factory=dict)
    conflict: tuple[Any, Any] | None = None

    def explain(self) -> str:
        """The verdict in words, with the mapping or the conflict."""
        lines = [super().explain()]
        if self.mapping:
            pairs = ", ".join(f"{shown(w)} ↦ {shown(x)}" for w, x in self.mapping.items())
            lines.append(f"The actions stand for secrets thus: {pairs}.")
        elif self.conflict is not None:
            a, b = map(shown, self.conflict)
            lines.append(f"Wherever {a} and {b} are placed, the nearer costs more for some secret.")
        elif self.holds is False:
            lines.append("Any two actions can be placed, but not all of them at once.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        found = {shown(w): plain(x) for w, x in self.mapping.items()}
        return {**super().to_dict(), "mapping": found}


@result("T", "Def 6.5.2")
def is_monotonic(loss: Gain, space: FiniteSpace) -> MonotonicVerdict:
    """Whether ℓ(w, x) = f(d(α(w), x), x) with f non-decreasing in the distance; α is found.

    Parameters
    ----------
    loss
        A loss, or a gain (which may then not rise with the distance).
    space
        The metric: on the secrets, or on more points than these, for which actions may stand too.

    Notes
    -----
    1. Two actions w, v can stand for secrets a, b if on every secret x the order of ℓ(w, x) and ℓ(v, x)
       follows that of d(a, x) and d(b, x), and equal distances have equal losses.
    2. That decides the whole: f exists exactly when every two actions agree so.
    3. Impossible places are crossed out until none is left, and what remains is searched.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> from dprivacy.spaces import line
    >>> bool(is_monotonic(loss.identity(range(3)), line(3)))
    True
    """
    return _decided(loss, space, strict=False)


@result("T", "Def 6.8.1")
def is_strictly_monotonic(loss: Gain, space: FiniteSpace) -> MonotonicVerdict:
    """Whether, besides, α is a bijection and f rises strictly with the distance.

    Parameters
    ----------
    loss
        A loss, or a gain (which must then fall with the distance).
    space
        The metric on the secrets.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> from dprivacy.spaces import line
    >>> print(is_strictly_monotonic(loss.identity(range(3)), line(3)).status)
    refuted
    """
    return _decided(loss, space, strict=True)


def _decided(loss: Gain, space: FiniteSpace, *, strict: bool) -> MonotonicVerdict:
    places = loss.secrets if strict else space.labels
    columns = [space.position(x) for x in loss.secrets]
    rows = [space.position(x) for x in places]
    n, k = len(rows), len(loss.actions)
    what = f"{'strictly ' if strict else ''}monotonic in the metric"
    claim, denial = f"the loss is {what}", f"the loss is not {what}"
    exact = loss.exact and space.exact
    if strict and n != k:
        count = f"; it has {k} actions for {n} secrets"
        return MonotonicVerdict(claim, False, exact, denial=denial + count)
    if k * k * n * n > _MOST_CELLS or n * n * len(columns) > _MOST_CELLS:
        raise TooLarge(f"{k} actions and {n} points are too many to look for a mapping")
    fits = _fits(_ranks(space, rows, columns), costs(loss), strict)
    conflict = next(((w, v) for w in range(k) for v in range(w) if not fits[w, v].any()), None)
    if conflict is not None:
        pair = (loss.actions[conflict[1]], loss.actions[conflict[0]])
        return MonotonicVerdict(claim, False, exact, conflict=pair, denial=denial)
    wish = [places.index(w) if w in places else min(i, n - 1) for i, w in enumerate(loss.actions)]
    found = _Placing(fits, wish, strict).place()
    mapping = {w: places[x] for w, x in zip(loss.actions, found or (), strict=False)}
    return MonotonicVerdict(claim, found is not None, exact, mapping=mapping, denial=denial)


def _ranks(space: FiniteSpace, rows: list[int], columns: list[int]) -> NDArray[np.intp]:
    """Distances by their rank, so that comparing whole numbers compares exact distances."""
    values = sorted({space.distances[i, j] for i in rows for j in columns})
    rank = {value: r for r, value in enumerate(values)}
    return np.array([[rank[space.distances[i, j]] for j in columns] for i in rows])


def _fits(ranks: Any, entries: Any, strict: bool) -> Bools:
    """fits[w, v, a, b]: whether w can stand for a while v stands for b."""
    k, n = len(entries), len(ranks)
    farther = np.sign(ranks[:, None, :] - ranks[None, :, :])  # a, b, x
    signs = [np.array(farther == s, dtype=np.float32).reshape(n * n, -1) for s in (-1, 0, 1)]
    fits = np.zeros((k, k, n, n), dtype=bool)
    for w in range(k):
        for v in range(w + 1):
            difference = entries[w] - entries[v]
            up, down = difference > 0, difference < 0
            wrong_near = ~down if strict else up
            wrong_far = ~up if strict else down
            broken = (
                signs[0] @ wrong_near.astype(np.float32)
                + signs[1] @ (up | down).astype(np.float32)
                + signs[2] @ wrong_far.astype(np.float32)
            )
            fits[w, v] = (broken == 0).reshape(n, n)
            fits[v, w] = fits[w, v].T
    return fits


class _Placing:
    """A search for one place for every action, with every two of them fitting."""

    def __init__(self, fits: Bools, wish: list[int], strict: bool) -> None:
        self.fits, self.wish, self.strict = fits, wish, strict
        self.k, self.n = fits.shape[0], fits.shape[2]
        self.steps = 0

    def place(self) -> list[int] | None:
        """Places for all actions, or None."""
        open_ = np.ones((self.k, self.n), dtype=bool)
        for w in range(self.k):
            open_[w] &= np.diagonal(self.fits[w, w])
        return self._search(open_, {})

    def _search(self, open_: Bools, placed: dict[int, int]) -> list[int] | None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise TooLarge(
                f"the search for a mapping from {self.k} actions to {self.n} secrets took more than "
                f"{_MOST_STEPS:,} steps"
            )
        if len(placed) == self.k:
            return [placed[w] for w in range(self.k)]
        left = open_.sum(axis=1)
        w = min((v for v in range(self.k) if v not in placed), key=lambda v: (left[v], v))
        places = sorted(np.flatnonzero(open_[w]).tolist(), key=lambda x: x != self.wish[w])
        for x in places:
            narrowed = open_.copy()
            narrowed[w] = False
            narrowed[w, x] = True
            for v in range(self.k):
                if v != w:
                    narrowed[v] &= self.fits[w, v, x]
                    if self.strict:
                        narrowed[v, x] = False
            if narrowed.any(axis=1).all():
                found = self._search(narrowed, {**placed, w: x})
                if found is not None:
                    return found
        return None
