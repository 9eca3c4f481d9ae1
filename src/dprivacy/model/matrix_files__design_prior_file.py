"""A prior from a file: labels and weights, one line each."""

import csv
import io
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import DuplicateLabel, Malformed, NotStochastic, SpaceMismatch
from dprivacy.model import Dist
from dprivacy.model.matrix_files__model_files import read_text
from dprivacy.model.plain_data import shown
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace

_NAMED = 6


def read_prior_file(path: str | Path, space: FiniteSpace) -> Dist:
    """A prior on a space from a CSV file: a label and a weight a line.

    The label of a place on a grid stands in two cells (row, column), or in one as ``(0, 1)``. Weights
    may be counts, fractions or decimals; they are divided by their sum. A first line of words is a
    header. Every label of the space must be there, if only with 0.
    """
    try:
        lines = [
            line for line in csv.reader(io.StringIO(read_text(path)), strict=True) if any(line)
        ]
    except csv.Error as reason:
        raise Malformed(f"{path}: not a CSV table ({reason})") from None
    known = {_key(label): label for label in space.labels}
    known |= {(shown(label),): label for label in space.labels}
    weights: dict[Any, Fraction] = {}
    strange: list[str] = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line]
        if number == 1 and tuple(cells[:-1]) not in known and not _is_number(cells[-1]):
            continue
        if len(cells) < 2:
            raise Malformed(f"{path}, line {number}: a label and a weight are needed")
        key = tuple(cells[:-1])
        if key not in known:
            strange.append(" ".join(", ".join(key).split()))  # a message is one line
            continue
        if known[key] in weights:
            raise DuplicateLabel(f"{path}, line {number}: {shown(known[key])} is listed twice")
        weight = read_number(cells[-1], f"{path}, line {number}")
        if weight < 0:
            raise NotStochastic(f"{path}, line {number}: a weight is at least 0, not {cells[-1]}")
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
