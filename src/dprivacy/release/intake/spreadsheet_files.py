"""Spreadsheets as text: one sheet of an .xlsx, .xls or .ods file, read by a process of its own."""

from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, UnclearTable
from dprivacy.extras import calamine
from dprivacy.release.intake.contained_reading import read_apart

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


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
    said, content = read_apart(path, "sheet", *([] if sheet is None else [sheet]))
    _refuse_unclear(path, sheet, said)
    return content


def _refuse_unclear(path: Path, sheet: str | None, said: dict[str, Any]) -> None:
    """What the process said instead of reading a sheet, as a refusal."""
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
