"""A plan from a codebook, as TOML: what is declared, what is left out, and what is still open."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import takewhile
from pathlib import Path
from typing import Any, Unpack

from dprivacy.errors import WrongShape
from dprivacy.model import as_path, counted
from dprivacy.numbers import as_eps
from dprivacy.release.codebooks.codebook_files import read_codebook
from dprivacy.release.codebooks.codebook_model import Codebook, Value, decimal_of, whole_of
from dprivacy.release.intake.table_settings import Intake, TableSettings, Written
from dprivacy.release.plan_keys.key_table import SCHEMA_LINE
from dprivacy.release.proposals.codebook_check import compared
from dprivacy.release.proposals.column_proposals import ColumnProposal, proposed_columns
from dprivacy.release.proposals.table_glance import first_rows, layout_lines, rows_seen, title_of
from dprivacy.release.proposals.toml_lines import (
    comment,
    toml_key,
    toml_list,
    toml_number,
    toml_text,
)
from dprivacy.release.proposals.variable_kinds import Answers
from dprivacy.typing import PathArg

_MOST_STEPS = 200  # of the grid of a range
_OVER_THE_RANGE = 4  # the level between the two ends of a range
_MANY = 60  # codes from which a report may err less than a response


@dataclass(frozen=True)
class Draft:
    """A first plan in TOML, the columns that it leaves open or out, with the reason, and the rows.

    `rows` is None without a table, and for one of which only the beginning was looked at. Where a
    codebook was followed, `reasons` says why columns are planned as they are.
    """

    toml: str
    undecided: Mapping[str, str]
    rows: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)


def draft_from(
    codebook: Codebook | PathArg,
    path: PathArg | None = None,
    *,
    eps: str = "ln 3",
    row: str | None = None,
    choices: Mapping[str, str] | None = None,
    missing: bool = False,
    **written: Unpack[Written],
) -> Draft:
    """A plan from a codebook; a table is compared with it, where there is one."""
    as_eps(eps)
    book = codebook if isinstance(codebook, Codebook) else read_codebook(codebook)
    names: Sequence[str] = book.names
    columns: list[tuple[str, Any]] = []
    layout: list[str] = []
    title = Path(book.file).stem
    if path is not None:
        path = as_path(path, "a table")
        known = Intake.of(TableSettings(**written), book.names)
        columns, layout = list(first_rows(path, known)), layout_lines(path, known)
        title = title_of(path)
        names = [name for name, _ in columns]
        if not set(names) & set(book.names):
            raise WrongShape(f"{path}: no column is called as a variable of {book.file}")
    there = set(names)
    found = proposed_columns(book, names, choices or {}, shared=row is not None)
    declared = {
        column.name: column.answers for column in found if column.protects and column.answers
    }
    gaps = compared(columns, declared)
    beyond = [name for name in book.names if name not in there]
    lines = [
        SCHEMA_LINE,
        "# A first plan from a codebook, to be read and changed.",
        f"# What the columns may hold is declared by {comment(book.file)}; its hash is noted.",
        *([f"# The codebook also describes {comment(', '.join(beyond))}, which the table lacks."]
          if beyond else []),
        "",
        f"title = {toml_text(title)}",
        'unit = "row"          # or the column that identifies a person, with rows_per_person',
        *row_lines(row),
        *codebook_lines(found, None if row else comment(eps), None if missing else gaps),
    ]  # fmt: skip
    at = next((k for k, line in enumerate(lines) if line.startswith("[columns.")), len(lines))
    undecided = {column.name: column.reason for column in found if column.what == "decide"}
    toml = "\n".join([*lines[:at], *layout, *lines[at:]])
    reasons = {column.name: column.reason for column in found if column.protects}
    return Draft(toml, undecided, rows_seen(columns) if columns else None, reasons)


def row_lines(row: str | None) -> list[str]:
    """The budget of the row, where columns share one; checked here."""
    if row is None:
        return []
    as_eps(row)
    return [f"row = {toml_text(row)}          # what the whole row may tell; the columns share it"]


def column_lines(found: ColumnProposal, eps: str | None, gaps: Collection[str] | None) -> list[str]:
    """The table of a column in a plan.

    It has no level where the columns share the row's. `gaps` are columns of which cells are missing;
    with None a missing cell is one more answer, wherever it can be.
    """
    variable, answers = found.variable, found.answers
    assert answers is not None
    lines = [f"[columns.{toml_key(found.name)}]"]
    if variable.label:
        lines.append(f"# {comment(variable.label)}")
    lines += [f"# {comment(reason)}." for reason in found.reasons[1:]]
    lines.append(f'type = "{answers.kind}"   # {comment(found.reasons[0])}')
    on_a_line = answers.kind in ("numbers", "dates")
    lines += _line(answers) if on_a_line else _listed(answers)
    lines += [_level(answers, eps)] if eps is not None else []
    lines += ['source = "declared"', f"note = {toml_text(variable.note)}"]
    may = on_a_line or answers.kind == "categories" or bool(answers.codes)
    if gaps is None:
        lines += ['nulls = "category"    # a missing cell is one more answer'] if may else []
    elif found.name in gaps:
        perhaps = '"category" (--missing)' if may else "{ replace = … }"
        lines.append(
            'nulls = "refuse"      # cells are missing, and the codebook has no code for that; '
            f"perhaps {perhaps}"
        )
    return [*lines, ""]


def _listed(answers: Answers) -> list[str]:
    values = answers.values
    labels = "; ".join(f"{value.code} {value.label}" for value in values if value.label)
    lines = [f"# {comment(labels)}"] if labels else []
    if answers.kind == "tree":
        pairs = [
            f"{toml_key(value.code)} = {toml_text(value.parent)}"
            for value in (*answers.values, *answers.groups)
        ]
        return [*lines, f"hierarchy = {{ {', '.join(pairs)} }}   # each code, and the one above"]
    listed = toml_list(_codes(values, beside=answers.codes))
    return [*lines, f"values = {listed}", *_beside(answers)]


def _beside(answers: Answers) -> list[str]:
    """The codes beside numbers, dates or classes in order."""
    if not answers.codes:
        return []
    labels = "; ".join(f"{value.code} {value.label}" for value in answers.codes)
    codes: Sequence[str | int] = [value.code for value in answers.codes]
    if answers.values:
        codes = _codes(answers.codes, beside=answers.values)
    return [f"codes = {toml_list(codes)}   # {comment(labels)}"]


def _level(answers: Answers, eps: str) -> str:
    """The level of a column: what is given, between its two most different answers."""
    steps: Fraction | int
    if answers.kind == "ordered":
        two = len(answers.values) == 2 and bool(answers.codes)
        steps = Fraction(3, 2) if two else len(answers.values) - 1  # as far as codes are from them
        told = f"per class: {eps} between the ends; categories err less in counts"
    elif answers.kind == "tree":
        steps, told = most_steps_up(answers), f"per step up: {eps} at most between any two"
    elif answers.kind in ("numbers", "dates"):
        if answers.days is None:
            low, high, _ = _grid(answers)
        else:
            low, high = (Decimal(day.toordinal()) for day in answers.days)
        per_unit = f"{Decimal(_OVER_THE_RANGE) / (high - low):.2g}"
        unit = "unit" if answers.days is None else "day"
        return (
            f'epsilon = "{per_unit}"   # per {unit}: about {_OVER_THE_RANGE} over the whole range'
        )
    else:
        many = len(answers.values) > _MANY
        told = "   # dprivacy plan names a mechanism that errs less" if many else ""
        return f"epsilon = {toml_text(eps)}{told}"
    return f"epsilon = {toml_text(str(as_eps(eps) / steps))}   # {told}"


def _codes(values: Sequence[Value], *, beside: Sequence[Value] = ()) -> list[str | int]:
    """Codes as a plan lists them: whole numbers where all are, those beside them too."""
    wholes = [whole_of(value.code) for value in (*values, *beside)]
    found = [whole for whole in wholes if whole is not None]
    if len(found) == len(wholes):
        return list(found[: len(values)])
    return [value.code for value in values]


def _grid(answers: Answers) -> tuple[Decimal, Decimal, Decimal]:
    apart = [n for value in answers.codes if (n := decimal_of(value.code)) is not None]
    return grid_of(answers.low, answers.high, apart, whole=answers.whole)


def _line(answers: Answers) -> list[str]:
    if answers.days is not None:
        low, high, step = map(toml_text, date_grid(*answers.days))
    else:
        low, high, step = map(toml_number, _grid(answers))
    lines = [
        f"low = {low}",
        f"high = {high}",
        f"grid = {step}            # the step of the public grid",
    ]
    return [*lines, *_beside(answers)]


def grid_of(
    low: Decimal, high: Decimal, apart: Sequence[Decimal], *, whole: bool
) -> tuple[Decimal, Decimal, Decimal]:
    """A range rounded outward to a grid of at most 200 steps of 1, 2 or 5 times a power of ten.

    Where a code stands in the way, such as 999 above 998, it is rounded inward there.

    Examples
    --------
    >>> [int(x) for x in grid_of(Decimal(-9000), Decimal(1341000), [], whole=True)]
    [-10000, 1350000, 10000]
    """
    width = high - low
    power = Decimal(1).scaleb(width.adjusted() - 3)
    step = next(
        power * times
        for times in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
        if width <= power * times * _MOST_STEPS
    )
    step = max(step, Decimal(1)) if whole else step
    first = (low / step).to_integral_value(ROUND_FLOOR) * step
    last = (high / step).to_integral_value(ROUND_CEILING) * step
    first += step if any(first <= code < low for code in apart) else 0
    last -= step if any(high < code <= last for code in apart) else 0
    return first, max(last, first + step), step


def date_grid(first: date, last: date) -> tuple[str, str, str]:
    """Dates rounded up to a grid of days or weeks with at most 200 steps.

    Examples
    --------
    >>> date_grid(date(2020, 1, 1), date(2020, 12, 31))
    ('2020-01-01', '2021-01-06', '7 days')
    """
    width = (last - first).days
    step = next((days for days in (1, 7, 28, 91) if width <= _MOST_STEPS * days), 364)
    steps = min(-(-width // step), (date.max - first).days // step)
    end = first + timedelta(step * steps)
    return str(first), str(end), f"{step} day{'s' if step > 1 else ''}"


def most_steps_up(answers: Answers) -> int:
    """The most levels that two codes of a hierarchy climb until they meet."""
    parent = {value.code: value.parent for value in (*answers.values, *answers.groups)}
    chains = []
    for value in answers.values:
        chain = [value.code]
        while above := parent[chain[-1]]:
            chain.append(above)
        chains.append(chain[::-1])
    shared = sum(
        1 for _ in takewhile(lambda level: len(set(level)) == 1, zip(*chains, strict=False))
    )
    return max(map(len, chains)) - shared


def codebook_lines(
    found: Sequence[ColumnProposal], eps: str | None, gaps: Collection[str] | None
) -> list[str]:
    """What a plan says of its columns: dropped, published, undecided and protected ones."""
    dropped, published, undecided = (
        [column for column in found if column.what == what]
        for what in ("drop", "publish", "decide")
    )
    lines = [f"drop = {toml_list([column.name for column in dropped])}"]
    lines += [
        f"# {toml_key(column.name)} is dropped: {comment(column.reason)}." for column in dropped
    ]
    lines += [
        f"pass_through = {toml_list([column.name for column in published])}    # published as they are",
        "",
    ]
    if undecided:
        lines += [
            f"# To decide: {counted(len(undecided), 'column')}. A table is refused until each is "
            "dropped, passed through or protected:",
            "# write so here, or run inspect again with --as NAME=CHOICE.",
        ]
    for column in undecided:
        label = f" ({comment(column.variable.label)})" if column.variable.label else ""
        lines.append(f"# {toml_key(column.name)}{label}: {comment(column.reason)}.")
        lines += [f"#   {offer}" for offer in column.offers]
    lines += [""] if undecided else []
    for column in found:
        if column.protects:
            lines += column_lines(column, eps, gaps)
    return lines
