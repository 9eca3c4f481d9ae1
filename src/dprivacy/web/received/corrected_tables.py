"""Corrected counts of a received table as texts, with errors, for a page to show and to save."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot, prod
from typing import Any, Literal

from dprivacy.errors import DPrivacyError, NotApplicable
from dprivacy.mechanisms import counts_in
from dprivacy.model import shown
from dprivacy.release import MOST_SPREAD, ReceivedTable
from dprivacy.web.shell.number_words import count

_MOST_CLIMBED = 200  # cells of a table whose likelihood is climbed while somebody waits
_MOST_CELLS = 4000  # of a table that is shown


@dataclass(frozen=True)
class Corrected:
    """A corrected table as texts: a head, rows, and (for one column) numbers to draw.

    The rows begin with their values of `by`. `figures` are the numbers behind them: the corrected one,
    its standard error, and the ends of the interval. `doubt` says so where they say next to nothing.
    """

    caption: str
    by: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[tuple[float, ...], ...]
    drawn: tuple[tuple[str, float, float, float, float], ...] = ()
    doubt: str = ""

    def csv(self) -> str:
        """The table as CSV text, with numbers that a program can read."""
        out = io.StringIO()
        rows = [
            [*row[: len(self.by)], *(f"{number:.6g}" for number in figures)]
            for row, figures in zip(self.rows, self.figures, strict=True)
        ]
        head = [*self.by, "corrected rows", "standard error", "95 % from", "95 % to"]
        csv.writer(out, lineterminator="\n").writerows([head, *rows])
        return out.getvalue()


def corrected(release: ReceivedTable, column: str, by: str = "") -> Corrected:
    """Corrected counts of a column, alone or by another, with errors and intervals."""
    if by:
        return _crossed(release, column, by)
    found = release.estimate(column)
    noisy, released = _released(release, column)
    rows, drawn, figures = [], [], []
    errors, ends = found.standard_errors, found.intervals
    for label, value in found.counts.items():
        name, error = _named(label), errors[label]
        low, high = ends[label]
        seen = noisy.get(shown(label), 0)
        rows.append((name, count(seen), count(float(value)), f"± {count(error)}", _span(low, high)))
        drawn.append((name, float(seen), float(value), low, high))
        figures.append((float(value), float(error), low, high))
    head = (column, released, "corrected (rows)", "standard error", "95 % interval")
    caption = f"{column}: how many of the {release.card.count:,} rows truly have each value"
    doubt = _doubt_alone(column, [error for _, error, _, _ in figures], release.card.count)
    shown_bars = () if doubt else tuple(drawn)
    return Corrected(caption, (column,), head, tuple(rows), tuple(figures), shown_bars, doubt)


def _released(release: ReceivedTable, column: str) -> tuple[dict[str, int], str]:
    """How many rows say each value as they were released, and what that is called."""
    cells = {key[0]: n for key, n in release.counts([in_table(release, column)]).items()}
    local = release.card.local(column)
    if local is None:
        return {shown(label): n for label, n in cells.items()}, "as released (rows)"
    held = counts_in(local, cells).supports.tolist()
    return dict(zip(map(shown, local.labels), held, strict=True)), "reports that hold it"


def _crossed(release: ReceivedTable, column: str, by: str) -> Corrected:
    found = release.cross_table([column, by], estimator=_quick(release, column, by))
    names: tuple[str, ...] = (column, by)
    labels = list(product(*found.labels))
    if len(found.labels) == 1:  # drawn together: one axis, of combinations in the order of the draw
        (names,) = (told for joint in release.joints if len(told := joint.among(names)) > 1)
        labels = [combination for (combination,) in labels]
    low, high = found.intervals
    sides = (found.counts, found.standard_errors, low, high)
    figures = tuple(zip(*(side.ravel().tolist() for side in sides), strict=True))
    rows = tuple(
        (*map(_named, label), count(value), f"± {count(error)}", _span(begin, end))
        for label, (value, error, begin, end) in zip(labels, figures, strict=True)
    )
    head = (*names, "corrected (rows)", "standard error", "95 % interval")
    caption = f"{names[0]} by {names[1]}, corrected for the noise"
    doubt = _doubt(column, by, [error for _, error, _, _ in figures], release.card.count)
    return Corrected(caption, names, head, rows, figures, doubt=doubt)


def _doubt_alone(column: str, errors: Sequence[float], rows: int) -> str:
    """What to say of counts that may be off by half of the rows; the sheet calls that nothing."""
    if 2 * 1.96 * max(errors) < rows:
        return ""
    return (
        f"This release is too noisy to say how many rows have each value of {shown(column)}: a count "
        f"may be off by half of the {rows:,} rows, or more."
    )


def _doubt(column: str, by: str, errors: Sequence[float], rows: int) -> str:
    """What to say of a table that is mostly noise, by the rule for a release's own statistics."""
    if hypot(*errors) <= MOST_SPREAD * rows:
        return ""
    return (
        f"This release is too noisy to say how {shown(column)} and {shown(by)} go together: a cell "
        f"of the table may be off by {count(1.96 * max(errors))} of {rows:,} rows. What each says "
        "alone is known better."
    )


def _quick(release: ReceivedTable, *names: str) -> Literal["ibu", "inverse"]:
    """The estimator that answers in a moment: likelihoods of many cells are climbed slowly."""
    told = [release.card.mechanisms[name] for name in names if name in release.card.mechanisms]
    cells = prod(_size(release, name) for name in names if name in release.card.mechanisms)
    if cells > _MOST_CELLS:
        raise NotApplicable(
            f"a table of {cells:,} cells is too large to show; `dprivacy estimate -o` writes it"
        )
    reports = any("reports" in entry for entry in told)
    return "ibu" if cells <= _MOST_CLIMBED and not reports else "inverse"


def _size(release: ReceivedTable, column: str) -> int:
    """How many values a protected column may have."""
    entry, local = release.card.mechanisms[column], release.card.local(column)
    if local is not None:
        return len(local.labels)
    channel = entry["channel"]
    return int(channel["points"] if "points" in channel else len(channel["outputs"]))


def in_table(release: ReceivedTable, column: str) -> str:
    """The first column of the table that holds what a protected column says."""
    return str(release.card.mechanisms[column]["columns"][0])


def mean_words(release: ReceivedTable, column: str) -> str:
    """The mean of a column in words, where it has one."""
    if release.card.mechanisms[column]["type"] not in ("numbers", "ordered"):
        return ""
    try:
        return release.mean(in_table(release, column)).explain()
    except DPrivacyError:
        return ""


def _named(label: Any) -> str:
    return "(missing)" if label is None else shown(label)


def _span(low: float, high: float) -> str:
    return f"{count(low)} to {count(high)}"
