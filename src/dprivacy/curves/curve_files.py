"""Days to protect: out of a file (one a row, or one reading a row), or invented."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from dprivacy.errors import BadFile, UnknownName
from dprivacy.extras import arrow
from dprivacy.mechanisms import whole
from dprivacy.numbers import Floats, Sealed
from dprivacy.release import EVERY_ROW, Written, column_list, float_column, whole_table
from dprivacy.typing import PathArg


@dataclass(frozen=True, eq=False)
class Days(Sealed):
    """Curves of a file, and the columns that go along with them.

    Attributes
    ----------
    values
        One curve a row; secret.
    columns
        What the readings are called.
    kept
        Columns that are published as they are, because somebody listed them.
    source
        The file.
    left_out
        How many incomplete days were left out.
    person
        Which column says whose a curve is; "row" where every curve is another person's, None where
        nobody has said.
    people
        Whose each curve is, where a column says so; secret.

    Examples
    --------
    >>> days = Days(np.ones((2, 3)), ("h0", "h1", "h2"), {"home": ["a", "b"]}, Path("days.csv"))
    >>> days.values.shape, days.left_out
    ((2, 3), 0)
    >>> days.published.columns, len(days.published.values)  # without the curves
    (('h0', 'h1', 'h2'), 0)
    """

    values: Floats = field(repr=False)
    columns: tuple[str, ...]
    kept: dict[str, list[Any]] = field(repr=False)
    source: Path
    left_out: int = field(default=0, repr=False)
    person: str | None = None
    people: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def published(self) -> "Days":
        """What may be published of it: names and kept columns, without the curves and people."""
        return replace(self, values=np.empty((0, len(self.columns))), people=())


def read_days(
    path: PathArg,
    *,
    columns: str = "",
    keep: str | Sequence[str] = (),
    person: str | None = None,
    long: Sequence[str] = (),
    per_day: int = 48,
    incomplete: Literal["refuse", "drop"] = "refuse",
    **written: Unpack[Written],
) -> Days:
    r"""Read curves from a CSV or Parquet file.

    Parameters
    ----------
    path
        The file.
    columns
        One curve a row: the first and the last column of readings, such as "h00:h47"; all that are
        not in `keep` when omitted.
    keep
        Columns to publish beside the curves as they are. Nothing else of the file is.
    person
        The column that says whose a curve is (with `long` the household, unless said otherwise), or
        "row" when every curve is another person's. Without it no kept column is published.
    long
        One reading a row instead: the names of the columns (household, time, reading). A day of a
        household is then a curve, and "household" and "date" can be kept.
    per_day
        How many readings make a day in such a file.
    incomplete
        "refuse" days with more or fewer readings, or "drop" them; which days are missing is then
        visible.
    **written
        How a text table is written, as for `sanitise_file`: `delimiter`, `encoding` and so on.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "days.csv").write_text("home,h0,h1\n7,0.5,0.25\n8,1,0\n")
    ...     days = read_days(f"{folder}/days.csv", keep=["home"])
    >>> days.columns, days.kept
    (('h0', 'h1'), {'home': ['7', '8']})
    """
    file, passed = Path(path), column_list(keep)
    if long and person is None:
        person = "household"
    whose = () if person is None or person == EVERY_ROW else (person,)
    aside = tuple(dict.fromkeys([*passed, *whose]))
    if long:
        named = column_list(long)
        days = _pivoted(
            whole_table(file, likely=named, **written), named, aside, per_day, incomplete, file
        )
    else:
        ends = [part for part in columns.split(":") if part]
        table = whole_table(file, aside, likely=ends, **written)
        names = _chosen(table.column_names, columns, aside, file)
        beside = {name: table.column(name).to_pylist() for name in aside}
        values = np.column_stack([float_column(table, name, file) for name in names])
        days = Days(values, names, beside, file)
    kept = {name: days.kept[name] for name in passed}
    people = tuple(days.kept[whose[0]]) if whose else ()
    return replace(days, kept=kept, person=person, people=people)


def _chosen(names: Sequence[str], columns: str, keep: Sequence[str], file: Path) -> tuple[str, ...]:
    if not columns:
        return tuple(name for name in names if name not in keep)
    first, _, last = columns.partition(":")
    if first not in names or last not in names or names.index(first) > names.index(last):
        raise UnknownName(
            f"{file}: columns should be FIRST:LAST, in the order of the file, not {columns!r}; it has "
            f"{', '.join(names)}"
        )
    return tuple(names[names.index(first) : names.index(last) + 1])


def _pivoted(
    table: Any,
    long: tuple[str, ...],
    keep: Sequence[str],
    per_day: int,
    incomplete: str,
    file: Path,
) -> Days:
    """Days of households from one reading a row: sorted by household and time, cut at midnight."""
    pa = arrow()
    UnknownName.require("incomplete", incomplete, ("refuse", "drop"))
    strange = set(keep) - {"household", "date"}
    if len(long) != 3 or strange or not set(long) <= set(table.column_names):
        raise UnknownName(
            f"{file}: long should name the three columns of household, time and reading, out of "
            f"{', '.join(table.column_names)}, not {', '.join(long)}; keep may then name household and "
            "date"
        )
    who, when, what = long
    try:
        times = table.column(when).cast(pa.timestamp("us")).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BadFile(
            f"{file}: column {when!r} should contain times such as 2026-11-15 18:30"
        ) from None
    if np.isnat(times).any():
        raise BadFile(
            f"{file}: column {when!r} has a missing time in row {np.isnat(times).argmax()}"
        )
    homes = np.asarray(table.column(who).cast(pa.string()).to_pylist(), dtype=object).astype(str)
    readings = float_column(table, what, file)
    order = np.lexsort((times, homes))
    homes, times, readings = homes[order], times[order], readings[order]
    days = times.astype("datetime64[D]")
    new = np.flatnonzero(
        np.concatenate([[True], (homes[1:] != homes[:-1]) | (days[1:] != days[:-1])])
    )
    lengths = np.diff(np.append(new, len(homes)))
    twice = (times[1:] == times[:-1]) & (homes[1:] == homes[:-1])
    if twice.any():
        at = int(twice.argmax())
        raise BadFile(
            f"{file}: row {order[at : at + 2].max()} has a second reading of a household at one time; "
            "leave one of them out"
        )
    full = lengths == per_day
    if not full.all() and incomplete == "refuse":
        raise BadFile(
            f"{file}: the day of row {order[new[~full][0]]} does not have {per_day} readings (as on "
            "days when clocks change); leave such days out with --incomplete drop "
            "(incomplete='drop'), or set --per-day (per_day=)"
        )
    if not full.any():
        raise BadFile(f"{file}: no day has {per_day} readings; set per_day")
    starts = new[full]
    values = readings[starts[:, None] + np.arange(per_day)]
    every = {"household": homes[starts].tolist(), "date": [str(day) for day in days[starts]]}
    names = tuple(f"r{k:02d}" for k in range(per_day))
    kept = {name: every[name] for name in keep}
    return Days(values, names, kept, file, int((~full).sum()))


def example_days(n: int = 400, readings: int = 48) -> Floats:
    """n invented days, in kWh per reading: a base load, a morning, an evening, and habits.

    They follow formulas, not people: day i has its own hours and sizes, from multiples of irrational
    numbers, which spread evenly.

    Examples
    --------
    >>> example_days(3, 4).shape
    (3, 4)
    >>> float(example_days(2).sum(axis=1).round(1)[1])  # kWh of the second day
    14.4
    """
    days, times = np.arange(whole(n, "n"))[:, None], whole(readings, "readings")
    hours = np.arange(times)[None, :] * 24 / times

    def spread(irrational: float) -> Floats:
        return np.asarray((days * irrational) % 1.0)

    base = 0.08 + 0.15 * spread(2**0.5)
    morning = 0.5 * spread(3**0.5) * _hump(hours, 6.5 + 2 * spread(5**0.5), 1.0)
    evening = (0.3 + 0.9 * spread(7**0.5)) * _hump(hours, 18 + 3 * spread(11**0.5), 2.0)
    heater = 0.8 * (spread(13**0.5) > 0.7) * _hump(hours, 1 + 22 * spread(17**0.5), 0.7)
    return np.asarray(np.round((base + morning + evening + heater) * 24 / times * 2, 3))


def _hump(hours: Floats, middle: Floats, width: float) -> Floats:
    apart = np.abs(hours - middle)
    apart = np.minimum(apart, 24 - apart)
    return np.asarray(np.exp(-((apart / width) ** 2)))
