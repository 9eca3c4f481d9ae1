"""What shuffling is worth: ε by the number of reports, and by the distance of two values."""

from typing import Any

from dprivacy.extras import matplotlib
from dprivacy.verify import ShuffledDistances, ShuffledSizes
from dprivacy.viz.charts.line_charts import draw_curves
from dprivacy.viz.style.figure_words import legend_below, require_some, ruled, titled
from dprivacy.viz.style.picture_style import FAINT, Figure, drawn, new_axes


@drawn
def plot_shuffled_sizes(found: ShuffledSizes, *, title: str = "") -> Figure:
    """How ε falls as reports get more, a curve for each δ; the line above is a single report.

    Parameters
    ----------
    found
        From `shuffled_sizes`.
    title
        A title.

    Examples
    --------
    >>> from dprivacy.verify import shuffled_sizes
    >>> figure = plot_shuffled_sizes(shuffled_sizes("ln 3", [100, 1000], deltas=["1e-4"]))
    >>> figure.axes[0].get_xlabel()
    'number of reports'
    """
    require_some(found.rows, "a table with at least one row")
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in found.rows:
        name = f"shuffled, δ = {float(row.delta):.3g}".replace("e-0", "e-")
        curves.setdefault(name, []).append((float(row.n), float(row.eps)))
    figure, axes = new_axes()
    handles = draw_curves(axes, curves, marks=True)
    handles.append(axes.axhline(float(found.local), color=FAINT, label="a single report"))
    _logarithmic(axes, "number of reports")
    axes.set_xscale("log")
    titled(axes, title)
    legend_below(figure, handles, columns=3)
    return figure


@drawn
def plot_shuffled_distances(found: ShuffledDistances, *, title: str = "") -> Figure:
    """ε between two values by their distance, of one report and of all without order.

    Parameters
    ----------
    found
        From `shuffled_distances`.
    title
        A title.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> from dprivacy.verify import shuffled_distances
    >>> table = shuffled_distances(geometric(line(3), eps="ln 2"), 100, delta="1e-4")
    >>> len(plot_shuffled_distances(table).axes[0].lines)
    2
    """
    require_some(found.rows, "a table with at least one distance")
    points = [(float(row.distance), float(row.local), float(row.eps)) for row in found.rows]
    curves = {
        "a single report": [(d, local) for d, local, _ in points],
        f"{found.n:,} reports without order": [(d, eps) for d, _, eps in points],
    }
    figure, axes = new_axes()
    handles = draw_curves(axes, curves)
    _logarithmic(axes, "distance of two values")
    titled(axes, title)
    legend_below(figure, handles, columns=2)
    return figure


def _logarithmic(axes: Any, x: str) -> None:
    """ε upwards on a logarithmic scale, written as numbers."""
    axes.set(xlabel=x, ylabel="privacy level ε")
    axes.set_yscale("log")
    ticker = matplotlib("ticker")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    ruled(axes)
