"""Channels, distances and priors from files: tables of every kind, JSON, arrays, stored nouns."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from dprivacy.errors import (
    BadFile,
    BadNumber,
    DuplicateLabel,
    NotStochastic,
    SpaceMismatch,
)
from dprivacy.model.channels import Channel
from dprivacy.model.distributions import Dist
from dprivacy.model.documents import (
    LARGEST,
    file_bytes,
    file_text,
    is_document,
    parsed_json,
    read_document,
    rebuilt,
    text_of,
)
from dprivacy.model.matrices.array_files import is_array, matrix_of_array
from dprivacy.model.matrices.printed_channel import must_be_a_print
from dprivacy.model.matrices.table_texts import Cells, cells_of_text, csv_lines, is_number
from dprivacy.model.plain_data import shown
from dprivacy.model.stored_parts import channel_from, space_from
from dprivacy.spaces import FiniteSpace, from_table, require_same_labels
from dprivacy.typing import Label, PathArg

Noun = TypeVar("Noun")

_LARGEST = 64 << 20  # bytes of a table
_JSON = re.compile(r"\s*(\{|\[\s*\[)")
_NAMED = 6


def matrix_in_file(path: PathArg) -> Channel | Cells:
    """The matrix of a file: a channel where numbers are stored, cells where they are written.

    Whatever the file is called, its beginning tells what it is: a stored channel or mechanism, JSON
    (``{"rows": […], "columns": […], "matrix": [[…], …]}`` or nested lists), NumPy's .npy and .npz, a
    table of LaTeX, R's dput, or a table with commas, semicolons, tabs or spaces, as R writes and prints
    it: a first line of output labels, then one line an input, its label first.
    """
    name = str(path)
    data = file_bytes(path, largest=LARGEST if _is_json(path) else _LARGEST)
    if is_array(data):
        return Channel(*matrix_of_array(data, name))
    return matrix_in_text(text_of(data, name), name, json=_is_json(path))


def matrix_in_text(text: str, name: str, *, json: bool = False) -> Channel | Cells:
    """The matrix of a text, as `matrix_in_file` reads it."""
    if not json and _JSON.match(text) is None:
        return cells_of_text(text, name)
    data = _parsed(text, name)
    if is_document(data):
        return _stored(text, name, "channel", channel_from)
    return _from_json(data, name)


def exact_channel(found: Channel | Cells) -> Channel:
    """The channel, where decimals are taken at their word; NotStochastic for what must be a print."""
    if isinstance(found, Channel):
        return found
    if must_be_a_print(found):
        raise NotStochastic(
            f"{found.name}: rows miss 1 by what rounding to the decimals shown explains, so that this "
            "is a print, which `privacy` and `smallest_eps` bound. For anything else divide its rows "
            "by their sums: --normalise on the command line, printed(…).normalised() in Python"
        )
    for i, line in enumerate(found.probabilities, 1):
        if sum(line) != 1 and all(value.denominator == 1 for value in line):
            raise NotStochastic(
                f"{found.name}: row {i}, of zeros and ones, should sum to 1 but does not; answers of "
                "people are not a matrix"
            )
    return Channel(found.rows, found.columns, found.probabilities)


def space_in_file(path: PathArg) -> FiniteSpace:
    """The space of a file.

    CSV: a table of distances with the labels across the top and down the side. JSON: a stored space,
    or a stored mechanism, whose own space is taken.
    """
    name = str(path)
    if _is_json(path):
        return _stored(file_text(path), name, "space", space_from)
    rows, columns, table = read_table(file_text(path, largest=_LARGEST), name)
    try:
        order = require_same_labels(rows, columns, "")
    except SpaceMismatch:  # which names them, and they may be people's
        raise SpaceMismatch(
            f"{path}: the labels down the side should be those across the top, as in a table of "
            "distances, but they differ"
        ) from None
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
    strange: list[int] = []
    for number, line in enumerate(csv_lines(file_text(path, largest=_LARGEST), str(path)), 1):
        cells = [cell.strip() for cell in line]
        where, key = f"{path}, line {number}", tuple(cells[:-1])
        if number == 1 and key not in known and not is_number(cells[-1]):
            continue
        if len(cells) < 2:
            raise BadFile(f"{where}: a label and a weight are needed, not one cell alone")
        if key not in known:
            strange.append(number)
            continue
        if known[key] in weights:
            raise DuplicateLabel(f"{where}: {shown(known[key])} is listed twice")
        if not is_number(cells[-1]) or Fraction(cells[-1]) < 0:
            raise BadNumber(f"{where}: the weight should be a number of at least 0, and is not")
        weights[known[key]] = Fraction(cells[-1])
    missing = [shown(label) for label in space.labels if label not in weights]
    if strange or missing:
        lines = f"{'lines' if len(strange) > 1 else 'line'} {_listed(list(map(str, strange)))}"
        parts = [f"{lines} of the file with labels that it does not have"] if strange else []
        parts += (
            [f"{_listed(missing)} only in the space (give them the weight 0)"] if missing else []
        )
        raise SpaceMismatch(f"{path}: prior and space differ: {'; '.join(parts)}")
    total = sum(weights.values(), Fraction(0))
    if not total:
        raise NotStochastic(f"{path}: all weights are 0")
    return Dist(space.labels, [weights[label] / total for label in space.labels])


def read_worth_file(
    path: PathArg, space: FiniteSpace
) -> tuple[list[Label], list[Label], list[list[Fraction]]]:
    """Actions, secrets and worths of a gain or a loss: a table of actions by the secrets of a space.

    Labels that are written as those of the space are those.
    """
    actions, secrets, table = read_table(file_text(path, largest=_LARGEST), str(path))
    written = {str(label): label for label in space.labels}
    if sorted(map(str, secrets)) != sorted(written):
        raise SpaceMismatch(
            f"{path}: its first line should name the secrets ({_listed(list(written))}), and does not"
        )
    for i, line in enumerate(table, 1):
        for j, cell in enumerate(line, 1):
            if not is_number(cell):
                raise BadNumber(f"{path}: row {i}, column {j} is not a number that can be read")
    worths = [[Fraction(cell) for cell in line] for line in table]
    return [written.get(str(w), w) for w in actions], [written[str(x)] for x in secrets], worths


def read_table(text: str, name: str) -> tuple[list[Label], list[Label], list[list[str]]]:
    """Row labels, column labels and cells of a labelled table."""
    found = cells_of_text(text, name)
    return list(found.rows), list(found.columns), [list(line) for line in found.entries]


def _is_json(path: PathArg) -> bool:
    return Path(path).suffix.lower() == ".json"


def _stored(text: str, name: str, part: str, read: Callable[..., Noun]) -> Noun:
    """The channel or the space of a stored noun: of its own, or of a mechanism."""
    document = read_document(text, name=name)
    body = document.body
    if document.noun == "mechanism":
        if part not in body and "factor" in body:
            raise BadFile(
                f"{name}: holds a local mechanism, stored by its law and without a {part}; `load` "
                "reads it"
            )
        body = body.get(part, {})
    elif document.noun != part:
        raise BadFile(f"{name}: holds a {document.noun}, where a {part} or a mechanism is needed")
    noun: Noun = rebuilt(read, body, name)
    return noun


def _parsed(text: str, name: str) -> Any:
    def refuse(literal: str) -> Any:
        raise BadNumber(f"{name}: {literal} is not a probability")

    return parsed_json(text, name, parse_float=str, parse_constant=refuse)


def _from_json(data: Any, name: str) -> Cells:
    if isinstance(data, list):
        data = {"matrix": data}
    if not isinstance(data, dict) or not isinstance(data.get("matrix"), list):
        raise BadFile(f'{name}: expected {{"rows": […], "columns": […], "matrix": [[…], …]}}')
    matrix = data["matrix"]
    if not matrix or not all(isinstance(row, list) and row for row in matrix):
        raise BadFile(f"{name}: the matrix needs at least one row, each a list of entries")
    if any(type(cell) not in (str, int) for row in matrix for cell in row):
        raise BadFile(f"{name}: entries should be numbers, or texts such as 1/3")
    entries = [[str(cell).strip() for cell in row] for row in matrix]
    rows = _names(data.get("rows"), len(matrix), name)
    return Cells(rows, _names(data.get("columns"), len(matrix[0]), name), entries, name)


def _names(labels: Any, count: int, name: str) -> list[Any]:
    if labels is None:
        return list(range(count))
    if not isinstance(labels, list) or any(isinstance(label, list | dict) for label in labels):
        raise BadFile(f"{name}: labels must be a list of texts or numbers, and are not")
    return labels


def _key(label: Any) -> tuple[str, ...]:
    return tuple(str(part) for part in label) if isinstance(label, tuple) else (str(label),)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more
