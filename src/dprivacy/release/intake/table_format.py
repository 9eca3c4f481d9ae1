"""How a text table is written, settled before a row is read: as was said, or as it begins."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path

from dprivacy.errors import BadFile, UnclearTable
from dprivacy.release.intake.byte_streams import beginning_of
from dprivacy.release.intake.cell_splitting import Rows, Splitting, split_rows, splitting_of
from dprivacy.release.intake.header_line import header_of, holds_names
from dprivacy.release.intake.table_settings import AS_RELEASED, Intake, TableSettings
from dprivacy.release.intake.text_encoding import encoding_of

_SAMPLE = 1 << 18  # bytes
_LETTERS = 12  # that are shown


@dataclass(frozen=True)
class TableFormat:
    """How a text table is written; `width` is the number of its columns.

    `letters` are some that it has beyond a-z, where its encoding is a guess that they can confirm.
    """

    encoding: str
    splitting: Splitting
    header: bool
    width: int
    letters: str = ""
    decimal: str = "."

    @property
    def delimiter(self) -> str:
        """What stands between cells; for a single column something that ends it in a refusal."""
        return self.splitting.delimiter or ","

    @property
    def names(self) -> list[str] | None:
        """The names of the columns where the file has none; None where it has a header."""
        return None if self.header else [f"column {k}" for k in range(1, self.width + 1)]

    def to_settings(self) -> TableSettings:
        """What somebody would have to say to have the table read so, where it is not usual."""
        encoding = self.encoding.removesuffix("-sig")
        found = TableSettings(self.delimiter, encoding, self.header, decimal=self.decimal)
        unusual = {
            k: v for k, v in found.to_dict().items() if v != getattr(AS_RELEASED.settings, k)
        }
        return TableSettings(**unusual)


def format_of(path: Path, known: Intake) -> TableFormat:
    """How a text table is written; where a person must say, UnclearTable, which quotes nothing."""
    sample = beginning_of(path, _SAMPLE + 1)
    whole = len(sample) <= _SAMPLE
    text, encoding = _decoded(path, sample[:_SAMPLE], known.settings)
    if not text.strip():
        raise BadFile(f"{path}: holds nothing")
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    if text.startswith("sep="):
        raise BadFile(
            f"{path}: its first line is for one program alone, and says what stands between cells; "
            "remove it, and pass that character as --delimiter (delimiter=)"
        )
    splitting = _splitting(path, text, known)
    guessed = known.settings.encoding is None and encoding == "cp1252"
    letters = _letters(text) if guessed else ""
    found = _with_header(path, splitting.rows(text), known, encoding, splitting, letters)
    return replace(found, decimal=known.settings.decimal or ".")


def sheet_format(path: Path, content: bytearray, known: Intake) -> TableFormat:
    """How a sheet is written that became CSV: only its header can be unclear."""
    if not content:
        raise BadFile(f"{path}: holds nothing")
    splitting = Splitting(",", True)
    rows = splitting.rows(content[:_SAMPLE].decode("utf-8", errors="ignore"))
    return _with_header(path, rows, known, "utf-8", splitting)


def _with_header(
    path: Path,
    rows: Rows,
    known: Intake,
    encoding: str,
    splitting: Splitting,
    letters: str = "",
) -> TableFormat:
    if not rows:
        raise BadFile(
            f"{path}: holds nothing but empty lines, or a quote is never closed, or a cell has more "
            f"than {csv.field_size_limit():,} characters"
        )
    said = known.settings.header
    header, reason = header_of(rows, known.names) if said is None else (said, "")
    found = TableFormat(encoding, splitting, bool(header), len(rows[0]), letters)
    misses = said is None and header is False and known.names
    if header is None or (misses and not holds_names(found.names or (), known.names)):
        raise UnclearTable(path, reason, "header")
    return found


def _decoded(path: Path, sample: bytes, said: TableSettings) -> tuple[str, str]:
    """The text of the beginning of a file, and its encoding."""
    encoding, reason = (said.encoding, "") if said.encoding else encoding_of(sample)
    if encoding is None:
        raise UnclearTable(path, reason, "encoding")
    if encoding == "utf-8" and sample.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8-sig"
    return sample.decode(encoding, errors="ignore"), encoding


def _letters(text: str) -> str:
    return " ".join(sorted({c for c in text if ord(c) > 127 and c.isalpha()})[:_LETTERS])


def _splitting(path: Path, text: str, known: Intake) -> Splitting:
    said = known.settings.delimiter
    if (
        said is None
        and (rows := split_rows(text, ",", True, 1))
        and holds_names(rows[0], known.names)
    ):
        return Splitting(",", True)
    found, reason = splitting_of(text)
    if said is None:
        if found is None:
            raise UnclearTable(path, reason, "delimiter")
        return found
    quote = found.quote if found is not None and found.delimiter == said else True
    return Splitting(said, quote)
