"""Bars: distributions, groups side by side, and what was spent of a budget."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsFloat, TypeAlias

from dprivacy.extras import matplotlib
from dprivacy.model import Dist
from dprivacy.typing import Label
from dprivacy.viz.style.figure_words import (
    legend_below,
    name_columns,
    name_rows,
    require_some,
    short,
    titled,
    write_beside,
)
from dprivacy.viz.style.picture_style import FAINT, INK, WIDTH, Figure, drawn, new_axes, style

Values: TypeAlias = Dist | Mapping[Any, SupportsFloat]  # by label
Entry: TypeAlias = tuple[Label, SupportsFloat, SupportsFloat | None]


@drawn
def plot_bars(groups: Mapping[str, Values], *, y: str = "", x: str = "", title: str = "") -> Figure:
    """Values by label, the bars of several groups side by side.

    Groups differ in colour and in hatching.

    Parameters
    ----------
    groups
        Names, and for each the values by label; a distribution is read as such.
    x, y
        What the axes show, in words.

    Examples
    --------
    >>> shares = {"before": {"yes": 0.5, "no": 0.5}, "after": {"yes": 0.8, "no": 0.2}}
    >>> figure = plot_bars(shares, y="share")
    >>> [float(bar.get_height()) for bar in figure.axes[0].patches]
    [0.5, 0.5, 0.8, 0.2]
    """
    labels, values = _aligned(groups)
    figure, axes = new_axes()
    handles = draw_bars(axes, labels, values, inches=WIDTH - 0.9)
    axes.set(xlabel=x, ylabel=y)
    titled(axes, title)
    if len(handles) > 1:
        legend_below(figure, handles)
    return figure


def plot_dist(dist: Dist, *, title: str = "") -> Figure:
    """A distribution as bars."""
    return plot_bars({"": dist}, y="probability", title=title)


def draw_bars(
    axes: Any, labels: Sequence[Any], values: Mapping[str, Sequence[float]], *, inches: float
) -> list[Any]:
    """Draw groups of bars at 0, 1, …; their handles."""
    width = 0.8 / len(values)
    handles = []
    for k, (name, heights) in enumerate(values.items()):
        look = style(k)
        at = [j - 0.4 + (k + 0.5) * width for j in range(len(labels))]
        bars = axes.bar(
            at, heights, width, color=look.colour, edgecolor="white", hatch=look.hatch, label=name
        )
        handles.append(bars)
    if any(height < 0 for heights in values.values() for height in heights):
        axes.axhline(0, color=FAINT, linewidth=0.8)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    name_columns(axes, labels, inches)
    return handles


def _aligned(groups: Mapping[str, Values]) -> tuple[list[Any], dict[str, list[float]]]:
    read = {str(name): dict(group.items()) for name, group in groups.items()}
    labels = list(dict.fromkeys(label for group in read.values() for label in group))
    require_some(labels, "names, each with values by label")
    return labels, {
        name: [float(group.get(label, 0)) for label in labels] for name, group in read.items()
    }


def bars_spec(groups: Mapping[str, Values], *, y: str = "", x: str = "") -> dict[str, Any]:
    """What `plot_bars` draws, as a Plotly figure in plain data."""
    labels, values = _aligned(groups)
    shapes = ["", "/", ".", "\\", "x", "+"]
    return {
        "data": [
            {
                "type": "bar",
                "name": name,
                "x": list(range(len(labels))),
                "y": heights,
                "marker": {
                    "color": style(k).colour,
                    "pattern": {"shape": shapes[k % len(shapes)]},
                },
            }
            for k, (name, heights) in enumerate(values.items())
        ],
        "layout": {
            "barmode": "group",
            "xaxis": {
                "title": {"text": x},
                "tickvals": list(range(len(labels))),
                "ticktext": [short(label) for label in labels],
            },
            "yaxis": {"title": {"text": y}},
            "showlegend": len(values) > 1,
        },
    }


@drawn
def plot_spending(
    entries: Iterable[Entry], *, unit: str = "privacy level ε", title: str = ""
) -> Figure:
    """What has been spent of each budget: a filled bar inside an outline.

    Parameters
    ----------
    entries
        Triples (name, spent, budget); numbers, Levels or Fractions. A budget of None has no end.
    unit
        What is counted, in words.
    title
        A title.

    Returns
    -------
    matplotlib.figure.Figure
        Hatched where more was spent than the budget allows.

    Examples
    --------
    >>> figure = plot_spending([("survey", 0.5, 1), ("map", 2, 1)])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.5 of 1', '2 of 1, too much']
    """
    rows = [
        (name, float(spent), None if budget is None else float(budget))
        for name, spent, budget in entries
    ]
    require_some(rows, "at least one entry (name, spent, budget)")
    high = max(1.0, 0.42 * len(rows))
    figure, axes = new_axes(WIDTH, high + 0.9)
    for at, (_, spent, budget) in enumerate(rows):
        over = budget is not None and spent > budget
        look = style(1 if over else 0)
        axes.barh(at, spent, 0.5, color=look.colour, hatch=look.hatch, edgecolor="white")
        if budget is not None:
            axes.barh(at, budget, 0.68, facecolor="none", edgecolor=INK, linewidth=1.0)
        text = f"{spent:.3g} of {budget:.3g}" if budget is not None else f"{spent:.3g}, no limit"
        text += ", too much" if over else ""
        write_beside(axes, text, (max(spent, budget or 0.0), at), 5, size=8)
    name_rows(axes, [name for name, _, _ in rows], high)
    axes.tick_params(axis="y", length=0)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel=unit)
    axes.set_xlim(0, 1.3 * max(max(spent, budget or 0.0) for _, spent, budget in rows) or 1.0)
    titled(axes, title)
    patches = matplotlib("patches")
    kinds = {"spent": style(0)}
    if any(budget is not None and spent > budget for _, spent, budget in rows):
        kinds["spent, beyond the budget"] = style(1)
    handles = [
        patches.Patch(facecolor=k.colour, hatch=k.hatch, edgecolor="white", label=name)
        for name, k in kinds.items()
    ]
    handles.append(patches.Patch(facecolor="none", edgecolor=INK, label="budget"))
    legend_below(figure, handles)
    return figure
