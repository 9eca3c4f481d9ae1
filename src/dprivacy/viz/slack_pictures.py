"""How many extreme points there are by δ: steps at one level, a map of counts at every level."""

from itertools import pairwise
from typing import Any

import numpy as np

from dprivacy.extras import matplotlib
from dprivacy.model import about
from dprivacy.polytope import Curve, DeltaBreaks, LevelCell
from dprivacy.viz.style.figure_words import ruled, titled
from dprivacy.viz.style.picture_style import FAINT, INK, SHADES, Figure, drawn, new_axes, style

_BEYOND = 1.6  # times the largest bound of e^ε
_LEAST = 4.0
_ROOM, _WIDTH = 0.035, 0.085  # height and width of a number, as shares of the picture
_POINTS = 400


@drawn
def plot_delta_breaks(found: DeltaBreaks, *, title: str = "") -> Figure:
    """The number of extreme points by δ, with the break points.

    At one level it is a line of steps, with a point for the number at each break point. At every level
    it is a map: e^ε to the right, δ upwards, the curves at which the number changes, and the numbers
    between them.

    Parameters
    ----------
    found
        From `delta_breaks`.
    title
        A title.

    Examples
    --------
    >>> from dprivacy.polytope import delta_breaks
    >>> plot_delta_breaks(delta_breaks(3, eps="ln 2")).axes[0].get_xlabel()
    'slack δ'
    """
    figure, axes = new_axes()
    size = f"{found.n}×{found.outputs} matrices"
    if found.eps is None:
        _map(figure, axes, found)
        titled(axes, title or f"{size}: extreme points")
    else:
        _steps(axes, found.cells[0])
        titled(axes, title or f"{size}: extreme points at ε = {about(found.eps)}")
    return figure


def _steps(axes: Any, cell: LevelCell) -> None:
    """One level: its curves are constants, or 0 and 1."""
    look = style(0)
    levels = [float(level.at(cell.low.high)) for level in cell.levels]
    for (left, right), number in zip(pairwise(levels), cell.between, strict=True):
        axes.plot([left, right], [number, number], color=look.colour)
    axes.plot(levels, cell.at, linestyle="", marker="o", color=look.colour)
    axes.set(xlabel="slack δ", ylabel="extreme points", xlim=(-0.02, 1.02))
    axes.set_ylim(bottom=0)
    ruled(axes)


def _map(figure: Figure, axes: Any, found: DeltaBreaks) -> None:
    """Every level: regions shaded by their number, which is written where there is room."""
    wide = [cell for cell in found.cells if not cell.single]
    last = max(_LEAST, _BEYOND * max(float(cell.high or cell.low) for cell in wide))
    numbers = [number for cell in wide for number in cell.between]
    shades = matplotlib("cm").ScalarMappable(
        matplotlib("colors").Normalize(_paler(numbers), max(numbers) * 1.25), SHADES
    )
    for cell in wide:
        left, right = float(cell.low), float(cell.high) if cell.high else last
        at = np.linspace(left, right, _POINTS)
        heights = [_heights(level, at) for level in cell.levels]
        for (low, high), number in zip(pairwise(heights), cell.between, strict=True):
            axes.fill_between(at, low, high, color=shades.to_rgba(number), linewidth=0)
            _number(axes, at, low, high, number, last)
        for height in heights[1:-1]:
            axes.plot(at, height, color=INK, linewidth=1.0)
        if cell.high is not None:
            axes.axvline(right, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set(xlabel="e^ε", ylabel="slack δ", xlim=(1, last), ylim=(0, 1))
    bar = figure.colorbar(shades, ax=axes, label="extreme points between the curves")
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_formatter(matplotlib("ticker").StrMethodFormatter("{x:,.0f}"))


def _paler(numbers: list[int]) -> float:
    """Where shades begin: low enough that numbers can be read on all of them."""
    return min(numbers) - 0.6 * (max(numbers) - min(numbers)) - 1


def _heights(level: Curve, at: Any) -> Any:
    top, bottom = (
        np.polynomial.polynomial.polyval(at, part or (0,)) for part in (level.top, level.bottom)
    )
    return top / bottom + 0 * at


def _number(axes: Any, at: Any, low: Any, high: Any, number: int, last: float) -> None:
    """The number of a region, at the place with the most room, if it fits there."""
    half = int(_WIDTH / 2 * (last - 1) / (at[1] - at[0]))
    places = range(half, len(at) - half)
    rooms = [(low[k - half : k + half].max(), high[k - half : k + half].min()) for k in places]
    most = max((top - bottom for bottom, top in rooms), default=0.0)
    if most > _ROOM:  # in the middle of the places with about as much room
        good = [k for k, (bottom, top) in enumerate(rooms) if top - bottom > 0.9 * most]
        best = good[len(good) // 2]
        height = sum(rooms[best]) / 2
        axes.text(at[places[best]], height, f"{number:,}", ha="center", va="center", fontsize=8)
