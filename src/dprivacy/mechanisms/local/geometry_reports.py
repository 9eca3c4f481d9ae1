"""Reports that are hyperplanes of a finite geometry: log₂ k bits, and the error of k bits.

Labels are points; a report y is a hyperplane, and its set are the labels x with ⟨x, y⟩ = 0. Projective
geometry response takes all hyperplanes of PG(t−1, q). Hashing takes a hash function x ↦ ⟨h, x⟩ over
GF(g), h ≠ 0, and one of its values: the hyperplanes ⟨(x, 1), (h, −y)⟩ = 0.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.local.character_sums import (
    MOST_DECODED,
    hyperplane_sums,
    real_sums,
    require_size,
    weights_of,
)
from dprivacy.mechanisms.local.finite_field import Elements, FiniteField, field_of
from dprivacy.mechanisms.local.set_reports import Counters, Positions, Reports, exact_sum
from dprivacy.sampling import Source, toss, uniform_array

_AT_A_TIME = 1 << 16  # reports: their vectors stay in the cache
MOST_VECTORS = 1 << 48


def points_of(q: int, t: int) -> int:
    """[t] = (q^t − 1)/(q − 1), the number of points of PG(t−1, q).

    Examples
    --------
    >>> points_of(4, 6)
    1365
    """
    return int((q**t - 1) // (q - 1))


def least_rank(labels: int, q: int) -> int:
    """The smallest t ≥ 2 with [t] ≥ k."""
    t = 2
    while points_of(q, t) < labels:
        t += 1
    return t


@dataclass(frozen=True)
class HyperplaneReports(Reports):
    """What both geometries share: reports are numbered, one counter each, one transform."""

    q: int = 2
    t: int = 2

    @cached_property
    def field(self) -> FiniteField:
        """GF(q)."""
        return field_of(self.q)

    @property
    def outputs(self) -> int:
        """How many reports there are."""
        return int(self.total)

    @property
    def bits(self) -> float:
        """log₂ of the number of reports."""
        return log2(self.outputs)

    @property
    def slots(self) -> int:
        """One counter a report."""
        return self.outputs

    @abstractmethod
    def points(self, at: Positions) -> Elements:
        """The vectors of labels, in t coordinates."""

    @abstractmethod
    def planes(self, reports: Positions) -> Elements:
        """The vectors of reports, in t coordinates."""

    @abstractmethod
    def _drawn(self, codes: Positions, source: Source) -> NDArray[np.int64]:
        """Reports of a few thousand labels."""

    def draw(self, codes: Positions, source: Source) -> NDArray[Any]:
        """Some thousands at a time."""
        out = np.empty(len(codes), dtype=np.int64)
        for start in range(0, len(codes), _AT_A_TIME):
            part = slice(start, start + _AT_A_TIME)
            out[part] = self._drawn(codes[part], source)
        return out

    def read(self, reports: Any) -> NDArray[Any]:
        """Whole numbers below the number of reports."""
        if isinstance(reports, np.ndarray) and reports.ndim == 1 and reports.dtype.kind in "iu":
            fits = (reports >= 0) & (reports < self.outputs)
            return np.where(fits, reports, 0).astype(np.int64) - ~fits
        numbers = (
            int(y) if isinstance(y, int | np.integer) and not isinstance(y, bool) else -1
            for y in reports
        )
        most = self.outputs
        found = (y if 0 <= y < most else -1 for y in numbers)
        return np.fromiter(found, dtype=np.int64, count=len(reports))

    @property
    def decodable(self) -> bool:
        """Whether one transform can decode the reports."""
        return bool(self.q**self.t <= MOST_DECODED)

    def require_decodable(self) -> None:
        """TooLarge for more reports than a transform takes."""
        require_size(self.field, self.t)

    def count(self, reports: NDArray[Any]) -> Counters:
        """How often each report came."""
        self.require_decodable()
        return np.bincount(reports, minlength=self.outputs).astype(np.int64)

    def could_be(self, counters: Counters, n: int) -> bool:
        """Every report adds 1 to one counter."""
        return exact_sum(counters) == n

    def supports(self, counters: Counters, n: int) -> Counters:
        """(n + f̂(x))/q, where f puts each counter on all multiples of its vector."""
        spread = self._spread(counters, self._all_planes)
        sums = hyperplane_sums(self.field, self.t, spread, self._all_points)
        held, left = np.divmod(n + sums, self.q)
        assert not left.any(), "the transform gives whole numbers of reports"
        return held

    def over_reports(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every label the sum of the weights of the reports whose sets hold it, in doubles."""
        spread = self._spread(weights, self._all_planes)
        sums = real_sums(self.field, self.t, spread, self._all_points)
        return np.asarray((weights.sum() + sums) / self.q)

    def over_labels(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every report the sum of the weights of the labels in its set, in doubles."""
        spread = self._spread(weights, self._all_points)
        sums = real_sums(self.field, self.t, spread, self._all_planes)
        return np.asarray((weights.sum() + sums) / self.q)

    def _spread(self, weights: NDArray[Any], vectors: Elements) -> NDArray[Any]:
        """Each weight on all multiples of its vector."""
        field, t = self.field, self.t
        require_size(field, t)
        spread = np.zeros(self.q**t, dtype=weights.dtype)
        for c in range(1, self.q):
            at = field.times[c, vectors].astype(np.int64) @ weights_of(field, t)
            np.add.at(spread, at, weights)
        return spread

    @cached_property
    def _all_planes(self) -> Elements:
        return self.planes(np.arange(self.outputs))

    @cached_property
    def _all_points(self) -> Elements:
        return self.points(np.arange(self.labels))

    def listed(self) -> Iterator[tuple[Any, frozenset[int], Fraction]]:
        """Every hyperplane once."""
        for y in range(self.outputs):
            meets = self.field.dot(self._all_points, self.planes(np.array([y]))) == 0
            yield y, frozenset(np.flatnonzero(meets).tolist()), Fraction(1)

    def _number(self, vectors: Elements) -> NDArray[np.int64]:
        return np.asarray(vectors.astype(np.int64) @ weights_of(self.field, vectors.shape[-1]))


@dataclass(frozen=True)
class ProjectiveReports(HyperplaneReports):
    """All hyperplanes of PG(t−1, q). Points and hyperplanes are numbered alike.

    A point's vector has 1 as its first coordinate that is not 0; with f coordinates after it, whose
    digits give a number s in base q, it is point [f] + s.
    """

    @classmethod
    def of(cls, labels: int, factor: Fraction, q: int, t: int) -> "ProjectiveReports":
        """b = [t], r = [t−1], λ = [t−2]."""
        total, single, pair = (Fraction(points_of(q, s)) for s in (t, t - 1, t - 2))
        return cls(labels, factor, total, single, pair, q, t)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.array([points_of(self.q, f) for f in range(self.t + 1)], dtype=np.int64)

    def points(self, at: Positions) -> Elements:
        """The vectors of some points."""
        at = np.asarray(at, dtype=np.int64)
        free = np.searchsorted(self._starts, at, side="right") - 1
        tail = at - self._starts[free]
        out = np.empty((len(at), self.t), dtype=np.uint8)
        for j in range(self.t):
            tail, digit = np.divmod(tail, self.q)
            out[:, self.t - 1 - j] = np.where(j < free, digit, j == free)
        return out

    def planes(self, reports: Positions) -> Elements:
        """Hyperplanes are numbered as points are."""
        return self.points(reports)

    def _indices(self, vectors: Elements) -> NDArray[np.int64]:
        """The points on which some vectors lie."""
        field = self.field
        lead = (vectors != 0).argmax(axis=1)
        scale = field.inverse[vectors[np.arange(len(vectors)), lead]]
        number = self._number(field.times[scale[:, None], vectors])
        free = self.t - 1 - lead
        return np.asarray(number - self.q**free + self._starts[free])

    def triple(self, x: int, z: int, w: int) -> Fraction:
        """[t−2] if the three points lie on one line, else [t−3]."""
        field = self.field
        first, second, third = self.points(np.array([x, z, w]))
        on_line = any(
            (field.plus[field.times[a, first], field.times[b, second]] == third).all()
            for a in range(self.q)
            for b in range(self.q)
        )
        return Fraction(points_of(self.q, self.t - (2 if on_line else 3)))

    def _drawn(self, codes: Positions, source: Source) -> NDArray[np.int64]:
        """A coin says whether the hyperplane holds the point; then all such are equally likely.

        All coordinates of the hyperplane but one are drawn, that where the point's vector has its
        leading 1, and this one is solved for: ⟨x, y⟩ = 0 inside, where the drawn ones are not all 0,
        and ⟨x, y⟩ = 1 outside, which takes one multiple of each hyperplane that misses the point.
        """
        inside = toss(self.inside, len(codes), source)
        free = np.empty(len(codes), dtype=np.int64)
        kept = int(inside.sum())
        free[inside] = uniform_array(self.q ** (self.t - 1) - 1, kept, source) + 1
        free[~inside] = uniform_array(self.q ** (self.t - 1), len(codes) - kept, source)
        return self.solved(codes, inside, free)

    def solved(
        self, codes: Positions, inside: NDArray[np.bool_], free: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The hyperplane with some free coordinates that holds a point, or misses it."""
        field, point = self.field, self._all_points[codes]
        lead = (point != 0).argmax(axis=1)
        plane = np.zeros((len(codes), self.t), dtype=np.uint8)
        for j in range(self.t):
            here = j != lead
            rest, digit = np.divmod(free, self.q)
            plane[:, j] = np.where(here, digit, 0)
            free = np.where(here, rest, free)
        met = field.dot(point, plane)
        wanted = (~inside).astype(np.uint8)
        plane[np.arange(len(codes)), lead] = field.plus[wanted, field.minus[met]]
        return self._indices(plane)


@dataclass(frozen=True)
class HashedReports(HyperplaneReports):
    """A hash function x ↦ ⟨h, x⟩, h ≠ 0, and one of its g values: report (h − 1)·g + y.

    Labels are the vectors of GF(g)^m by their numbers, and t = m + 1.
    """

    @classmethod
    def of(cls, labels: int, factor: Fraction, g: int, m: int) -> "HashedReports":
        """b = g(v−1), r = v−1, λ = v/g−1, with v = g^m."""
        v = g**m
        numbers = Fraction(g * (v - 1)), Fraction(v - 1), Fraction(v // g - 1)
        return cls(labels, factor, *numbers, g, m + 1)

    def _vectors(self, numbers: Positions) -> Elements:
        out = np.empty((len(numbers), self.t - 1), dtype=np.uint8)
        rest = np.asarray(numbers, dtype=np.int64)
        for j in range(self.t - 2, -1, -1):
            rest, out[:, j] = np.divmod(rest, self.q)
        return out

    def points(self, at: Positions) -> Elements:
        """(x, 1)."""
        ones = np.ones((len(at), 1), dtype=np.uint8)
        return np.concatenate([self._vectors(at), ones], axis=1)

    def planes(self, reports: Positions) -> Elements:
        """(h, −y)."""
        function, value = np.divmod(np.asarray(reports, dtype=np.int64), self.q)
        minus = self.field.minus[value][:, None]
        return np.concatenate([self._vectors(function + 1), minus], axis=1)

    def triple(self, x: int, z: int, w: int) -> Fraction:
        """Hash functions under which three labels meet: h orthogonal to both differences, h ≠ 0."""
        field = self.field
        first, second, third = self._vectors(np.array([x, z, w]))
        apart = [field.plus[other, field.minus[first]] for other in (second, third)]
        same_line = any((field.times[c, apart[0]] == apart[1]).all() for c in range(self.q))
        return Fraction(self.q ** (self.t - 1 - (1 if same_line else 2)) - 1)

    def _drawn(self, codes: Positions, source: Source) -> NDArray[np.int64]:
        """The function is drawn, and then its true value or one of the g − 1 others."""
        inside = toss(self.inside, len(codes), source)
        function = uniform_array(self.q ** (self.t - 1) - 1, len(codes), source)
        away = np.zeros(len(codes), dtype=np.int64)
        away[~inside] = 1 + uniform_array(self.q - 1, len(codes) - int(inside.sum()), source)
        return self.valued(codes, function, away)

    def valued(
        self, codes: Positions, function: NDArray[np.int64], away: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """A hash function, by its number, with the value that is so far from the true one."""
        points = self._all_points[codes, :-1]
        true = self.field.dot(points, self._vectors(function + 1)).astype(np.int64)
        return np.asarray(function * self.q + (true + away) % self.q)
