"""Reads one sheet of a spreadsheet from standard input and writes it as CSV, in a process of its own.

The library that reads spreadsheets may be made to ask for more memory than there is, which ends the
process that it runs in. So this file is run as a program, within limits that follow from what the
spreadsheet says it unpacks to, and imports nothing of ours. What it prints begins with a line of JSON:
what it did, or why not. Every cell that is not empty stands in quotes.
"""

import datetime
import io
import json
import sys
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any
from xml.parsers import expat

_LARGEST = 256 << 20  # bytes, unpacked
_MOST_TIMES, _ALWAYS = 100, 4 << 20  # a sheet shrinks to a twentieth; small ones may do more
_MOST_PARTS = 10_000
_MEMORY, _TIMES_MEMORY = 256 << 20, 6  # bytes, and for each byte unpacked
_SECONDS, _BYTES_A_SECOND = 3, 4 << 20  # seconds of the processor, and bytes unpacked in each more
_NAMES, _LONGEST_NAME = 10, 40  # of sheets that are listed


def main() -> None:
    """Do it, for the sheet that the first argument names; by default for the only one with cells."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else None
    lines: Iterable[str] = ()
    try:
        _limit(0)
        _limit(_unpacked(sys.stdin.buffer))
        _require_ends(sys.stdin.buffer)
        said, lines = _read(sys.stdin.buffer, wanted)
    except _TooLarge as reason:
        said = {"large": str(reason)}
    except MemoryError:
        said = {"large": "takes too much memory; save it as CSV"}
    except Exception as reason:  # whatever the library raises; its words may quote a cell
        locked = type(reason).__name__ == "PasswordError"
        why = "is protected by a password; save it without one"
        said = {
            "refused": why if locked else "cannot be read; it is damaged, or not what its name says"
        }
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace", newline="")
    out.write(json.dumps(said) + "\n")
    out.writelines(lines)
    out.flush()


class _TooLarge(Exception):
    """Why a spreadsheet is too large, in words that quote nothing of it."""


class PasswordError(Exception):
    """A spreadsheet that nobody can read without its password; the library has one of this name."""


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


def _unpacked(file: IO[bytes]) -> int:
    """The bytes that a spreadsheet says it unpacks to; too many are refused before they are."""
    packed = size = file.seek(0, 2)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
        size = sum(part.file_size for part in parts)
        if len(parts) > _MOST_PARTS:
            raise _TooLarge(f"has more than {_MOST_PARTS:,} parts, as no spreadsheet does")
    file.seek(0)
    if size > _LARGEST:
        raise _TooLarge(
            f"unpacks to {size >> 20:,} MiB, and at most {_LARGEST >> 20} MiB of a spreadsheet are "
            "read; save it as CSV"
        )
    if size > _MOST_TIMES * packed + _ALWAYS:
        raise _TooLarge(
            f"unpacks to more than {_MOST_TIMES} times its size, as no spreadsheet does; save it as CSV"
        )
    return max(packed, size)


def _require_ends(file: IO[bytes]) -> None:
    """Refuse a sheet of an .ods file that breaks off: the library would look for its end for ever."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            for part in archive.infolist():
                if part.filename == "content.xml":
                    _require_whole(archive, part)
    file.seek(0)


def _require_whole(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    reader = expat.ParserCreate("utf-8")
    reader.StartDoctypeDeclHandler = _refuse_declarations
    try:
        with archive.open(part) as text:
            reader.ParseFile(text)
    except expat.ExpatError:
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise PasswordError from None
        raise


def _refuse_declarations(*_: object) -> None:
    raise ValueError


def _read(file: IO[bytes], wanted: str | None) -> tuple[dict[str, Any], Iterable[str]]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    book = CalamineWorkbook.from_filelike(file)
    sheets = {
        sheet.name: sheet.visible == SheetVisibleEnum.Visible
        for sheet in book.sheets_metadata
        if sheet.typ == SheetTypeEnum.WorkSheet
    }
    if wanted in sheets:
        return {}, _lines(book.get_sheet_by_name(wanted).iter_rows())
    if wanted is None:
        filled: dict[str, Any] = {}
        for name in sheets:
            sheet = book.get_sheet_by_name(name)
            if sheet.height:
                filled[name] = None if filled else sheet  # the first alone is kept in memory
        if len(filled) == 1 and sheets[name := next(iter(filled))]:
            return {}, _lines(filled[name].iter_rows())
        sheets = {name: sheets[name] for name in filled}
    listed = [[name[:_LONGEST_NAME], seen] for name, seen in sheets.items()]
    return {"sheets": listed[:_NAMES], "count": len(sheets)}, ()


def _lines(rows: Iterable[list[Any]]) -> Iterator[str]:
    """Rows as lines, without the empty ones at the end."""
    empty: list[str] = []
    for row in rows:
        empty.append(line_of(row))
        if any(cell != "" for cell in row):
            yield from empty
            empty.clear()


def _limit(unpacked: int) -> None:
    """Keep this process to what a spreadsheet of so many bytes needs."""
    try:
        import resource
    except ImportError:  # on Windows, which has no such limits
        return
    memory = _MEMORY + _TIMES_MEMORY * unpacked
    seconds = _SECONDS + unpacked // _BYTES_A_SECOND
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(
            kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )


if __name__ == "__main__":
    main()
