"""The rows of a released table, wherever it lies, in batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.extras import arrow
from dprivacy.release.files.json_lines import is_lines, open_lines
from dprivacy.release.files.parquet_tables import open_parquet
from dprivacy.release.files.released_data import as_arrow
from dprivacy.release.files.released_folders import data_files
from dprivacy.release.files.table_files import is_parquet, open_csv, read_errors
from dprivacy.release.intake.table_settings import AS_RELEASED

Opened = tuple[Sequence[str], Callable[[list[str]], Iterator[Any]]]


def is_frame_of_spark(data: Any) -> bool:
    """Whether Spark holds the table; Spark is not imported for that."""
    return type(data).__module__.startswith("pyspark.")


@contextmanager
def opened_data(data: Any, output: Mapping[str, Any]) -> Iterator[Opened]:
    """A table's columns, and a function that gives batches of some of them.

    Parameters
    ----------
    data
        The path of a file or of a folder of Parquet files, or a table in hand.
    output
        What the card says of the files.
    """
    if is_frame_of_spark(data):
        yield data.columns, lambda names: iter(())
    elif not isinstance(data, Path):
        table = as_arrow(data)
        yield table.schema.names, lambda names: iter(_plain(table.select(names)).to_batches())
    elif data.is_dir() or is_parquet(data):
        files = data_files(data, output) if data.is_dir() else [data]
        with read_errors(data), open_parquet(files[0]) as first:
            listed = first.names
        yield listed, lambda names: _batches_in(files, names)
    else:
        opener = open_lines if is_lines(data) else open_csv
        with read_errors(data), opener(data, AS_RELEASED) as (header, batches):
            yield header, lambda names: (batch.select(names) for batch in batches)


def grouped_rows(batch: Any, columns: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Every combination of values in a batch, and how often it occurs."""
    pa = arrow()
    names = [str(k) for k in range(len(columns))]  # Arrow would read ".x" as a path
    table = pa.Table.from_batches([batch]).select(list(columns)).rename_columns(names)
    try:
        grouped = table.group_by(names).aggregate([([], "count_all")])
    except pa.ArrowException:
        raise NotApplicable(
            f"{', '.join(columns)}: values of this type cannot be counted"
        ) from None
    keys = zip(*(grouped.column(name).to_pylist() for name in names), strict=True)
    yield from zip(keys, grouped.column("count_all").to_pylist(), strict=True)


def _batches_in(files: Sequence[Path], names: Sequence[str]) -> Iterator[Any]:
    """Batches of some columns of Parquet files, one file after the other."""
    for path in files:
        with read_errors(path), open_parquet(path) as file:
            for name in names:
                UnknownName.require(f"{path}: the column", name, file.names)
            yield from file.batches(names)


def _plain(table: Any) -> Any:
    """The table with the values of its dictionaries written out."""
    pa = arrow()
    kinds = [
        pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type)
        for f in table.schema
    ]
    return table.cast(pa.schema(kinds))
