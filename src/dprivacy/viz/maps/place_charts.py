"""The frontier of a city: displacement and the adversary's error against the level."""

from typing import Any

from dprivacy.extras import matplotlib
from dprivacy.geo import NAMES, AveragingAttack, PlaceFrontier, in_words
from dprivacy.viz.charts.line_charts import draw_curves
from dprivacy.viz.picture_registry import picture
from dprivacy.viz.style.figure_words import legend_below, ruled, titled
from dprivacy.viz.style.picture_style import FAINT, Figure, drawn, new_figure


@drawn
def plot_places(frontier: PlaceFrontier, *, title: str = "") -> Figure:
    """What one promise costs, and what is left to an adversary who knows the prior.

    On the left the mean distance from raw public places to reports, in the middle that at the public
    place where it is largest, on the right the error of the adversary's best guess. The adversary
    reads planar Laplace noise as the best guess does, so that the two coincide there.

    Parameters
    ----------
    frontier
        What `dprivacy.geo.frontier` gave.

    Examples
    --------
    >>> from dprivacy.geo import city, frontier
    >>> import numpy as np
    >>> places = np.array([48.85, 48.86, 48.87]), np.array([2.35, 2.29, 2.33])
    >>> paris = city("48.86, 2.33, 4 km", cell="4 km", places=places)
    >>> figure = plot_places(frontier(paris, eps=["ln 2"], radius="1 km"))
    >>> figure.axes[0].get_xlabel()
    'privacy level ε within 1 km'
    """
    figure = new_figure(12.0, 4.2)
    panels = figure.subplots(1, 3, sharey=True)
    handles: list[Any] = []
    words = {
        "mean": "mean distance from raw places (m)",
        "worst": "the same at the worst place (m)",
        "adversary": "adversary's expected error (m)",
    }
    for axes, (quantity, label) in zip(panels, words.items(), strict=True):
        curves = {name: frontier.curve(name, quantity) for name in NAMES}
        handles = draw_curves(axes, curves)
        axes.set(xlabel=f"privacy level ε within {in_words(frontier.radius)}", ylabel=label)
        ruled(axes)
        axes.tick_params(labelleft=True)
    panels[0].set_ylim(bottom=0)  # of all, once all curves are drawn
    dash = (0, (1, 1))
    panels[2].axhline(frontier.blind, color=FAINT, linestyle=dash, linewidth=1.4)
    lines = matplotlib("lines")
    blind = lines.Line2D([], [], color=FAINT, linestyle=dash, label="without a report")
    titled(panels[0], title or f"{len(frontier.known.public):,} public places")
    legend_below(figure, [*handles, blind], columns=4)
    return figure


@drawn
def plot_averaging(attack: AveragingAttack, *, title: str = "") -> Figure:
    """How near the averaging attack comes to home, and what was charged for the reports.

    Median errors on the left, charged reports of one person on the right, against the number of
    reports; with fresh noise, with permanent noise in cells, and with permanent noise by leaders.

    Parameters
    ----------
    attack
        What `averaging_attack` gave.

    Examples
    --------
    >>> from dprivacy.geo import averaging_attack
    >>> figure = plot_averaging(averaging_attack(reports=(1, 10), people=3))
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['fresh noise', 'permanent, cells', 'permanent, leaders']
    """
    names = {
        "fresh": "fresh noise",
        "cells": "permanent, cells",
        "permanent": "permanent, leaders",
    }
    figure = new_figure(9.0, 4.2)
    panels = figure.subplots(1, 2)
    handles: list[Any] = []
    shown = {
        "median error of the attacker (m)": {way: getattr(attack, way) for way in names},
        "charged reports of one person": attack.charged,
    }
    for axes, (label, found) in zip(panels, shown.items(), strict=True):
        handles = draw_curves(
            axes,
            {
                name: list(zip(attack.reports, map(float, found[way]), strict=True))
                for way, name in names.items()
            },
        )
        axes.set(xlabel="reports from home", ylabel=label, xscale="log")
        axes.minorticks_off()
        axes.set_xticks(attack.reports, [f"{n:,}" for n in attack.reports])
        ruled(axes)
    panels[0].set_ylim(bottom=0)
    panels[1].set_yscale("log")
    panels[1].minorticks_off()
    tens = [10**k for k in range(len(str(max(attack.charged["fresh"]))))]
    panels[1].set_yticks(tens, [f"{n:,}" for n in tens])
    titled(panels[0], title)
    legend_below(figure, handles, columns=3)
    return figure


picture.register(PlaceFrontier, plot_places)
picture.register(AveragingAttack, plot_averaging)
