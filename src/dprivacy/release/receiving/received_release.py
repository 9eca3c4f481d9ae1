"""What a receiver can say from a sanitised table and its card alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
)
from dprivacy.extras import arrow, dataset, parquet
from dprivacy.model import Channel, shown
from dprivacy.release.files.own_files import card_path, file_hash
from dprivacy.release.files.released_folders import files_in, listing_hash
from dprivacy.release.files.table_files import guarded, open_csv, read_errors
from dprivacy.release.plans.release_card import Card, read_card


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
    """A sanitised table as a receiver has it: the file (or a folder of Parquet files) and its card."""

    path: Path
    card: Card

    @classmethod
    def open(cls, path: str | Path, card: str | Path | None = None) -> "Release":
        """Find a table and the card beside it (or the one given)."""
        table = Path(path)
        if not table.exists():
            raise Malformed(f"{path}: there is no such file")
        beside = Path(card) if card is not None else card_path(table)
        if not beside.exists():
            raise Malformed(f"{beside}: the release card is missing; estimates need it")
        release = cls(table, read_card(beside))
        release._check(given=card is not None)
        return release

    def _check(self, *, given: bool) -> None:
        """Refuse a card that belongs to another table.

        A card that lies beside a table must be the one written with it, byte for byte. One that is
        given by name may go with a copy in another format.
        """
        written = self.card.output.get("sha256")
        if written is not None and not given:
            if self.path.is_dir() and listing_hash(files_in(self.path)) != written:
                raise Malformed(
                    f"{self.path}: files were added to this folder, taken out or changed since its "
                    "card was written"
                )
            if not self.path.is_dir() and file_hash(self.path) != written:
                raise Malformed(
                    f"{self.path}: is not the file that {card_path(self.path).name} was written with; "
                    "if it is a copy in another format, name the card"
                )
        with self._opened() as (names, _):
            missing = [name for name in self.columns if name not in names]
        if missing:
            raise Malformed(
                f"{self.path}: has no column {', '.join(map(repr, missing))}; is this the card of this "
                "table?"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the table that the card speaks of."""
        return self.card.columns

    def counts(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """How often each combination of values occurs, read in batches."""
        self._require(columns)
        totals: dict[tuple[Any, ...], int] = {}
        with self._opened() as (_, batches):
            for batch in batches(list(columns)):
                for key, count in _grouped(batch, columns):
                    totals[key] = totals.get(key, 0) + count
        return totals

    def _require(self, columns: Sequence[str]) -> None:
        """Refuse columns that the card does not list, and a column beside itself."""
        for name in columns:
            if name not in self.columns:
                listed = ", ".join(self.columns)
                raise Malformed(f"there is no column {name!r}; the card lists {listed}")
        if len(set(columns)) != len(columns):
            raise Malformed("a column cannot be tabulated against itself")

    @contextmanager
    def _opened(self) -> Iterator[tuple[Sequence[str], Callable[[list[str]], Iterator[Any]]]]:
        """The table's columns, and a function that gives batches of some of them."""
        if self.path.is_dir():
            with read_errors(self.path):
                folder = dataset().dataset(self.path, format="parquet")
            yield (
                folder.schema.names,
                lambda names: guarded(folder.to_batches(columns=names), self.path),
            )
            return
        if self.path.suffix.lower() == ".parquet":
            with read_errors(self.path):
                file = parquet().ParquetFile(self.path)
            with file:
                yield (
                    file.schema_arrow.names,
                    lambda names: guarded(file.iter_batches(columns=names), self.path),
                )
            return
        with open_csv(self.path) as (header, batches):
            yield header, lambda names: (batch.select(names) for batch in batches)

    def estimate(
        self, column: str, *, estimator: Any = "ibu", confidence: float = 0.95
    ) -> Estimate:
        """Corrected frequencies of one protected column, with standard errors."""
        channel = self.card.channel(self._entry(column))
        tally = self._tally(column, channel)
        return estimate(channel, tally, estimator=estimator, confidence=confidence)

    def mean(self, column: str, *, confidence: float = 0.95) -> MeanEstimate:
        """The corrected mean of a column of numbers or of ordered whole numbers."""
        channel = self.card.channel(self._entry(column))
        if not all(isinstance(x, int | Fraction) for x in channel.rows):
            raise Malformed(f"column {column!r} holds no numbers, so it has no mean")
        return estimate_mean(channel, self._tally(column, channel), confidence=confidence)

    def _tally(self, column: str, channel: Channel) -> dict[Any, int]:
        """The count of every noisy label of one column."""
        found = self.counts([self.card.mechanisms[self._entry(column)]["columns"][0]])
        counts = dict.fromkeys(channel.columns, 0)
        for count, (at,) in zip(
            found.values(), positions_of(found, [channel.columns]), strict=True
        ):
            counts[channel.columns[at]] += count
        return counts

    def _entry(self, column: str) -> str:
        """The name under which the card speaks of a column of the table."""
        for name, entry in self.card.mechanisms.items():
            if column in entry["columns"]:
                return name
        return column

    def _table_name(self, name: str) -> str:
        """The table's column, also where the plan gave it another name."""
        entry = self.card.mechanisms.get(name)
        single = entry is not None and len(entry["columns"]) == 1
        return str(entry["columns"][0]) if entry is not None and single else name

    def cross_table(
        self, columns: Sequence[str], *, estimator: Any = "ibu", confidence: float = 0.95
    ) -> TableEstimate:
        """A corrected cross-tabulation of protected columns (and of columns passed through)."""
        found = self.counts([self._table_name(name) for name in columns])
        axes = [self.axis(name, k, found) for k, name in enumerate(columns)]
        return corrected_table(found, axes, estimator=estimator, confidence=confidence)

    def axis(self, name: str, k: int, found: Mapping[tuple[Any, ...], int]) -> Axis:
        """The k-th axis of a table of counts."""
        if self._entry(name) in self.card.mechanisms:
            return Axis(name, self.card.channel(self._entry(name)))
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
    return estimate(channels, table, estimator=estimator, confidence=confidence)


def _as_is(values: Sequence[Any]) -> Channel:
    n = len(values)
    return Channel(values, values, [[int(i == j) for j in range(n)] for i in range(n)])


def _grouped(batch: Any, columns: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Every combination of values in a batch, and how often it occurs."""
    pa = arrow()
    try:
        table = pa.Table.from_batches([batch]).group_by(list(columns))
        grouped = table.aggregate([([], "count_all")])
    except pa.ArrowException:
        raise Malformed(f"{', '.join(columns)}: values of this type cannot be counted") from None
    keys = zip(*(grouped.column(name).to_pylist() for name in columns), strict=True)
    yield from zip(keys, grouped.column("count_all").to_pylist(), strict=True)


def positions_of(
    keys: Iterable[tuple[Any, ...]], sides: Sequence[Sequence[Any]]
) -> list[list[int]]:
    """The position of each value of each key among the labels of its side."""
    indices = [_index(labels) for labels in sides]
    try:
        return [
            [index[read(value)] for (index, read), value in zip(indices, key, strict=True)]
            for key in keys
        ]
    except (KeyError, TypeError, ValueError):
        raise Malformed(
            "the table holds values that its card does not list; is this the card of this table?"
        ) from None


def _index(labels: Sequence[Any]) -> tuple[dict[Any, int], Callable[[Any], Any]]:
    """Where each label stands, and how a value of the table is read to find it.

    Labels that are numbers are found by their value as a double, also when they are written as text
    (in CSV files) or were rounded to single precision; all others as they are.
    """
    if not all(label is None or isinstance(label, int | Fraction) for label in labels):
        return {_as_text(label): k for k, label in enumerate(labels)}, _as_text
    index: dict[Any, int] = {}
    for k, label in enumerate(labels):
        if label is None:
            index[None] = k
        else:
            index[float(label)] = k
            index.setdefault(float(np.float32(label)), k)
    return index, lambda value: None if value is None else float(value)


def _as_text(value: Any) -> Any:
    """A value that was written in words: true is "true", as everywhere in tables."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None else shown(value)
