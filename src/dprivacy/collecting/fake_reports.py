"""Hostile respondents: what one fake report moves, how few could do harm, and what only fakes can do.

Whoever invents a report may choose the one that moves an estimate most. No collector can tell it from
an honest one, since every report can be honest; many of them together may leave traces.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.collecting.report_wire import Tally, dense_counters
from dprivacy.collecting.set_wires import BitsWire
from dprivacy.errors import NotInvertible, UnknownName
from dprivacy.estimation import estimate, inverse_matrix
from dprivacy.mechanisms import HyperplaneReports, LocalMechanism
from dprivacy.model import Answer, Verdict, shown
from dprivacy.typing import Label

_MOST_INVERTED = 64  # inputs of a channel that is inverted exactly for this
SURE = 1e-9  # the chance, at most, that honest reports look manipulated
_SHOWN = 3


@dataclass(frozen=True)
class FakeReport(Answer):
    """What one invented report can do to the estimated counts.

    Attributes
    ----------
    most
        The most that it adds to one count; an honest report is worth 1.
    apart
        The most that it moves one count away from another.
    favoured
        How many labels one report can favour at once.
    labels
        How many there are.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> fake = fake_report(randomised_response(["yes", "no"], eps="ln 3"))
    >>> print(fake)
    One fake report adds up to 1.5 to an estimated count, and moves two counts apart by up to 2.
    >>> fake.fewest(ahead=400)
    200
    """

    most: Fraction | float
    apart: Fraction | float
    favoured: int
    labels: int

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return isinstance(self.most, Fraction)

    def explain(self) -> str:
        """In words."""
        told = (
            f"One fake report adds up to {float(self.most):.4g} to an estimated count, and moves two "
            f"counts apart by up to {float(self.apart):.4g}"
        )
        if self.favoured > 1:
            told += f"; it can favour {self.favoured:,} of {self.labels:,} labels at once"
        return told + "."

    def fewest(self, ahead: Fraction | float) -> int:
        """The fewest fakes that could have put one count so far ahead of another."""
        exactly = Fraction(ahead) / Fraction(self.apart)
        return max(0, math.ceil(exactly))


def fake_report(mechanism: Any) -> FakeReport:
    """What one invented report can do.

    Parameters
    ----------
    mechanism
        A local mechanism, or one with a channel.

    Raises
    ------
    NotInvertible
        Where counts cannot be estimated by inverting the channel.

    Examples
    --------
    >>> from dprivacy.mechanisms import projective_response
    >>> fake_report(projective_response(range(13), eps="ln 3", q=3)).most
    Fraction(5, 2)

    Notes
    -----
    1. Sets: a label in the set of a report gains (1 − q)/(p − q), any other loses q/(p − q).
    2. A channel with the inverse B: output y adds B_yx to the count of x.
    """
    if isinstance(mechanism, LocalMechanism):
        p, q = mechanism.p, mechanism.q
        k = len(mechanism.labels)
        return FakeReport((1 - q) / (p - q), 1 / (p - q), _largest_set(mechanism), k)
    channel = mechanism.channel
    k = len(channel.rows)
    if k <= _MOST_INVERTED:
        rows = inverse_matrix(channel.matrix).rows()
        most: Fraction | float = max(max(row) for row in rows)
        apart: Fraction | float = max(max(row) - min(row) for row in rows)
        gains = max(sum(value > 0 for value in row) for row in rows)
        return FakeReport(most, apart, gains, k)
    table = np.linalg.pinv(channel.matrix.floats)
    if np.linalg.matrix_rank(table) < k:
        raise NotInvertible(f"the {k} rows of the channel are not independent")
    spread = float((table.max(axis=1) - table.min(axis=1)).max())
    return FakeReport(float(table.max()), spread, int((table > 1e-12).sum(axis=1).max()), k)


def _largest_set(mechanism: LocalMechanism) -> int:
    """The most labels that a report can hold."""
    sets, k = mechanism.reports, len(mechanism.labels)
    if not isinstance(sets, HyperplaneReports):
        return max(sets.sizes() or [k])
    points = sets.outputs if mechanism.family == "projective_response" else sets.q ** (sets.t - 1)
    return min(k, int(points * sets.single / sets.total))


def fewest_fakes(tally: Tally, first: Label, second: Label) -> int:
    """The fewest fake reports that could have put one estimated count ahead of another.

    Examples
    --------
    >>> from dprivacy.collecting import wire_of
    >>> from dprivacy.mechanisms import randomised_response
    >>> wire = wire_of(randomised_response(["yes", "no"], eps="ln 3"))
    >>> fewest_fakes(Tally(wire, 1000, {0: 600, 1: 400}), "yes", "no")
    200
    """
    mechanism = tally.wire.mechanism
    counts = estimate(mechanism, tally.observed(), estimator="inverse").counts
    for label in (first, second):
        if label not in counts:
            raise UnknownName(f"{shown(label)} is not one of the {len(counts):,} labels")
    return fake_report(mechanism).fewest(counts[first] - counts[second])


@dataclass(frozen=True)
class CounterVerdict(Verdict):
    """Whether counters are as honest reports can leave them; the findings say which are not.

    Examples
    --------
    >>> CounterVerdict("all is well", True, True, denial="it is not", looked_at=2).explain()[:41]
    'No sign of manipulation in 2 counters. Th'
    """

    findings: tuple[str, ...] = ()
    looked_at: int = 0

    def explain(self) -> str:
        """In words."""
        if self:
            return (
                f"No sign of manipulation in {self.looked_at:,} counters. That proves little: fakes "
                "that are spread over many reports leave no trace."
            )
        rest = len(self.findings) - _SHOWN
        more = [f"… and {rest:,} more"] if rest > 0 else []
        return "\n".join([f"{self.denial}:", *self.findings[:_SHOWN], *more])


def counters_honest(tally: Tally) -> CounterVerdict:
    """Whether what was counted can have come from honest reports alone.

    Every report has a probability between a smallest and a largest one, whatever the true answer is. A
    counter far above or below what these allow proves that reports were invented.

    Notes
    -----
    1. A counter whose chances are at most P is, for honest reports, no larger than a binomial one.
       Chernoff: the chance that it reaches c > n·P is at most exp(−n·D(c/n ‖ P)); likewise below.
    2. All counters are looked at, so that each is given its part of the chance `SURE` of a false alarm.
    3. Of bits that are drawn independently the number that is set has the same mean for every answer:
       it is held against Bernstein's inequality.

    Examples
    --------
    >>> from dprivacy.collecting import wire_of
    >>> from dprivacy.mechanisms import randomised_response
    >>> wire = wire_of(randomised_response(["yes", "no"], eps="ln 3"))
    >>> bool(counters_honest(Tally(wire, 1000, {0: 600, 1: 400})))
    True
    >>> print(counters_honest(Tally(wire, 1000, {0: 1000})).explain())
    Reports were invented (the chance that honest ones look so is at most 1e-09):
    - 1,000 reports of 'yes', of 1,000 in all; an honest one is so with a chance of at most 0.75
    - 0 reports of 'no', of 1,000 in all; an honest one is so with a chance of at least 0.25
    """
    groups = list(_groups(tally)) if tally.n else []
    looked_at = sum(len(group.counts) for group in groups)
    needed = math.log(4 * max(looked_at, 1) / SURE)
    findings = tuple(
        f"- {words}, of {tally.n:,} in all; an honest one is so with a chance of {bound}"
        for group in groups
        for words, bound in group.broken(tally.n, needed)
    )
    findings += tuple(_bits_found(tally))
    return CounterVerdict(
        "the counters are as honest reports can leave them",
        not findings,
        True,
        denial=f"Reports were invented (the chance that honest ones look so is at most {SURE:.0e})",
        findings=findings,
        looked_at=looked_at,
    )


@dataclass(frozen=True, eq=False)
class _Group:
    """Counters to which every honest report adds with a chance between two bounds."""

    words: Callable[[int, int], str]  # of the counter at a position, and of its number
    counts: NDArray[np.int64]
    low: Fraction
    high: Fraction

    def broken(self, n: int, needed: float) -> Iterator[tuple[str, str]]:
        """Those that honest reports do not leave so, in words, and the bound that they break."""
        above = math.floor(n * self.high) + 1  # the first that is more than is expected
        above += _first(n + 1 - above, lambda i: _is_far((above + i) / n, self.high, n, needed))
        below = math.ceil(n * self.low) - 1
        below -= _first(below + 1, lambda i: _is_far((below - i) / n, self.low, n, needed))
        for at in np.flatnonzero((self.counts >= above) | (self.counts <= below)).tolist():
            count = int(self.counts[at])
            side, chance = ("most", self.high) if count >= above else ("least", self.low)
            yield self.words(at, count), f"at {side} {float(chance):.4g}"


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """The first of 0, 1, … from which on something holds; `size` where it never does."""
    return bisect_left(range(size), True, key=holds)


def _is_far(share: float, chance: Fraction, n: int, needed: float) -> bool:
    return n * _divergence(share, float(chance)) > needed


def _divergence(x: float, p: float) -> float:
    """D(x ‖ p) of two coins."""
    total = 0.0
    for share, chance in ((x, p), (1 - x, 1 - p)):
        if share > 0:
            total += share * math.log(share / chance) if chance > 0 else math.inf
    return total


def _groups(tally: Tally) -> Iterator[_Group]:
    """Every counter, with the chances of an honest report."""
    mechanism, dense = tally.wire.mechanism, dense_counters(tally)
    if not isinstance(mechanism, LocalMechanism):
        columns = mechanism.channel.matrix.transposed.rows()
        for at, (label, column) in enumerate(zip(mechanism.channel.columns, columns, strict=True)):
            words = partial(_said, "reports of {label!r}", [label])
            yield _Group(words, dense[at : at + 1], min(column), max(column))
        return
    if isinstance(mechanism.reports, HyperplaneReports):
        least = 1 / mechanism.reports.normaliser
        words = partial(_said, "reports of number {at:,}", [])
        yield _Group(words, dense, least, mechanism.factor * least)
    words = partial(_said, "reports that hold {label!r}", mechanism.labels)
    yield _Group(words, tally.observed().supports, mechanism.q, mechanism.p)


def _said(form: str, labels: Sequence[Label], at: int, count: int) -> str:
    return f"{count:,} " + form.format(at=at, label=labels[at] if labels else None)


def _bits_found(tally: Tally) -> Iterator[str]:
    if not isinstance(tally.wire, BitsWire) or not tally.n:
        return
    p, q, k = tally.wire.mechanism.p, tally.wire.mechanism.q, len(tally.wire.labels)
    mean = tally.n * (p + (k - 1) * q)
    variance = float(tally.n * (p * (1 - p) + (k - 1) * q * (1 - q)))
    seen = int(tally.observed().supports.sum())
    off = abs(float(seen - mean))
    if off**2 / (2 * (variance + off / 3)) > math.log(4 / SURE):
        yield f"- {seen:,} bits are set in {tally.n:,} reports; about {float(mean):,.0f} are expected"
