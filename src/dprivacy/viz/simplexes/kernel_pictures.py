"""The kernels of a space, one small simplex each."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from dprivacy.model import about, as_space
from dprivacy.numbers import as_eps
from dprivacy.polytope import kernels as every_kernel
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, SpaceLike
from dprivacy.viz.simplexes.simplex_picture import draw_views
from dprivacy.viz.simplexes.simplex_scene import magnified, make_scene
from dprivacy.viz.style.figure_words import legend_below, require_some, short
from dprivacy.viz.style.picture_style import Figure, drawn, new_figure


@result("T", "Fig 6.3")
@drawn
def plot_kernels(
    space: SpaceLike,
    *,
    eps: LevelLike,
    channels: Iterable[ChannelLike] | None = None,
    called: str = "kernel",
    corners: Sequence[Label] | None = None,
    limit: int = 12,
    zoom: bool = True,
    title: str = "",
) -> Figure:
    """The kernels of a space, or other channels on it, each on its own small simplex.

    One panel a kernel, numbered in the order of `dprivacy.polytope.kernels`; with four secrets
    two, since a tetrahedron is seen from two sides.

    Parameters
    ----------
    space, eps
        The space and the level; e^(ε·d) must be rational unless channels are given.
    channels
        Channels to draw instead of the kernels.
    called
        What one of them is called.
    corners
        Which secrets to show where there are more than four.
    limit
        How many to draw at most.
    zoom
        Whether to magnify around the uniform prior.
    title
        A title; by default one that says what is drawn.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> len(plot_kernels(line(3), eps="ln 2").axes)  # a panel a kernel
    2
    """
    space = as_space(space)
    found = every_kernel(space, eps=eps) if channels is None else iter(channels)
    shown = list(islice(found, limit))
    require_some(shown, "at least one channel")
    more = next(found, None) is not None
    scenes = [
        make_scene(kernel, space=space, eps=eps, prior=None, corners=corners, title=f"{called} {k}")
        for k, kernel in enumerate(shown, 1)
    ]
    scenes = [magnified(scene) for scene in scenes] if zoom else scenes
    views = 2 if len(scenes[0].corners) == 4 else 1
    across = min(3 if views == 1 else 2, len(scenes))
    down = -(-len(scenes) // across)
    longest = max(len(short(label, 14)) for label in scenes[0].corners)
    wide = 2.1 + 0.16 * longest  # room for a corner's name on either side
    figure = new_figure(max(4.8, wide * across * views), 2.3 * down + 0.9)
    handles: Any = []
    for k, scene in enumerate(scenes, 1):
        handles = draw_views(figure, down, across, k, scene, hulls=True, letters=False, small=True)
    legend_below(figure, handles)
    first = f"the first {len(shown)} {called}s" if more else f"{len(shown)} {called}s"
    figure.suptitle(title or f"{first} at level {about(as_eps(eps, zero=True))}", size=11)
    return figure
