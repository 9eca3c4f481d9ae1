"""Estimates with their intervals: a dot and a line each, for groups and coefficients alike."""

import math
from dataclasses import replace
from typing import Any

from dprivacy.estimation import LongForm, Regression
from dprivacy.viz.style.figure_words import name_rows, require_some, ruled, short, titled
from dprivacy.viz.style.picture_style import FAINT, WIDTH, Figure, drawn, new_axes, style

_MOST = 120  # rows that are still told apart
_ROW = 0.24  # inches


@drawn
def plot_intervals(answer: Any, *, title: str = "", x: str = "") -> Figure:
    """Dots with intervals, one row for each estimate.

    Parameters
    ----------
    answer
        Anything with a `long_form`: corrected statistics, a query's answer, a regression.
    title
        What it is, when omitted.
    x
        What the numbers are, below the axis.

    Examples
    --------
    >>> rows = (("north", 10.0, 1.0, 8.0, 12.0, "table", "score"),)
    >>> figure = plot_intervals(LongForm("mean of age", ("region",), rows))
    >>> [float(v) for v in figure.axes[0].containers[0][0].get_xdata()]
    [10.0]
    """
    long: LongForm = answer if isinstance(answer, LongForm) else answer.long_form()
    k = len(long.keys)
    told = [row for row in long.rows if math.isfinite(float(row[k]))][:_MOST]
    require_some(told, "estimates that are numbers")
    names = [", ".join(short(label, 30) for label in row[:k]) or long.title for row in told]
    values = [float(row[k]) for row in told]
    reach = [
        [_length(value - float(row[k + 2])) for value, row in zip(values, told, strict=True)],
        [_length(float(row[k + 3]) - value) for value, row in zip(values, told, strict=True)],
    ]
    height = max(1.6, 1.0 + _ROW * len(told))
    drawing, axes = new_axes(WIDTH, height)
    axes.errorbar(
        values,
        range(len(told)),
        xerr=reach,
        fmt=style(0).marker,
        color=style(0).colour,
        capsize=3,
        linestyle="none",
    )
    if min(values) < 0 < max(values) or any(
        v - r <= 0 <= v + s for v, r, s in zip(values, *reach, strict=True)
    ):
        axes.axvline(0, color=FAINT, linewidth=0.8)
    name_rows(axes, names, height - 0.8)
    axes.set_ylim(len(told) - 0.5, -0.5)
    axes.set_xlabel(x or long.title)
    ruled(axes, "x")
    titled(axes, title)
    return drawing


def plot_coefficients(fit: Regression, *, intercepts: bool = False, title: str = "") -> Figure:
    """The coefficients of a regression with their intervals, one below the other.

    Parameters
    ----------
    fit
        What `dprivacy.estimation.regress` found.
    intercepts
        Whether intercepts and thresholds are drawn as well, which are often far from all others.
    title
        The formula, when omitted.

    Examples
    --------
    >>> from dprivacy.estimation import regress
    >>> figure = plot_coefficients(regress("y ~ x", {"y": [0, 1, 2, 4], "x": [0, 1, 2, 3]}))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['x']
    """
    long = fit.long_form()
    left_out = [] if intercepts else fit.constants
    rows = tuple(row for row in long.rows if row[0] not in left_out)
    figure = plot_intervals(
        replace(long, rows=rows or long.rows),
        title=title or f"{fit.formula} ({fit.family}, {fit.n:,} rows)",
        x=f"coefficient, {100 * fit.confidence:g} % interval",
    )
    return figure


def _length(side: float) -> float:
    """The length of one side of an interval; none is drawn where there is no end."""
    return max(side, 0.0) if math.isfinite(side) else 0.0
