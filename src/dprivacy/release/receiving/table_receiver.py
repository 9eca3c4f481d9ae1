"""What a receiver can say from a sanitised table and its card alone."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from dprivacy.errors import BadFile, NotApplicable, UnknownName, WrongKind, WrongShape
from dprivacy.estimation import (
    Estimate,
    Survey,
    TableEstimate,
    estimate,
)
from dprivacy.mechanisms import counts_in
from dprivacy.model import as_path
from dprivacy.release.files.own_files import card_path, file_hash
from dprivacy.release.files.released_data import Released
from dprivacy.release.files.released_folders import require_listed, sizes_in
from dprivacy.release.joints.received_margins import (
    DrawnTogether,
    merged,
    read_apart,
    require_apart,
)
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.release.proving.card_proof import require_proved
from dprivacy.release.receiving.asked_statistics import AskedStatistics
from dprivacy.release.receiving.gathered_rows import gathered, protected_scores
from dprivacy.release.receiving.label_positions import positions_of
from dprivacy.release.receiving.noisy_axes import Axis, corrected_table, placed_counts
from dprivacy.release.receiving.released_batches import (
    Opened,
    grouped_rows,
    is_frame_of_spark,
    opened_data,
)
from dprivacy.typing import PathArg

Estimator = Literal["ibu", "inverse", "projected"]


def received(
    release: "Released[Any] | ReceivedTable | PathArg",
    *,
    card: Card | PathArg | None = None,
    session: Any = None,  # a SparkSession; Spark is not imported here
) -> "ReceivedTable":
    """A protected table as those who receive it have it, to estimate from.

    Parameters
    ----------
    release
        The path of a table (or of a folder of Parquet files) with its card beside it, or what
        `sanitise` gave.
    card
        The card, where it does not lie beside the table. One that is named may go with a copy in
        another format; one that lies beside must be the card of this very file.
    session
        A Spark session, for a folder that Spark is to read.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 99"}}}
    >>> table = received(sanitise(pandas.DataFrame({"tea": ["yes", "yes", "no", "yes"] * 100}), plan))
    >>> found = table.estimate("tea")
    >>> found.n, abs(found.counts["yes"] - 300) < 30
    (400, True)
    """
    if isinstance(release, ReceivedTable):
        return release
    if session is not None:
        from dprivacy.release.spark.spark_received import read_by_spark

        release = read_by_spark(session, str(release))
    if not isinstance(release, Released | str | PathLike):
        raise WrongKind(
            "a release is the path of a protected table, or what `sanitise` gave, not an object "
            f"{type(release).__name__}"
        )
    if isinstance(release, Released) and not isinstance(release.data, str | PathLike):
        return _with_its_columns(ReceivedTable(release.data, release.card))
    path = Path(release.data if isinstance(release, Released) else release)
    if not path.exists():
        raise BadFile(f"{path}: does not exist")
    if isinstance(card, Card):
        require_proved(card)
        return _with_its_columns(ReceivedTable(path, card))
    beside = card_path(path) if card is None else as_path(card, "a card")
    if not beside.exists():
        raise BadFile(f"{beside}: the card of the release is missing; estimates need it")
    found = ReceivedTable(path, read_card(beside))
    if found.card.what != "table":
        raise NotApplicable(f"{path}: is a release of {found.card.what}, not of a table")
    require_proved(found.card)
    if card is None:
        _require_own(path, found.card)
    return _with_its_columns(found)


def column_list(given: Iterable[str], what: str) -> list[str]:
    """Columns as a list; a lone name is refused, since a text would be spread over its letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise WrongKind(f'{what} should be a list of columns, such as ["hobby"], not {given!r}')
    return list(given)


def _require_own(path: Path, card: Card) -> None:
    """Refuse a card that was written with another table, byte for byte."""
    if path.is_dir():
        require_listed(sizes_in(path), card.output, str(path))
    elif file_hash(path) != card.output.get("sha256"):
        raise BadFile(
            f"{path}: is not the file that {card_path(path).name} was written with; if it is a copy in "
            "another format, name the card"
        )


def _with_its_columns(table: "ReceivedTable") -> "ReceivedTable":
    with table.opened() as (names, _):
        missing = [name for name in table.columns if name not in names]
    if missing:
        raise UnknownName(
            f"{table.name}: has no column {', '.join(map(repr, missing))}; is this the card of this "
            "table?"
        )
    card, joints = read_apart(table.card)
    return replace(table, card=card, joints=joints) if joints else table


@dataclass(frozen=True, eq=False)
class ReceivedTable(AskedStatistics):
    """A protected table as a receiver has it, with its card; made by `received`.

    Parameters
    ----------
    data
        The path of a file or a folder of Parquet files, or a table in hand.
    card
        What was done to it.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> table = received(sanitise(pandas.DataFrame({"tea": ["yes", "no", "no"]}), plan))
    >>> table.columns, sum(table.counts(["tea"]).values())
    (('tea',), 3)
    >>> table.estimate("tea").n, table.cross_table(["tea"]).counts.shape
    (3, (2,))
    >>> table.name, table.is_spark, table.entry_of("tea"), table.table_name("tea")
    ('the table', False, 'tea', 'tea')
    >>> table.axis("tea", 0, table.counts(["tea"])).labels
    ('yes', 'no')
    >>> table.require_apart(["tea"])  # each column has a draw of its own
    >>> with table.opened() as (columns, batches):
    ...     columns, [len(batch) for batch in batches(["tea"])]
    (['tea'], [3])
    """

    data: Any
    card: Card
    joints: tuple[DrawnTogether, ...] = ()  # columns that were drawn together

    @property
    def name(self) -> str:
        """What to call the table in messages."""
        return str(self.data) if isinstance(self.data, Path) else "the table"

    def _repr_html_(self) -> str:
        return self.card._repr_html_()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the table that the card speaks of."""
        return self.card.columns

    def counts(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """How often each combination of values occurs, read in batches."""
        columns = column_list(columns, "columns")
        self.require_apart(columns)
        return self._counted(columns)

    def require_apart(self, columns: Sequence[str]) -> None:
        """Refuse columns that one draw noised, where they are taken to be noised one by one."""
        require_apart(self.joints, columns)

    def _counted(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        columns = list(columns)
        for name in columns:
            if name not in self.columns:
                listed = ", ".join(self.columns)
                raise UnknownName(f"the card does not list a column {name!r}; it lists {listed}")
        if len(set(columns)) != len(columns):
            raise NotApplicable(
                f"a column cannot be tabulated against itself: {', '.join(columns)}"
            )
        if self.is_spark:
            from dprivacy.release.spark.spark_received import counted_by_spark

            return counted_by_spark(self.data, columns)
        totals: dict[tuple[Any, ...], int] = {}
        with self.opened() as (_, batches):
            for batch in batches(columns):
                for key, count in grouped_rows(batch, columns):
                    totals[key] = totals.get(key, 0) + count
        return totals

    @property
    def is_spark(self) -> bool:
        """Whether Spark holds the table."""
        return is_frame_of_spark(self.data)

    def opened(self) -> AbstractContextManager[Opened]:
        """The table's columns, and a function that gives batches of some of them."""
        return opened_data(self.data, self.card.output)

    def estimate(
        self, column: str, *, estimator: Estimator = "ibu", confidence: float = 0.95
    ) -> Estimate:
        """Corrected frequencies of one protected column, or of columns that were drawn together."""
        for joint in self.joints:
            if joint.name == column:
                names = list(joint.columns)
                seen, _, _ = merged(self._counted(names), names, names, joint)
                tally = {label: seen.get((label,), 0) for label in joint.channel.columns}
                return estimate(joint.channel, tally, estimator=estimator, confidence=confidence)
        entry = self.entry_of(column)
        if entry not in self.card.mechanisms:
            self.card.channel(entry)  # which says what is there
        local = self.card.local(entry)
        if local is not None and estimator != "ibu":
            reports = counts_in(local, self._cells(entry))
            return estimate(local, reports, estimator=estimator, confidence=confidence)
        known = protected_scores(self, entry).known
        tally = self._tally(column, known.columns)
        return estimate(known, tally, estimator=estimator, confidence=confidence)

    def _cells(self, entry: str) -> dict[Any, int]:
        """How often each cell of a protected column occurs."""
        found = self.counts(self.card.mechanisms[entry]["columns"][:1])
        return {cell: count for (cell,), count in found.items()}

    def _tally(self, column: str, labels: Sequence[Any]) -> dict[Any, int]:
        """The count of every noisy label of one column."""
        found = self._cells(self.entry_of(column))
        places = positions_of([(cell,) for cell in found], [labels])
        counts = dict.fromkeys(labels, 0)
        for count, (at,) in zip(found.values(), places, strict=True):
            counts[labels[at]] += count
        return counts

    def entry_of(self, column: str) -> str:
        """The name under which the card speaks of a column of the table."""
        for name, entry in self.card.mechanisms.items():
            if column in entry["columns"]:
                return name
        return column

    def table_name(self, name: str) -> str:
        """The table's column, also where the plan gave it another name."""
        entry = self.card.mechanisms.get(name)
        single = entry is not None and len(entry["columns"]) == 1
        return str(entry["columns"][0]) if entry is not None and single else name

    def cross_table(
        self,
        columns: Sequence[str],
        *,
        weights: str = "",
        estimator: Estimator = "ibu",
        confidence: float = 0.95,
    ) -> TableEstimate:
        """A corrected cross-tabulation of protected columns (and of columns passed through)."""
        columns = column_list(columns, "columns")
        if not columns:
            raise WrongShape('a table needs a column, such as ["hobby"], and none was given')
        names = [self.table_name(name) for name in columns]
        if weights:
            return self._weighted_table(columns, names, weights, estimator, confidence)
        together = [joint for joint in self.joints if len(joint.among(names)) > 1]
        found = self._counted(names)
        asked, labels = names, list(columns)
        for joint in together:
            found, names, labels = merged(found, names, labels, joint)
        axes = []
        for k, (name, label) in enumerate(zip(names, labels, strict=True)):
            owner = [joint for joint in together if name in joint.columns]
            channel = owner[0].of(owner[0].among(asked)) if owner else None
            axes.append(Axis(label, channel) if owner else self.axis(label, k, found))
        table = corrected_table(found, axes, estimator=estimator, confidence=confidence)
        return replace(table, names=tuple(labels))

    def _weighted_table(
        self,
        columns: Sequence[str],
        names: Sequence[str],
        weights: str,
        estimator: Estimator,
        confidence: float,
    ) -> TableEstimate:
        records = gathered(self, names, {}, Survey(weights=weights), 1.0)
        keys = [
            tuple(records.values[name][code] for name, code in zip(names, each, strict=True))
            for each in zip(*(records.codes[name].tolist() for name in names), strict=True)
        ]
        first = dict(zip(keys, records.design.weights.tolist(), strict=True))
        axes = [self.axis(name, k, first) for k, name in enumerate(columns)]
        second = dict(zip(keys, records.design.squares.tolist(), strict=True))
        rows = int(records.design.rows.sum())
        squares = placed_counts(second, axes)
        table = corrected_table(
            first, axes, estimator=estimator, confidence=confidence, squares=squares, rows=rows
        )
        return replace(table, names=tuple(columns))

    def axis(self, name: str, k: int, found: Mapping[tuple[Any, ...], int]) -> Axis:
        """The k-th axis of a table of counts."""
        entry = self.entry_of(name)
        if entry in self.card.mechanisms:
            if self.card.local(entry) is not None:
                return Axis(name, protected_scores(self, entry).known)
            return Axis(name, self.card.channel(entry))
        seen = sorted({key[k] for key in found}, key=lambda value: (value is None, str(value)))
        return Axis(name, None, tuple(seen))
