"""Reports that are sets of labels: how they travel, and which counters they add to."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.collecting.report_wire import MOST_SLOTS, NumberWire, Slots, Tally
from dprivacy.mechanisms import ReportCounts, cells_of

_AT_A_TIME = 1 << 14  # sets


@dataclass(frozen=True)
class SetWire(NumberWire):
    """Sets: a counter for each where they are few enough, else for each label.

    Both suffice for estimates; only the first tells which reports came.
    """

    @property
    def by_report(self) -> bool:
        """Whether every set has its own counter."""
        return int(self.mechanism.reports.outputs) <= MOST_SLOTS

    @property
    def slots(self) -> int:
        """One a set, or one a label."""
        return int(self.mechanism.reports.outputs if self.by_report else len(self.labels))

    def observed(self, tally: Tally) -> Any:
        """For every label how many reports hold it."""
        if not self.by_report:
            return super().observed(tally)
        held = np.zeros(len(self.labels), dtype=np.int64)
        items = iter(tally.counters.items())
        while part := list(islice(items, _AT_A_TIME)):
            slots, numbers = np.array(part, dtype=np.int64).T
            held += (self.members(slots) * numbers[:, None]).sum(axis=0)
        return ReportCounts(self.mechanism, tally.n, held)

    @abstractmethod
    def members(self, slots: Slots) -> NDArray[np.bool_]:
        """For sets by number which labels they hold."""


@dataclass(frozen=True)
class ListWire(SetWire):
    """Rising positions of the labels in a set of one size."""

    def read(self, told: list[Any]) -> list[Any] | None:
        """Lists of the right length that rise."""
        size, k = self.mechanism.reports.size, len(self.labels)
        for positions in told:
            if (
                type(positions) is not list
                or len(positions) != size
                or set(map(type, positions)) != {int}
                or not 0 <= positions[0] <= positions[-1] < k
                or any(low >= high for low, high in pairwise(positions))
            ):
                return None
        return told

    def added(self, reports: Sequence[Any]) -> Iterable[tuple[int, int]]:
        """One for the set, or for every label in it."""
        if not self.by_report:
            return Counter(chain.from_iterable(reports)).items()
        choose = self._chosen
        return Counter(
            sum(choose[i][at] for i, at in enumerate(positions)) for positions in reports
        ).items()

    @cached_property
    def _chosen(self) -> list[list[int]]:
        """C(c, i + 1): the set c₀ < c₁ < … has the number Σ C(cᵢ, i + 1)."""
        size, k = self.mechanism.reports.size, len(self.labels)
        return [[comb(c, i + 1) for c in range(k)] for i in range(size)]

    def cells(self, slots: Slots) -> Any:
        """Positions."""
        drawn = np.nonzero(self.members(slots))[1]
        return cells_of(self.mechanism, drawn.reshape(len(slots), -1))

    def members(self, slots: Slots) -> NDArray[np.bool_]:
        """The largest position first: the largest c with C(c, d) at most the number, and so on."""
        held = np.zeros((len(slots), len(self.labels)), dtype=np.bool_)
        left = slots.copy()
        for row in reversed(self._chosen):
            at = np.searchsorted(row, left, side="right") - 1
            held[np.arange(len(slots)), at] = True
            left -= np.array(row)[at]
        return held


@dataclass(frozen=True)
class BitsWire(SetWire):
    """A set's bits, eight to a byte, in hexadecimal."""

    def read(self, told: list[Any]) -> list[Any] | None:
        """Bytes of the right number, without a bit past the last label."""
        width = -(-len(self.labels) // 8)
        spare = 8 * width - len(self.labels)
        try:
            found = [bytes.fromhex(text) for text in told]
        except (TypeError, ValueError):
            return None
        good = all(
            len(row) == width and len(text) == 2 * width and not row[-1] >> (8 - spare)
            for row, text in zip(found, told, strict=True)
        )
        return found if good else None

    def added(self, reports: Sequence[Any]) -> Iterable[tuple[int, int]]:
        """One for the set, or for every bit that is set."""
        if self.by_report:
            return Counter(int.from_bytes(report, "little") for report in reports).items()
        rows = np.frombuffer(b"".join(reports), dtype=np.uint8).reshape(len(reports), -1)
        sums = np.unpackbits(rows, axis=1, count=self.slots, bitorder="little").sum(axis=0)
        return ((at, n) for at, n in enumerate(sums.tolist()) if n)

    def cells(self, slots: Slots) -> Any:
        """Bits."""
        drawn = np.packbits(self.members(slots), axis=1, bitorder="little")
        return cells_of(self.mechanism, drawn)

    def members(self, slots: Slots) -> NDArray[np.bool_]:
        """The bits of a number."""
        return (slots[:, None] >> np.arange(len(self.labels)) & 1).astype(np.bool_)
