"""Text tables in which a cell holds several lines: every quote must open a cell or close it.

One quote too many turns all rows down to the next quote into the text of one cell. If that cell is
passed through, secret answers of other people would be published in it as they are.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import BadFile
from dprivacy.release.intake.table_sources import TableSource

_PIECE = 1 << 20  # bytes
_QUOTE, _LINE, _RETURN = b'"\n\r'
_BREAKS = re.compile(b"[\r\n]")
_MARK = b"\xef\xbb\xbf"  # which UTF-8 may begin with


def with_paired_quotes(batches: Iterable[Any], source: TableSource, path: Path) -> Iterator[Any]:
    """The same batches of bytes; BadFile where a cell holds a line break and quotes do not pair up.

    A table whose cells are single lines is not looked at: a quote inside one does no harm there.
    """
    looked = not source.format.splitting.quote
    for batch in batches:
        if not looked and any(map(_has_break, batch.columns)):
            require_paired_quotes(source, path)
            looked = True
        yield batch


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
