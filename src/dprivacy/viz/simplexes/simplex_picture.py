"""Hypers on the simplex: posteriors as marks, the private region, the prior."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from dprivacy.extras import matplotlib, mpltern
from dprivacy.numbers import Floats
from dprivacy.sources import result
from dprivacy.typing import Label, LevelLike, PriorLike, SpaceLike
from dprivacy.viz.simplexes.simplex_scene import Cloud, Drawable, Scene, magnified, make_scene
from dprivacy.viz.simplexes.tetrahedron_views import (
    VIEWS,
    Faces,
    View,
    draw_edges,
    farthest_first,
)
from dprivacy.viz.style.figure_words import legend_below, short
from dprivacy.viz.style.picture_style import FAINT, INK, PALE, Figure, drawn, new_figure, style

AREA = 420.0  # square points of a mark that has all the probability


@result("T", "Fig 2.1", "Fig 6.1", "Fig 6.2", "Fig 7.2", "Fig 7.3")
@drawn
def plot_simplex(
    hypers: Drawable | Mapping[str, Drawable] | None = None,
    *,
    space: SpaceLike | None = None,
    eps: LevelLike | None = None,
    prior: PriorLike = None,
    corners: Sequence[Label] | None = None,
    hulls: bool = True,
    letters: bool = False,
    zoom: bool = False,
    title: str = "",
) -> Figure:
    """Hypers on the probability simplex, with the private region and the prior.

    Two secrets make a segment, three a triangle (first secret bottom left, second bottom right, third
    on top), four a tetrahedron, which is seen from two sides: edges behind a solid are dotted.

    A mark's area is the probability of its observation.

    Parameters
    ----------
    hypers
        A Hyper or a channel, or names and several of them. Channels are pushed the prior.
    space, eps
        The space and level whose private region is shaded.
    prior
        For channels; uniform when omitted.
    corners
        Which secrets to show, and in which order, where there are more than four: the picture is then
        that of an adversary who knows that the secret is one of them.
    hulls
        Whether to draw the convex hull of each hyper's posteriors.
    letters
        Whether to name the corners of the region A, B, C, …
    zoom
        Whether to magnify around the prior until all posteriors and the region just fit.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> G = geometric(line(3), eps="ln 2").channel
    >>> figure = plot_simplex({"geometric": G}, space=line(3), eps="ln 2")
    >>> len(figure.axes[0].collections[0].get_offsets())
    3
    """
    scene = make_scene(hypers, space=space, eps=eps, prior=prior, corners=corners, title=title)
    scene = magnified(scene) if zoom else scene
    sizes = {2: (6.4, 2.2), 3: (5.4, 5.0), 4: (9.6, 5.2)}
    figure = new_figure(*sizes[len(scene.corners)])
    handles = draw_views(figure, 1, 1, 1, scene, hulls=hulls, letters=letters)
    legend_below(figure, handles)
    return figure


def simplex_axes(figure: Figure, rows: int, columns: int, at: int, corners: int) -> Any:
    """Axes for a simplex with 2, 3 or 4 corners."""
    if corners == 3:
        mpltern()
        return figure.add_subplot(rows, columns, at, projection="ternary")
    return figure.add_subplot(rows, columns, at)


def draw_views(
    figure: Figure,
    rows: int,
    columns: int,
    at: int,
    scene: Scene,
    *,
    hulls: bool,
    letters: bool,
    small: bool = False,
) -> Any:
    """Draw a scene in its cell of a table of pictures, a tetrahedron twice; the handles of a legend."""
    n = len(scene.corners)
    if n < 4:
        axes = simplex_axes(figure, rows, columns, at, n)
        return _draw_scene(axes, scene, VIEWS[0], hulls=hulls, letters=letters, small=small)
    handles: Any = []
    for k, view in enumerate(VIEWS):
        axes = simplex_axes(figure, rows, 2 * columns, 2 * at - 1 + k, n)
        title = f"{scene.title}, {view.name}" if scene.title and not k else view.name
        told = replace(scene, title=title)
        handles = _draw_scene(axes, told, view, hulls=hulls, letters=letters, small=small)
    return handles


def _draw_scene(
    axes: Any, scene: Scene, view: View, *, hulls: bool, letters: bool, small: bool
) -> Any:
    _frame(axes, scene, view, small=small)
    handles = []
    if scene.region is not None:
        handles.append(_draw_region(axes, scene, view, letters=letters))
    for k, cloud in enumerate(scene.clouds):
        handles.append(_draw_cloud(axes, cloud, view, k, hulls=hulls, small=small))
    at = coordinates(scene.priors, view)
    (mark,) = axes.plot(*at, "+", color=INK, markersize=9, markeredgewidth=1.6, zorder=6)
    mark.set_label("prior")
    # A height of its own: looking for one costs more than drawing everything else.
    pad, size = (3, 8) if small else (4 if len(scene.corners) == 4 else 16, 11)
    axes.set_title(scene.title, loc="left", y=1.0, pad=pad, size=size)
    return [*handles, mark]


def coordinates(points: Floats, view: View = VIEWS[0]) -> tuple[Floats, ...]:
    """Coordinates for the axes of this many corners; four are looked at in a view."""
    n = points.shape[1]
    if n == 2:
        return points[:, 1], np.zeros(len(points))
    if n == 3:
        return points[:, 2], points[:, 0], points[:, 1]  # mpltern: top, left, right
    flat = view.flat(points)
    return flat[:, 0], flat[:, 1]


def _place(point: Floats, view: View = VIEWS[0]) -> tuple[float, ...]:
    return tuple(float(value[0]) for value in coordinates(point[None, :], view))


def _frame(axes: Any, scene: Scene, view: View, *, small: bool) -> None:
    towards = "" if small or scene.magnified == 1 else "towards "
    names = [towards + short(label, 14 if small else 24) for label in scene.corners]
    size = 8 if small else 10
    if len(names) == 3:
        for name, at, side in zip(names, np.eye(3), ("top", "top", "bottom"), strict=True):
            outside = at + 0.055 * (at - 1 / 3)
            axes.text(*_place(outside), name, ha="center", va=side, size=size)
        for axis in (axes.taxis, axes.laxis, axes.raxis):
            axis.set_ticks([0.25, 0.5, 0.75], labels=[])
            axis.set_tick_params(length=0)
        if scene.magnified == 1:
            axes.grid(color=PALE, linewidth=0.6)  # quarters of the probability
        axes.set_axisbelow(True)
        return
    axes.set_axis_off()
    if len(names) == 2:
        axes.plot([0, 1], [0, 0], color=FAINT, linewidth=1.0, zorder=1)
        for x, name in enumerate(names):
            axes.annotate(name, (x, 0), (0, -12), textcoords="offset points", ha="center", va="top")
        axes.set(xlim=(-0.08, 1.08), ylim=(-1, 1))
        return
    edges = list(combinations(range(4), 2))
    draw_edges(axes, np.eye(4), edges, view, color=FAINT, linewidth=1.0, linestyle="-", zorder=1)
    solid = view.flat(np.eye(4))
    for k, name in enumerate(names):
        away = solid[k] / np.linalg.norm(solid[k])
        axes.annotate(
            name,
            solid[k],
            tuple((5 if small else 12) * away),
            textcoords="offset points",
            ha="left" if away[0] > 0.3 else "right" if away[0] < -0.3 else "center",
            va="bottom" if away[1] > 0.3 else "top" if away[1] < -0.3 else "center",
            size=size,
        )
    axes.set_aspect("equal")
    axes.margins(0.16)


def _draw_region(axes: Any, scene: Scene, view: View, *, letters: bool) -> Any:
    assert scene.region is not None
    corners, edges = scene.region.corners, scene.region.edges
    patches = matplotlib("patches")
    if len(scene.corners) == 3 and len(corners) > 2:
        (patch,) = axes.fill(*coordinates(corners), facecolor=PALE, edgecolor=FAINT, zorder=2)
        patch.set_gid("region")
    if len(scene.corners) == 4:
        faces = Faces.of(corners)
        faces.shaded(axes, corners, view, zorder=1.5)
        look = {"color": FAINT, "linewidth": 1.1, "linestyle": "-", "zorder": 2}
        draw_edges(axes, corners, edges, view, faces=faces, **look)
    for i, j in edges if len(scene.corners) == 2 else ():
        axes.plot(
            *coordinates(corners[[i, j]]),
            color=PALE,
            linewidth=7.0,
            solid_capstyle="butt",
            zorder=2,
        )
    axes.plot(*coordinates(corners, view), ".", color=FAINT, markersize=5, zorder=3)
    if letters:
        _name_corners(axes, corners, view)
    return patches.Patch(facecolor=PALE, edgecolor=FAINT, label="private region")


def _name_corners(axes: Any, corners: Floats, view: View) -> None:
    """A, B, C, … a little outside each corner."""
    centre = corners.mean(axis=0)
    for k, corner in enumerate(corners):
        away = corner - centre
        at = corner + 0.075 * away / (np.linalg.norm(away) or 1.0)
        axes.text(
            *_place(at, view),
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[k % 26],
            ha="center",
            va="center",
            size=9,
        )


def _draw_cloud(axes: Any, cloud: Cloud, view: View, k: int, *, hulls: bool, small: bool) -> Any:
    look = style(k)
    four = cloud.points.shape[1] == 4
    order = farthest_first(cloud.points, view) if four else slice(None)
    # The first is filled and the others are rings, so that marks on one spot are all seen.
    marks = axes.scatter(
        *coordinates(cloud.points[order], view),
        s=AREA * cloud.masses[order] * (0.6 if small else 1.0),
        marker=look.marker,
        facecolors=look.colour if k == 0 else "none",
        edgecolors="white" if k == 0 else look.colour,
        linewidths=0.6 if k == 0 else 1.8,
        zorder=4 + 0.1 * k,
        clip_on=False,
    )
    marks.set_label(cloud.name or "posteriors")
    if hulls and len(cloud.points) > 1:
        edges = hull_edges(cloud.points)
        drawn_as = {"color": look.colour, "linestyle": look.dash, "linewidth": 1.1, "zorder": 3.5}
        if four:
            draw_edges(axes, cloud.points, edges, view, **drawn_as)
        for i, j in () if four else edges:
            axes.plot(*coordinates(cloud.points[[i, j]]), **drawn_as)
    lines = matplotlib("lines")
    return lines.Line2D(
        [],
        [],
        color=look.colour,
        linestyle=look.dash if hulls else "none",
        linewidth=1.1,
        marker=look.marker,
        markersize=8,
        markerfacecolor=look.colour if k == 0 else "none",
        markeredgewidth=1.6 if k else 0.6,
        markeredgecolor=look.colour,
        label=cloud.name or "posteriors, by how likely",
    )


def hull_edges(points: Floats) -> list[tuple[int, int]]:
    """The edges of the convex hull of some posteriors, whatever its dimension."""
    from scipy.spatial import ConvexHull

    flat = points[:, :-1] - points[0, :-1]
    _, sizes, directions = np.linalg.svd(flat, full_matrices=False)
    within = flat @ directions[sizes > 1e-9].T
    if within.shape[1] == 0:
        return []
    if within.shape[1] == 1:
        return [(int(within.argmin()), int(within.argmax()))]
    hull = ConvexHull(within)
    if within.shape[1] == 2:
        return [(int(i), int(j)) for i, j in hull.simplices]
    normals: dict[tuple[int, int], list[Floats]] = {}
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        for i in range(len(simplex)):
            for j in range(i):
                a, b = sorted((int(simplex[i]), int(simplex[j])))
                normals.setdefault((a, b), []).append(equation)
    # In space a facet may be cut into triangles: an edge between two in one plane is none.
    return [edge for edge, planes in normals.items() if np.abs(planes[0] - planes[1]).max() > 1e-7]
