"""Reads a file of another program from standard input and writes it as CSV, in a process of its own.

The libraries that read spreadsheets and files of SPSS or Stata may be made to ask for more memory than
there is, or to fail in C, which ends the process that they run in. So this file is run as a program,
within limits that follow from what the file says it unpacks to, and imports nothing of ours. Its first
argument is the format, "sheet", "sav", "por" or "dta"; the second is the sheet, or "labels" for what a
statistical file says of its variables. What it prints begins with a line of JSON: what it did, or why
not. Every cell that is not empty stands in quotes.
"""

import datetime
import io
import itertools
import json
import math
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
_TIMES_SLOWER = 16  # statistical files hold a cell in a byte
_CELLS = 500_000  # of a statistical file that are held at once
_NAMES, _LONGEST_NAME = 10, 40  # of sheets that are listed


def main() -> None:
    """Do it, for the sheet that the second argument names; by default for the only one with cells."""
    kind, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    lines: Iterable[str] = ()
    try:
        _limit(0)
        _limit(_unpacked(sys.stdin.buffer), 1 if kind == "sheet" else _TIMES_SLOWER)
        _require_ends(sys.stdin.buffer)
        if kind == "sheet":
            said, lines = _read(sys.stdin.buffer, wanted)
        elif wanted == "labels":
            said = _labels(sys.stdin.buffer, kind)
        else:
            said, lines = {}, _records(sys.stdin.buffer, kind)
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
            f"unpacks to {size >> 20:,} MiB, and at most {_LARGEST >> 20} MiB of such a file "
            "are read; save it as CSV"
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


def _statistical(file: IO[bytes], kind: str, **options: Any) -> tuple[dict[str, Any], Any]:
    """The columns of a statistical file, and what it says of them; missing codes as they are."""
    import pyreadstat

    reader: Any = getattr(pyreadstat, f"read_{kind}")
    if kind != "por":
        options["user_missing"] = True
    file.seek(0)
    columns, about = reader(file, output_format="dict", **options)
    return columns, about


def _labels(file: IO[bytes], kind: str) -> dict[str, Any]:
    """What a statistical file says of its variables: labels, measure, and which codes are missing."""
    _, about = _statistical(file, kind, metadataonly=True)
    return {
        "variables": [
            {
                "name": name,
                "label": label or "",
                "measure": about.variable_measure.get(name) or "",
                "values": [
                    [written(code), str(text)]
                    for code, text in (about.variable_value_labels.get(name) or {}).items()
                ],
                "missing": [
                    [written(part["lo"]), written(part["hi"])]
                    for part in about.missing_ranges.get(name, [])
                ]
                + [[code, code] for code in about.missing_user_values.get(name, [])],
            }
            for name, label in zip(about.column_names, about.column_labels, strict=True)
        ]
    }


def _records(file: IO[bytes], kind: str) -> Iterator[str]:
    """The records of a statistical file as lines, below the names of its variables."""
    names = _statistical(file, kind, metadataonly=True)[1].column_names
    return itertools.chain(
        [line_of(names)], _rows(file, kind, max(1, _CELLS // max(1, len(names))))
    )


def _rows(file: IO[bytes], kind: str, most: int) -> Iterator[str]:
    """All records, this many at a time."""
    begin = 0
    while True:
        columns, _ = _statistical(file, kind, row_limit=most, row_offset=begin)
        rows = list(zip(*columns.values(), strict=True))
        for row in rows:
            yield line_of("" if _is_gap(cell) else cell for cell in row)
        if len(rows) < most:
            return
        begin += most


def _is_gap(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _limit(unpacked: int, slower: int = 1) -> None:
    """Keep this process to what a file of this many bytes needs."""
    try:
        import resource
    except ImportError:  # on Windows, which has no such limits
        return
    memory = _MEMORY + _TIMES_MEMORY * unpacked
    seconds = _SECONDS + slower * unpacked // _BYTES_A_SECOND
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
