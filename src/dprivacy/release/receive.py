"""What a receiver can say from a sanitised table and its card alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.estimation import (
    Estimate,
    MeanEstimate,
    TableEstimate,
    estimate,
    estimate_mean,
    estimate_table,
)
from dprivacy.model import Channel
from dprivacy.model.plain import shown
from dprivacy.release.card import ReleaseCard
from dprivacy.release.extras import arrow, parquet
from dprivacy.release.files import card_path, open_csv


@dataclass(frozen=True)
class Axis:
    """One axis of a cross-tabulation: a protected column, or one that was passed through."""

    name: str
    channel: Channel | None
    values: tuple[Any, ...] = ()

    @property
    def labels(self) -> tuple[Any, ...]:
        """The noisy labels along the axis."""
        return self.values if self.channel is None else self.channel.columns


@dataclass(frozen=True)
class Release:
    """A sanitised table as a receiver has it: the file and its card."""

    path: Path
    card: ReleaseCard

    @classmethod
    def open(cls, path: str | Path, card: str | Path | None = None) -> "Release":
        """Find a table and the card beside it (or the one given)."""
        table = Path(path)
        if not table.exists():
            raise Malformed(f"{path}: there is no such file")
        beside = Path(card) if card is not None else card_path(table)
        if not beside.exists():
            raise Malformed(f"{beside}: the release card is missing; estimates need it")
        return cls(table, ReleaseCard.load(beside))

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the table that the card speaks of."""
        protected = [name for entry in self.card.columns.values() for name in entry["columns"]]
        return (*protected, *self.card.pass_through)

    def counts(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """How often each combination of values occurs, read in batches."""
        for name in columns:
            if name not in self.columns:
                listed = ", ".join(self.columns)
                raise Malformed(f"there is no column {name!r}; the card lists {listed}")
        totals: dict[tuple[Any, ...], int] = {}
        for batch in self._batches(columns):
            table = arrow().Table.from_batches([batch])
            grouped = table.group_by(list(columns)).aggregate([([], "count_all")])
            keys = zip(*(grouped.column(name).to_pylist() for name in columns), strict=True)
            for key, count in zip(keys, grouped.column("count_all").to_pylist(), strict=True):
                totals[key] = totals.get(key, 0) + count
        return totals

    def _batches(self, columns: Sequence[str]) -> Iterable[Any]:
        if self.path.suffix == ".parquet":
            with parquet().ParquetFile(self.path) as file:
                yield from file.iter_batches(columns=list(columns))
            return
        with open_csv(self.path) as reader:
            for batch in reader:
                yield batch.select(list(columns))

    def estimate(
        self, column: str, *, estimator: Any = "ibu", confidence: float = 0.95
    ) -> Estimate:
        """Corrected frequencies of one protected column, with standard errors."""
        channel = self.card.channel(column)
        tally = self._tally(column, channel)
        return estimate(channel, tally, estimator=estimator, confidence=confidence)

    def mean(self, column: str, *, confidence: float = 0.95) -> MeanEstimate:
        """The corrected mean of a column of numbers or of ordered whole numbers."""
        channel = self.card.channel(column)
        if not all(isinstance(x, int | Fraction) for x in channel.rows):
            raise Malformed(f"column {column!r} holds no numbers, so it has no mean")
        return estimate_mean(channel, self._tally(column, channel), confidence=confidence)

    def _tally(self, column: str, channel: Channel) -> dict[Any, int]:
        """The count of every noisy label of one column."""
        found = self.counts([column])
        counts = dict.fromkeys(channel.columns, 0)
        for count, (at,) in zip(
            found.values(), positions_of(found, [channel.columns]), strict=True
        ):
            counts[channel.columns[at]] += count
        return counts

    def cross_table(
        self, columns: Sequence[str], *, estimator: Any = "ibu", confidence: float = 0.95
    ) -> TableEstimate:
        """A corrected cross-tabulation of protected columns (and of columns passed through)."""
        found = self.counts(columns)
        axes = [self.axis(name, k, found) for k, name in enumerate(columns)]
        return corrected_table(found, axes, estimator=estimator, confidence=confidence)

    def axis(self, name: str, k: int, found: Mapping[tuple[Any, ...], int]) -> Axis:
        """The k-th axis of a table of counts."""
        if name in self.card.columns:
            return Axis(name, self.card.channel(name))
        seen = sorted({key[k] for key in found}, key=lambda value: (value is None, str(value)))
        return Axis(name, None, tuple(seen))


def corrected_table(
    found: Mapping[tuple[Any, ...], int], axes: Sequence[Axis], *, estimator: Any, confidence: float
) -> TableEstimate:
    """The estimate behind noisy counts of combinations."""
    table = np.zeros([len(axis.labels) for axis in axes])
    sides = [axis.labels for axis in axes]
    for count, where in zip(found.values(), positions_of(found, sides), strict=True):
        table[tuple(where)] += count
    channels = [axis.channel if axis.channel is not None else _as_is(axis.values) for axis in axes]
    return estimate_table(channels, table, estimator=estimator, confidence=confidence)


def _as_is(values: Sequence[Any]) -> Channel:
    n = len(values)
    return Channel(values, values, [[int(i == j) for j in range(n)] for i in range(n)])


def positions_of(
    keys: Iterable[tuple[Any, ...]], sides: Sequence[Sequence[Any]]
) -> list[list[int]]:
    """The position of each value of each key among the labels of its side."""
    indices = [{_plain(label): k for k, label in enumerate(labels)} for labels in sides]
    try:
        return [
            [index[_plain(value)] for index, value in zip(indices, key, strict=True)]
            for key in keys
        ]
    except KeyError:
        raise Malformed(
            "the table holds values that its card does not list; is this the card of this table?"
        ) from None


def _plain(value: Any) -> Any:
    """Numbers by their value as a double, and texts that are numbers too (from CSV files)."""
    if value is None or isinstance(value, bool):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return shown(value)
