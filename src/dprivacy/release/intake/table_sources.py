"""A table that is text, or becomes it: how it is written, and a stream of it in UTF-8."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.extras import arrow
from dprivacy.release.intake.byte_streams import opened_utf8
from dprivacy.release.intake.labelled_files import is_labelled, labelled_text
from dprivacy.release.intake.spreadsheet_files import is_spreadsheet, sheet_text
from dprivacy.release.intake.table_format import TableFormat, format_of, sheet_format
from dprivacy.release.intake.table_settings import AS_RELEASED, Intake


@dataclass(frozen=True)
class TableSource:
    """How a table is written, and what opens a stream of it; it may be opened several times.

    `ours` says that this library wrote the text, and so that quotes in it mean what they should.
    """

    format: TableFormat
    opened: Callable[[], AbstractContextManager[Any]]
    ours: bool = False


def source_of(path: Path, known: Intake) -> TableSource:
    """The source of a text table, a spreadsheet, or a file of SPSS or Stata."""
    if is_labelled(path):
        named = Intake(known.settings.updated(header=True), known.names)
        return _held(path, labelled_text(path), named)
    if is_spreadsheet(path):
        return _held(path, sheet_text(path, known.settings.sheet), known)
    found = format_of(path, known)
    return TableSource(found, lambda: opened_utf8(path, found.encoding), known is AS_RELEASED)


def _held(path: Path, content: bytearray, known: Intake) -> TableSource:
    """A table that became text in memory."""
    opened = lambda: arrow().BufferReader(content)  # noqa: E731
    return TableSource(sheet_format(path, content, known), opened, ours=True)
