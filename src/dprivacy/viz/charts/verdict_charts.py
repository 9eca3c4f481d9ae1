"""What a comparison of two channels came to, as a picture of its witness."""

from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import Labelled
from dprivacy.refine import AverageRefinement, MaxRefinement, PrivateRefinement, Refinement
from dprivacy.viz.charts.bar_charts import draw_bars
from dprivacy.viz.charts.channel_heat import plot_table
from dprivacy.viz.style.figure_words import legend_below, short
from dprivacy.viz.style.picture_style import WIDTH, Figure, drawn, new_figure, style


@drawn
def plot_refinement(verdict: Refinement, *, title: str = "") -> Figure:
    """The witness of a refinement: the post-processing, or what tells the two channels apart.

    Where it holds, the post-processing (or the mixtures of posteriors) as a heat map. Where it
    fails, what the adversary of the witness gains from each channel, with what each secret is
    worth to them; for privacy-based refinement, the two levels.

    Parameters
    ----------
    verdict
        What `refines` found.
    title
        A title; by default the verdict in a few words.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.refine import refines
    >>> from dprivacy.spaces import line
    >>> strong, weak = (geometric(line(3), eps=eps) for eps in ("ln 2", "ln 4"))
    >>> figure = plot_refinement(refines(weak, strong, names=("weak", "strong")))
    >>> print(figure.axes[0].get_title(loc="left"))
    strong is at least as safe as weak
    """
    first, second = verdict.names
    held = {True: "is", False: "is not", None: "may be"}[verdict.holds]
    words = title or f"{second} {held} at least as safe as {first}"
    table = _witness(verdict)
    if table is not None:
        sides = (
            (f"output of {first}", f"becomes, in {second}")
            if isinstance(verdict, AverageRefinement)
            else (f"posterior of {second}", f"mixed of those of {first}")
        )
        return plot_table(table, sides=sides, scale="share", title=words)
    before, after = getattr(verdict, "before", None), getattr(verdict, "after", None)
    if before is None or after is None:
        raise NotApplicable(
            f"the verdict on {first} and {second} has no witness to draw; draw the two channels with "
            "plot_simplex instead"
        )
    return _compared(verdict, words, float(before), float(after))


def _witness(verdict: Refinement) -> Labelled | None:
    if isinstance(verdict, AverageRefinement):
        return verdict.R
    return verdict.coefficients if isinstance(verdict, MaxRefinement) else None


def _compared(verdict: Refinement, words: str, before: float, after: float) -> Figure:
    worth = _worth(verdict)
    figure = new_figure(WIDTH if worth else 4.4, 3.6)
    grid = figure.add_gridspec(1, 2 if worth else 1, width_ratios=[1, 1.6] if worth else [1])
    axes = figure.add_subplot(grid[0])
    for k, value in enumerate((before, after)):
        look = style(k)
        axes.bar(k, value, 0.55, color=look.colour, hatch=look.hatch, edgecolor="white")
        axes.annotate(
            f"{value:.4g}", (k, value), (0, 3), textcoords="offset points", ha="center", va="bottom"
        )
    axes.set_xticks([0, 1], [short(name, 14) for name in verdict.names])
    axes.set(xlim=(-0.6, 1.6), ylabel=_measured(verdict))
    axes.margins(y=0.14)
    if worth:
        beside = figure.add_subplot(grid[1])
        labels = list(next(iter(worth.values())))
        values = {name: list(row.values()) for name, row in worth.items()}
        handles = draw_bars(beside, labels, values, inches=0.5 * WIDTH)
        beside.set(xlabel="secret", ylabel="what it is worth to them")
        legend_below(figure, handles)
    figure.suptitle(words, size=11)
    return figure


def _measured(verdict: Refinement) -> str:
    if not isinstance(verdict, PrivateRefinement):
        return "what the adversary gains"
    if verdict.pair is None:
        return "smallest level ε"
    x, z = (short(label, 12) for label in verdict.pair)
    return f"{x} and {z} told apart, level ε"


def _worth(verdict: Refinement) -> dict[str, dict[Any, float]]:
    """The payments of a small gain function, by action and secret."""
    if isinstance(verdict, MaxRefinement) and verdict.worth is not None:
        return {"bet": {x: float(v) for x, v in verdict.worth.items()}}
    gain = verdict.gain if isinstance(verdict, AverageRefinement) else None
    if gain is None or len(gain.rows) > 4:
        return {}
    rows = {short(w): gain.row(w) for w in gain.rows}
    return {name: {x: float(v) for x, v in row.items()} for name, row in rows.items()}
