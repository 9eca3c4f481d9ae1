"""Channels, distances and priors from files: labelled tables as CSV, matrices as JSON, stored nouns."""

import csv
import io
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from dprivacy.errors import (
    BadFile,
    BadNumber,
    DuplicateLabel,
    Malformed,
    NotStochastic,
    SpaceMismatch,
)
from dprivacy.model.channels import Channel
from dprivacy.model.distributions import Dist
from dprivacy.model.documents import file_text, is_document, parsed_json, read_document, rebuilt
from dprivacy.model.plain_data import shown
from dprivacy.model.stored_parts import channel_from, space_from
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace, from_table, require_same_labels
from dprivacy.typing import PathArg

Noun = TypeVar("Noun")

_LARGEST = 64 << 20  # bytes of a table
_LONGEST_NUMBER = 4000  # characters
_EXPONENT_DIGITS = 4
_NAMED = 6


def channel_in_file(path: PathArg) -> Channel:
    """The channel of a file.

    CSV: a first line of output labels (its first cell is ignored), then one line an input, its label
    first. JSON: a stored channel or mechanism, ``{"rows": […], "columns": […], "matrix": [[…], …]}``
    or nested lists. Entries are fractions ("1/3") or decimals, and are read exactly.
    """
    name = str(path)
    if _is_json(path):
        return channel_in_json(file_text(path), name)
    return Channel(*read_table(file_text(path, largest=_LARGEST), name))


def channel_in_json(text: str, name: str) -> Channel:
    """The channel of a JSON text, as `channel_in_file` reads it."""
    data = _parsed(text, name)
    if is_document(data):
        return _stored(text, name, "channel", channel_from)
    return _from_json(data, name)


def space_in_file(path: PathArg) -> FiniteSpace:
    """The space of a file.

    CSV: a table of distances with the labels across the top and down the side. JSON: a stored space,
    or a stored mechanism, whose own space is taken.
    """
    name = str(path)
    if _is_json(path):
        return _stored(file_text(path), name, "space", space_from)
    rows, columns, table = read_table(file_text(path, largest=_LARGEST), name)
    order = require_same_labels(rows, columns, f"{path}: labels down the side and across the top")
    return from_table(rows, [[line[j] for j in order] for line in table])


def read_prior_file(path: PathArg, space: FiniteSpace) -> Dist:
    """A prior on a space from a CSV file: a label and a weight a line.

    The label of a place on a grid stands in two cells (row, column), or in one as ``(0, 1)``. Weights
    may be counts, fractions or decimals; they are divided by their sum. A first line of words is a
    header. Every label of the space must be there, if only with 0.
    """
    known = {_key(label): label for label in space.labels}
    known |= {(shown(label),): label for label in space.labels}
    weights: dict[Any, Fraction] = {}
    strange: list[str] = []
    for number, line in enumerate(_lines(file_text(path, largest=_LARGEST), str(path)), 1):
        cells = [cell.strip() for cell in line]
        where, key = f"{path}, line {number}", tuple(cells[:-1])
        if number == 1 and key not in known and not _is_number(cells[-1]):
            continue
        if len(cells) < 2:
            raise BadFile(f"{where}: a label and a weight are needed, not {cells[0]!r} alone")
        if key not in known:
            strange.append(" ".join(", ".join(key).split()))  # a message is one line
            continue
        if known[key] in weights:
            raise DuplicateLabel(f"{where}: {shown(known[key])} is listed twice")
        weight = read_number(cells[-1], where)
        if weight < 0:
            raise NotStochastic(f"{where}: a weight is at least 0, not {cells[-1]}")
        weights[known[key]] = Fraction(weight)
    missing = [shown(label) for label in space.labels if label not in weights]
    if strange or missing:
        parts = [f"{_listed(strange)} only in the file"] if strange else []
        parts += (
            [f"{_listed(missing)} only in the space (give them the weight 0)"] if missing else []
        )
        raise SpaceMismatch(f"{path}: prior and space differ: {'; '.join(parts)}")
    total = sum(weights.values(), Fraction(0))
    if not total:
        raise NotStochastic(f"{path}: all weights are 0")
    return Dist(space.labels, [weights[label] / total for label in space.labels])


def read_table(text: str, name: str) -> tuple[list[str], list[str], list[list[str]]]:
    """Row labels, column labels and cells of a labelled CSV table."""
    lines = _lines(text, name)
    if len(lines) < 2 or len(lines[0]) < 2:
        raise BadFile(f"{name}: needs a line of output labels and at least one input line below it")
    columns = [cell.strip() for cell in lines[0][1:]]
    for line in lines[1:]:
        if len(line) != len(columns) + 1:
            raise BadFile(
                f"{name}: ragged table: the line of {line[0].strip()!r} has {len(line) - 1} entries "
                f"where the header names {len(columns)} outputs"
            )
        for cell in line[1:]:
            _refuse_giant(cell, f"{name}: the line of {line[0].strip()!r}")
    return [line[0].strip() for line in lines[1:]], columns, [line[1:] for line in lines[1:]]


def _lines(text: str, name: str) -> list[list[str]]:
    """The lines of a CSV table that are not blank."""
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as reason:
        raise BadFile(f"{name}: not a CSV table ({reason})") from None
    return [line for line in lines if any(cell.strip() for cell in line)]


def _is_json(path: PathArg) -> bool:
    return Path(path).suffix.lower() == ".json"


def _stored(text: str, name: str, part: str, read: Callable[..., Noun]) -> Noun:
    """The channel or the space of a stored noun: of its own, or of a mechanism."""
    document = read_document(text, name=name)
    body = document.body
    if document.noun == "mechanism":
        body = body.get(part, {})
    elif document.noun != part:
        raise BadFile(f"{name}: holds a {document.noun}, where a {part} or a mechanism is needed")
    noun: Noun = rebuilt(read, body, name)
    return noun


def _refuse_giant(literal: str, where: str) -> None:
    """Refuse a number that would fill the memory when it is written out, such as 1e999999999."""
    exponent = literal.lower().rpartition("e")[2].strip().lstrip("+-").replace("_", "")
    giant = "e" in literal.lower() and exponent.isdigit() and len(exponent) > _EXPONENT_DIGITS
    if len(literal) > _LONGEST_NUMBER or giant:
        raise BadNumber(f"{where}: the number {literal[:24]!r}… has too many digits")


def _parsed(text: str, name: str) -> Any:
    def exact(literal: str) -> Fraction:
        _refuse_giant(literal, name)
        return Fraction(literal)

    def refuse(literal: str) -> Any:
        raise BadNumber(f"{name}: {literal} is not a probability")

    return parsed_json(text, name, parse_float=exact, parse_constant=refuse)


def _from_json(data: Any, name: str) -> Channel:
    if isinstance(data, list):
        data = {"matrix": data}
    if not isinstance(data, dict) or not isinstance(data.get("matrix"), list):
        raise BadFile(f'{name}: expected {{"rows": […], "columns": […], "matrix": [[…], …]}}')
    matrix = data["matrix"]
    if not matrix or not all(isinstance(row, list) and row for row in matrix):
        raise BadFile(f"{name}: the matrix needs at least one row, each a list of entries")
    for cell in (cell for row in matrix for cell in row if isinstance(cell, str)):
        _refuse_giant(cell, name)
    rows, columns = data.get("rows"), data.get("columns")
    return Channel(_names(rows, len(matrix), name), _names(columns, len(matrix[0]), name), matrix)


def _names(labels: Any, count: int, name: str) -> list[Any]:
    if labels is None:
        return list(range(count))
    if not isinstance(labels, list) or any(isinstance(label, list | dict) for label in labels):
        raise BadFile(f"{name}: labels must be a list of texts or numbers, not {str(labels)[:40]}")
    return labels


def _key(label: Any) -> tuple[str, ...]:
    return tuple(str(part) for part in label) if isinstance(label, tuple) else (str(label),)


def _is_number(cell: str) -> bool:
    try:
        read_number(cell, "")
    except Malformed:
        return False
    return True


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more
