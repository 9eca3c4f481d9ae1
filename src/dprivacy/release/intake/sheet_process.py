"""Reads one sheet of a spreadsheet from standard input and writes it as CSV, in a process of its own.

The library that reads spreadsheets may be made to ask for more memory than there is, which ends the
process that it runs in. So this file is run as a program, within limits, and imports nothing of ours.
Its first line is JSON: what it did, or why not. Every cell that is not empty stands in quotes.
"""

import datetime
import io
import json
import sys
from collections.abc import Iterable
from typing import Any

_MOST_MEMORY = 4 << 30  # bytes
_MOST_SECONDS = 300
_NAMES, _LONGEST_NAME = 10, 40  # of sheets that are listed


def main() -> None:
    """Do it, for the sheet that the first argument names; by default for the only one with cells."""
    _limit()
    wanted = sys.argv[1] if len(sys.argv) > 1 else None
    try:
        said, lines = _read(sys.stdin.buffer.read(), wanted)
    except MemoryError:
        said, lines = {"refused": "takes too much memory"}, []
    except Exception as reason:  # whatever the library raises; its words may quote a cell
        locked = type(reason).__name__ == "PasswordError"
        why = "is protected by a password; save it without one" if locked else "cannot be read"
        said, lines = {"refused": why}, []
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace", newline="")
    out.write(json.dumps(said) + "\n")
    out.writelines(lines)
    out.flush()


def written(cell: Any) -> str:
    """A cell as text: whole numbers without a point, dates as in ISO 8601.

    Examples
    --------
    >>> written(3.0), written(2.5), written(True), written(datetime.datetime(2020, 5, 1))
    ('3', '2.5', 'true', '2020-05-01')
    """
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        day = cell.time() == datetime.time()
        return cell.date().isoformat() if day else cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, datetime.date | datetime.time) else str(cell)


def line_of(row: Iterable[Any]) -> str:
    """A row as a line of CSV."""
    texts = (written(cell).replace('"', '""') for cell in row)
    return ",".join(f'"{text}"' if text else "" for text in texts) + "\n"


def _read(data: bytes, wanted: str | None) -> tuple[dict[str, Any], Iterable[str]]:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    names = book.sheet_names
    if wanted is None:
        names = [name for name in names if book.get_sheet_by_name(name).height]
    elif wanted in names:
        names = [wanted]
    else:
        names = ["", *names]
    if len(names) != 1:
        return {"sheets": [name[:_LONGEST_NAME] for name in names if name][:_NAMES]}, []
    rows = book.get_sheet_by_name(names[0]).to_python()
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    return {}, map(line_of, rows)


def _limit() -> None:
    try:
        import resource
    except ImportError:  # on Windows, which has no such limits
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
