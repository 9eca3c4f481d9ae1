"""Text tables in which a cell holds several lines: every quote must open a cell or close it.

One quote too many turns all rows down to the next quote into the text of one cell. If that cell is
passed through, secret answers of other people would be published in it as they are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import BadFile
from dprivacy.release.intake.table_sources import TableSource

_PIECE = 1 << 20  # bytes
_QUOTE, _LINE, _RETURN = b'"\n\r'
_BREAKS = re.compile(b"[\r\n]")
_CLEAR_WIDTH = 3  # columns; with fewer, many a line of a text has as many delimiters as a row
_MARK = b"\xef\xbb\xbf"  # which UTF-8 may begin with


def with_paired_quotes(batches: Iterable[Any], source: TableSource, path: Path) -> Iterator[Any]:
    """The same batches of bytes; BadFile where a cell holds a line break and quotes do not pair up.

    A table whose cells are single lines is not looked at: a quote inside one does no harm there.
    """
    looked = not source.format.splitting.quote
    for batch in batches:
        if not looked and any(map(_has_break, batch.columns)):
            require_clear_quotes(source, path, len(batch.columns))
            looked = True
        yield batch


def require_clear_names(names: Sequence[str], source: TableSource, path: Path) -> None:
    """BadFile where the name of a column holds a line break and quotes are wrong, or may be."""
    if source.ours or not source.format.splitting.quote:
        return
    parts = ((at, re.split("[\r\n]+", name)[1:]) for at, name in enumerate(names, 1))
    more = {at: lines for at, lines in parts if lines}
    if more:
        require_clear_quotes(source, path, len(names))
    for at, lines in more.items():
        if any(line.count(source.format.delimiter) == len(names) - 1 for line in lines):
            raise BadFile(_told(path, f"the name of column {at} goes on with what may be rows"))


def require_clear_quotes(source: TableSource, path: Path, width: int) -> None:
    """BadFile for a table in which a quote stands elsewhere, or may stand for itself."""
    require_paired_quotes(source, path)
    if width >= _CLEAR_WIDTH and not source.ours:
        require_one_reading(source, path, width)


def _has_break(cells: Any) -> bool:
    data = cells.buffers()[2]
    if data is None or np.frombuffer(data, np.uint8).min(initial=255) > _RETURN:
        return False
    return _BREAKS.search(data) is not None


def require_paired_quotes(source: TableSource, path: Path) -> None:
    """BadFile, by its line, for a quote that neither opens a cell nor closes one.

    Notes
    -----
    Quotes alternate: one that opens stands behind a delimiter or a line break, one that closes before
    one. Inside a cell a quote is doubled, which is to close the cell and to open it again at once.
    """
    beside = np.frombuffer(source.format.delimiter.encode() + b'"\r\n', np.uint8)
    count, lines, held = 0, 1, b"\n"
    with source.opened() as stream:
        for piece in _pieces(stream):
            data = held + piece
            codes = np.frombuffer(data, np.uint8)
            at = np.flatnonzero(codes[1:-1] == _QUOTE) + 1
            closing = (count + np.arange(len(at))) % 2
            bad = at[~np.isin(codes[at + 2 * closing - 1], beside)]
            if len(bad):
                line = lines + data.count(b"\n", 1, bad[0])
                raise BadFile(_told(path, f"line {line} has one that stands elsewhere"))
            count, lines, held = count + len(at), lines + data.count(b"\n", 1, -1), data[-2:]
    if count % 2:
        raise BadFile(_told(path, "the last one is never closed"))


def require_one_reading(source: TableSource, path: Path, width: int) -> None:
    """BadFile where all lines are rows by themselves, so that quotes that pair up may do so by chance.

    Of two ditto marks the first would open a cell, and the second would close it, rows later. A text of
    several lines has one, sooner or later, with more delimiters or fewer than a row has.
    """
    mark = re.escape(source.format.delimiter.encode())
    quoted = re.compile(b'(?:^|(?<=%b))"(?:[^"]|"")*"(?=%b|$)' % (mark, mark))
    held = b""
    with source.opened() as stream:
        for piece in _pieces(stream):
            *lines, held = (held + piece).splitlines(keepends=True)
            for line in (line.rstrip(b"\r\n") for line in lines):
                cells = quoted.sub(b"", line).count(source.format.delimiter.encode()) + 1
                if line and cells != width:
                    return
    raise BadFile(
        f'{path}: a cell should hold line breaks only where quotes (") make that clear, and every line '
        "by itself has as many cells as the header, so that rows may be taken for one cell; "
        "double the quotes that stand for themselves, or save the table as .parquet or .jsonl"
    )


def _pieces(stream: Any) -> Iterator[bytes]:
    """The bytes of a stream, without a byte-order mark, and a line break behind them."""
    first = True
    while piece := bytes(stream.read(_PIECE)):
        yield piece.removeprefix(_MARK) if first else piece
        first = False
    yield b"\n"


def _told(path: Path, fault: str) -> str:
    return (
        f'{path}: quotes (") should stand around whole cells, and be doubled inside them, and {fault}; '
        "rows would be taken for the text of one cell, so mend that line"
    )
