"""How a chosen table is written, for a person to say where its file does not show it."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from dprivacy.errors import UnclearTable
from dprivacy.web.shell.controls import Choice
from dprivacy.web.shell.page_frame import small

TITLE = "How the table is written"
_SEEN = {"": "as the file shows"}
_DELIMITERS = {"comma": "a comma", "semicolon": "a semicolon", "tab": "a tab", "bar": "a bar |"}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Western European (Windows-1252)",
    "cp1250": "Central European (Windows-1250)",
    "utf-16": "UTF-16",
}
_DECIMALS = {".": "12.5", ",": "12,5"}
_HEADERS = {"names": "the names of the columns", "row": "a row like the others"}
_FIELDS = {
    "delimiter": "Between cells stands",
    "encoding": "Encoding",
    "header": "The first line holds",
    "sheet": "Sheet",
    "decimal": "Numbers are written as",
}


class TableReading:
    """Five fields, all of them left to the file at first."""

    def __init__(self) -> None:
        with ui.expansion(TITLE) as self.panel:
            small(
                "Needed only where a file does not show it. A released .csv is UTF-8 with commas."
            )
            self.delimiter = Choice(_FIELDS["delimiter"], {**_SEEN, **_DELIMITERS})
            self.encoding = Choice(_FIELDS["encoding"], {**_SEEN, **_ENCODINGS})
            self.header = Choice(_FIELDS["header"], {**_SEEN, **_HEADERS})
            self.decimal = Choice(_FIELDS["decimal"], {**_SEEN, **_DECIMALS})
            self.sheet = ui.input(_FIELDS["sheet"]).props("outlined dense debounce=300")

    def clear(self) -> None:
        """Leave everything to the next file."""
        for choice in (self.delimiter, self.encoding, self.header, self.decimal):
            choice.value = ""
        self.sheet.value = ""

    def said(self) -> dict[str, Any]:
        """What a person has said, under the names of `sanitise_file`."""
        return {
            "delimiter": self.delimiter.value or None,
            "encoding": self.encoding.value or None,
            "header": {"names": True, "row": False}.get(self.header.value),
            "sheet": str(self.sheet.value or "").strip() or None,
            "decimal": self.decimal.value or None,
        }

    def say(self, written: Mapping[str, Any]) -> None:
        """Show again what was said before."""
        for name in ("delimiter", "encoding", "decimal"):
            getattr(self, name).value = written.get(name) or ""
        self.header.value = {True: "names", False: "row", None: ""}[written.get("header")]
        self.sheet.value = written.get("sheet") or ""

    def asked(self, reason: UnclearTable) -> str:
        """Open the fields, and say which of them decides."""
        self.panel.value = True
        return asking(reason)


def asking(reason: UnclearTable) -> str:
    """Why a table cannot be read yet, and which field decides.

    Examples
    --------
    >>> print(asking(UnclearTable("in.csv", "its first line holds whole numbers alone", "header")))
    This table cannot be read yet: its first line holds whole numbers alone, so that it may be a \
person's record. Choose “The first line holds” under “How the table is written”, and try again.
    """
    record = ", so that it may be a person's record" if reason.setting == "header" else ""
    return (
        f"This table cannot be read yet: {reason.reason}{record}. Choose “{_FIELDS[reason.setting]}” "
        f"under “{TITLE}”, and try again."
    )
