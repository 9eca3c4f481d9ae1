"""One line a column: what a plan does to it, and how good estimates from it will be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dprivacy.model import counted, shown

_LONGEST = 28  # characters of a name
_HEAD = ("column", "noise", "factor", "values kept", "noise alone", "noise and sampling")


@dataclass(frozen=True)
class ColumnForecast:
    """What one column will look like.

    `kept` is the chance that a value stays as it is (lowest and highest over the values), `kept_mean`
    its average, `moved` the expected distance that it moves (the largest over values), `count_error`
    and `share_error` the standard errors of a corrected count and proportion, noise alone (None where
    there is no channel to correct by), `sampled_error` that of a proportion with noise and sampling.
    `factor` is the most that the column changes odds by, in words. `mean_error` is the standard error
    of a corrected mean of numbers, noise alone, at most; `spread` is half the range.
    `distances` says how far apart values are, for which the level is promised. `bits` is the length of
    a cell where cells are reports.
    """

    name: str
    mechanism: str
    distances: str
    kept: tuple[float, float] | None
    moved: float | None
    count_error: float | None
    share_error: float | None
    bits: float | None = None
    kept_mean: float | None = None
    sampled_error: float | None = None
    factor: str = ""
    mean_error: float | None = None
    spread: float | None = None


def column_lines(columns: Sequence[ColumnForecast], rows: int) -> list[str]:
    """A table of columns, with what its numbers are."""
    body = [_HEAD, *(_cells(column, rows) for column in columns)]
    widths = [max(map(len, cells)) for cells in zip(*body, strict=True)]
    table = [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in body
    ]
    return [
        *table,
        "Factor: the most that the column changes odds by. Values kept: on average (and of the value "
        "kept least). Last two: standard errors with "
        f"{counted(rows, 'row')}, of a corrected proportion in percentage points"
        + (", of a mean in its own unit, at most." if any(c.mean_error for c in columns) else "."),
    ]


def _cells(column: ColumnForecast, rows: int) -> tuple[str, ...]:
    name = shown(column.name)
    kept = "–" if column.bits is None else f"{column.bits:,.1f} bits"
    if column.kept is not None and column.kept_mean is not None:
        kept = f"{column.kept_mean:.0%} ({column.kept[0]:.0%})"
    return (
        name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…",
        column.mechanism,
        column.factor,
        kept,
        *_errors(column, rows),
    )


def _errors(column: ColumnForecast, rows: int) -> tuple[str, str]:
    if column.mean_error is None or column.spread is None:
        return _points(column.share_error), _points(column.sampled_error)
    sampled = math.hypot(column.mean_error, column.spread / math.sqrt(rows))
    noisy, both = (
        f"mean {e:,.0f}" if e >= 100 else f"mean {e:.3g}" for e in (column.mean_error, sampled)
    )
    return noisy, both


def _points(error: float | None) -> str:
    """Percentage points; beyond 100 a proportion cannot be estimated at all."""
    if error is None:
        return "–"
    return f"{100 * error:.2f}" if error < 1 else "over 100"
