"""Local mechanisms side by side: how far a count is off, and how long a report is."""

from dprivacy.mechanisms import LocalPlan
from dprivacy.viz.style.figure_words import name_rows, ruled, write_beside
from dprivacy.viz.style.picture_style import FAINT, Figure, drawn, new_figure, style


@drawn
def plot_local_plan(plan: LocalPlan, *, title: str = "") -> Figure:
    """Local mechanisms by the error of a count and the length of a report; the best is dark.

    Parameters
    ----------
    plan
        What `dprivacy.mechanisms.local_plan` found.
    title
        What it is, when omitted.

    Examples
    --------
    >>> from dprivacy.mechanisms import local_plan
    >>> figure = plot_local_plan(local_plan(range(1024), eps=1, n=100_000))
    >>> figure.axes[1].get_xlabel()
    'bits of a report'
    """
    high = 0.4 * len(plan.candidates)
    figure = new_figure(7.8, high + 1.3)
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.1})
    for at, each in enumerate(plan.candidates):
        colour = style(0).colour if each is plan.best else FAINT
        for axes, value in ((left, each.error), (right, each.bits)):
            axes.barh(at, value, 0.55, color=colour)
            write_beside(
                axes, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", (value, at), 4, size=8
            )
    name_rows(left, [each.name for each in plan.candidates], high)
    left.set_ylim(len(plan.candidates) - 0.4, -0.6)
    for axes, words, values in (
        (left, "standard error of a count", [each.error for each in plan.candidates]),
        (right, "bits of a report", [each.bits for each in plan.candidates]),
    ):
        axes.set(xscale="log", xlabel=words, xlim=(min(values) / 3, max(values) * 4))
        axes.tick_params(axis="y", length=0)
        ruled(axes, "x")
    many = f"{len(plan.labels):,} labels, {plan.n:,} people"
    figure.suptitle(title or f"Local mechanisms for {many}", size=11)
    return figure
