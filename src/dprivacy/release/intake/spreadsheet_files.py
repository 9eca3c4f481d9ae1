"""Spreadsheets as text: one sheet of an .xlsx, .xls or .ods file, read by a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, TooLarge, UnclearTable
from dprivacy.extras import calamine
from dprivacy.model import open_regular

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_LARGEST = 256 << 20  # bytes of text
_PART = 1 << 20
_PROGRAM = Path(__file__).with_name("sheet_process.py")


def is_spreadsheet(path: Path) -> bool:
    """Whether a file's name says that it is a spreadsheet."""
    return path.suffix.lower() in SHEETS


def sheet_text(path: Path, sheet: str | None) -> bytearray:
    """A sheet as CSV in UTF-8, every cell that is not empty in quotes.

    Raises
    ------
    TooLarge
        Before so much is held.
    UnclearTable
        When several sheets have cells, or only one that is hidden, and none is named.
    """
    calamine()
    content = bytearray()
    with open_regular(path) as file, subprocess.Popen(
        [sys.executable, "-P", str(_PROGRAM), *([] if sheet is None else [sheet])],
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as reader:  # fmt: skip
        assert reader.stdout is not None
        first = reader.stdout.readline(_PART)
        while part := reader.stdout.read(_PART):
            content += part
            if len(content) > _LARGEST:
                reader.kill()
                raise TooLarge(
                    f"{path}: a sheet of more than {_LARGEST >> 20} MiB of text; save it as CSV"
                )
    if reader.returncode or not first:  # the limits ended the process, or the library did
        raise BadFile(
            f"{path}: cannot be read; it is damaged, or takes too much memory or time: save it as CSV"
        )
    _refuse_unclear(path, sheet, json.loads(first))
    return content


def _refuse_unclear(path: Path, sheet: str | None, said: dict[str, Any]) -> None:
    """What the process said instead of reading a sheet, as a refusal."""
    if "large" in said:
        raise TooLarge(f"{path}: {said['large']}")
    if "refused" in said:
        raise BadFile(f"{path}: {said['refused']}")
    if "sheets" in said:
        listed = ", ".join(
            f"{name!r}{'' if seen else ' (hidden)'}" for name, seen in said["sheets"]
        )
        if not listed:
            raise BadFile(f"{path}: holds nothing")
        if sheet is not None:
            what = f"has no sheet {sheet!r}"
        elif said["count"] == 1:
            what = "has cells in a hidden sheet alone"
        else:
            what = "has more than one sheet"
        more = " and others" if said["count"] > len(said["sheets"]) else ""
        raise UnclearTable(path, f"it {what}: {listed}{more}", "sheet")
