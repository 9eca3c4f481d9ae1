"""A labelled transition matrix from a file: CSV or JSON."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import DPrivacyError, Malformed
from dprivacy.model.channels__model_channel import Channel
from dprivacy.spaces import FiniteSpace, from_table, require_same_labels

_LARGEST = 64 << 20  # bytes
_LONGEST_NUMBER = 4000  # characters
_EXPONENT_DIGITS = 4


def read_channel(path: str | Path) -> Channel:
    """Read a channel from a CSV or JSON file.

    CSV: a first line of output labels (its first cell is ignored), then one line an input, its label
    first. JSON: ``{"rows": […], "columns": […], "matrix": [[…], …]}`` or nested lists. Entries are
    fractions ("1/3") or decimals, and are read exactly.
    """
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        return _from_json(text, str(path))
    rows, columns, table = read_table(text, str(path))
    return Channel(rows, columns, table)


def read_space(path: str | Path) -> FiniteSpace:
    """Read a table of distances from a CSV file: labels across the top and down the side."""
    rows, columns, table = read_table(read_text(path), str(path))
    order = require_same_labels(rows, columns, f"{path}: labels down the side and across the top")
    return from_table(rows, [[line[j] for j in order] for line in table])


def read_text(path: str | Path) -> str:
    """The text of a file, or Malformed with the reason it cannot be read."""
    file = Path(path)
    try:
        if file.stat().st_size > _LARGEST:
            raise Malformed(f"{path}: larger than {_LARGEST >> 20} MiB, too large for a matrix")
        return file.read_text(encoding="utf-8-sig")
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror})") from None
    except UnicodeDecodeError:
        raise Malformed(f"{path}: is not UTF-8 text; save it as UTF-8") from None


def read_table(text: str, name: str) -> tuple[list[str], list[str], list[list[str]]]:
    """Row labels, column labels and cells of a labelled CSV table."""
    try:
        lines = [
            line
            for line in csv.reader(io.StringIO(text), strict=True)
            if any(c.strip() for c in line)
        ]
    except csv.Error as reason:
        raise Malformed(f"{name}: not a CSV table ({reason})") from None
    if len(lines) < 2 or len(lines[0]) < 2:
        raise Malformed(
            f"{name}: needs a line of output labels and at least one input line below it"
        )
    columns = [cell.strip() for cell in lines[0][1:]]
    for line in lines[1:]:
        if len(line) != len(columns) + 1:
            raise Malformed(
                f"{name}: ragged table: the line of {line[0].strip()!r} has {len(line) - 1} entries "
                f"where the header names {len(columns)} outputs"
            )
        for cell in line[1:]:
            _refuse_giant(cell, f"{name}: the line of {line[0].strip()!r}")
    return [line[0].strip() for line in lines[1:]], columns, [line[1:] for line in lines[1:]]


def _refuse_giant(literal: str, where: str) -> None:
    """Refuse a number that would fill the memory when it is written out, such as 1e999999999."""
    exponent = literal.lower().rpartition("e")[2].strip().lstrip("+-").replace("_", "")
    giant = "e" in literal.lower() and exponent.isdigit() and len(exponent) > _EXPONENT_DIGITS
    if len(literal) > _LONGEST_NUMBER or giant:
        raise Malformed(f"{where}: the number {literal[:24]!r}… has too many digits")


def _from_json(text: str, name: str) -> Channel:
    def exact(literal: str) -> Fraction:
        _refuse_giant(literal, name)
        return Fraction(literal)

    def refuse(literal: str) -> Any:
        raise Malformed(f"{name}: {literal} is not a probability")

    try:
        data = json.loads(text, parse_float=exact, parse_constant=refuse)
    except DPrivacyError:
        raise
    except (ValueError, RecursionError) as reason:
        raise Malformed(f"{name}: not JSON ({reason})") from None
    if isinstance(data, list):
        data = {"matrix": data}
    if not isinstance(data, dict) or not isinstance(data.get("matrix"), list):
        raise Malformed(f'{name}: expected {{"rows": […], "columns": […], "matrix": [[…], …]}}')
    matrix = data["matrix"]
    if not matrix or not all(isinstance(row, list) and row for row in matrix):
        raise Malformed(f"{name}: the matrix needs at least one row, each a list of entries")
    for cell in (cell for row in matrix for cell in row if isinstance(cell, str)):
        _refuse_giant(cell, name)
    rows, columns = data.get("rows"), data.get("columns")
    return Channel(_names(rows, len(matrix), name), _names(columns, len(matrix[0]), name), matrix)


def _names(labels: Any, count: int, name: str) -> list[Any]:
    if labels is None:
        return list(range(count))
    if not isinstance(labels, list) or any(isinstance(label, list | dict) for label in labels):
        raise Malformed(f"{name}: labels must be a list of texts or numbers")
    return labels
