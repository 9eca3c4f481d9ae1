"""`inspect`: a first plan for a table, with everything that came from the data marked as such."""

import json
from pathlib import Path
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.release.extras import arrow
from dprivacy.release.files import batches_of

_MOST_VALUES = 60  # distinct values up to which a column is proposed as categories
_ROWS_LOOKED_AT = 200_000
_NAMES_A_PERSON = ("id", "name", "person", "email", "phone", "ssn", "address")


def propose(path: str | Path, *, epsilon: str = "ln 3") -> str:
    """A plan in TOML for the columns of a table, to be read and changed by a person.

    Values that occur in the data are listed with ``source = "data"``, and a plan with that mark is
    refused: which values occur is itself a secret of the people in the table.

    Parameters
    ----------
    path
        A .csv or .parquet file. At most 200,000 rows are looked at.
    epsilon
        The level that is written for every column.
    """
    seen = _look(Path(path))
    lines = [
        f"# A first plan for {Path(path).name}, to be read and changed.",
        '# Lines with source = "data" list values that occur in the data. Compare them with the',
        '# questionnaire, add what is missing, and write source = "declared".',
        "",
        f"title = {_text(Path(path).stem)}",
        'unit = "row"          # or the column that identifies a person, with rows_per_person',
    ]
    dropped = [name for name, found in seen.items() if found["drop"]]
    lines += [f"drop = {_list(dropped)}", "pass_through = []    # published as they are", ""]
    for name, found in seen.items():
        if not found["drop"]:
            lines += [f"[columns.{_key(name)}]", *_column(found, epsilon), ""]
    return "\n".join(lines)


def _look(path: Path) -> dict[str, dict[str, Any]]:
    """What can be seen of each column: its kind, a few facts, and whether to drop it."""
    pa = arrow()
    parts, rows = [], 0
    with batches_of(path) as (batches, _):
        for batch in batches:
            parts.append(batch)
            rows += len(batch)
            if rows >= _ROWS_LOOKED_AT:
                break
    if not parts:
        raise Malformed(f"{path}: holds no rows")
    table = pa.Table.from_batches(parts)
    return {name: _described(name, table.column(name), rows) for name in table.schema.names}


def _described(name: str, column: Any, rows: int) -> dict[str, Any]:
    values = column.drop_null()
    numbers = _numbers(values)
    distinct = values.unique().to_pylist()
    personal = any(part in _NAMES_A_PERSON for part in name.lower().replace("-", "_").split("_"))
    found: dict[str, Any] = {"nulls": column.null_count, "drop": False}
    if personal or (numbers is None and len(distinct) > max(_MOST_VALUES, rows // 2)):
        return {**found, "drop": True}
    if len(distinct) <= _MOST_VALUES and distinct:
        whole = numbers is not None and all(float(v).is_integer() for v in numbers)
        listed = sorted({int(float(v)) for v in distinct}) if whole else sorted(map(str, distinct))
        return {**found, "type": "categories", "whole": whole, "values": listed}
    if numbers is not None and len(numbers):
        return {**found, "type": "numbers", "low": min(numbers), "high": max(numbers)}
    return {**found, "drop": True}


def _numbers(values: Any) -> list[float] | None:
    pa = arrow()
    try:
        return [float(v) for v in values.cast(pa.float64()).to_pylist()]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
        return None


def _column(found: dict[str, Any], epsilon: str) -> list[str]:
    lines = [f'type = "{found["type"]}"']
    if found["type"] == "numbers":
        low, high, grid = _range(found["low"], found["high"])
        lines += [
            f"low = {low}             # rounded outward from the data: set the public range",
            f"high = {high}",
            f"grid = {grid}            # the step of the public grid",
            f'epsilon = "{_per_unit(high - low)}"   # per unit: about 4 over the whole range',
        ]
    else:
        if found["whole"]:
            lines[0] += '   # codes without order; write "ordered" if their order means something'
        lines += [f"values = {_list(found['values'])}", f"epsilon = {_text(epsilon)}"]
    lines.append('source = "data"       # confirm, then write "declared"')
    if found["nulls"]:
        policy = '"category"' if found["type"] == "categories" else "{ replace = … }"
        lines.append(f'nulls = "refuse"      # {found["nulls"]} are missing; perhaps {policy}')
    return lines


def _range(low: float, high: float) -> tuple[int, int, int]:
    """Round numbers around the range, and a grid of about fifty steps."""
    width = max(high - low, 1.0)
    step = 10 ** max(0, len(str(int(width))) - 2)
    first, last = int(low // step) * step, -int(-high // step) * step
    return first, last, step


def _per_unit(width: int) -> str:
    return f"{4 / max(width, 1):.2g}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(values: list[Any]) -> str:
    return "[" + ", ".join(_text(v) if isinstance(v, str) else str(v) for v in values) + "]"


def _key(name: str) -> str:
    return (
        name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _text(name)
    )
