"""What devices send: reports as JSON, read into counters; anything else is refused whole.

A request is ``{"mechanism": hash, "reports": [[id, y], …]}``. An id is 16 random bytes in hexadecimal,
new for every report and the same when a report is sent again. What y is depends on the mechanism: the
position of an output or the number of a report; the rising positions of a set's labels; or a set's
bits, eight to a byte, in hexadecimal.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownCategory
from dprivacy.mechanisms import LocalMechanism, ReportCounts, cells_of

MOST_REPORTS = 1000  # in one request
LARGEST = 64 << 10  # bytes of a request
_ID = 16  # bytes
Slots = NDArray[np.int64]
MOST_SLOTS = 1 << 22  # counters


@dataclass(frozen=True)
class Sent:
    """The reports of one request, of which nothing is counted yet."""

    ids: list[bytes]
    reports: list[Any]


@dataclass(frozen=True)
class Tally:
    """All that a collector keeps of what was sent: how many reports, and counters.

    Examples
    --------
    >>> from dprivacy.collecting import wire_of
    >>> from dprivacy.mechanisms import randomised_response
    >>> wire = wire_of(randomised_response(["yes", "no"], eps="ln 3"))
    >>> Tally(wire, 3, {0: 2, 1: 1}).observed()
    {'yes': 2, 'no': 1}
    >>> Tally(wire, 3, {0: 2, 1: 1}).possible, Tally(wire, 3, {0: 9}).possible
    (True, False)
    """

    wire: "Wire"
    n: int
    counters: dict[int, int] = field(repr=False)

    @property
    def possible(self) -> bool:
        """Whether this many reports can leave such counters; a book that was changed may not fit."""
        slots, numbers = self.counters.keys(), self.counters.values()
        whole = type(self.n) is int and set(map(type, (*slots, *numbers))) <= {int}
        if not whole or not all(0 <= slot < self.wire.slots for slot in slots):
            return False
        if self.wire.by_report:
            return min(numbers, default=0) >= 0 and sum(numbers) == self.n
        return all(0 <= number <= self.n for number in (0, *numbers))

    def observed(self) -> Any:
        """What `estimate` takes beside the mechanism."""
        return self.wire.observed(self)


@dataclass(frozen=True)
class Wire(ABC):
    """How the reports of a mechanism travel, and which counters they add to."""

    mechanism: Any
    hash: str
    text: str = field(repr=False)

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many counters there are."""

    @abstractmethod
    def read(self, told: list[Any]) -> list[Any] | None:
        """Reports as they are counted; None when a device cannot have sent one of them."""

    @abstractmethod
    def added(self, reports: Sequence[Any]) -> Iterable[tuple[int, int]]:
        """What reports add to which counters."""

    @abstractmethod
    def observed(self, tally: Tally) -> Any:
        """Counters as `estimate` takes them."""

    @property
    def by_report(self) -> bool:
        """Whether every report has its own counter."""
        return True

    @abstractmethod
    def cells(self, slots: Slots) -> Any:
        """Reports, by their counters, as cells of a table."""

    @property
    def labels(self) -> tuple[Any, ...]:
        """The answers that a person may have."""
        found: tuple[Any, ...] = (
            self.mechanism.labels
            if isinstance(self.mechanism, LocalMechanism)
            else self.mechanism.channel.rows
        )
        return found

    @cached_property
    def largest_odds(self) -> Fraction:
        """The most that a report changes the odds between two answers."""
        if isinstance(self.mechanism, LocalMechanism):
            return self.mechanism.factor
        columns = self.mechanism.channel.matrix.transposed.rows()
        return max(Fraction(max(column), min(column)) for column in columns if max(column))

    def request(self, body: bytes) -> Sent:
        """The reports of one request.

        Raises
        ------
        UnknownCategory
            For what no device of this collection sends. The message never quotes it.
        """
        try:
            told = _READER.decode(body.decode())
            mechanism, pairs = told["mechanism"], told["reports"]
            known = len(told) == 2 and type(pairs) is list
        except (ValueError, TypeError, KeyError, RecursionError):
            known = False
        if not known:
            raise UnknownCategory(
                'a request should be JSON with two keys, {"mechanism": hash, "reports": [[id, y], …]}'
            )
        if mechanism != self.hash:
            raise UnknownCategory(
                "these reports are for another mechanism than that of this collection; load the page "
                f"again, or send those of {self.hash[:12]}…"
            )
        if not 0 < len(pairs) <= MOST_REPORTS:
            raise UnknownCategory(
                f"a request should have between 1 and {MOST_REPORTS:,} reports, not {len(pairs):,}"
            )
        if any(type(pair) is not list or len(pair) != 2 for pair in pairs):
            raise UnknownCategory("a report should be a list of its id and what was drawn: [id, y]")
        ids, ys = zip(*pairs, strict=True)
        return Sent(_ids(ids), self._reports(list(ys)))

    def _reports(self, told: list[Any]) -> list[Any]:
        found = self.read(told)
        if found is None:
            raise UnknownCategory(
                f"at least one of {len(told):,} reports is none that this mechanism draws; nothing of "
                "the request was counted"
            )
        return found


@dataclass(frozen=True)
class NumberWire(Wire):
    """Reports that are whole numbers, with a counter for each."""

    @property
    def slots(self) -> int:
        """One a report."""
        return int(self.mechanism.reports.outputs)

    def read(self, told: list[Any]) -> list[Any] | None:
        """Whole numbers below the number of reports; True is not 1."""
        good = set(map(type, told)) == {int} and min(told) >= 0 and max(told) < self.slots
        return told if good else None

    def added(self, reports: Sequence[Any]) -> Iterable[tuple[int, int]]:
        """One each."""
        return Counter(reports).items()

    def cells(self, slots: Slots) -> Any:
        """Their numbers."""
        return cells_of(self.mechanism, slots)

    def observed(self, tally: Tally) -> Any:
        """Counts of reports."""
        return ReportCounts(self.mechanism, tally.n, dense_counters(tally))


@dataclass(frozen=True)
class OutputWire(NumberWire):
    """Positions of a channel's outputs."""

    @property
    def slots(self) -> int:
        """One an output."""
        return len(self.mechanism.channel.columns)

    def cells(self, slots: Slots) -> Any:
        """The outputs themselves."""
        return [self.mechanism.channel.columns[at] for at in slots.tolist()]

    def observed(self, tally: Tally) -> Any:
        """Counts by label."""
        outputs = self.mechanism.channel.columns
        return {label: tally.counters.get(at, 0) for at, label in enumerate(outputs)}


def dense_counters(tally: Tally) -> Any:
    """All counters, those of 0 too."""
    counters = np.zeros(tally.wire.slots, dtype=np.int64)
    if tally.counters:
        counters[list(tally.counters)] = list(tally.counters.values())
    return counters


def _ids(told: Sequence[Any]) -> list[bytes]:
    good = set(map(type, told)) == {str} and set(map(len, told)) == {2 * _ID}
    try:
        joined = bytes.fromhex("".join(told)) if good else b""
    except ValueError:
        joined = b""
    if len(joined) != _ID * len(told):  # shorter where white space was skipped
        raise UnknownCategory(
            f"every id should be {2 * _ID} hexadecimal digits, drawn anew for each report"
        )
    return [joined[at : at + _ID] for at in range(0, len(joined), _ID)]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The keys of an object; none where one is repeated, so that the object is refused."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else {}


_READER = json.JSONDecoder(object_pairs_hook=_once)
