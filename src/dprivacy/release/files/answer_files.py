"""Estimates as files: CSV, Parquet and JSON for programs, LaTeX for papers."""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import OutputExists, UnknownName, WrongKind
from dprivacy.estimation import LongForm, figure
from dprivacy.extras import arrow, parquet
from dprivacy.model import as_path, latex_escaped, plain, shown
from dprivacy.typing import PathArg

_MOST_ACROSS = 8  # labels of the last column that LaTeX puts side by side


def write_answer(answer: Any, path: PathArg, *, replace: bool = False) -> Path:
    """Write estimates to a file, one row each; its ending says the format.

    Parameters
    ----------
    answer
        What an estimate, a query or a regression gave (anything with a `long_form`).
    path
        The file: .csv, .parquet, .json, or .tex (a table for LaTeX's booktabs, intervals in brackets
        below the estimates). A picture is written by `dprivacy.viz.save`.
    replace
        Whether an existing file may be replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UnknownName
        For another ending.
    OutputExists
        When the file is there already.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from dprivacy.estimation import Statistic, Statistics
    >>> north = Statistic(("north",), 10.0, 1.0, 8.0, 12.0)
    >>> found = Statistics("mean of age", ("region",), (north,), "table", 0.95, 100)
    >>> print(write_answer(found, f"{mkdtemp()}/ages.csv").read_text())
    region,estimate,standard_error,low,high,of,method
    north,10.0,1.0,8.0,12.0,table,score
    <BLANKLINE>
    """
    target = as_path(path, "the output")
    require_answer_ending(target)
    if target.exists() and not replace:
        raise OutputExists(
            f"{target} already exists; choose another name, or pass replace=True (--replace) to "
            "overwrite it"
        )
    _WRITERS[target.suffix.lower()](_long(answer), target)
    return target


def require_answer_ending(path: Path) -> None:
    """Refuse a file name whose ending names no format of estimates."""
    if path.suffix.lower() not in _WRITERS:
        raise UnknownName.among("the ending of a file of estimates", path.suffix, _WRITERS)


def _long(answer: Any) -> LongForm:
    if isinstance(answer, LongForm):
        return answer
    if not hasattr(answer, "long_form"):
        raise WrongKind(f"an object of class {type(answer).__name__} holds no estimates to write")
    found: LongForm = answer.long_form()
    return found


def csv_text(long: LongForm) -> str:
    """Estimates as CSV; a missing value and a number that is not known are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(long.columns)
    writer.writerows([_cell(value) for value in row] for row in long.rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return repr(value)
    return value if isinstance(value, int | str) else _label(value)


def _label(value: Any) -> Any:
    """A label as a number where it is one, as text elsewhere."""
    return float(value) if isinstance(value, Fraction) else shown(value)


def _write_csv(long: LongForm, path: Path) -> None:
    path.write_text(csv_text(long), encoding="utf-8")


def _write_parquet(long: LongForm, path: Path) -> None:
    pa = arrow()
    columns = zip(*long.rows, strict=True) if long.rows else [()] * len(long.columns)
    table = pa.table(
        {name: _typed(list(values)) for name, values in zip(long.columns, columns, strict=True)}
    )
    parquet().write_table(table, path)


def _typed(values: list[Any]) -> list[Any]:
    """One type for all labels of a column: whole numbers, doubles, or text."""
    there = [value for value in values if value is not None]
    if any(
        isinstance(value, bool) or not isinstance(value, int | float | Fraction) for value in there
    ):
        return [None if value is None else shown(value) for value in values]
    if all(isinstance(value, int) for value in there):
        return values
    return [None if value is None else float(value) for value in values]


def _write_json(long: LongForm, path: Path) -> None:
    rows = [dict(zip(long.columns, map(plain, row), strict=True)) for row in long.rows]
    body = {"title": long.title, "rows": rows, "notes": list(long.notes)}
    path.write_text(json.dumps(body, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _write_latex(long: LongForm, path: Path) -> None:
    path.write_text(latex_text(long), encoding="utf-8")


def latex_text(long: LongForm) -> str:
    """Estimates as a table for booktabs, each with its interval in brackets below it.

    Two keys and few labels of the second: a cross-table. Three: a block for each label of the first.
    """
    across = list(dict.fromkeys(row[len(long.keys) - 1] for row in long.rows)) if long.rows else []
    crossed = len(long.keys) in (2, 3) and len(across) <= _MOST_ACROSS
    lines = _crossed(long, across) if crossed else _listed(long)
    notes = "".join(f"\\\\[2pt] \\footnotesize {latex_escaped(note)}\n" for note in long.notes)
    return (
        f"% {latex_escaped(long.title)}; needs \\usepackage{{booktabs}}\n"
        + "\n".join(lines)
        + ("\n" + notes if notes else "\n")
    )


def _listed(long: LongForm) -> list[str]:
    lines = [
        f"\\begin{{tabular}}{{{'l' * len(long.keys)}r}}",
        "\\toprule",
        " & ".join([*map(latex_escaped, long.keys), "estimate"]) + r" \\",
        "\\midrule",
    ]
    for row in long.rows:
        value, interval = _in_cell(row[len(long.keys) :])
        labels = [latex_escaped(_named(label)) for label in row[: len(long.keys)]]
        lines.append(" & ".join([*labels, value]) + r" \\")
        lines.append(" & ".join([*[""] * len(labels), interval]).strip() + r" \\")
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _crossed(long: LongForm, across: Sequence[Any]) -> list[str]:
    cells = {row[: len(long.keys)]: row[len(long.keys) :] for row in long.rows}
    head = [latex_escaped(long.keys[-2]), *(latex_escaped(_named(label)) for label in across)]
    lines = [f"\\begin{{tabular}}{{l{'r' * len(across)}}}", "\\toprule"]
    lines += [" & ".join(head) + r" \\", "\\midrule"]
    blocks = list(dict.fromkeys(key[:-2] for key in cells))
    for k, block in enumerate(blocks):
        if block:
            title = f"{latex_escaped(long.keys[0])} = {latex_escaped(_named(block[0]))}"
            lines += ["\\midrule"] * (k > 0)
            lines.append(rf"\multicolumn{{{len(across) + 1}}}{{l}}{{\emph{{{title}}}}} \\")
        down = dict.fromkeys(key[-2] for key in cells if key[:-2] == block)
        for side in down:
            found = [cells.get((*block, side, label)) for label in across]
            pairs = [("", "") if cell is None else _in_cell(cell) for cell in found]
            lines.append(" & ".join([latex_escaped(_named(side)), *(v for v, _ in pairs)]) + r" \\")
            lines.append(" & ".join(["", *(i for _, i in pairs)]).strip() + r" \\")
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _in_cell(numbers: Sequence[Any]) -> tuple[str, str]:
    value, error, low, high = (math.nan if v is None else float(v) for v in numbers[:4])
    return latex_escaped(figure(value, error)), f"[{figure(low, error)}, {figure(high, error)}]"


def _named(label: Any) -> str:
    return "(missing)" if label is None else shown(label)


_WRITERS: dict[str, Callable[[LongForm, Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".json": _write_json,
    ".tex": _write_latex,
}
