"""The tetrahedron of four secrets as a solid, seen from two sides: one shows what the other hides."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.numbers import Floats

TETRAHEDRON = np.array(
    [
        [-0.5, -np.sqrt(3) / 6, 0.0],
        [0.5, -np.sqrt(3) / 6, 0.0],
        [0.0, np.sqrt(3) / 3, 0.0],
        [0.0, 0.0, np.sqrt(2 / 3)],
    ]
)
_LIGHT = np.array([0.35, -0.35, 0.87])  # from above, a little to the left of the first view
_DARKEST, _LIGHTEST = 0.72, 0.94  # greys of faces
_FLAT = 1e-9


@dataclass(frozen=True)
class View:
    """An orthographic view: the azimuth and the elevation of the eye, in degrees."""

    name: str
    azimuth: float
    elevation: float

    @property
    def eye(self) -> Floats:
        """The direction from the middle to the eye, of length 1."""
        a, e = np.radians([self.azimuth, self.elevation])
        return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])

    def flat(self, points: Floats) -> Floats:
        """Four probabilities a row as points of the paper."""
        a = np.radians(self.azimuth)
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        seen: Floats = solid(points) @ np.stack([right, np.cross(self.eye, right)], axis=1)
        return seen

    def depth(self, points: Floats) -> Floats:
        """How near to the eye points are: larger is nearer."""
        return solid(points) @ self.eye


# No corner hides another. Turned by a third, the frame looks the same with its names moved on, and what
# lay on one line of sight lies apart.
VIEWS = (View("from the front", -40.0, 18.0), View("turned by a third", 80.0, 18.0))


def solid(points: Floats) -> Floats:
    """Four probabilities a row as points in space, the uniform distribution in the middle."""
    placed: Floats = points @ (TETRAHEDRON - TETRAHEDRON.mean(axis=0))
    return placed


@dataclass(frozen=True)
class Faces:
    """The faces of a convex solid: its corners' positions in each, and the normals outwards."""

    members: tuple[frozenset[int], ...]
    normals: Floats

    @classmethod
    def of(cls, points: Floats) -> "Faces":
        """The faces of the hull of four probabilities a row; none where the hull is flat."""
        from scipy.spatial import ConvexHull

        placed = solid(points)
        if np.linalg.matrix_rank(placed - placed[0], tol=_FLAT) < 3:
            return cls((), np.empty((0, 3)))
        planes = np.unique(np.round(ConvexHull(placed).equations, 7), axis=0)
        heights = placed @ planes[:, :3].T + planes[:, 3]
        members = tuple(
            frozenset(int(i) for i in np.flatnonzero(np.abs(height) < 1e-6)) for height in heights.T
        )
        return cls(members, planes[:, :3])

    def hidden(self, edge: tuple[int, int], view: View) -> bool:
        """Whether an edge lies behind the solid: every face that has it looks away."""
        facing = self.normals @ view.eye
        beside = [facing[k] for k, face in enumerate(self.members) if face.issuperset(edge)]
        return bool(beside) and max(beside) <= _FLAT

    def shaded(self, axes: Any, points: Floats, view: View, zorder: float) -> None:
        """Fill the faces that are seen, darker where the light falls less."""
        from scipy.spatial import ConvexHull

        flat = view.flat(points)
        for face, normal in zip(self.members, self.normals, strict=True):
            if normal @ view.eye > _FLAT:
                corners = flat[sorted(face)]
                around = corners[ConvexHull(corners).vertices]
                grey = _DARKEST + (_LIGHTEST - _DARKEST) * (1 + float(normal @ _LIGHT)) / 2
                axes.fill(*around.T, facecolor=str(grey), alpha=0.55, zorder=zorder, linewidth=0)


def draw_edges(
    axes: Any,
    points: Floats,
    edges: Iterable[tuple[int, int]],
    view: View,
    *,
    faces: Faces | None = None,
    **look: Any,
) -> None:
    """Draw edges of a solid: those behind it thin and dotted."""
    flat = view.flat(points)
    around = Faces.of(points) if faces is None else faces
    for edge in edges:
        behind = around.hidden(edge, view)
        seen = {**look, "linestyle": ":", "linewidth": 0.7 * look["linewidth"]} if behind else look
        axes.plot(*flat[list(edge)].T, **seen)


def farthest_first(points: Floats, view: View) -> Sequence[int]:
    """The order in which marks are drawn, so that a near one covers a far one."""
    return [int(i) for i in np.argsort(view.depth(points), kind="stable")]
