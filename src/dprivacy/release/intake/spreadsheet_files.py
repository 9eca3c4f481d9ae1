"""Spreadsheets as text: one sheet of an .xlsx, .xls or .ods file, read by a process of its own."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import IO

from dprivacy.errors import BadFile, TooLarge, UnclearTable
from dprivacy.extras import calamine
from dprivacy.model import open_regular

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_LARGEST = 256 << 20  # bytes, unpacked
_MOST_PARTS = 10_000
_PROGRAM = Path(__file__).with_name("sheet_process.py")


def is_spreadsheet(path: Path) -> bool:
    """Whether a file's name says that it is a spreadsheet."""
    return path.suffix.lower() in SHEETS


def sheet_text(path: Path, sheet: str | None) -> bytes:
    """A sheet as CSV in UTF-8, every cell that is not empty in quotes.

    Raises
    ------
    TooLarge
        Before anything is unpacked.
    UnclearTable
        When several sheets have cells and none is named.
    """
    calamine()
    with open_regular(path) as file:
        _require_size(path, file)
        file.seek(0)
        done = subprocess.run(
            [sys.executable, "-P", str(_PROGRAM), *([] if sheet is None else [sheet])],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    first, _, content = done.stdout.partition(b"\n")
    if done.returncode or not first:  # the library ended the process
        raise BadFile(f"{path}: cannot be read; it is damaged, or takes too much memory")
    said = json.loads(first)
    if "refused" in said:
        raise BadFile(f"{path}: {said['refused']}")
    if "sheets" in said:
        listed = ", ".join(map(repr, said["sheets"]))
        if not listed:
            raise BadFile(f"{path}: holds nothing")
        what = "has more than one sheet" if sheet is None else f"has no sheet {sheet!r}"
        raise UnclearTable(path, f"it {what}: {listed}", "sheet")
    return content


def _require_size(path: Path, file: IO[bytes]) -> None:
    """Refuse what unpacks to more than is read; the directory of the archive says it beforehand."""
    size = file.seek(0, 2)
    if zipfile.is_zipfile(file):
        try:
            with zipfile.ZipFile(file) as archive:
                parts = archive.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise BadFile(f"{path}: cannot be read; it is damaged") from None
        size = sum(part.file_size for part in parts)
        if len(parts) > _MOST_PARTS:
            raise TooLarge(f"{path}: has more than {_MOST_PARTS:,} parts, as no spreadsheet does")
    if size > _LARGEST:
        raise TooLarge(
            f"{path}: unpacks to {size >> 20:,} MiB, and at most {_LARGEST >> 20} MiB of a spreadsheet "
            "are read; save it as CSV"
        )
