"""Hypers on the simplex as Plotly figures in plain data, for pages."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from dprivacy.numbers import Floats
from dprivacy.typing import Label, LevelLike, PriorLike, SpaceLike
from dprivacy.viz.simplexes.simplex_picture import hull_edges
from dprivacy.viz.simplexes.simplex_scene import Cloud, Drawable, Scene, make_scene
from dprivacy.viz.simplexes.tetrahedron_views import TETRAHEDRON
from dprivacy.viz.style.figure_words import short
from dprivacy.viz.style.picture_style import FAINT, INK, PALE, style

_LARGEST = 34.0  # pixels across, of a mark that has all the probability

_MIDDLE = TETRAHEDRON.mean(axis=0)
_LABELS = _MIDDLE + 1.12 * (TETRAHEDRON - _MIDDLE)  # a little outside the corners


def simplex_spec(
    hypers: Drawable | Mapping[str, Drawable] | None = None,
    *,
    space: SpaceLike | None = None,
    eps: LevelLike | None = None,
    prior: PriorLike = None,
    corners: Sequence[Label] | None = None,
) -> dict[str, Any]:
    """What `plot_simplex` draws, as a Plotly figure in plain data.

    Three secrets make a ternary plot, four a scene that can be turned, two a segment.

    Parameters
    ----------
    hypers, space, eps, prior, corners
        As for `plot_simplex`.

    Returns
    -------
    dict
        ``data`` and ``layout``, ready for JSON. Each hyper's marks are one trace whose ``customdata``
        are the observations, so that a page can tell which mark was clicked.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> spec = simplex_spec(geometric(line(3), eps="ln 2"), space=line(3), eps="ln 2")
    >>> [trace["name"] for trace in spec["data"]]
    ['private region', 'hull', 'posteriors', 'prior']
    """
    scene = make_scene(hypers, space=space, eps=eps, prior=prior, corners=corners, title="")
    traces = [*_outline(scene), *_region(scene)]
    for k, cloud in enumerate(scene.clouds):
        if len(cloud.points) > 1:
            traces.append(_hull(scene, cloud, k))
        traces.append(_marks(scene, cloud, k))
    cross = {"symbol": "cross", "size": 9, "color": INK}
    traces.append(_points(scene, scene.priors, name="prior", mode="markers", marker=cross))
    return {"data": traces, "layout": _layout(scene)}


def _points(scene: Scene, points: Floats, **trace: Any) -> dict[str, Any]:
    n = len(scene.corners)
    if n == 3:
        at = {"c": points[:, 1], "b": points[:, 0], "a": points[:, 2]}
        kind = "scatterternary"
        trace["cliponaxis"] = False  # or marks in the corners are cut
    elif n == 4:
        solid = points @ TETRAHEDRON
        at = {"x": solid[:, 0], "y": solid[:, 1], "z": solid[:, 2]}
        kind = "scatter3d"
    else:
        at = {"x": points[:, 1], "y": np.zeros(len(points))}
        kind = "scatter"
    return {
        "type": kind,
        "hoverinfo": "skip",
        **{
            axis: [None if np.isnan(v) else float(v) for v in values] for axis, values in at.items()
        },
        **trace,
    }


def _strokes(points: Floats, edges: Sequence[tuple[int, int]]) -> Floats:
    """Points that make one broken line of all edges."""
    gap = np.full(points.shape[1], np.nan)
    return np.array([p for i, j in edges for p in (points[i], points[j], gap)])


def _outline(scene: Scene) -> list[dict[str, Any]]:
    """The edges of the tetrahedron; a ternary plot draws its own."""
    if len(scene.corners) != 4:
        return []
    strokes = _strokes(np.eye(4), list(combinations(range(4), 2)))
    line = {"color": FAINT, "width": 2}
    return [_points(scene, strokes, name="simplex", mode="lines", line=line, showlegend=False)]


def _region(scene: Scene) -> list[dict[str, Any]]:
    if scene.region is None:
        return []
    corners, edges = scene.region.corners, scene.region.edges
    line = {"color": FAINT, "width": 1 if len(scene.corners) != 4 else 3}
    if len(scene.corners) == 3:
        closed = np.concatenate([corners, corners[:1]])
        trace = _points(scene, closed, mode="lines", fill="toself", fillcolor=PALE, line=line)
    else:
        if len(scene.corners) == 2:
            line["width"] = 9
        trace = _points(scene, _strokes(corners, edges), mode="lines", line=line)
    return [{**trace, "name": "private region"}]


def _hull(scene: Scene, cloud: Cloud, k: int) -> dict[str, Any]:
    look = style(k)
    strokes = _strokes(cloud.points, hull_edges(cloud.points))
    return _points(
        scene,
        strokes,
        name=f"hull of {cloud.name}" if cloud.name else "hull",
        mode="lines",
        showlegend=False,
        line={"color": look.colour, "dash": look.plotly_dash, "width": 1.5},
    )


def _marks(scene: Scene, cloud: Cloud, k: int) -> dict[str, Any]:
    look = style(k)
    symbol = look.plotly_marker if k == 0 else f"{look.plotly_marker}-open"
    # Scenes in space know fewer symbols; there the colour and the dashes of the hull tell.
    solid = {"circle", "square", "diamond", "cross"}
    if len(scene.corners) == 4 and look.plotly_marker not in solid:
        symbol = "circle-open"
    told = [
        f"{observation}: probability {mass:.3g}<br>"
        + "<br>".join(f"{short(x)}: {p:.3g}" for x, p in zip(scene.corners, point, strict=True))
        for observation, mass, point in zip(
            cloud.observations, cloud.masses, cloud.points, strict=True
        )
    ]
    return _points(
        scene,
        cloud.points,
        name=cloud.name or "posteriors",
        mode="markers",
        customdata=list(cloud.observations),
        text=told,
        hoverinfo="text",
        marker={
            "symbol": symbol,
            "color": look.colour,
            "size": [float(_LARGEST * mass**0.5) for mass in cloud.masses],
            "line": {"width": 2, "color": look.colour if k else "white"},
        },
    )


def _layout(scene: Scene) -> dict[str, Any]:
    names = [short(x) for x in scene.corners]
    layout: dict[str, Any] = {
        "margin": {"t": 40, "b": 40, "l": 40, "r": 40},
        "legend": {"orientation": "h", "y": -0.12},
    }
    if len(names) == 3:
        axis = {"ticks": "", "showticklabels": False, "dtick": 0.25, "gridcolor": PALE}
        layout["ternary"] = {
            "bgcolor": "white",
            **{
                f"{key}axis": {"title": {"text": name}, **axis}
                for key, name in (("a", names[2]), ("b", names[0]), ("c", names[1]))
            },
        }
    elif len(names) == 4:
        hidden = {"visible": False}
        layout["scene"] = {
            "xaxis": hidden,
            "yaxis": hidden,
            "zaxis": hidden,
            "aspectmode": "data",
            "camera": {"eye": {"x": 1.25, "y": -1.1, "z": 0.4}, "center": {"z": -0.12}},
            "annotations": [
                {"text": name, "showarrow": False, **dict(zip("xyz", map(float, at), strict=True))}
                for name, at in zip(names, _LABELS, strict=True)
            ],
        }
    else:
        layout["xaxis"] = {
            "range": [-0.08, 1.08],
            "tickvals": [0, 1],
            "ticktext": names,
            "zeroline": False,
        }
        layout["yaxis"] = {"visible": False, "range": [-1, 1]}
    return layout
