"""What a released table says itself: corrected shares, means and two-way tables, with their errors."""

import math
from collections.abc import Iterator
from html import escape
from itertools import product
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.model import counted, shown
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.plans.column_domains import exact_number
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.receiving.own_statistics import MOST_SPREAD, TOO_NOISY
from dprivacy.release.receiving.table_receiver import ReceivedTable
from dprivacy.release.sheets.crossed_answers import crossed_answers
from dprivacy.release.sheets.learned_statistics import coded
from dprivacy.release.sheets.sheet_layout import plain_table

_MOST_VALUES = 12  # of a column whose shares are printed, and of each side of a two-way table
_MOST_TABLES = 10

_NO_MEAN = "This release is too noisy to say what its mean is."
_BASIS = (
    "Estimated from the released table and its card alone, corrected for the noise. An interval holds "
    "what is true of the population 19 times in 20 (noise and sampling), if the rows are a random "
    "sample of it."
)


def released_tables(table: ReceivedTable, plan: Plan) -> str:
    """The corrected tables of a release, as markup.

    A two-way table is printed where noise alone moves its shares by 0.1 at most, all of them together;
    for others the sheet says that the release is too noisy.
    """
    return "\n".join(
        (
            "<h2>What this release says about everybody together</h2>",
            f"<p>{escape(_BASIS)}</p>",
            *_single(table, plan),
            *_crossed(table, plan),
        )
    )


def _single(table: ReceivedTable, plan: Plan) -> Iterator[str]:
    unlisted = []
    for column in (own for each in plan.columns for own in each.cells):
        name = column.columns[0]
        if column.kind == "numbers":
            yield _mean(table, column)
        elif 1 < len(column.values) <= _MOST_VALUES:
            yield f"<h3>{escape(shown(column.name))}</h3>{_shares(table, [name])}"
        else:
            unlisted.append(shown(column.name))
    if unlisted:
        told = f"Not printed, as they are long or hold no list of values: {', '.join(unlisted)}."
        yield f"<p>{escape(told)}</p>"


def _mean(table: ReceivedTable, column: ColumnPlan) -> str:
    """The mean, within the public range that every true one lies in."""
    heading = f"<h3>{escape(shown(column.name))}</h3>"
    try:
        only = table.mean(column.columns[0], of="population").only
    except DPrivacyError as reason:
        return f"{heading}<p>{escape(shown(str(reason)))}</p>"
    if math.isnan(only.value) or math.isnan(only.low) or math.isnan(only.high):
        return f"{heading}<p>{escape(_NO_MEAN)}</p>"
    low, high = (float(exact_number(column.spec[end])) for end in ("low", "high"))
    mean, first, last = (_number(min(max(x, low), high)) for x in (only.value, only.low, only.high))
    beside = ", of those who have a number and no code" if coded(column) else ""
    return f"{heading}<p>{escape(f'Mean {mean}, between {first} and {last}{beside}.')}</p>"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _shares(table: ReceivedTable, columns: list[str]) -> str:
    """A table of shares, or why it cannot be had; empty where noise hides how columns go together."""
    try:
        found = table.cross_table(columns)
    except DPrivacyError as reason:
        return f"<p>{escape(shown(str(reason)))}</p>"
    spread = math.sqrt(max(float(found.table_variances.sum()), 0)) / found.n
    if len(columns) > 1 and not spread <= MOST_SPREAD:
        return ""
    low, high = found.ranges(of="population", scale="proportions")
    rows = [
        (
            " · ".join(_label(part) for part in label),
            f"{100 * share:.1f}",
            f"{100 * min(max(first, 0), share):.1f} to {100 * max(min(last, 1), share):.1f}",
        )
        for label, share, first, last in zip(
            product(*found.labels), found.shares.flat, low.flat, high.flat, strict=True
        )
    ]
    return plain_table(("value", "share, in 100", "interval"), rows)


def _label(label: Any) -> str:
    parts = label if isinstance(label, tuple) else (label,)
    return " · ".join("(missing)" if part is None else shown(part) for part in parts)


def _crossed(table: ReceivedTable, plan: Plan) -> Iterator[str]:
    pairs = [pair for pair in crossed_answers(plan) if max(pair.sizes) <= _MOST_VALUES]
    if not pairs:
        return
    yield "<h2>Two-way tables of this release</h2>"
    if len(pairs) > _MOST_TABLES:
        told = f"Of {counted(len(pairs), 'table')}, the {_MOST_TABLES} that err least."
        yield f"<p>{escape(told)}</p>"
    noisy = []
    for pair in pairs[:_MOST_TABLES]:
        name = shown(" by ".join(pair.names))
        found = _shares(table, [*pair.columns])
        if found:
            yield f"<h3>{escape(name)}</h3>{found}"
        else:
            noisy.append(name)
    if noisy:
        told = f"{TOO_NOISY} Not printed: {', '.join(noisy)}."
        yield f"<p>{escape(told)}</p>"
