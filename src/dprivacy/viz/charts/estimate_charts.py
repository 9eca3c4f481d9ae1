"""Estimates: what a plan promises, what was found beside the truth, and how it was reached."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dprivacy.errors import WrongShape
from dprivacy.estimation import Estimate
from dprivacy.model import shown
from dprivacy.release import Forecast
from dprivacy.typing import Label
from dprivacy.viz.charts.bar_charts import Values
from dprivacy.viz.charts.line_charts import draw_curves, plot_curves
from dprivacy.viz.style.figure_words import (
    legend_below,
    name_columns,
    name_rows,
    require_some,
    ruled,
    titled,
    write_beside,
)
from dprivacy.viz.style.picture_style import (
    FAINT,
    INK,
    WIDTH,
    Figure,
    drawn,
    new_axes,
    new_figure,
    style,
)

_BARS = 24  # labels up to which there are marks with error bars; beyond, curves


@drawn
def plot_estimate(
    estimate: Estimate,
    *,
    truth: Values | None = None,
    observed: Values | None = None,
    title: str = "",
) -> Figure:
    """Estimated shares with their intervals, beside what was observed and, where known, the truth.

    Marks with error bars; where there are many labels, curves without.

    Parameters
    ----------
    estimate
        What `dprivacy.estimation.estimate` found.
    truth, observed
        Values by label: a distribution or a mapping.

    Examples
    --------
    >>> from dprivacy.estimation import estimate
    >>> found = estimate([["3/4", "1/4"], ["1/4", "3/4"]], {0: 60, 1: 40}, estimator="inverse")
    >>> figure = plot_estimate(found, truth={0: 7, 1: 3})
    >>> [float(height) for height in figure.axes[0].lines[0].get_ydata()]  # the truth
    [0.7, 0.3]
    """
    labels = estimate.labels
    shares = [float(share) for share in estimate.shares]
    ends = list(estimate.ranges(scale="proportions").values())
    beside = {
        name: _shares(given, labels, name)
        for name, given in (("observed, noisy", observed), ("truth", truth))
        if given is not None
    }
    figure, axes = new_axes()
    if len(labels) <= _BARS:
        certain = f"estimate, {100 * estimate.confidence:g} % interval"
        handles = _with_bars(axes, shares, ends, beside, certain)
    else:
        curves = {"estimate": shares, **beside}
        numbered = {name: list(enumerate(values)) for name, values in curves.items()}
        handles = draw_curves(axes, numbered, marks=False)
    name_columns(axes, labels, WIDTH - 0.9)
    axes.set(ylabel="share")
    if min(shares) >= 0 and (len(labels) > _BARS or min(low for low, _ in ends) >= 0):
        axes.set_ylim(bottom=0)
    titled(axes, title)
    legend_below(figure, handles)
    return figure


def _shares(given: Values, labels: Sequence[Label], name: str) -> list[float]:
    values = dict(given.items())
    missing = [label for label in labels if label not in values]
    if missing and name == "truth":
        raise WrongShape(
            f"the truth should give every label a share, but lacks {len(missing)} of the {len(labels)} "
            f"labels: {', '.join(map(shown, missing[:5]))}"
        )
    total = sum(map(float, values.values()))
    return [float(values.get(label, 0)) / total for label in labels]


def _with_bars(
    axes: Any,
    shares: list[float],
    ends: list[tuple[float, float]],
    beside: Mapping[str, list[float]],
    certain: str,
) -> list[Any]:
    handles = []
    at = np.arange(len(shares), dtype=float)
    for k, (name, values) in enumerate(beside.items(), 1):
        look = style(k)
        offset = -0.22 if k == 1 and len(beside) > 1 else 0.22
        (marks,) = axes.plot(
            at + offset, values, look.marker, color=look.colour, markerfacecolor="none", label=name
        )
        handles.append(marks)
    low, high = np.transpose(ends)
    reach = [np.subtract(shares, low), np.subtract(high, shares)]
    bars = axes.errorbar(
        at,
        shares,
        yerr=np.maximum(reach, 0.0),
        fmt=style(0).marker,
        color=style(0).colour,
        ecolor=style(0).colour,
        capsize=3,
        label=certain,
    )
    axes.axhline(0, color=FAINT, linewidth=0.8)
    axes.set_xlim(-0.6, len(shares) - 0.4)
    return [bars, *handles]


def plot_reconstruction(
    truth: Values, observed: Values, estimated: Values | Mapping[str, Values], *, title: str = ""
) -> Figure:
    """True, noisy and reconstructed distributions over numbers.

    Parameters
    ----------
    truth, observed
        Distributions on numbers, or mappings.
    estimated
        One such, or names and several.

    Examples
    --------
    >>> figure = plot_reconstruction({0: 0.9, 1: 0.1}, {0: 0.7, 1: 0.3}, {0: 0.88, 1: 0.12})
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['truth', 'observed, noisy', 'reconstructed']
    """
    several = isinstance(estimated, Mapping) and all(
        hasattr(value, "items") for value in estimated.values()
    )
    named: Any = estimated if several else {"reconstructed": estimated}
    curves: dict[str, Values] = {"truth": truth, "observed, noisy": observed, **named}
    return plot_curves(
        {name: sorted((float(x), float(p)) for x, p in d.items()) for name, d in curves.items()},
        x="value",
        y="share",
        marks=False,
        title=title,
    )


@drawn
def plot_convergence(
    traces: Mapping[str, Sequence[float]],
    *,
    y: str = "mean log-likelihood of an answer",
    title: str = "",
) -> Figure:
    """How an iterative estimate climbed: a number after every update.

    A curve each, over a logarithmic count of updates.

    Parameters
    ----------
    traces
        Names, and the numbers after 0, 1, 2, … updates.
    y
        What the numbers are, in words.

    Examples
    --------
    >>> figure = plot_convergence({"from uniform": [-1.2, -0.9, -0.85]})
    >>> figure.axes[0].get_xscale()
    'log'
    """
    figure, axes = new_axes()
    curves = {
        str(name): [(float(k), float(v)) for k, v in enumerate(trace, 1)]
        for name, trace in traces.items()
    }
    handles = draw_curves(axes, curves, marks=False)
    axes.set(xlabel="update (the first is the start)", ylabel=y, xscale="log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.tick_params(axis="x", which="minor", color=INK)
    titled(axes, title)
    if len(handles) > 1:
        legend_below(figure, handles)
    return figure


@drawn
def plot_forecast(forecast: Forecast, *, title: str = "") -> Figure:
    """How much of each column stays as it is, and how well its shares can be estimated.

    On the left the chance that a value stays (from the least to the most likely value), on the
    right the standard error of an estimated share. Columns without a channel are left out.

    Parameters
    ----------
    forecast
        What `dprivacy.release.forecast` found.

    Examples
    --------
    >>> from dprivacy.release import Plan, forecast
    >>> hobby = {"type": "categories", "values": ["chess", "tennis"], "epsilon": "ln 3"}
    >>> figure = plot_forecast(forecast(Plan.read({"columns": {"hobby": hobby}}), rows=1200))
    >>> figure.get_suptitle()
    'What to expect with 1,200 rows'
    """
    columns = [c for c in forecast.columns if c.kept is not None or c.share_error is not None]
    require_some(columns, "a plan with at least one column that has a channel")
    high = max(1.0, 0.45 * len(columns))
    figure = new_figure(7.4, high + 1.2)
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.1})
    for at, column in enumerate(columns):
        if column.kept is not None:
            low, top = (100 * share for share in column.kept)
            left.plot([low, top], [at, at], color=style(0).colour, linewidth=5, alpha=0.4)
            left.plot([low, top], [at, at], style(0).marker, color=style(0).colour)
        if column.share_error is not None:
            points = 100 * column.share_error
            right.barh(at, points, 0.5, color=style(0).colour)
            write_beside(right, f"±{points:.2g}", (points, at), 4, size=8)
        else:
            write_beside(right, "cannot be corrected", (0, at), 4, size=8, color=FAINT)
    name_rows(left, [column.name for column in columns], high)
    left.set(xlim=(0, 104), ylim=(len(columns) - 0.4, -0.6))
    left.set_xlabel("values that stay as they are, %")
    right.set_xlabel("standard error of a share, points")
    right.set_xlim(0, max(1.0, 1.3 * max(100 * (c.share_error or 0) for c in columns)))
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        ruled(axes, "x")
    figure.suptitle(title or f"What to expect with {forecast.rows:,} rows", size=11)
    return figure
