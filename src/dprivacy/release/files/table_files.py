"""Tables in files: CSV and Parquet, read in batches and written, every bad input one sentence."""

import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from dprivacy.errors import BadFile, DPrivacyError, TooLarge, UnknownName
from dprivacy.extras import arrow, arrow_csv
from dprivacy.numbers import Floats
from dprivacy.release.files.cell_lines import CellLines
from dprivacy.release.files.json_lines import LINES, LineWriter, is_lines, open_lines
from dprivacy.release.files.paired_quotes import require_clear_names, with_paired_quotes
from dprivacy.release.files.parquet_tables import MOST, UNPACKING, open_parquet
from dprivacy.release.files.row_chunks import RowGroups
from dprivacy.release.intake.byte_streams import refuse_bad_bytes
from dprivacy.release.intake.decimal_commas import DECIMAL_COMMAS, with_points
from dprivacy.release.intake.labelled_files import LABELLED
from dprivacy.release.intake.spreadsheet_files import SHEETS
from dprivacy.release.intake.table_settings import Intake, TableSettings, Written
from dprivacy.release.intake.table_sources import TableSource, source_of
from dprivacy.release.intake.text_cells import as_texts

TEXTS = (".csv", ".tsv", ".tab", ".txt")
_PLAIN = (*TEXTS, *LINES)
TABLE_ENDINGS = (*_PLAIN, *(f"{text}.gz" for text in _PLAIN), ".parquet", *SHEETS, *LABELLED)
OUTPUTS = (".csv", ".parquet", *LINES)
_BATCH = 1 << 16  # rows of a Parquet batch
_BLOCK = 1 << 20  # bytes of a CSV block, of which Arrow reads 32 ahead
_CSV_ROWS = 1 << 13  # rows that become text at a time
NOTHING_KNOWN = Intake()


def is_parquet(path: Path) -> bool:
    """Whether a file's name says that it is a Parquet file."""
    return path.suffix.lower() == ".parquet"


def is_typed(path: Path) -> bool:
    """Whether the cells of a file have types, and are not all texts."""
    return is_parquet(path) or is_lines(path)


@dataclass
class Extent:
    """How much of a table there is to read, as far as that is known before, and how much is read.

    Parameters
    ----------
    rows
        All rows, which a Parquet file tells.
    size
        Bytes of a text table that is read as it lies.
    """

    rows: int | None = None
    size: int | None = None
    blocks: int = 0

    def share(self, done: int) -> float | None:
        """How much is done, from 0 to 1, when this many rows are; None where that cannot be told.

        Of a text table this depends on how long its cells are, those of secret columns with the others.
        """
        if self.rows is not None:
            return done / max(self.rows, 1)
        return None if self.size is None else min(1.0, self.blocks * _BLOCK / max(self.size, 1))

    def counted(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The same batches, each of which is a block of bytes."""
        for batch in batches:
            self.blocks += 1
            yield batch


@contextmanager
def batches_of(
    path: Path, known: Intake = NOTHING_KNOWN, *, coded: Collection[str] = ()
) -> Iterator[tuple[Iterator[Any], Extent]]:
    """Batches of a table and how much there is; texts of `coded` columns may come as dictionaries."""
    if not path.exists():
        raise BadFile(f"{path}: does not exist")
    if is_parquet(path):
        with ExitStack() as opened:
            with read_errors(path):
                file = opened.enter_context(open_parquet(path, coded))
            yield (
                guarded(file.batches(most_rows=_BATCH, threads=False), path),
                Extent(rows=file.rows),
            )
    elif is_lines(path):
        with read_errors(path), open_lines(path, known) as (_, rows):
            yield guarded(rows, path), Extent()
    elif path.name.lower().endswith(TABLE_ENDINGS):
        with open_csv(path, known) as (_, rows):
            as_it_lies = path.suffix.lower() in TEXTS
            extent = Extent(size=path.stat().st_size if as_it_lies else None)
            yield extent.counted(rows), extent
    else:
        raise BadFile(
            f"{path}: only {', '.join(_PLAIN)} (also .gz), .parquet, "
            f"{', '.join((*SHEETS, *LABELLED))} files are read"
        )


def whole_table(
    path: Path,
    needed: Iterable[str] = (),
    *,
    likely: Iterable[str] = (),
    **written: Unpack[Written],
) -> Any:
    """All rows of a file as one Arrow table; refused if it has none, or lacks a column.

    A first line that holds half of the columns that are needed or likely is its header; `written` is
    what somebody has said about that and the like.
    """
    needed = tuple(needed)
    known = Intake.of(TableSettings(**written), (*needed, *likely))
    parts, held = [], 0
    with read_errors(path), batches_of(path, known) as (batches, _):
        most = MOST + UNPACKING * path.stat().st_size
        for batch in batches:
            held += batch.nbytes
            if held > most:
                raise TooLarge(
                    f"{path}: takes more than {most >> 20} MiB, too much to hold at once"
                )
            parts.append(batch)
    if not any(part.num_rows for part in parts):
        raise BadFile(f"{path}: contains no rows")
    table = arrow().Table.from_batches(parts)
    for name in needed:
        if name not in table.column_names:
            raise UnknownName.among(f"{path}: the column", name, table.column_names)
    return table


def float_column(table: Any, name: str, path: Path) -> Floats:
    """A column as doubles, with NaN for what is missing; refused by its row where that fails."""
    pa = arrow()
    column = table.column(name)
    if pa.types.is_boolean(column.type):
        raise BadFile(f"{path}: column {name!r} should contain numbers, not truth values")
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except pa.ArrowException:  # texts with spaces around numbers, decimals, or no numbers at all
        out = np.empty(len(column))
    for row, value in enumerate(column.to_pylist()):
        try:
            out[row] = np.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            raise BadFile(
                f"{path}: column {name!r}, row {row}: not a number; a column of something else can be "
                f"kept as it is, or left out; {DECIMAL_COMMAS}"
            ) from None
    return out


def column_list(names: str | Iterable[str]) -> tuple[str, ...]:
    """The names of columns, of which a single text is one."""
    return (names,) if isinstance(names, str) else tuple(names)


@contextmanager
def open_csv(
    path: Path, known: Intake = NOTHING_KNOWN
) -> Iterator[tuple[Sequence[str], Iterator[Any]]]:
    """The header of a text table and its batches, all as text; an empty cell without quotes is missing.

    Types are never guessed from the data; a ragged line is refused by its number, and its content
    is not shown. How the table is written is settled first, or refused.
    """
    with ExitStack() as stack:
        with read_errors(path):
            source = source_of(path, known)
            found = source.format
        with read_errors(path, found.encoding):
            names = found.names
            if names is None:
                with _reader(source, None) as first:
                    names = first.schema.names
            require_clear_names(names, source, path)
            if len(set(names)) != len(names):
                raise BadFile(f"{path}: two columns have the same name")
            reader = stack.enter_context(_reader(source, names))
        cells = with_paired_quotes(reader, source, path)
        batches = guarded(as_texts(cells), path, found.encoding)
        yield names, with_points(batches, path) if found.decimal == "," else batches


@contextmanager
def _reader(source: TableSource, names: Sequence[str] | None) -> Iterator[Any]:
    """Arrow's reader of a text table; without names, for its header alone."""
    csv, pa, found = arrow_csv(), arrow(), source.format
    with source.opened() as stream, csv.open_csv(
        stream,
        read_options=csv.ReadOptions(
            block_size=_BLOCK, use_threads=False, column_names=found.names
        ),
        parse_options=csv.ParseOptions(
            delimiter=found.delimiter,
            quote_char='"' if found.splitting.quote else False,
            newlines_in_values=found.splitting.quote,
            ignore_empty_lines=names is None or len(names) > 1,
        ),
        convert_options=csv.ConvertOptions(
            column_types={name: pa.binary() for name in names or ()},
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        ),
    ) as reader:  # fmt: skip
        yield reader


@contextmanager
def read_errors(path: Path, encoding: str = "") -> Iterator[None]:
    """What goes wrong while reading, in words that quote nothing of the file."""
    pa = arrow()
    try:
        yield
    except DPrivacyError:
        raise
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except pa.ArrowException as reason:
        text = str(reason).lower()
        ragged = re.match(r"csv parse error: (?:row #(\d+): )?expected \d+ columns", text)
        if ragged:
            line = f" at line {ragged[1]}" if ragged[1] else ""
            what = f"ragged rows{line}: not as many cells as the header has"
        elif "utf8" in text.replace("-", ""):
            if encoding:
                refuse_bad_bytes(path, encoding)
            what = "is not UTF-8 text; save it as UTF-8"
        elif "straddling" in text:
            what = f"a row is longer than {_BLOCK >> 20} MiB, or a quote is never closed"
        elif "empty csv" in text:
            what = "holds nothing"
        else:
            what = "cannot be read; it is damaged, or not what its name says"
        raise BadFile(f"{path}: {what}") from None
    except OSError as reason:
        raise BadFile(f"{path}: cannot be read ({reason.strerror or 'damaged file'})") from None


def guarded(batches: Iterable[Any], path: Path, encoding: str = "") -> Iterator[Any]:
    """Batches whose reading fails in words."""
    with read_errors(path, encoding):
        yield from batches


def writer_of(
    file: Any, output: Path, schema: Any, *, header: bool = True, coded: Collection[str] = ()
) -> Any:
    """Something with `write_table` and `close`, for the output's format.

    Columns in `coded` come as dictionaries of their declared outputs, the same ones in every table.
    """
    if is_parquet(output):
        return RowGroups(file, schema, coded=coded)
    if output.suffix.lower() in LINES:
        return LineWriter(file)
    if output.suffix.lower() != ".csv":
        raise BadFile(
            f"{output}: tables are written as .csv, .parquet or .jsonl, not as {output.suffix!r}"
        )
    listed = {field.name for field in schema if arrow().types.is_dictionary(field.type)}
    if listed <= set(coded) and CellLines.can_hold(schema):
        return CellLines(file, schema, header=header)
    return _ArrowLines(file, schema, header=header)


class _ArrowLines:
    """Arrow's own writer of CSV, for types that are rarely found in tables."""

    def __init__(self, file: Any, schema: Any, *, header: bool) -> None:
        pa, csv = arrow(), arrow_csv()
        for k, field in enumerate(schema):
            if pa.types.is_dictionary(field.type):
                schema = schema.set(k, field.with_type(field.type.value_type))
        options = csv.WriteOptions(include_header=header, batch_size=_CSV_ROWS)
        self._schema, self._writer = schema, csv.CSVWriter(file, schema, write_options=options)

    def write_table(self, table: Any) -> None:
        """Write the rows of a table."""
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Write what is held back."""
        self._writer.close()


@contextmanager
def write_errors(output: Path, table: Any = None) -> Iterator[None]:
    """A format that cannot hold a column, in words that quote nothing of the table but its header."""
    try:
        yield
    except arrow().ArrowException:
        raise BadFile(
            f"{output}: this format cannot hold a column that is passed through"
            f"{_not_held(output, table)}; drop it, or cast it"
            + ("" if is_parquet(output) else ", or write a .parquet file")
        ) from None


def _not_held(output: Path, table: Any) -> str:
    """The first column of a table that cannot be written alone, with its type."""
    for name in () if table is None else table.column_names:
        alone = table.select([name])
        try:
            writer = writer_of(io.BytesIO(), output, alone.schema)
            writer.write_table(alone)
            writer.close()
        except arrow().ArrowException:
            return f" ({name!r}, of type {alone.schema.field(0).type})"
    return ""
