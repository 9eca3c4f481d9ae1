"""What stored nouns are made of: labels, levels, matrices, channels and spaces as JSON bodies.

Exact entries are integers over one denominator, in hexadecimal; doubles are written by `float.hex`;
levels and distances are text such as "ln(2)" and "3/2". Whatever is read back is the very same value.
"""

import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadFile
from dprivacy.model.channels import Channel
from dprivacy.model.documents import require_keys
from dprivacy.numbers import Mat, as_level
from dprivacy.spaces import FiniteSpace, from_table, read_distance

_MOST_LABELS = 20_000
_HEX = re.compile(r"0x[0-9a-f]{1,20000}")
_DOUBLE = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")
_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{0,3999}[1-9][0-9]{0,3999})?")


def channel_body(channel: Channel) -> dict[str, Any]:
    """A channel as plain data."""
    return {
        "inputs": [label_body(x) for x in channel.rows],
        "outputs": [label_body(y) for y in channel.columns],
        "matrix": matrix_body(channel.matrix),
    }


def channel_from(body: dict[str, Any], *, name: str = "the channel") -> Channel:
    """The channel of a body; its rows must be distributions, like those of any channel."""
    require_keys(body, {"inputs": list, "outputs": list, "matrix": dict}, {}, name)
    return Channel(
        _labels_from(body["inputs"], name),
        _labels_from(body["outputs"], name),
        matrix_from(body["matrix"], name),
    )


def space_body(space: FiniteSpace) -> dict[str, Any]:
    """A finite space as plain data: its distinct distances and their codes, or doubles."""
    labels = [label_body(x) for x in space.labels]
    numbered = {"numbered": True} if space.numbered else {}
    values = space.distances.values
    if values is None:
        return {"labels": labels, "doubles": _doubles(space.distances.table), **numbered}
    # Codes in the order in which values are first met: equal spaces have equal files,
    # but for whether labels only count.
    found, first, codes = np.unique(space.distances.table, return_index=True, return_inverse=True)
    order = np.argsort(first)
    kept = [values[found[k]] for k in order]
    return {
        "labels": labels,
        "distances": ["inf" if v == math.inf else level_body(v, "a distance") for v in kept],
        "codes": np.argsort(order)[codes].reshape(len(labels), -1).tolist(),
        **numbered,
    }


def space_from(body: dict[str, Any], *, name: str = "the space") -> FiniteSpace:
    """The space of a body; the axioms are checked again, distances 0 and ∞ are allowed."""
    if "doubles" in body:
        require_keys(body, {"labels": list, "doubles": list}, {"numbered": bool}, name)
        table: list[list[Any]] = [[_double(v) for v in row] for row in _rows(body["doubles"], name)]
    else:
        kinds = {"labels": list, "distances": list, "codes": list}
        require_keys(body, kinds, {"numbered": bool}, name)
        values = [read_distance(_text(v, name), f"{name}: a distance") for v in body["distances"]]
        codes = _rows(body["codes"], name)
        table = [[values[_index(code, len(values), name)] for code in row] for row in codes]
    read = from_table(_labels_from(body["labels"], name), table, pseudo=True, extended=True)
    return FiniteSpace(read.labels, read.distances, numbered=body.get("numbered", False))


def matrix_body(matrix: Mat) -> dict[str, Any]:
    """A matrix as plain data."""
    if matrix.exact:
        weights = [[hex(v) for v in row] for row in matrix.entries.tolist()]
        return {"denominator": hex(matrix.den), "weights": weights}
    return {"doubles": _doubles(matrix.entries)}


def matrix_from(body: dict[str, Any], name: str = "the matrix") -> Any:
    """The matrix of a body: a Mat, or doubles."""
    if "doubles" in body:
        require_keys(body, {"doubles": list}, {}, name)
        rows = [[_double(v) for v in row] for row in _rows(body["doubles"], name)]
        _require_even(rows, name)
        return np.array(rows)
    require_keys(body, {"denominator": str, "weights": list}, {}, name)
    weights = [[_integer(value, name) for value in row] for row in _rows(body["weights"], name)]
    _require_even(weights, name)
    denominator = _integer(body["denominator"], name)
    if not denominator:
        raise BadFile(f"{name}: the denominator is 0")
    return Mat.over(denominator, weights)


def level_body(value: Any, what: str) -> str:
    """A level or distance as text that is read back as the same number."""
    try:
        text = str(value)
        if as_level(text) == value:
            return text
    except ValueError:  # more digits than can be written, or than are read
        pass
    raise BadFile(f"{what} is too long to be written exactly; round it up first")


def label_body(label: Any) -> Any:
    """A label as JSON that can be read back as the same Python value."""
    if label is None or isinstance(label, str | int):  # a missing value may be a category
        return label
    if isinstance(label, Fraction):
        return {"fraction": str(label)}
    if isinstance(label, float):
        return {"float": label.hex()}
    if isinstance(label, tuple):
        return {"tuple": [label_body(part) for part in label]}
    if isinstance(label, frozenset):
        parts = [label_body(part) for part in label]
        return {"set": sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))}
    raise BadFile(f"a label of type {type(label).__name__} cannot be stored; use text or a number")


def label_from(value: Any, name: str = "the file") -> Any:
    """The label that `label_body` wrote as this value, and in no other way."""
    label = _read_label(value, name)
    if label_body(label) != value:
        raise BadFile(f"{name}: the label {value!r} is not in its usual form")
    return label


def _labels_from(values: list[Any], name: str) -> list[Any]:
    if len(values) > _MOST_LABELS:
        raise BadFile(
            f"{name}: {len(values):,} labels, more than the {_MOST_LABELS:,} that are read"
        )
    return [label_from(value, name) for value in values]


def _read_label(value: Any, name: str) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "fraction" and isinstance(content, str) and _FRACTION.fullmatch(content):
            return Fraction(content)
        if kind == "float" and isinstance(content, str):
            return float.fromhex(content)
        if kind in ("tuple", "set") and isinstance(content, list):
            parts = [_read_label(part, name) for part in content]
            return tuple(parts) if kind == "tuple" else frozenset(parts)
    raise BadFile(f"{name}: {str(value)[:60]} is not the stored form of a label")


def _rows(rows: list[Any], name: str) -> list[list[Any]]:
    for row in rows:
        if not isinstance(row, list):
            raise BadFile(f"{name}: rows are stored as lists, not as {json.dumps(row)[:30]}")
    return rows


def _doubles(table: Any) -> list[list[str]]:
    return [[float(value).hex() for value in row] for row in table.tolist()]


def _double(value: Any) -> float:
    if isinstance(value, str) and (
        _DOUBLE.fullmatch(value) or value in ("inf", "0x0.0p+0", "-0x0.0p+0")
    ):
        return float.fromhex(value)
    raise BadFile(f"doubles are stored as text such as {(0.1).hex()}, not as {str(value)[:30]}")


def _integer(value: Any, name: str) -> int:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise BadFile(f"{name}: integers are stored as text such as 0x1f, not as {str(value)[:30]}")
    return int(value, 16)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadFile(f"{name}: numbers are stored as text such as 3/2, not as {str(value)[:30]}")
    return value


def _index(value: Any, count: int, name: str) -> int:
    if type(value) is not int or not 0 <= value < count:
        raise BadFile(f"{name}: the code {str(value)[:30]} is not one of the {count} distances")
    return value


def _require_even(rows: list[list[Any]], name: str) -> None:
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise BadFile(f"{name}: the matrix is empty or ragged")
