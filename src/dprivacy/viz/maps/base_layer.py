"""What lies under the dots of a map: land, where it is seen from afar, and a layer of one's own."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from dprivacy.geo import Outline
from dprivacy.numbers import Floats
from dprivacy.viz.maps.land_outlines import lands, waters
from dprivacy.viz.maps.map_view import EDGE, View

_FROM_AFAR = 1_200_000.0  # metres across: from here on coasts drawn to a degree are of use
_FAR_SIDE = -3_200_000.0  # metres below the plane: 60 degrees from its middle
_NEAR = 0.4  # paper units: nearer corners are left out
_LONGEST = 2.0  # degrees between two points of a coast on a plane


def land_layer(view: View) -> list[str]:
    """Coarse coasts, for maps of countries and continents; nothing on a map of a town."""
    if view.plane is not None and view.width < _FROM_AFAR:
        return []
    drawn = []
    for kind, rings in (("land", lands()), ("water", waters())):
        paths = [path for ring in rings for path in _coasts(view, ring)]
        if paths:
            drawn.append(f'<path class="{kind}" d="{"".join(paths)}"/>')
    return drawn


def own_layer(view: View, outlines: Iterable[Outline]) -> list[str]:
    """The lines and polygons of a file, as far as they are seen."""
    drawn: dict[bool, list[str]] = {True: [], False: []}
    for outline in outlines:
        for line in outline.lines:
            lon, lat = line.T
            lon = lon if view.plane is not None else (lon + 180) % 360 - 180
            drawn[outline.closed] += _path(view, view.line(lat, lon), closed=outline.closed)
    names = {True: "land", False: "way"}
    return [
        f'<path class="{names[closed]}" d="{"".join(paths)}"/>'
        for closed, paths in drawn.items()
        if paths
    ]


def _coasts(view: View, ring: Floats) -> Iterator[str]:
    if view.plane is not None and not (view.plane.local(*ring.T[::-1])[2] > _FAR_SIDE).any():
        return  # what lies on the other side of the Earth would be turned inside out
    closed = _densely(np.concatenate([ring, ring[:1]]))
    turns = (0.0,) if view.plane is not None else (-360.0, 0.0, 360.0)
    for turn in turns:
        yield from _path(view, view.line(closed[:, 1], closed[:, 0] + turn), closed=True)


def _densely(line: Floats) -> Floats:
    """With points in between, so that a long straight coast bends as the Earth does."""
    parts = [line[:1]]
    for start, end in pairwise(line):
        steps = max(1, int(np.ceil(np.abs(end - start).max() / _LONGEST)))
        parts.append(start + (end - start) * (np.arange(1, steps + 1) / steps)[:, None])
    return np.concatenate(parts)


def _path(view: View, paper: Floats, *, closed: bool) -> list[str]:
    """A line as SVG, without corners that nobody could see; nothing where it is off the paper."""
    low, high = paper.min(axis=0), paper.max(axis=0)
    size = np.array([view.wide, view.high])
    if not (high >= EDGE).all() or not (low <= EDGE + size).all():
        return []
    kept, last = [], None
    for x, y in np.clip(paper, -3 * size, 4 * size).tolist():
        if last is None or abs(x - last[0]) + abs(y - last[1]) >= _NEAR:
            last = (x, y)
            kept.append(f"{x:.1f} {y:.1f}")
    return [f"M{'L'.join(kept)}{'Z' if closed else ''}"]
