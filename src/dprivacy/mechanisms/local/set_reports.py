"""What a family of local mechanisms has to know of its reports; the sets of one size; the free sets.

Inside this shelf labels are positions 0 … k − 1, and a report is what one person sends.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb, lgamma, log, log2
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dprivacy.model import BlockLaw
from dprivacy.sampling import Source, toss, uniform_array

Counters = NDArray[np.int64]
Positions = NDArray[np.integer]
CELLS_AT_A_TIME = 1 << 22  # of a table of reports by labels
MOST_LISTED = 1 << 18  # weights of a channel that is written out
_MOST_FACTORIALS = 1024  # labels up to which the number of sets is found to count its bits


@dataclass(frozen=True)
class Reports(BlockLaw, ABC):
    """A family's sets: drawn, counted, listed."""

    def at(self, factor: Fraction) -> Self:
        """The same sets with other odds."""
        return replace(self, factor=factor)

    @property
    @abstractmethod
    def bits(self) -> float:
        """The length of a report, log₂ of how many there are."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many counters are kept."""

    @abstractmethod
    def draw(self, codes: Positions, source: Source) -> NDArray[Any]:
        """A report for every position, one a row."""

    @abstractmethod
    def read(self, reports: Any) -> NDArray[Any]:
        """Reports as `draw` gives them; −1 in the first place of a row that is none."""

    @abstractmethod
    def count(self, reports: NDArray[Any]) -> Counters:
        """Counters of reports; those of two collections add up."""

    @abstractmethod
    def could_be(self, counters: Counters, n: int) -> bool:
        """Whether counters between 0 and n can be those of n reports, by their sum."""

    @abstractmethod
    def supports(self, counters: Counters, n: int) -> Counters:
        """For every label the number of reports whose set holds it."""

    @abstractmethod
    def listed(self) -> Iterator[tuple[Any, frozenset[int], Fraction]]:
        """Every report, its set and its weight, for a domain that is small enough."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many reports there are."""

    @property
    def can_be_listed(self) -> bool:
        """Whether a table of all reports and labels is small enough to be written out."""
        return self.bits < log2(MOST_LISTED) and self.outputs * self.labels <= MOST_LISTED

    @abstractmethod
    def triple(self, x: int, z: int, w: int) -> Fraction:
        """λ₃: what the sets weigh that hold three different labels."""

    def blocks(self) -> Mapping[frozenset[int], Fraction] | None:
        """What each set weighs, if there are few enough."""
        if not self.can_be_listed:
            return None
        weights: dict[frozenset[int], Fraction] = {}
        for _, block, weight in self.listed():
            weights[block] = weights.get(block, Fraction(0)) + weight
        return weights


@dataclass(frozen=True)
class SubsetReports(Reports):
    """Sets of exactly d labels; a report is the sorted positions.

    All sets together weigh 1, so that no number as large as C(k, d) is needed.
    """

    size: int = 1

    @classmethod
    def of(cls, labels: int, factor: Fraction, size: int) -> "SubsetReports":
        """All sets of one size: b = 1, r = d/k, λ = d(d−1)/(k(k−1))."""
        k, d = labels, size
        return cls(k, factor, Fraction(1), Fraction(d, k), Fraction(d * (d - 1), k * (k - 1)), d)

    @property
    def bits(self) -> float:
        """log₂ C(k, d)."""
        k, d = self.labels, self.size
        if k <= _MOST_FACTORIALS:
            return log2(self.outputs)
        return (lgamma(k + 1) - lgamma(d + 1) - lgamma(k - d + 1)) / log(2)

    @property
    def outputs(self) -> int:
        """C(k, d)."""
        return comb(self.labels, self.size)

    @property
    def slots(self) -> int:
        """One counter a label."""
        return self.labels

    def sizes(self) -> Sequence[int]:
        """All of one size."""
        return (self.size,)

    def one_set(self, size: int) -> Fraction:
        """1/C(k, d) for the sets that there are."""
        return Fraction(int(size == self.size), self.outputs)

    def triple(self, x: int, z: int, w: int) -> Fraction:
        """d(d−1)(d−2)/(k(k−1)(k−2))."""
        k, d = self.labels, self.size
        return self.pair * Fraction(d - 2, k - 2)

    def draw(self, codes: Positions, source: Source) -> NDArray[Any]:
        """A coin says whether the truth is in the set; the others are drawn by Floyd's method.

        Of N = k − 1 others m are drawn so that all sets of m are equally likely: for j = N − m … N − 1
        a number uniform on 0 … j is taken, or j itself where it was taken already.
        """
        k, d = self.labels, self.size
        rows = max(1, CELLS_AT_A_TIME // k)
        out = np.empty((len(codes), d), dtype=np.int64)
        for start in range(0, len(codes), rows):
            some = codes[start : start + rows]
            inside = toss(self.inside, len(some), source)
            chosen = np.zeros((len(some), k), dtype=np.bool_)
            for held in (True, False):
                at = np.flatnonzero(inside == held)
                chosen[at] = _others(k, d - held, some[at], source)
            chosen[np.arange(len(some)), some] = inside
            out[start : start + rows] = np.nonzero(chosen)[1].reshape(-1, d)
        return out

    def uniform(self, n: int, source: Source) -> NDArray[Any]:
        """Sets that are all equally likely: of the labels and one more, which is left out."""
        k, rows = self.labels, max(1, CELLS_AT_A_TIME // self.labels)
        out = np.empty((n, self.size), dtype=np.int64)
        for start in range(0, n, rows):
            spare = np.full(min(rows, n - start), k)
            chosen = _others(k + 1, self.size, spare, source)
            out[start : start + rows] = np.nonzero(chosen)[1].reshape(-1, self.size)
        return out

    def read(self, reports: Any) -> NDArray[Any]:
        """Rows of d rising positions."""
        if isinstance(reports, np.ndarray) and reports.dtype.kind in "iu" and reports.ndim == 2:
            return self._read_table(reports)
        out = np.full((len(reports), self.size), -1, dtype=np.int64)
        for i, report in enumerate(reports):
            if _is_rising(report, self.size, self.labels):
                out[i] = report
        return out

    def _read_table(self, reports: NDArray[Any]) -> NDArray[Any]:
        if reports.shape[1] != self.size:
            return np.full((len(reports), self.size), -1, dtype=np.int64)
        rising = (reports[:, 1:] > reports[:, :-1]).all(axis=1)
        good = np.asarray(rising & (reports[:, 0] >= 0) & (reports[:, -1] < self.labels))
        return np.where(good[:, None], reports, -1).astype(np.int64)

    def count(self, reports: NDArray[Any]) -> Counters:
        """How many sets hold each label."""
        return np.bincount(reports.ravel(), minlength=self.labels).astype(np.int64)

    def could_be(self, counters: Counters, n: int) -> bool:
        """Every report adds 1 to d counters."""
        return exact_sum(counters) == n * self.size

    def supports(self, counters: Counters, n: int) -> Counters:
        """The counters themselves."""
        return counters

    def listed(self) -> Iterator[tuple[Any, frozenset[int], Fraction]]:
        """All sets of d."""
        weight = Fraction(1, self.outputs)
        for chosen in combinations(range(self.labels), self.size):
            yield chosen, frozenset(chosen), weight


@dataclass(frozen=True)
class UnaryReports(Reports):
    """Every label in the set or not, independently; a report is k bits, eight to a byte."""

    @classmethod
    def of(cls, labels: int, factor: Fraction, chance: Fraction) -> "UnaryReports":
        """Every label with weight τ: b = 1, r = τ, λ = τ²."""
        return cls(labels, factor, Fraction(1), chance, chance**2)

    @property
    def bits(self) -> float:
        """One a label."""
        return float(self.labels)

    @property
    def outputs(self) -> int:
        """2^k."""
        return 1 << self.labels

    @property
    def slots(self) -> int:
        """One counter a label."""
        return self.labels

    def sizes(self) -> Sequence[int]:
        """Every size."""
        return range(self.labels + 1)

    def one_set(self, size: int) -> Fraction:
        """τ^s·(1 − τ)^(k − s)."""
        return self.single**size * (1 - self.single) ** (self.labels - size)

    def at_every_level(self) -> Mapping[frozenset[int], tuple[Fraction, ...]] | None:
        """(1/τ − 1)^(k − s), where 1/τ − 1 is a (optimised), √a (symmetric), or the same at every a."""
        blocks = self.blocks()
        if blocks is None:
            return None
        odds = 1 / self.single - 1
        power = 2 if odds == self.factor else 1 if odds**2 == self.factor else 0
        one = Fraction(1) if power else odds
        rest = {block: self.labels - len(block) for block in blocks}
        return {block: (Fraction(0),) * (power * k) + (one**k,) for block, k in rest.items()}

    def triple(self, x: int, z: int, w: int) -> Fraction:
        """τ³."""
        return self.single**3

    def draw(self, codes: Positions, source: Source) -> NDArray[Any]:
        """One coin a label: p for the truth, q = τ for every other."""
        k = self.labels
        rows = max(1, CELLS_AT_A_TIME // k)
        out = np.empty((len(codes), -(-k // 8)), dtype=np.uint8)
        for start in range(0, len(codes), rows):
            some = codes[start : start + rows]
            chosen = toss(self.outside, len(some) * k, source).reshape(-1, k)
            chosen[np.arange(len(some)), some] = toss(self.inside, len(some), source)
            out[start : start + rows] = np.packbits(chosen, axis=1, bitorder="little")
        return out

    def read(self, reports: Any) -> NDArray[Any]:
        """Rows of ⌈k/8⌉ bytes, without a bit past the last label."""
        width = -(-self.labels // 8)
        spare = 8 * width - self.labels
        if isinstance(reports, np.ndarray) and reports.dtype.kind in "iu" and reports.ndim == 2:
            if reports.shape[1] != width:
                return np.full((len(reports), width), -1, dtype=np.int16)
            good = ((reports >= 0) & (reports < 256)).all(axis=1)
            good &= reports[:, -1] >> (8 - spare) == 0
            return np.asarray(np.where(good[:, None], reports, 0).astype(np.int16) - ~good[:, None])
        out = np.full((len(reports), width), -1, dtype=np.int16)
        for i, report in enumerate(reports):
            row = bytes(report) if isinstance(report, bytes | bytearray | np.ndarray) else b""
            if len(row) == width and row[-1] >> (8 - spare) == 0:
                out[i] = list(row)
        return out

    def count(self, reports: NDArray[Any]) -> Counters:
        """How many sets hold each label."""
        rows = max(1, CELLS_AT_A_TIME // self.labels)
        total = np.zeros(self.labels, dtype=np.int64)
        for start in range(0, len(reports), rows):
            some = reports[start : start + rows].astype(np.uint8)
            bits = np.unpackbits(some, axis=1, count=self.labels, bitorder="little")
            total += bits.sum(axis=0, dtype=np.int64)
        return total

    def could_be(self, counters: Counters, n: int) -> bool:
        """A report may hold any number of labels."""
        return True

    def supports(self, counters: Counters, n: int) -> Counters:
        """The counters themselves."""
        return counters

    def listed(self) -> Iterator[tuple[Any, frozenset[int], Fraction]]:
        """All sets there are."""
        k = self.labels
        for number in range(1 << k):
            block = frozenset(z for z in range(k) if number >> z & 1)
            yield number.to_bytes(-(-k // 8), "little"), block, self.one_set(len(block))


def exact_sum(counters: Counters) -> int:
    """The sum of numbers below 2⁵⁴, however many there are."""
    return (int((counters >> 27).sum()) << 27) + int((counters & (1 << 27) - 1).sum())


def _others(k: int, m: int, own: Positions, source: Source) -> NDArray[np.bool_]:
    """For each row m of the k labels without its own, all such sets equally likely."""
    rows = np.arange(len(own))
    chosen = np.zeros((len(own), k), dtype=np.bool_)
    for last in range(k - 1 - m, k - 1):
        drawn = uniform_array(last + 1, len(own), source)
        at = drawn + (drawn >= own)  # positions with the own one left out
        taken = chosen[rows, at]
        chosen[rows, np.where(taken, last + (last >= own), at)] = True
    return chosen


def _is_rising(report: Any, size: int, labels: int) -> bool:
    if not isinstance(report, tuple | list | np.ndarray) or getattr(report, "ndim", 1) != 1:
        return False
    if len(report) != size:
        return False
    whole = all(isinstance(z, int | np.integer) and not isinstance(z, bool) for z in report)
    return whole and all(
        low < high for low, high in zip((-1, *report), (*report, labels), strict=True)
    )
