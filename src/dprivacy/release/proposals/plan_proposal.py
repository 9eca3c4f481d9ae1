"""`inspect`: a first plan for a table, with everything that came from the data marked as such."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Unpack

from dprivacy.errors import WrongKind
from dprivacy.extras import arrow, compute
from dprivacy.model import as_path
from dprivacy.numbers import as_eps
from dprivacy.release.codebooks.codebook_model import Codebook, Variable
from dprivacy.release.columns.column_batches import MISSING
from dprivacy.release.intake.cell_kinds import kind_of
from dprivacy.release.intake.table_settings import Intake, TableSettings, Written
from dprivacy.release.plan_keys.key_table import SCHEMA_LINE
from dprivacy.release.proposals.codebook_plan import Draft, draft_from, row_lines
from dprivacy.release.proposals.table_glance import first_rows, layout_lines, rows_seen, title_of
from dprivacy.release.proposals.toml_lines import (
    toml_key,
    toml_list,
    toml_number,
    toml_text,
)
from dprivacy.release.proposals.variable_roles import purpose_of
from dprivacy.typing import PathArg

_MOST_VALUES = 60  # distinct values up to which a column is proposed as categories
_LONGEST = 40  # characters of such a value


def propose(
    path: PathArg | None,
    *,
    eps: str = "ln 3",
    row: str | None = None,
    codebook: Codebook | PathArg | None = None,
    choices: Mapping[str, str] | None = None,
    missing: bool = False,
    **written: Unpack[Written],
) -> str:
    r"""A plan in TOML for the columns of a table, to be read and changed by a person.

    With a codebook the values and ranges are those that it declares; the table is merely compared with
    them, and may be left out. What a codebook does not settle, such as a weight, is listed as open.

    Without one, values that occur in the data are listed with ``source = "data"``, and a plan with that
    mark is refused: which values occur is itself a secret of the people in the table. Only short values
    that repeat are listed; a column that may hold records or names is proposed to be dropped. Each
    proposal has its reason beside it.

    Parameters
    ----------
    path
        A table as for `sanitise_file`. At most 200,000 rows are looked at. None plans from the codebook
        alone.
    eps
        The level that is written for every column.
    row
        Instead, a level for the whole row, which the columns share.
    codebook
        What is declared of the columns: a file as for `read_codebook`, or what that read.
    choices
        With a codebook, what somebody chose for some columns: "drop", "publish", "categories",
        "ordered", "numbers", "tree", or a range such as "0:110".
    missing
        With a codebook, whether a missing cell is one more answer of every column that can have it.
    **written
        How the table is written, as for `sanitise_file`; the plan says it again.

    Raises
    ------
    UnclearTable
        When it cannot be seen how the table is written; above all, when its first line may be a
        person's record.
    UnknownCategory
        When columns hold values that the codebook does not declare; they are not quoted.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "survey.csv")
    ...     _ = file.write_text("tea\nyes\nno\nno\nyes\n")
    ...     print(*propose(file, header=True).splitlines()[10:14], sep="\n")
    [columns.tea]
    type = "categories"   # 2 short values that repeat
    values = ["no", "yes"]
    epsilon = "ln 3"
    """
    as_eps(eps)
    if codebook is not None:
        told: dict[str, Any] = {"row": row, "choices": choices, "missing": missing, **written}
        return draft_from(codebook, path, eps=eps, **told).toml
    if choices or missing or path is None:
        raise WrongKind("a table is needed, or a codebook, which choices and missing speak of")
    return draft_of(path, eps=eps, row=row, **written).toml


def draft_of(
    path: PathArg, *, eps: str = "ln 3", row: str | None = None, **written: Unpack[Written]
) -> Draft:
    """A plan from a table alone, and why some of its columns are left out."""
    path = as_path(path, "a table")
    said = TableSettings(**written)
    columns = list(first_rows(path, Intake(said)))
    seen = {name: _described(name, column) for name, column in columns}
    lines = [
        SCHEMA_LINE,
        "# A first plan, to be read and changed.",
        '# Lines with source = "data" list values that occur in the data. Compare them with the',
        '# questionnaire, add what is missing, and write source = "declared".',
        "",
        f"title = {toml_text(title_of(path))}",
        'unit = "row"          # or the column that identifies a person, with rows_per_person',
        *row_lines(row),
    ]
    dropped = {name: found for name, found in seen.items() if found.kind == "drop"}
    lines += [f"drop = {toml_list(list(dropped))}"]
    lines += [f"# {toml_key(name)} is dropped: {found.why}." for name, found in dropped.items()]
    lines += ["pass_through = []    # published as they are", "", *layout_lines(path, Intake(said))]
    for name, found in seen.items():
        if found.kind != "drop":
            lines += [f"[columns.{toml_key(name)}]", *_column(found, None if row else eps), ""]
    reasons = {name: found.why for name, found in dropped.items()}
    return Draft("\n".join(lines), reasons, rows_seen(columns))


@dataclass(frozen=True)
class _Found:
    """What a column looks like: what to do with it, why, and how many cells are missing."""

    kind: str  # "categories", "numbers" or "drop"
    why: str
    nulls: int = 0
    values: Sequence[str | int] = ()
    ends: tuple[float, float] = (0.0, 0.0)


def _described(name: str, column: Any) -> _Found:
    """What a column looks like; one that cannot be listed or counted is proposed to be dropped."""
    pa, pc = arrow(), compute()
    purpose = purpose_of(Variable(name))
    if purpose is not None:
        useless = "" if purpose.identifies else ", which noise would make useless"
        return _Found("drop", f"{purpose.reason}{useless}")
    try:
        texts = column.combine_chunks().cast(pa.string()).drop_null()
    except pa.ArrowException:
        return _Found("drop", "values of its type cannot be listed")
    written = pa.types.is_string(column.type)
    none = (
        ("nan", "inf", "-inf") if pa.types.is_floating(column.type) else MISSING if written else ()
    )
    texts = texts.filter(pc.invert(pc.is_in(texts, value_set=pa.array(none, pa.string()))))
    nulls = len(column) - len(texts)
    distinct = texts.unique().to_pylist()
    numbers = None if pa.types.is_boolean(column.type) else _numbers(texts)
    if len(distinct) < 2:
        return _Found("drop", "it is the same for everyone" if distinct else "it holds nothing")
    against = _why_not_listed(distinct, len(texts))
    if against and numbers is None and all(kind_of(value) == "number" for value in distinct):
        return _Found(
            "drop",
            "its numbers are not written as 1234.5 is; for decimal commas, pass --decimal ,",
        )
    fractions = any(not v.is_integer() for v in numbers or ())
    if not against and not fractions:
        whole = all(map(_is_whole, distinct))
        listed = sorted(map(int, distinct)) if whole else sorted(distinct)
        why = f"{len(distinct)} short values that repeat"
        if whole:
            why += '; write "ordered" if their order means something'
        return _Found("categories", why, nulls, listed)
    if numbers:
        why = "numbers that are not whole" if fractions else "whole numbers of many values"
        return _Found("numbers", why, nulls, ends=(min(numbers), max(numbers)))
    return _Found("drop", against)


def _why_not_listed(distinct: Sequence[str], rows: int) -> str:
    """Why the values of a column are not written into a plan; nothing where they may be."""
    if 2 * len(distinct) > rows:
        return "nearly all its values are different, so that each may name a person"
    if len(distinct) > _MOST_VALUES:
        return (
            f"it has more than {_MOST_VALUES} different values; if a code list names them all, write "
            'them here as categories, with mechanism = "projective_response"'
        )
    if any(len(value) > _LONGEST for value in distinct):
        return f"some of its values are longer than {_LONGEST} characters, and may be whole records"
    if any(_may_be_records(value) for value in distinct):
        return (
            "some of its values hold semicolons, tabs, bars or line ends, and may be whole records"
        )
    return ""


def _may_be_records(value: str) -> bool:
    return any(mark in value for mark in ";\t|\r\n") or value.count(",") > 1


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number as one would write it: not 01, which is a code."""
    return text.removeprefix("-").isdecimal() and text == str(int(text)) and abs(int(text)) < 2**63


def _numbers(texts: Any) -> list[float] | None:
    """The finite numbers among the texts; None when some are not numbers."""
    pa = arrow()
    try:
        return [v for v in texts.cast(pa.float64()).to_pylist() if math.isfinite(v)]
    except pa.ArrowException:
        return None


def _column(found: _Found, epsilon: str | None) -> list[str]:
    lines = [f'type = "{found.kind}"   # {found.why}']
    if found.kind == "numbers":
        low, high, grid = _range(*found.ends)
        lines += [
            f"low = {toml_number(low)}          # rounded outward from the data: set the public range",
            f"high = {toml_number(high)}",
            f"grid = {toml_number(grid)}            # the step of the public grid",
        ]
        level = f'"{_per_unit(high - low)}"   # per unit: about 4 over the whole range'
    else:
        lines += [f"values = {toml_list(found.values)}"]
        level = toml_text(epsilon or "")
    lines += [f"epsilon = {level}"] if epsilon is not None else []
    lines.append('source = "data"       # confirm, then write "declared"')
    if found.nulls:
        policy = '"category"' if found.kind == "categories" else "{ replace = … }"
        lines.append(f'nulls = "refuse"      # {found.nulls} are missing; perhaps {policy}')
    return lines


def _range(low: float, high: float) -> tuple[Decimal, Decimal, Decimal]:
    """Round numbers around the range, and a grid of ten to a hundred steps."""
    width = max(high - low, abs(low) * 1e-12, 1e-280)
    step = Decimal(10) ** (math.floor(math.log10(width)) - 1)
    first = (Decimal(low) / step).to_integral_value(ROUND_FLOOR) * step
    last = (Decimal(high) / step).to_integral_value(ROUND_CEILING) * step
    return first, max(last, first + step), step


def _per_unit(width: Decimal) -> str:
    return f"{Decimal(4) / width:.2g}"
