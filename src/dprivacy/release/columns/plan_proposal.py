"""`inspect`: a first plan for a table, with everything that came from the data marked as such."""

import json
import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

from dprivacy.errors import WrongShape
from dprivacy.extras import arrow, compute
from dprivacy.model import as_path
from dprivacy.numbers import as_eps
from dprivacy.release.columns.column_batches import MISSING
from dprivacy.release.files.table_files import batches_of
from dprivacy.typing import PathArg

_MOST_VALUES = 60  # distinct values up to which a column is proposed as categories
_ROWS_LOOKED_AT = 200_000
_NAMES_A_PERSON = ("id", "hid", "pid", "name", "person", "email", "phone", "ssn", "address")


def propose(path: PathArg, *, eps: str = "ln 3") -> str:
    r"""A plan in TOML for the columns of a table, to be read and changed by a person.

    Values that occur in the data are listed with ``source = "data"``, and a plan with that mark is
    refused: which values occur is itself a secret of the people in the table.

    Parameters
    ----------
    path
        A .csv or .parquet file. At most 200,000 rows are looked at.
    eps
        The level that is written for every column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "survey.csv")
    ...     _ = file.write_text("tea\nyes\nno\nno\n")
    ...     print(*propose(file).splitlines()[9:13], sep="\n")
    [columns.tea]
    type = "categories"
    values = ["no", "yes"]
    epsilon = "ln 3"
    """
    as_eps(eps)
    path = as_path(path, "a table")
    seen = _look(path)
    lines = [
        "# A first plan, to be read and changed.",
        '# Lines with source = "data" list values that occur in the data. Compare them with the',
        '# questionnaire, add what is missing, and write source = "declared".',
        "",
        f"title = {_text(path.stem)}",
        'unit = "row"          # or the column that identifies a person, with rows_per_person',
    ]
    dropped = [name for name, found in seen.items() if found["drop"]]
    constant = [name for name, found in seen.items() if found.get("constant")]
    if constant:
        lines.append(
            f"# The same for everyone: {', '.join(constant)}. Dropped; or pass them through."
        )
    lines += [f"drop = {_list(dropped)}", "pass_through = []    # published as they are", ""]
    for name, found in seen.items():
        if not found["drop"]:
            lines += [f"[columns.{_key(name)}]", *_column(found, eps), ""]
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
        raise WrongShape(f"{path}: holds no rows")
    table = pa.Table.from_batches(parts)
    csv = path.suffix.lower() != ".parquet"
    return {name: _described(name, table.column(name), csv) for name in table.schema.names}


def _described(name: str, column: Any, csv: bool) -> dict[str, Any]:
    """What a column looks like; one that cannot be listed or counted is proposed to be dropped."""
    pa, pc = arrow(), compute()
    found: dict[str, Any] = {"nulls": column.null_count, "drop": True}
    if any(part in _NAMES_A_PERSON for part in name.lower().replace("-", "_").split("_")):
        return found
    try:
        texts = column.combine_chunks().cast(pa.string()).drop_null()
    except pa.ArrowException:
        return found
    none = ("nan", "inf", "-inf") if pa.types.is_floating(column.type) else MISSING if csv else ()
    texts = texts.filter(pc.invert(pc.is_in(texts, value_set=pa.array(none, pa.string()))))
    found["nulls"] = len(column) - len(texts)
    distinct = texts.unique().to_pylist()
    numbers = _numbers(texts) if not pa.types.is_boolean(column.type) else None
    if len(distinct) == 1:
        return {**found, "constant": True}
    fractions = bool(numbers) and any(not v.is_integer() for v in numbers or ())
    if 0 < len(distinct) <= _MOST_VALUES and not fractions:
        whole = all(_is_whole(text) for text in distinct)
        listed = sorted(map(int, distinct)) if whole else sorted(distinct)
        return {**found, "drop": False, "type": "categories", "whole": whole, "values": listed}
    if numbers:
        low, high = min(numbers), max(numbers)
        return {**found, "drop": False, "type": "numbers", "low": low, "high": high}
    return found


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number as one would write it: not 01, which is a code."""
    return text.removeprefix("-").isdecimal() and text == str(int(text)) and abs(int(text)) < 2**63


def _numbers(texts: Any) -> list[float] | None:
    """The finite numbers among the texts; None when some are no numbers."""
    pa = arrow()
    try:
        return [v for v in texts.cast(pa.float64()).to_pylist() if math.isfinite(v)]
    except pa.ArrowException:
        return None


def _column(found: dict[str, Any], epsilon: str) -> list[str]:
    lines = [f'type = "{found["type"]}"']
    if found["type"] == "numbers":
        low, high, grid = _range(found["low"], found["high"])
        lines += [
            f"low = {_number(low)}             # rounded outward from the data: set the public range",
            f"high = {_number(high)}",
            f"grid = {_number(grid)}            # the step of the public grid",
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


def _range(low: float, high: float) -> tuple[Decimal, Decimal, Decimal]:
    """Round numbers around the range, and a grid of ten to a hundred steps."""
    width = max(high - low, abs(low) * 1e-12, 1e-280)
    step = Decimal(10) ** (math.floor(math.log10(width)) - 1)
    first = (Decimal(low) / step).to_integral_value(ROUND_FLOOR) * step
    last = (Decimal(high) / step).to_integral_value(ROUND_CEILING) * step
    return first, max(last, first + step), step


def _number(value: Decimal) -> str:
    """A number in TOML: whole ones in digits, others as a text that is read exactly."""
    whole = value == value.to_integral_value() and abs(value) < 10**18
    return str(int(value)) if whole else f'"{value.normalize():f}"'


def _per_unit(width: Decimal) -> str:
    return f"{Decimal(4) / width:.2g}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: list[Any]) -> str:
    return "[" + ", ".join(_text(v) if isinstance(v, str) else str(v) for v in values) + "]"


def _key(name: str) -> str:
    return (
        name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _text(name)
    )
