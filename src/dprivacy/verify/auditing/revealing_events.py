"""Events that may tell two inputs apart: sets of outputs, intervals, and how often each was seen."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, WrongKind, WrongShape
from dprivacy.model import shown
from dprivacy.typing import Label

_NAMED = 6  # outputs of a set, or pieces of a union, that are named in a sentence


class Event(Protocol):
    """A set of outputs: how often it was seen, and what it is in words."""

    def hits(self, tally: "Tally") -> int:
        """How many of the counted outputs lie in the event."""
        ...

    def words(self) -> str:
        """The event in a sentence."""
        ...


@dataclass(frozen=True)
class Tally:
    """How often each output was seen.

    `values` are distinct outputs: a sorted array of numbers, or a tuple of labels.
    """

    values: Any
    counts: NDArray[np.int64]

    @property
    def numeric(self) -> bool:
        """Whether outputs are numbers in order."""
        return isinstance(self.values, np.ndarray)

    @cached_property
    def total(self) -> int:
        """How many outputs were counted."""
        return int(self.counts.sum())

    @cached_property
    def places(self) -> dict[Any, int]:
        """Where each label stands."""
        values = self.values.tolist() if self.numeric else self.values
        return {_key(value): k for k, value in enumerate(values)}

    @cached_property
    def running(self) -> NDArray[np.int64]:
        """How many outputs come before each position."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)

    def count(self, value: Any) -> int:
        """How often one output was seen."""
        at = self.places.get(_key(value))
        return 0 if at is None else int(self.counts[at])

    @classmethod
    def of(cls, outputs: Any, numeric: bool) -> "Tally":
        """Count a sequence of outputs."""
        if numeric:
            values, counts = np.unique(np.asarray(outputs), return_counts=True)
            return cls(values, counts.astype(np.int64))
        return cls.of_counts(Counter(_key(y) for y in outputs))

    @classmethod
    def of_counts(cls, counts: Mapping[Any, int]) -> "Tally":
        """From a mapping of outputs to how often they were seen."""
        if not isinstance(counts, Mapping):
            raise WrongKind(
                "the counts of every input should be a mapping from outputs to how often they were "
                f"seen, not {type(counts).__name__}"
            )
        if not counts:
            raise WrongShape(f"the counts of every input should name an output, not {counts!r}")
        for y, number in counts.items():
            if not is_number(number) or number < 0 or number % 1:
                raise BadNumber(
                    f"the count of output {y!r} should be a whole number of at least 0, not {number!r}"
                )
        numbers = np.array([int(number) for number in counts.values()], dtype=np.int64)
        labels = list(counts)
        if all(is_number(y) for y in labels):
            order = np.argsort(np.array(labels), kind="stable")
            return cls(np.array(labels)[order], numbers[order])
        return cls(tuple(labels), numbers)


def is_number(value: Any) -> bool:
    """Whether an output is a plain number (not a bool) that has a place on the line."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _key(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, list | np.ndarray):
        return tuple(_key(item) for item in value)
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Outputs:
    """The output is one of a set."""

    members: tuple[Any, ...]

    def hits(self, tally: Tally) -> int:
        """How many of the counted outputs are members."""
        return sum(tally.count(y) for y in self.members)

    def words(self) -> str:
        """The event in words."""
        if len(self.members) == 1:
            return f"the output is {shown(self.members[0])}"
        named = ", ".join(shown(y) for y in self.members[:_NAMED])
        more = len(self.members) - _NAMED
        return f"the output is one of {named}{f' and {more} more' if more > 0 else ''}"


@dataclass(frozen=True)
class Intervals:
    """The output lies in one of several disjoint intervals (low, high]; −inf as a low end is closed."""

    pieces: tuple[tuple[float, float], ...]

    def hits(self, tally: Tally) -> int:
        """How many of the counted outputs lie in a piece."""
        if not tally.numeric:
            return 0
        total = 0
        for low, high in self.pieces:
            start = 0 if low == -math.inf else int(np.searchsorted(tally.values, low, "right"))
            end = int(np.searchsorted(tally.values, high, "right"))
            total += int(tally.running[end] - tally.running[start])
        return total

    def words(self) -> str:
        """The event in words."""
        named = " or ".join(_interval(low, high) for low, high in self.pieces[:_NAMED])
        more = len(self.pieces) - _NAMED
        return named + (f" or in one of {more} more intervals" if more > 0 else "")


def _interval(low: float, high: float) -> str:
    if low == -math.inf and high == math.inf:
        return "the output is any number"
    if low == -math.inf:
        return f"the output is at most {high!r}"
    if high == math.inf:
        return f"the output is more than {low!r}"
    return f"the output is more than {low!r} and at most {high!r}"


@dataclass(frozen=True)
class Condition:
    """The output satisfies a condition given as a function."""

    test: Callable[[Any], Any]
    name: str

    def hits(self, tally: Tally) -> int:
        """How many of the counted outputs satisfy it."""
        values: Sequence[Any] = tally.values.tolist() if tally.numeric else tally.values
        return sum(int(n) for y, n in zip(values, tally.counts, strict=True) if self.test(y))

    def words(self) -> str:
        """The event in words."""
        return f"the output satisfies {self.name}"


EventLike = Event | Callable[[Any], Any] | Iterable[Label]
Events = Mapping[str, EventLike] | Iterable[EventLike]


def read_events(events: Events) -> list[Event]:
    """Events as people give them: functions, collections of outputs, or a mapping of names to these."""
    if isinstance(events, Mapping):
        return [_read_event(event, str(name)) for name, event in events.items()]
    if isinstance(events, str) or not isinstance(events, Iterable):
        raise WrongKind(
            f"events should be a list of events, or a mapping from names to them, not {events!r}"
        )
    found = [_read_event(event, None) for event in events]
    if not found:
        raise WrongShape(f"events should hold at least one event, not {events!r}")
    return found


def _read_event(event: EventLike, name: str | None) -> Event:
    if isinstance(event, Outputs | Intervals | Condition):
        return event
    if callable(event):
        return Condition(event, name or str(getattr(event, "__name__", "the condition")))
    if isinstance(event, Iterable) and not isinstance(event, str | bytes):
        return Outputs(tuple(dict.fromkeys(_key(y) for y in event)))
    raise WrongKind(
        "an event is a function of an output, or a list or set of outputs, not "
        f"{type(event).__name__}; write [output] for a single one"
    )
