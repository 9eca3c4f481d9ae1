"""Mechanisms in order of safety, as a Hasse diagram."""

import textwrap
from dataclasses import dataclass
from itertools import pairwise

from dprivacy.refine import Order
from dprivacy.viz.style.figure_words import titled
from dprivacy.viz.style.picture_style import FAINT, INK, Figure, drawn, new_axes

_WORDS = {"average": "on average", "max": "in the max case", "private": "by privacy level"}
Node = str | tuple[str, str, int]  # a class by its first name, or where an edge passes a level


@drawn
def plot_order(order: Order, *, title: str = "") -> Figure:
    """Who is safer than whom: a line leads up from each mechanism to the next safer ones.

    Equals share a box; pairs that floats left open are dotted.

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
    plan = _laid_out(order)
    texts = {group[0]: _box(group) for group in order.classes}
    inches = max(sum(_inches(texts.get(str(node), "")) for node in row) for row in plan.levels)
    lines = max(text.count("\n") + 1 for text in texts.values())
    figure, axes = new_axes(max(4.0, inches), (0.75 + 0.17 * lines) * len(plan.levels) + 0.6)
    axes.set_axis_off()
    places = plan.places()
    for path in plan.paths:
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
    axes.set(xlim=(0, 1), ylim=(-0.5, len(plan.levels) - 0.5))
    titled(axes, title or f"Safest on top, {_WORDS.get(order.by, order.by)}")
    return figure


def _box(group: tuple[str, ...]) -> str:
    return "\n".join(textwrap.shorten(str(name), 28, placeholder="…") for name in group)


def _inches(text: str) -> float:
    return 0.085 * max(map(len, text.split("\n"))) + 0.7


@dataclass(frozen=True)
class _Plan:
    """Levels from below, and each edge as the nodes that it passes."""

    levels: list[list[Node]]
    paths: list[list[Node]]

    def places(self) -> dict[Node, tuple[float, float]]:
        return {
            node: ((k + 0.5) / len(row), float(height))
            for height, row in enumerate(self.levels)
            for k, node in enumerate(row)
        }


def _laid_out(order: Order) -> _Plan:
    """Place the classes so that no line runs behind a box.

    An edge that passes a level takes a place of its own there. Each level is sorted by the middle of
    what stands under its members, which keeps crossings few.
    """
    levels: list[list[Node]] = [[group[0] for group in level] for level in order.levels()]
    height = {node: k for k, row in enumerate(levels) for node in row}
    paths: list[list[Node]] = []
    for a, b in order.edges:
        between: list[Node] = [(a, b, k) for k in range(height[a] + 1, height[b])]
        for k, node in enumerate(between, height[a] + 1):
            levels[k].append(node)
        paths.append([a, *between, b])
    under: dict[Node, list[Node]] = {}
    for path in paths:
        for low, high in pairwise(path):
            under.setdefault(high, []).append(low)
    at: dict[Node, float] = {}
    for row in levels:
        middle = {
            node: sum(at[low] for low in under[node]) / len(under[node]) if node in under else 0.5
            for node in row
        }
        row.sort(key=middle.__getitem__)
        at.update({node: (k + 0.5) / len(row) for k, node in enumerate(row)})
    return _Plan(levels, paths)
