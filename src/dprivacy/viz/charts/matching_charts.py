"""What private matching costs, in pictures: utility loss against budget and against hash length."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.extras import matplotlib
from dprivacy.hashing import LossExperiment
from dprivacy.sources import result
from dprivacy.viz.charts.line_charts import plot_curves
from dprivacy.viz.style.figure_words import legend_below, require_some, ruled, titled
from dprivacy.viz.style.picture_style import (
    FAINT,
    HEIGHT,
    Figure,
    drawn,
    new_axes,
    new_figure,
    style,
)

_NAMES = {"LSHRR": "hash, then flip (LSHRR)", "LapLSH": "noise, then hash (LapLSH)"}
_BINS = 25
_ACROSS = 3.4  # inches of a panel
_WIDE = 7.6  # inches in which the legend has two columns


@result("T", "Fig 10.3", "Fig 10.4", "Fig 10.5")
def plot_loss_experiment(experiment: LossExperiment, *, title: str = "") -> Figure:
    """Utility lost in matching: against the total budget ξ, or against the length of the hash.

    A panel for each length of hash, with the losses of plain hashes and of random others to
    compare with; for plain hashes alone, one curve for each number of matches.

    Parameters
    ----------
    experiment
        What `utility_loss_experiment` or `hashing_loss` measured.

    Examples
    --------
    >>> from dprivacy.hashing import hashing_loss
    >>> people = [[1, 0, 2], [0, 1, 1], [3, 1, 0], [2, 2, 2], [1, 3, 0]]
    >>> figure = plot_loss_experiment(hashing_loss(people, bits=[4, 8], k=[1], repetitions=2))
    >>> figure.axes[0].get_xlabel()
    'hash bits'
    """
    if any(point.xi is not None for point in experiment.points):
        return _against_budget(experiment, title)
    curves = {
        f"{k} match{'es' if k > 1 else ''} each": [
            (point.bits, point.loss) for point in experiment.points if point.k == k
        ]
        for k in experiment.chance
    }
    return plot_curves(curves, x="hash bits", y="utility loss", title=title)


@drawn
def _against_budget(experiment: LossExperiment, title: str) -> Figure:
    lengths = list(dict.fromkeys(point.bits for point in experiment.points))
    distances = list(dict.fromkeys(p.distance for p in experiment.points if p.distance is not None))
    figure = new_figure(max(_WIDE, 0.8 + _ACROSS * len(lengths)), HEIGHT + 0.6)
    panels = figure.subplots(1, len(lengths), sharey=True, squeeze=False)[0]
    handles: list[Any] = []
    for axes, bits in zip(panels, lengths, strict=True):
        [plain] = {p.loss for p in experiment.points if (p.mechanism, p.bits) == ("LSH", bits)}
        [chance] = experiment.chance.values()
        beside = ((plain, "-.", "plain hash"), (chance, ":", "random others"))
        lines = []
        # Colour says which distance, dash and fill of the mark which mechanism. With a line to compare
        # with after each, the two columns of the legend hold one mechanism each.
        for i, (mechanism, name) in enumerate(_NAMES.items()):
            for j, d in enumerate(distances):
                look = style(j)
                points = experiment.curve(mechanism, bits=bits, distance=d)
                lines += axes.plot(
                    [xi for xi, _ in points],
                    [loss for _, loss in points],
                    color=look.colour,
                    linestyle="--" if i else "-",
                    marker=look.marker,
                    markerfacecolor="none" if i else look.colour,
                    label=f"{name}, distance {float(d):g}",
                )
            height, dash, name = beside[i]
            lines.append(axes.axhline(height, color=FAINT, linestyle=dash, label=name))
        axes.set(xlabel="total privacy budget ξ (xi)")
        axes.set_title(f"{bits} hash bits")
        ruled(axes)
        handles = lines
    panels[0].set(ylabel="utility loss")
    panels[0].set_ylim(bottom=0)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    legend_below(figure, handles, columns=2)
    return figure


@result("T", "Fig 10.2")
@drawn
def plot_nearest_distances(distances: Mapping[str, ArrayLike], *, title: str = "") -> Figure:
    """How far everybody's true nearest neighbour is.

    The share of people at each distance, as outlines.

    Parameters
    ----------
    distances
        Names of data sets, and the distances of each, such as `nearest_distances` gives.

    Examples
    --------
    >>> figure = plot_nearest_distances({"town": [0.1, 0.1, 0.4], "village": [0.3, 0.5]})
    >>> len(figure.axes[0].patches)
    2
    """
    read = {
        str(name): np.asarray(values, dtype=float).ravel() for name, values in distances.items()
    }
    require_some(read, "names, each with at least one distance")
    edges = np.linspace(0, max(values.max() for values in read.values()) or 1.0, _BINS + 1)
    figure, axes = new_axes()
    lines = matplotlib("lines")
    handles = []
    for k, (name, values) in enumerate(read.items()):
        look = style(k)
        share = np.histogram(values, edges)[0] / len(values)
        axes.stairs(share, edges, color=look.colour, linestyle=look.dash, linewidth=1.8)
        handles.append(lines.Line2D([], [], color=look.colour, linestyle=look.dash, label=name))
    axes.set(xlabel="distance of the true nearest neighbour", ylabel="share of people")
    axes.set_ylim(bottom=0)
    titled(axes, title)
    legend_below(figure, handles)
    return figure
