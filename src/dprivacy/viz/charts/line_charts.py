"""Several curves on one pair of axes, as a picture and as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsFloat, TypeAlias

from dprivacy.extras import matplotlib
from dprivacy.viz.style.figure_words import legend_below, require_some, ruled, titled
from dprivacy.viz.style.picture_style import FAINT, Figure, drawn, new_axes, style

Points = Sequence[tuple[float, float]]
Curves: TypeAlias = Mapping[str, Iterable[tuple[SupportsFloat, SupportsFloat]]]


def read_curves(curves: Curves) -> dict[str, list[tuple[float, float]]]:
    """Names and points as floats; Levels, Fractions and other numbers are read."""
    read = {str(name): [(float(x), float(y)) for x, y in points] for name, points in curves.items()}
    require_some(read, "names, each with at least one point (x, y)")
    return read


@drawn
def plot_curves(
    curves: Curves,
    *,
    x: str,
    y: str,
    levels: Mapping[str, SupportsFloat] | None = None,
    diagonal: str = "",
    marks: bool | None = None,
    title: str = "",
) -> Figure:
    """Curves that differ in dashes and marks as well as in colour.

    Parameters
    ----------
    curves
        Names, and points (x, y) of each.
    x, y
        What the axes show, in words.
    levels
        Names and heights of horizontal lines to compare with.
    diagonal
        If given, the line y = x is drawn and called so.
    marks
        Whether to mark the points; by default where there are few.
    title
        A title.

    Returns
    -------
    matplotlib.figure.Figure
        The picture.

    Examples
    --------
    >>> curves = {"optimal": [(1, 0.5), (2, 0.3)], "geometric": [(1, 0.6), (2, 0.35)]}
    >>> figure = plot_curves(curves, x="privacy level ε", y="expected loss", levels={"no noise": 0})
    >>> len(figure.axes[0].lines)
    3
    """
    read = read_curves(curves)
    figure, axes = new_axes()
    handles = draw_curves(axes, read, marks=marks)
    handles += _compared(axes, read, levels or {}, diagonal)
    axes.set(xlabel=x, ylabel=y)
    ruled(axes)
    titled(axes, title)
    if len(handles) > 1:
        legend_below(figure, handles, columns=4)
    return figure


def draw_curves(axes: Any, curves: Mapping[str, Points], *, marks: bool | None = None) -> list[Any]:
    """Draw curves in their styles; their handles."""
    handles = []
    for k, (name, points) in enumerate(curves.items()):
        look = style(k)
        marked = len(points) <= 15 if marks is None else marks
        (line,) = axes.plot(
            [p for p, _ in points],
            [q for _, q in points],
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker if marked else "",
            label=name,
        )
        handles.append(line)
    return handles


def _compared(
    axes: Any, curves: Mapping[str, Points], levels: Mapping[str, SupportsFloat], diagonal: str
) -> list[Any]:
    lines = matplotlib("lines")
    handles = []
    for k, (name, height) in enumerate(levels.items()):
        dash = (0, (1, 1 + 2 * k))
        axes.axhline(float(height), color=FAINT, linestyle=dash, linewidth=1.4)
        handles.append(lines.Line2D([], [], color=FAINT, linestyle=dash, label=name))
    if diagonal:
        ends = [v for points in curves.values() for point in points for v in point]
        both = [min(ends), max(ends)]
        (line,) = axes.plot(both, both, color=FAINT, linewidth=1.0, label=diagonal, zorder=1)
        handles.append(line)
    return handles


def curves_spec(curves: Curves, *, x: str, y: str) -> dict[str, Any]:
    """What `plot_curves` draws, as a Plotly figure in plain data."""
    read = read_curves(curves)
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers" if len(points) <= 15 else "lines",
                "name": name,
                "x": [p for p, _ in points],
                "y": [q for _, q in points],
                "line": {"color": style(k).colour, "dash": style(k).plotly_dash, "width": 2.5},
                "marker": {"symbol": style(k).plotly_marker, "size": 8},
            }
            for k, (name, points) in enumerate(read.items())
        ],
        "layout": {
            "xaxis": {"title": {"text": x}},
            "yaxis": {"title": {"text": y}},
            "showlegend": len(read) > 1,
        },
    }
