"""What a plan will cost, column by column."""

from typing import TYPE_CHECKING

from dprivacy.errors import Malformed
from dprivacy.release import Forecast
from dprivacy.viz.style.picture_style__viz_look import (
    FAINT,
    PALE,
    drawn,
    name_rows,
    new_figure,
    style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@drawn
def plot_forecast(forecast: Forecast, *, title: str = "") -> "Figure":
    """How much of each column stays as it is, and how well its shares can be estimated.

    Parameters
    ----------
    forecast
        What `dprivacy.release.plans.plan_forecast` found.
    title
        A title.

    Returns
    -------
    matplotlib.figure.Figure
        On the left the chance that a value stays (from the least to the most likely value), on the
        right the standard error of an estimated share. Columns without a channel are left out.
    """
    columns = [c for c in forecast.columns if c.kept is not None or c.share_error is not None]
    if not columns:
        raise Malformed("no column of this plan has a channel, so there is nothing to draw")
    high = max(1.0, 0.45 * len(columns))
    figure = new_figure(7.4, high + 1.2)
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.1})
    for at, column in enumerate(columns):
        if column.kept is not None:
            low, top = (100 * share for share in column.kept)
            left.plot([low, top], [at, at], color=style(0).colour, linewidth=5, alpha=0.4)
            left.plot([low, top], [at, at], style(0).marker, color=style(0).colour)
        if column.share_error is not None:
            points = 100 * column.share_error
            right.barh(at, points, 0.5, color=style(0).colour)
            right.annotate(
                f"±{points:.2g}",
                (points, at),
                (4, 0),
                textcoords="offset points",
                va="center",
                size=8,
            )
        else:
            right.annotate(
                "cannot be corrected",
                (0, at),
                (4, 0),
                textcoords="offset points",
                va="center",
                size=8,
                color=FAINT,
            )
    name_rows(left, [column.name for column in columns], high)
    left.set(xlim=(0, 104), ylim=(len(columns) - 0.4, -0.6))
    left.set_xlabel("values that stay as they are, %")
    right.set_xlabel("standard error of a share, points")
    right.set_xlim(0, max(1.0, 1.3 * max(100 * (c.share_error or 0) for c in columns)))
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=PALE, linewidth=0.6)
        axes.set_axisbelow(True)
    figure.suptitle(title or f"What to expect with {forecast.rows:,} rows", size=11)
    return figure
