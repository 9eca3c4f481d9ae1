"""Pictures of protected texts: what attacks still find at each level."""

import math
from typing import Any

from dprivacy.extras import matplotlib
from dprivacy.text import AuthorTopicTable, FormTable
from dprivacy.viz.style.figure_words import legend_below, ruled, titled
from dprivacy.viz.style.picture_style import FAINT, Figure, drawn, new_figure, style


@drawn
def plot_attacks(table: AuthorTopicTable, *, title: str = "") -> Figure:
    """Right guesses of authors and topics against the level, with error bars.

    Authors on the left, topics on the right (where there are any); the unmodified texts stand
    at the right end of each, success by chance is a dotted line. Below each level is the share
    of words that stayed.

    Parameters
    ----------
    table
        What `author_topic_experiment` found.

    Examples
    --------
    >>> from dprivacy.text import AuthorTopicTable, Row
    >>> rows = (
    ...     Row(None, 1.0, {"author, n-grams": (0.7, 0.8)}),
    ...     Row("5", 0.4, {"author, n-grams": (0.2, 0.3)}),
    ... )
    >>> figure = plot_attacks(AuthorTopicTable(rows, 20, 1, 0.5, 2, "laplace", "GloVe"))
    >>> print(figure.axes[0].get_title(loc="left"))
    author told, of 20
    """
    lines = matplotlib("lines")
    sides = [side for side in ("author", "topic") if any(a.startswith(side) for a in table.attacks)]
    figure = new_figure(4.6 * len(sides) + 0.4, 4.2)
    rows = [*sorted(table.rows[1:], key=lambda row: float(row.eps or 0)), table.rows[0]]
    names = [f"{row.label}\n{100 * row.kept:.0f} %" for row in rows]
    handles: dict[str, Any] = {}
    axes: Any = None
    for k, side in enumerate(sides, 1):
        axes = figure.add_subplot(1, len(sides), k, sharey=axes)
        for attack in (a for a in table.attacks if a.startswith(side)):
            how = attack.split(", ")[1]
            look = style(0 if how in ("n-grams", "linear") else 1)
            bars = axes.errorbar(
                range(len(rows)),
                [100 * row.mean(attack) for row in rows],
                yerr=[100 * row.error(attack) for row in rows],
                color=look.colour,
                linestyle=look.dash,
                marker=look.marker,
                capsize=3,
                label=_WAYS[how],
            )
            handles.setdefault(_WAYS[how], bars)
            chance = 100 * table.chance(attack)
        axes.axhline(chance, color=FAINT, linestyle=":", linewidth=1.4)
        axes.set_xticks(range(len(rows)), names)
        axes.set(ylim=(-3, 105), xlabel="level ε per word, and words that stayed")
        ruled(axes)
        count = table.authors if side == "author" else table.topics
        titled(axes, f"{side} told, of {count}")
        if k == 1:
            axes.set_ylabel("right guesses, %")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    by_chance = lines.Line2D([], [], color=FAINT, linestyle=":", label="by chance")
    legend_below(figure, [*handles.values(), by_chance], columns=5)
    return figure


@drawn
def plot_forms(table: FormTable, *, title: str = "") -> Figure:
    """Topics told right against the level of a whole text: released as topics, and as words.

    Parameters
    ----------
    table
        What `compare_forms` found.

    Examples
    --------
    >>> from dprivacy.text import FormRow, FormTable
    >>> rows = (FormRow("topic", 3.0, 3.0, 0.5), FormRow("words", 2.0, 1100.0, 0.2))
    >>> print(plot_forms(FormTable(rows, 100, 7, 0.63)).axes[0].get_ylabel())
    topics told right, %
    """
    figure = new_figure(6.4, 4.2)
    axes = figure.add_subplot()
    handles = []
    for k, keep in enumerate(("topic", "words")):
        rows = sorted((r for r in table.rows if r.keep == keep), key=lambda r: (r.level, r.eps))
        look = style(k)
        handles += axes.plot(
            [row.level / math.log(10) for row in rows],
            [100 * row.right for row in rows],
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            label={"topic": "released as a topic", "words": "released as words"}[keep],
        )
    handles += [
        axes.axhline(
            100 * table.plain, color=FAINT, linestyle="--", linewidth=1.4, label="no noise"
        ),
        axes.axhline(
            100 / table.topics, color=FAINT, linestyle=":", linewidth=1.4, label="by chance"
        ),
    ]
    axes.set_xscale("log")
    axes.set(ylim=(0, 100), xlabel="digits of the factor between any two texts (10 to this power)")
    axes.set_ylabel("topics told right, %")
    ruled(axes)
    titled(axes, title or f"{table.texts:,} texts, {table.topics} topics")
    legend_below(figure, handles, columns=4)
    return figure


_WAYS = {
    "n-grams": "n-grams of characters",
    "linear": "linear model on words",
    "embedding": "nearest texts in the embedding",
}
