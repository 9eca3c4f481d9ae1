"""Tables as lines of JSON, an object for each row: read in batches, written, in flat memory."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from dprivacy.errors import BadFile, TooLarge
from dprivacy.extras import arrow
from dprivacy.release.intake.byte_streams import opened_utf8
from dprivacy.release.intake.table_settings import Intake

LINES = (".jsonl", ".ndjson")
_PIECE = 1 << 20  # bytes that are read at a time
_LONGEST = 80_000_000  # bytes of a line
_MOST_FIELDS = 1000
_ROWS, _BYTES = 1 << 13, 1 << 23  # of a batch
_MARK = b"\xef\xbb\xbf"
_EXACT = 1 << 53  # whole numbers up to here are doubles too
_WIDEST = 1 << 63
Row = dict[str, Any]


def is_lines(path: Path) -> bool:
    """Whether a file's name says that it holds lines of JSON, packed by gzip or not."""
    return path.name.lower().removesuffix(".gz").endswith(LINES)


@contextmanager
def open_lines(path: Path, known: Intake) -> Iterator[tuple[list[str], Iterator[Any]]]:
    """The fields of a file of JSON lines, and its rows in batches; a missing field is a missing value.

    The file is read twice: the types of its fields are those of all its lines.

    Raises
    ------
    BadFile
        With the number of the line, never its content: for what is not an object, for values in values,
        for a field that stands twice, and for fields of several types.
    """
    encoding = known.settings.encoding or "utf-8"
    with opened_utf8(path, encoding) as stream:
        schema = _schema(_rows(stream, path), path)
    with opened_utf8(path, encoding) as stream:
        yield schema.names, _batches(_rows(stream, path), schema)


def _batches(rows: Iterator[tuple[Row, int]], schema: Any) -> Iterator[Any]:
    held: list[Row] = []
    size = 0
    for row, length in rows:
        held.append(row)
        size += length
        if len(held) == _ROWS or size >= _BYTES:
            yield _batch(held, schema)
            held, size = [], 0
    if held:
        yield _batch(held, schema)


def _batch(rows: list[Row], schema: Any) -> Any:
    pa = arrow()
    columns = [pa.array([row.get(f.name) for row in rows], type=f.type) for f in schema]
    return pa.record_batch(columns, schema=schema)


def _schema(rows: Iterator[tuple[Row, int]], path: Path) -> Any:
    kinds: dict[str, set[str]] = {}
    for row, _ in rows:
        for name, value in row.items():
            kinds.setdefault(name, set()).add(_kind(value))
        if len(kinds) > _MOST_FIELDS:
            raise TooLarge(f"{path}: its lines have more than {_MOST_FIELDS:,} different fields")
    if not kinds:
        raise BadFile(f"{path}: contains no rows")
    pa = arrow()
    types = {
        frozenset(): pa.string(),
        frozenset({"text"}): pa.string(),
        frozenset({"truth"}): pa.bool_(),
        frozenset({"whole"}): pa.int64(),
        frozenset({"large"}): pa.int64(),
        frozenset({"whole", "large"}): pa.int64(),
        frozenset({"double"}): pa.float64(),
        frozenset({"whole", "double"}): pa.float64(),
    }
    fields = []
    for name, found in kinds.items():
        kind = types.get(frozenset(found - {"nothing"}))
        if kind is None:
            raise BadFile(
                f"{path}: the field {name[:60]!r} is of one type in some lines and of another in "
                "others; write all of them as texts"
            )
        fields.append(pa.field(name, kind))
    return pa.schema(fields)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole" if abs(value) <= _EXACT else "large"
    return "double" if isinstance(value, float) else "text"


def _rows(stream: Any, path: Path) -> Iterator[tuple[Row, int]]:
    """The objects, each with the number of bytes of its line."""
    for number, line in enumerate(_lines(stream, path), 1):
        if line.strip():
            yield _object(line, f"{path}, line {number:,}"), len(line)


def _lines(stream: Any, path: Path) -> Iterator[bytes]:
    held: list[bytes] = []
    size, number, first = 0, 1, True
    while piece := stream.read(_PIECE):
        piece = piece.removeprefix(_MARK) if first else piece
        first = False
        *ended, rest = piece.split(b"\n")
        for line in ended:
            yield b"".join((*held, line))
            held, size, number = [], 0, number + 1
        held.append(rest)
        size += len(rest)
        if size > _LONGEST:
            raise TooLarge(f"{path}, line {number:,}: is longer than {_LONGEST:,} bytes")
    yield b"".join(held)


def _object(line: bytes, where: str) -> Row:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as reason:
        raise BadFile(
            f"{where}: byte {reason.start:,} is not UTF-8; save it in UTF-8, or pass its encoding as "
            "--encoding (encoding=)"
        ) from None
    if "\0" in text:
        raise BadFile(f"{where}: has a NUL in it; it looks like a binary file")
    try:
        fields = json.loads(text, parse_constant=_no_number, object_pairs_hook=_Fields)
    except (ValueError, RecursionError):
        raise BadFile(f"{where}: is not JSON") from None
    if not isinstance(fields, _Fields):
        raise BadFile(f"{where}: should be an object, {{…}}, not {type(fields).__name__}")
    found = dict(fields)
    if len(found) < len(fields):
        ((twice, _),) = Counter(name for name, _ in fields).most_common(1)
        raise BadFile(
            f"{where}: a row should have each field once, and the field {_told(twice)} stands twice; "
            "leave one out"
        )
    for name, value in found.items():
        _require_cell(name, value, where)
    return found


def _no_number(_: str) -> NoReturn:
    raise ValueError


class _Fields(list[tuple[str, Any]]):
    """The fields of an object one by one: of two with one name a dictionary keeps the last alone."""


def _require_cell(name: str, value: Any, where: str) -> None:
    if isinstance(value, list):
        raise BadFile(
            f"{where}: the field {_told(name)} holds values of its own; take them apart first"
        )
    if (isinstance(value, float) and not math.isfinite(value)) or (
        isinstance(value, int) and not -_WIDEST <= value < _WIDEST
    ):
        raise BadFile(f"{where}: the field {_told(name)} holds a number that is too large")
    for text in (name, value):
        if isinstance(text, str) and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise BadFile(
                    f"{where}: the field {_told(name)} holds half of a character (a lone surrogate)"
                ) from None


def _told(name: str) -> str:
    return ascii(name[:60])


def _written(row: Row) -> str:
    return f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n"


class LineWriter:
    """Writes tables as lines of JSON, in UTF-8, one object a row, with null for a missing value.

    Parameters
    ----------
    file
        Where to.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def write_table(self, table: Any) -> None:
        """Write the rows of a table; ArrowInvalid for values that JSON has no form for."""
        for batch in table.to_batches(max_chunksize=_ROWS):
            try:
                lines = [_written(row) for row in batch.to_pylist()]
            except (TypeError, ValueError):
                raise arrow().ArrowInvalid("a value that JSON has no form for") from None
            self._file.write("".join(lines).encode())

    def close(self) -> None:
        """Nothing is held back here."""
