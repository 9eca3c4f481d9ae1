"""Which pair of inputs and which event look most revealing? Learned from samples set aside for it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats
from dprivacy.verify.auditing.confidence_bounds import wilson
from dprivacy.verify.auditing.revealing_events import Event, Intervals, Outputs, Tally

Counts = NDArray[np.int64]

_BINS = 128  # pieces that a line of many distinct numbers is cut into
_MOST_ATOMS = 50_000  # distinct outputs that are looked at one by one
_SIMPLER = 0.02  # what of ε is given up at most for an event of a simpler kind
_OFTEN = 1 / 500  # share from which a number among many is also looked at by itself
_LARGER = 2  # times the outputs scored on that a test is reckoned with at most: beyond, luck wins


@dataclass(frozen=True)
class Atoms:
    """The smallest events looked at, and how often each was seen for each input (inputs × atoms).

    `edges` holds the ends of the intervals when atoms are pieces of the line; `ordered` says that
    neighbours may be joined to intervals; `extra` are single numbers on top.
    """

    members: tuple[Any, ...]
    edges: Floats | None
    ordered: bool
    extra: tuple[Any, ...]

    @classmethod
    def of(cls, tallies: Sequence[Tally], outputs: Sequence[Any] | None) -> "Atoms":
        """Choose atoms from what was seen (or from the outputs that the caller named)."""
        if outputs is not None:
            return cls(tuple(outputs), None, False, ())
        if not all(tally.numeric for tally in tallies):
            pooled: dict[Any, int] = {}
            for tally in tallies:
                for y in tally.places:
                    pooled[y] = pooled.get(y, 0) + tally.count(y)
            return cls(
                tuple(sorted(pooled, key=lambda y: -pooled[y])[:_MOST_ATOMS]), None, False, ()
            )
        values = np.concatenate([tally.values for tally in tallies])
        counts = np.concatenate([tally.counts for tally in tallies])
        values, inverse = np.unique(values, return_inverse=True)
        pooled_counts = np.bincount(inverse.ravel(), weights=counts)
        finite = ~np.isnan(values.astype(np.float64))
        if len(values) <= 2 * _BINS:
            return cls(tuple(values.tolist()), None, bool(finite.all()), ())
        often = pooled_counts >= _OFTEN * pooled_counts.sum()
        shares = np.cumsum(pooled_counts[finite]) / pooled_counts[finite].sum()
        cuts = values[finite][np.searchsorted(shares, np.arange(1, _BINS) / _BINS)]
        edges = np.concatenate([[-math.inf], np.unique(cuts).astype(np.float64), [math.inf]])
        extra = values[often | ~finite]
        return cls((), edges, True, tuple(extra.tolist()))

    def counts(self, tally: Tally) -> Counts:
        """How often each atom was seen."""
        if self.edges is None:
            return np.array([tally.count(y) for y in self.members], dtype=np.int64)
        at = np.searchsorted(tally.values, self.edges[1:], "right")
        return np.diff(np.concatenate([[0], tally.running[at]])).astype(np.int64)

    def extra_counts(self, tally: Tally) -> Counts:
        """How often each of the single numbers on top was seen."""
        return np.array([tally.count(y) for y in self.extra], dtype=np.int64)

    def event(self, chosen: Sequence[int]) -> Event:
        """The union of some atoms; neighbours on the line make an interval."""
        if self.edges is None and self.ordered and len(chosen) > 1:
            first, last = min(chosen), max(chosen)
            if last - first + 1 == len(chosen):
                low = self.members[first - 1] if first else -math.inf
                high = self.members[last] if last + 1 < len(self.members) else math.inf
                return Intervals(((low, high),))
        if self.edges is None:
            return Outputs(tuple(self.members[k] for k in chosen))
        pieces: list[tuple[float, float]] = []
        for k in sorted(chosen):
            low, high = float(self.edges[k]), float(self.edges[k + 1])
            if pieces and pieces[-1][1] == low:
                low = pieces.pop()[0]
            pieces.append((low, high))
        return Intervals(tuple(pieces))


@dataclass(frozen=True)
class Finding:
    """The most revealing event of one kind for an ordered pair, and the score it reached.

    `caution` is how far the score lies below the plain estimate of ln((p − δ)/q).
    """

    score: float
    caution: float
    event: Event


def best_event(
    atoms: Atoms,
    ranked: tuple[Counts, Counts],
    scored: tuple[Tally, Tally],
    *,
    tested: tuple[int, int],
    delta: float,
    z: float,
) -> Finding:
    """The event that best tells the first of two inputs from the second.

    Parameters
    ----------
    atoms
        The smallest events.
    ranked
        Counts of the atoms for the two inputs, by which atoms are put in order of their ratio.
    scored
        Fresh tallies for the two inputs, on which the candidates are compared.
    tested
        How many outputs of the two inputs the winner will be tested on.
    delta
        The slack δ.
    z
        How many standard deviations of caution to score with.

    Notes
    -----
    Candidates: every atom; every set of atoms whose (ranked) ratio exceeds a threshold; every
    interval, half-lines among them, where atoms lie on a line. The score is a lower confidence bound
    on ln((p − δ)/q), by Wilson's approximation, so that rare events do not win by luck: the one that a
    test of the given size would give, if it saw the same shares. Of kinds that come within a quarter of
    that caution (at most 0.02) of the best, the simplest is taken.
    """
    first, second = (atoms.counts(tally) for tally in scored)
    order = np.argsort(-(ranked[0] + 0.5) / (ranked[1] + 0.5), kind="stable")
    # The more events there are to choose from, the more caution.
    choices = len(first) * (3 + len(first) if atoms.ordered else 2) + len(atoms.extra)
    caution = math.sqrt(z * z + 2 * math.log(max(choices, 1)))
    totals = scored[0].total, scored[1].total
    score = _Scorer(totals, tested, delta, caution)
    found = [score.best(first, second, lambda k: atoms.event([k]))]
    if atoms.extra:
        p, q = (atoms.extra_counts(tally) for tally in scored)
        found.append(score.best(p, q, lambda k: Outputs((atoms.extra[k],))))
    if atoms.ordered and len(first) > 2:
        starts, ends = np.triu_indices(len(first) + 1, 1)
        a, b = (np.concatenate([[0], np.cumsum(c)]) for c in (first, second))
        found.append(
            score.best(
                a[ends] - a[starts],
                b[ends] - b[starts],
                lambda k: atoms.event(list(range(int(starts[k]), int(ends[k])))),
            )
        )
    found.append(
        score.best(
            np.cumsum(first[order]),
            np.cumsum(second[order]),
            lambda k: atoms.event(order[: k + 1].tolist()),
        )
    )
    most = max(found, key=lambda finding: finding.score)
    enough = most.score - min(most.caution / 4, _SIMPLER)
    return next(finding for finding in found if finding.score >= enough)


@dataclass(frozen=True)
class _Scorer:
    """Scores arrays of events by their counts for the two inputs."""

    totals: tuple[int, int]
    tested: tuple[int, int]
    delta: float
    z: float

    def best(self, hits: Counts, others: Counts, event: Callable[[int], Event]) -> Finding:
        """The event with the highest score."""
        low = self._bounds(hits, 0)[0] - self.delta
        high = self._bounds(others, 1)[1]
        with np.errstate(divide="ignore"):
            scores = np.where(low > 0, np.log(np.maximum(low, 0.0)) - np.log(high), -math.inf)
        k = int(scores.argmax())
        if scores[k] == -math.inf:
            return Finding(-math.inf, 0.0, event(k))
        p = hits[k] / self.totals[0] - self.delta
        q = (others[k] + 0.5) / self.totals[1]
        return Finding(float(scores[k]), max(0.0, math.log(p / q) - float(scores[k])), event(k))

    def _bounds(self, hits: Counts, which: int) -> tuple[Floats, Floats]:
        """Bounds on the probabilities as the test would find them, were its shares the same."""
        total = self.totals[which]
        size = min(self.tested[which], _LARGER * total)
        return wilson(hits * (size / total), size, self.z)
