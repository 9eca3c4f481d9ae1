"""The d-vulnerability of priors on three secrets: from above and from the side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.numbers.level import as_eps
from dprivacy.sources import result
from dprivacy.spaces.finite import FiniteSpace
from dprivacy.viz.look import FAINT, SHADES, drawn, legend_below, load, new_figure, short
from dprivacy.viz.region import Floats, region
from dprivacy.viz.simplex import simplex_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = 48
_LEVELS = ("ln(3/2)", "ln 2", "ln 3", "ln 5", "ln 10")


@result("T", "Fig 4.4")
@drawn
def plot_vulnerability(
    space: FiniteSpace, *, levels: Sequence[Any] = _LEVELS, title: str = ""
) -> "Figure":
    """V_d of every prior on three secrets: the smallest ε at which it is ε·d-private.

    Parameters
    ----------
    space
        Three secrets.
    levels
        Levels whose contours are drawn; a contour is the edge of the private region at that level.
    title
        A title.

    Returns
    -------
    matplotlib.figure.Figure
        From above with the contours, and from the side; cut off at the last level, since V_d grows
        without end towards the rim.
    """
    if len(space) != 3:
        raise Malformed(f"this surface stands on a triangle: 3 secrets, not {len(space)}")
    read = sorted(as_eps(level) for level in levels)
    figure = new_figure(8.4, 4.2)
    above = simplex_axes(figure, 1, 2, 1, 3)
    _from_above(above, space, read)
    side = figure.add_subplot(1, 2, 2, projection="3d")
    _from_the_side(side, space, float(read[-1]))
    handles = _handles(read)
    legend_below(figure, handles, columns=len(handles))
    figure.suptitle(title or "Vulnerability of a prior: the smallest level ε it satisfies", size=11)
    return figure


def _shade(k: int, count: int) -> Any:
    matplotlib = load("matplotlib", "matplotlib")
    return matplotlib.colormaps[SHADES](0.12 + 0.75 * (k + 1) / (count + 1))


def _handles(levels: Sequence[Any]) -> list[Any]:
    patches = load("matplotlib.patches", "matplotlib")
    return [
        patches.Patch(facecolor=_shade(k - 1, len(levels)), edgecolor=FAINT, label=f"at most {v}")
        for k, v in enumerate(levels)
    ]


def _from_above(axes: Any, space: FiniteSpace, levels: Sequence[Any]) -> None:
    corners = np.eye(3)
    axes.fill(
        corners[:, 2], corners[:, 0], corners[:, 1], facecolor=_shade(len(levels) - 1, len(levels))
    )
    for k in reversed(range(len(levels))):
        edge = region(space, levels[k]).corners
        axes.fill(
            edge[:, 2],
            edge[:, 0],
            edge[:, 1],
            facecolor=_shade(k - 1, len(levels)),
            edgecolor=FAINT,
            linewidth=0.8,
        )
    for name, at, side in zip(space.labels, corners, ("top", "top", "bottom"), strict=True):
        out = at + 0.06 * (at - 1 / 3)
        axes.text(out[2], out[0], out[1], short(name), ha="center", va=side)
    for axis in (axes.taxis, axes.laxis, axes.raxis):
        axis.set_ticks([])
    axes.set_title(" ", y=1.0, pad=12)  # keeps room for the name of the upper corner


def _from_the_side(axes: Any, space: FiniteSpace, top: float) -> None:
    points, triangles = _mesh()
    heights = np.minimum(vulnerabilities(points, space), top)
    flat = points @ np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
    axes.plot_trisurf(
        flat[:, 0],
        flat[:, 1],
        heights,
        triangles=triangles,
        cmap=SHADES,
        vmin=-0.2 * top,
        linewidth=0.0,
        antialiased=False,
        rasterized=True,
    )
    axes.view_init(elev=14, azim=-70)
    axes.set_box_aspect(None, zoom=1.1)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_zlim(0, top)
    axes.set_zlabel("level ε", labelpad=2)


@result("T", "Def 4.4.6")
def vulnerabilities(points: Floats, space: FiniteSpace) -> Floats:
    """V_d of many priors at once, in floats: the largest ln(p_x/p_z)/d(x, z)."""
    distances = space.distances.floats
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(points)
        rates = (logs[:, :, None] - logs[:, None, :]) / distances
    apart = np.isfinite(distances) & (distances > 0)
    kept: Floats = np.where(apart, np.nan_to_num(rates, nan=0.0), 0.0).max(axis=(1, 2))
    return kept


def _mesh() -> tuple[Floats, Any]:
    """A triangular net on the inside of the simplex."""
    at: dict[tuple[int, int], int] = {}
    for i in range(_STEPS + 1):
        for j in range(_STEPS + 1 - i):
            at[i, j] = len(at)
    points = np.array([[_STEPS - i - j, i, j] for i, j in at], dtype=float)
    points = (points + 0.05) / (_STEPS + 0.15)  # off the rim, where V_d is infinite
    triangles = []
    for (i, j), here in at.items():
        if (i + 1, j) in at and (i, j + 1) in at:
            triangles.append((here, at[i + 1, j], at[i, j + 1]))
        if (i + 1, j + 1) in at:
            triangles.append((at[i + 1, j], at[i + 1, j + 1], at[i, j + 1]))
    return points, np.array(triangles)
