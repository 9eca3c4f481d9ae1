"""Protected curves, beside the true ones where somebody has them, and mean profiles with bands."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.curves import Profile, ProtectedCurves
from dprivacy.viz.style.figure_words import legend_below, titled
from dprivacy.viz.style.picture_style import PALE, Figure, drawn, new_axes, new_figure, style


@drawn
def plot_days(
    protected: ProtectedCurves, *, truth: ArrayLike | None = None, shown: int = 3, title: str = ""
) -> Figure:
    """The mean of protected curves with its band, and single curves before and after.

    Left the means, right single curves.

    Parameters
    ----------
    protected
        The `data` of what `protect_curves` gave.
    truth
        The true curves, for those who may see them; the picture is then as secret as they are.
    shown
        How many single curves to draw.

    Examples
    --------
    >>> from dprivacy.curves import protect_curves
    >>> days = [[1, 2, 3, 2], [2, 3, 4, 3], [1, 1, 2, 1]]
    >>> figure = plot_days(protect_curves(days, eps=5, grid="0.1", bounds=(0, 5), size=2).data)
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['reading', 'reading']
    """
    figure = new_figure(width=9.0)
    left, right = figure.subplots(1, 2)
    profile = protected.mean()
    known = None if truth is None else np.asarray(truth)
    _band(left, profile, None if known is None else known.mean(axis=0))
    titled(left, title or f"mean of {len(protected):,} protected curves")
    for k in range(min(shown, len(protected))):
        look = style(k)
        if known is not None:
            right.plot(known[k], color=look.colour, linewidth=2.0)
        right.plot(protected.values[k], color=look.colour, linewidth=0.9, linestyle="--")
    titled(
        right, "single curves" if known is None else "single curves: true thick, protected dashed"
    )
    for axes in (left, right):
        axes.set_xlabel("reading")
        axes.set_ylabel(protected.unit or "value")
    legend_below(figure, left.get_legend_handles_labels()[0])
    return figure


@drawn
def plot_mean_profile(
    profile: Profile, *, truth: ArrayLike | None = None, title: str = ""
) -> Figure:
    """A mean curve with its band, and the true mean where somebody has it.

    Examples
    --------
    >>> from dprivacy.curves import protect_curves
    >>> days = [[1, 2, 3, 2], [2, 3, 4, 3], [1, 1, 2, 1]]
    >>> protected = protect_curves(days, eps=5, grid="0.1", bounds=(0, 5), size=2)
    >>> figure = plot_mean_profile(protected.data.mean())
    >>> print(figure.axes[0].get_title(loc="left"))
    mean of 3 protected curves
    """
    figure, axes = new_axes()
    _band(axes, profile, truth)
    axes.set_xlabel("reading")
    axes.set_ylabel("mean")
    legend_below(figure, axes.get_legend_handles_labels()[0])
    titled(axes, title or f"mean of {profile.curves:,} protected curves")
    return figure


def _band(axes: Any, profile: Profile, truth: ArrayLike | None) -> None:
    times = range(len(profile.mean))
    label = f"band, {profile.confidence:.0%} for all readings"
    axes.fill_between(times, profile.low, profile.high, color=PALE, label=label)
    axes.plot(profile.mean, color=style(0).colour, label="mean of protected curves")
    if truth is not None:
        axes.plot(truth, color="black", linestyle=":", linewidth=1.6, label="true mean")
