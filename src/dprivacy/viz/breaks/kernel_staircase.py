"""How the number of kernels changes with ε: a level line in each interval, a dot at each break."""

from dprivacy.errors import TooLarge
from dprivacy.extras import matplotlib
from dprivacy.polytope import KernelBreaks
from dprivacy.viz.style.figure_words import legend_below, ruled, titled
from dprivacy.viz.style.picture_style import Figure, drawn, new_axes, style

_BEYOND = 1.15  # how far the last interval, which has no end, is drawn


@drawn
def plot_kernel_breaks(found: KernelBreaks, *, title: str = "") -> Figure:
    """The staircase of the number of kernels: constant between break points, lower at them.

    Parameters
    ----------
    found
        From `kernel_breaks`, with counts.
    title
        A title.

    Raises
    ------
    TooLarge
        Where the kernels were not counted.

    Examples
    --------
    >>> from dprivacy.polytope import kernel_breaks
    >>> figure = plot_kernel_breaks(kernel_breaks("line:5"))
    >>> len(figure.axes[0].lines[-1].get_xdata())
    4
    """
    if found.breaks is None or found.first is None:
        raise TooLarge(
            "the kernels of this space were not counted at each candidate, so that it has no picture"
        )
    levels = [1.0, *(float(k.root) for k in found.breaks)]
    ends = [*levels[1:], _BEYOND * max(levels[-1], 2.0)]
    heights = [sum(found.first.values()), *(k.totals[2] for k in found.breaks)]
    figure, axes = new_axes()
    between, at = style(0), style(1)
    for left, right, height in zip(levels, ends, heights, strict=True):
        axes.plot([left, right], [height, height], color=between.colour, linewidth=1.4)
    axes.plot(
        levels[1:],
        [k.totals[1] for k in found.breaks],
        color=at.colour,
        linestyle="",
        marker=at.marker,
        markersize=3.0 if len(levels) > 20 else 5.0,
    )
    base = "ε" if found.unit == 1 else f"(ε·{found.unit})"
    axes.set(xlabel=f"privacy level, as e^{base}", ylabel="kernels")
    axes.set_xscale("log")
    ticker = matplotlib("ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    ruled(axes)
    titled(axes, title)
    lines = matplotlib("lines").Line2D
    handles = [lines([], [], color=between.colour, label="between break points")]
    if found.breaks:
        handles.append(
            lines([], [], color=at.colour, linestyle="", marker=at.marker, label="at a break point")
        )
    legend_below(figure, handles, columns=2)
    return figure
