"""At which levels one local mechanism is at least as safe as another: a band for each pair."""

from collections.abc import Iterable

from dprivacy.extras import matplotlib
from dprivacy.refine import RefinementBreaks
from dprivacy.viz.style.figure_words import legend_below, name_rows, require_some, ruled, titled
from dprivacy.viz.style.picture_style import WIDTH, Figure, drawn, new_axes, style

_BEYOND = 1.5
_ROW = 0.28  # inches


@drawn
def plot_refinement_breaks(
    found: RefinementBreaks | Iterable[RefinementBreaks], *, title: str = ""
) -> Figure:
    """Bands over e^ε where A ⊑ B holds; a square where it holds at a single level.

    Parameters
    ----------
    found
        From `refinement_breaks`: one, or several for a row each.
    title
        A title.

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> from dprivacy.refine import refinement_breaks
    >>> both = [unary_response(range(3), eps="ln 4", kind=kind) for kind in ("symmetric", "optimised")]
    >>> figure = plot_refinement_breaks(refinement_breaks(*both, names=("SUE", "OUE")))
    >>> figure.axes[0].get_xlabel()
    'privacy level, as e^ε'
    """
    rows = [found] if isinstance(found, RefinementBreaks) else list(found)
    require_some(rows, "at least one comparison")
    last = _BEYOND * max([2.0, *(float(root) for row in rows for root in row.breaks)])
    height = _ROW * len(rows) + 1.5
    figure, axes = new_axes(WIDTH, height)
    band, single = style(0), style(1)
    for at, row in enumerate(rows):
        for low, high in row.intervals:
            left = 1.0 if low is None else float(low)
            right = last if high is None else float(high)
            if low is not None and low is high:
                axes.plot(left, at, linestyle="", marker=single.marker, color=single.colour)
            else:
                axes.barh(at, right - left, left=left, height=0.6, color=band.colour)
    name_rows(axes, [" ⊑ ".join(row.names) for row in rows], height)
    axes.set(xlabel="privacy level, as e^ε", ylim=(len(rows) - 0.5, -0.5), xlim=(1.0, last))
    axes.set_xscale("log")
    ticker = matplotlib("ticker")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    ruled(axes, "x")
    titled(axes, title)
    patches, lines = matplotlib("patches"), matplotlib("lines")
    handles = [patches.Patch(color=band.colour, label="levels at which it holds")]
    if any(low is not None and low is high for row in rows for low, high in row.intervals):
        look = {"marker": single.marker, "color": single.colour, "linestyle": ""}
        handles.append(lines.Line2D([], [], **look, label="a single such level"))
    legend_below(figure, handles)
    return figure
