"""What mechanisms answer on one true value, side by side."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import as_channel
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label
from dprivacy.viz.charts.bar_charts import draw_bars
from dprivacy.viz.charts.line_charts import draw_curves
from dprivacy.viz.style.figure_words import legend_below, require_some, short, titled
from dprivacy.viz.style.picture_style import FAINT, PALE, WIDTH, Figure, drawn, new_axes


@result("T", "Fig 4.1", "Fig 8.1")
@drawn
def plot_noise(
    mechanisms: Mapping[str, ChannelLike],
    *,
    at: Label,
    within: float | None = None,
    title: str = "",
) -> Figure:
    """The answers of several mechanisms on one true value.

    Curves over numbers, bars over other labels.

    Parameters
    ----------
    mechanisms
        Names, and channels or mechanisms.
    at
        The true value.
    within
        For numbers: shade the answers within this distance of it.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric, randomised_response
    >>> from dprivacy.spaces import discrete, line
    >>> two = {
    ...     "geometric": geometric(line(9), eps="ln 2"),
    ...     "response": randomised_response(discrete(range(9)), eps="ln 2"),
    ... }
    >>> len(plot_noise(two, at=4).axes[0].lines)
    3
    """
    require_some(mechanisms, "names and mechanisms")
    rows = {
        str(name): {y: float(p) for y, p in as_channel(C).row(at).items()}
        for name, C in mechanisms.items()
    }
    figure, axes = new_axes()
    outputs = [y for row in rows.values() for y in row]
    if all(isinstance(y, Real) and not isinstance(y, bool) for y in outputs):
        handles = _over_numbers(axes, rows, at, within)
        axes.set_ylim(bottom=0)
    else:
        if within is not None:
            raise NotApplicable(f"within={within:g} needs answers that are numbers; leave it out")
        labels = list(dict.fromkeys(y for row in rows.values() for y in row))
        values = {name: [row.get(y, 0.0) for y in labels] for name, row in rows.items()}
        handles = draw_bars(axes, labels, values, inches=WIDTH - 0.9)
    axes.set(xlabel="answer", ylabel="probability")
    axes.set_axisbelow(True)
    titled(axes, title or f"Answers when the true value is {short(at)}")
    legend_below(figure, handles)
    return figure


def _over_numbers(
    axes: Any, rows: Mapping[str, dict[Any, float]], at: Any, within: float | None
) -> list[Any]:
    curves = {name: sorted((float(y), p) for y, p in row.items()) for name, row in rows.items()}
    handles = draw_curves(axes, curves)
    truth = axes.axvline(float(at), color=FAINT, linewidth=0.9, zorder=1, label="true value")
    handles.append(truth)
    if within is not None:
        band = axes.axvspan(float(at) - within, float(at) + within, color=PALE, zorder=0)
        band.set_label(f"within {within:g} of the true value")
        handles.append(band)
    return handles
