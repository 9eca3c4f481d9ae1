"""Mechanisms in order of safety, as a Hasse diagram."""

import textwrap
from itertools import pairwise
from statistics import fmean

from dprivacy.refine import Order
from dprivacy.viz.style.figure_words import titled
from dprivacy.viz.style.picture_style import FAINT, INK, Figure, drawn, new_axes

_WORDS = {"average": "on average", "max": "in the max case", "private": "by privacy level"}
Node = str | tuple[str, str, int]  # a class by its first name, or where an edge passes a level


@drawn
def plot_order(order: Order, *, title: str = "") -> Figure:
    """Who is safer than whom: a line leads up from each mechanism to the next safer ones.

    Equals share a box; pairs that floats left open are dotted. Mechanisms that are not comparable
    stand beside each other, never one above the other.

    Parameters
    ----------
    order
        What `dprivacy.refine.order` found.
    title
        A title; by default one that names the order.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.refine import order
    >>> from dprivacy.spaces import line
    >>> two = {name: geometric(line(3), eps=name) for name in ("ln 2", "ln 4")}
    >>> [text.get_text() for text in plot_order(order(two)).axes[0].texts]
    ['ln 2', 'ln 4']
    """
    levels, paths = _laid_out(order)
    columns = _columns(levels, paths)
    texts = {group[0]: _box(group) for group in order.classes}
    wide = [max(_inches(texts.get(str(node), "")) for node in column) for column in columns]
    lines = max(text.count("\n") + 1 for text in texts.values())
    inches = max(4.0, sum(wide))
    figure, axes = new_axes(inches, (0.75 + 0.17 * lines) * len(levels) + 0.6)
    axes.set_axis_off()
    height = {node: k for k, row in enumerate(levels) for node in row}
    places = {
        node: ((sum(wide[:k]) + wide[k] / 2) / sum(wide), float(height[node]))
        for k, column in enumerate(columns)
        for node in column
    }
    for path in paths:
        axes.plot(*zip(*(places[node] for node in path), strict=True), color=INK, linewidth=1.2)
    first = {name: group[0] for group in order.classes for name in group}
    joined = {frozenset(edge) for edge in order.edges}
    for pair in dict.fromkeys(frozenset((first[a], first[b])) for a, b in order.undecided):
        if len(pair) == 2 and pair not in joined:
            ends = [places[name] for name in sorted(pair)]
            axes.plot(*zip(*ends, strict=True), color=FAINT, linestyle=":", zorder=1)
    for name, text in texts.items():
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": INK}
        axes.text(*places[name], text, ha="center", va="center", bbox=box, zorder=3)
    axes.set(xlim=(0, 1), ylim=(-0.5, len(levels) - 0.5))
    titled(axes, title or f"Safest on top, {_WORDS.get(order.by, order.by)}")
    return figure


def _box(group: tuple[str, ...]) -> str:
    return "\n".join(textwrap.shorten(str(name), 28, placeholder="…") for name in group)


def _inches(text: str) -> float:
    return 0.085 * max(map(len, text.split("\n"))) + 0.7


def _laid_out(order: Order) -> tuple[list[list[Node]], list[list[Node]]]:
    """Levels from below, and each edge as the nodes it passes: it has a place of its own on a level."""
    levels: list[list[Node]] = [[group[0] for group in level] for level in order.levels()]
    height = {node: k for k, row in enumerate(levels) for node in row}
    paths: list[list[Node]] = []
    for a, b in order.edges:
        between: list[Node] = [(a, b, k) for k in range(height[a] + 1, height[b])]
        for k, node in enumerate(between, height[a] + 1):
            levels[k].append(node)
        paths.append([a, *between, b])
    return levels, paths


def _columns(levels: list[list[Node]], paths: list[list[Node]]) -> list[list[Node]]:
    """Columns of which each is one way up, so that what stands one above the other is in order.

    A node goes on top of a column that ends below it, or begins one. Levels are sorted by the middle
    of what stands under their members, and columns by that of theirs, which keeps crossings few.
    """
    under: dict[Node, list[Node]] = {}
    for path in paths:
        for low, high in pairwise(path):
            under.setdefault(high, []).append(low)
    at: dict[Node, float] = {}
    columns: list[list[Node]] = []
    for row in levels:
        lows = {node: under.get(node, []) for node in row}
        row.sort(key=lambda node: fmean(at[low] for low in lows[node]) if lows[node] else 0.5)
        at.update({node: (k + 0.5) / len(row) for k, node in enumerate(row)})
        for node in row:
            below = [column for column in columns if column[-1] in lows[node]]
            if below:
                min(below, key=lambda column: abs(at[column[-1]] - at[node])).append(node)
            else:
                columns.append([node])
    return sorted(columns, key=lambda column: fmean(at[node] for node in column))
