"""A map of reported places in one file that opens anywhere: no tiles, nothing fetched."""

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.errors import UnknownName
from dprivacy.geo import City, Plane, ProtectedPlaces, in_words, read_places, to_space, to_surface
from dprivacy.numbers import Floats
from dprivacy.release import Released
from dprivacy.typing import PathArg
from dprivacy.viz.maps.map_page import MOST, REPORTED, TRUE, Paper, legend, page
from dprivacy.viz.style.figure_words import require_some
from dprivacy.viz.style.picture_style import FAINT, INK, PALE

_WIDE, _HIGH, _EDGE = 900.0, 620.0, 48.0
_PLANE = 2_500_000.0  # metres from the middle up to which the plane shows places well
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class _View:
    """From degrees to the paper: on a plane, or (for the whole Earth) degrees as they are."""

    plane: Plane | None
    left: float
    top: float
    scale: float  # paper units a metre (or a degree)
    wide: float
    high: float

    def at(self, lat: Floats, lon: Floats) -> Floats:
        """Paper coordinates, one row a place."""
        flat = _flat(self.plane, np.asarray(lat), np.asarray(lon))
        x = _EDGE + (flat[:, 0] - self.left) * self.scale
        return np.stack([x, _EDGE + (self.top - flat[:, 1]) * self.scale], axis=1)


def place_map(
    reported: Released[ProtectedPlaces],
    *,
    true: tuple[ArrayLike, ArrayLike] | None = None,
    city: City | None = None,
    title: str = "",
) -> str:
    """Reported places on a map, as one HTML page that fetches nothing.

    Parameters
    ----------
    reported
        What `protect_places` gave.
    true
        The true places as (latitudes, longitudes). They are secret: a map with them says so, and is for
        the eyes of whoever may see them.
    city
        The prior, drawn as shaded cells.
    title
        A title.

    Returns
    -------
    str
        HTML with the map as SVG. The wheel zooms, dragging moves.

    Raises
    ------
    NotApplicable
        When there is nothing to draw.

    Examples
    --------
    >>> from dprivacy.geo import protect_places
    >>> page = place_map(protect_places([48.85, 48.86], [2.35, 2.29]), title="Paris")
    >>> page.count("<h1>Paris</h1>"), "http" in page.replace("http-equiv", "")
    (1, False)
    """
    places = reported.data
    lat, lon = read_places(np.asarray(places.lat), np.asarray(places.lon))
    require_some(lat, "at least one place")
    known = None if true is None else read_places(*true)
    view = _view(lat, lon, known, city)
    lines, names = _graticule(view)
    circle = _radius(view, places)
    body = [*_cells(view, city), *lines, *circle]
    if known is not None:
        body += _pairs(view, (lat, lon), known)
        body += _dots(view, *known, "true", TRUE)
    body += _dots(view, lat, lon, "said", REPORTED)
    body += _bar(view)
    marks = legend(places, true=known is not None, prior=city is not None, radius=bool(circle))
    paper = Paper(_EDGE, view.wide, view.high, "".join(body), "".join(names))
    return page(reported, paper, marks, secret=known is not None, title=title)


def save_map(
    path: PathArg,
    reported: Released[ProtectedPlaces],
    *,
    true: tuple[ArrayLike, ArrayLike] | None = None,
    city: City | None = None,
    title: str = "",
) -> Path:
    """Write a map to a file.

    Parameters
    ----------
    path
        An .html file.
    reported, true, city, title
        As for `place_map`. A file with true places may be read by its owner alone.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from dprivacy.geo import protect_places
    >>> save_map(f"{mkdtemp()}/map.html", protect_places([48.85, 48.86], [2.35, 2.29])).name
    'map.html'
    """
    target = Path(path)
    require_html(target)
    text = place_map(reported, true=true, city=city, title=title)
    if true is not None:
        target.unlink(missing_ok=True)
    mode = 0o600 if true is not None else 0o644
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return target


def require_html(path: Path) -> None:
    """Refuse a file name that does not end in .html."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UnknownName.among("the ending of a map's file", path.suffix, [".html", ".htm"])


def _flat(plane: Plane | None, lat: Floats, lon: Floats) -> Floats:
    if plane is not None:
        return plane.shadow(lat, lon)
    return np.stack([(lon + 180) % 360 - 180, lat], axis=1)


def _view(lat: Floats, lon: Floats, true: Any, city: City | None) -> _View:
    sides = [(lat, lon)] + ([true] if true is not None else [])
    if city is not None:
        corners = city.centres
        side = float(city.cell) / 2
        spread = np.concatenate([corners - side, corners + side])
        sides.append(city.plane.places(spread))
    lats, lons = (np.concatenate([pair[k] for pair in sides]) for k in (0, 1))
    middle = to_space(lats, lons).mean(axis=0)
    plane = Plane(*(float(v[0]) for v in to_surface(middle[None, :])))
    away = np.sqrt(((to_space(lats, lons) - to_space(plane.lat, plane.lon)) ** 2).sum(axis=1))
    chosen = plane if away.max() <= _PLANE else None
    flat = _flat(chosen, lats, lons)
    low, high = flat.min(axis=0), flat.max(axis=0)
    least = 200.0 if chosen is not None else 0.01
    size = np.maximum(high - low, least) * 1.06
    centre = (low + high) / 2
    scale = float(min(_WIDE / size[0], _HIGH / size[1]))
    left, top = float(centre[0] - size[0] / 2), float(centre[1] + size[1] / 2)
    return _View(chosen, left, top, scale, float(size[0] * scale), float(size[1] * scale))


def _cells(view: _View, city: City | None) -> list[str]:
    if city is None:
        return []
    side = float(city.cell) / 2
    held = np.flatnonzero(city.weights)
    corners = np.concatenate(
        [
            city.centres[held] + [dx * side, dy * side]
            for dx, dy in ((-1, -1), (-1, 1), (1, 1), (1, -1))
        ]
    )
    paper = view.at(*city.plane.places(corners)).reshape(4, len(held), 2)
    shade = np.sqrt(city.weights[held] / city.weights.max())
    drawn = []
    for k in range(len(held)):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in paper[:, k])
        drawn.append(
            f'<polygon points="{points}" fill="#555" fill-opacity="{0.05 + 0.4 * shade[k]:.2f}"/>'
        )
    return [f'<g class="prior">{"".join(drawn)}</g>']


def _graticule(view: _View) -> tuple[list[str], list[str]]:
    """Meridians and parallels at round degrees, and their names at the edge."""
    corners = _corners(view)
    drawn, names = [], []
    for name, low, high in (("lat", *corners[:2]), ("lon", *corners[2:])):
        step = _round((high - low) / 4)
        for k in range(math.ceil(low / step), math.floor(high / step) + 1):
            value = k * step
            t = np.linspace(0, 1, 65)
            other = corners[2:] if name == "lat" else corners[:2]
            run = other[0] + t * (other[1] - other[0])
            fixed = np.full(65, value)
            paper = view.at(fixed, run) if name == "lat" else view.at(run, fixed)
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in paper)
            drawn.append(f'<polyline points="{path}" fill="none" stroke="{PALE}"/>')
            names += _named(view, name, value, paper[0])
    return drawn, names


def _named(view: _View, name: str, value: float, end: Floats) -> list[str]:
    """A parallel's degrees on the left, a meridian's below; none beyond the frame."""
    if name == "lat":
        x, y, anchor = _EDGE - 6, end[1] + 4, "end"
        past, room = end[1] - _EDGE, view.high
    else:
        x, y, anchor = end[0], _EDGE + view.high + 16, "middle"
        past, room = end[0] - _EDGE, view.wide
        value = (value + 180) % 360 - 180
    if not 0 <= past <= room:
        return []
    text = f"{round(value, 9):g}°"
    return [f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{FAINT}">{text}</text>']


def _corners(view: _View) -> tuple[float, float, float, float]:
    """South, north, west, east of the paper; east may pass 180."""
    if view.plane is None:
        high, wide = view.high / view.scale, view.wide / view.scale
        lats = max(view.top - high, -90.0), min(view.top, 90.0)
        return *lats, max(view.left, -180.0), min(view.left + wide, 179.999)
    t = np.linspace(0, 1, 9)
    x, y = np.meshgrid(
        view.left + t * view.wide / view.scale, view.top - t * view.high / view.scale
    )
    lat, lon = view.plane.places(np.stack([x.ravel(), y.ravel()], axis=1))
    turned = (lon - view.plane.lon + 180) % 360 - 180 + view.plane.lon
    for pole in (-90.0, 90.0):
        east, north, up = (float(side) for side in view.plane.local(pole, 0.0))
        across, down = (east - view.left) * view.scale, (view.top - north) * view.scale
        if up > -_PLANE and 0 <= across <= view.wide and 0 <= down <= view.high:  # meridians meet
            ends = sorted((pole, float(lat.min() if pole > 0 else lat.max())))
            return ends[0], ends[1], view.plane.lon - 180, view.plane.lon + 180
    return float(lat.min()), float(lat.max()), float(turned.min()), float(turned.max())


def _round(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in _STEPS if step * power >= width)


def _radius(view: _View, places: ProtectedPlaces) -> list[str]:
    """The radius of the guarantee around the middle of the map."""
    if view.plane is None:
        return []
    x, y = _EDGE + view.wide / 2, _EDGE + view.high / 2
    size = float(places.guarantee.radius) * view.scale
    if size < 1.5:
        return []
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.2f}" fill="none" stroke="{INK}" '
        f'stroke-width="1.2" stroke-dasharray="4 3"/>'
    ]


def _dots(view: _View, lat: Floats, lon: Floats, kind: str, colour: str) -> list[str]:
    n = len(lat)
    some: Any = slice(None) if n <= MOST else np.linspace(0, n - 1, MOST).astype(np.intp)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in view.at(lat[some], lon[some])
    )
    paint = f'fill="{colour}" fill-opacity=".6"'
    if kind == "true":
        paint = f'fill="none" stroke="{colour}" stroke-width="1.5"'
    return [f'<g class="{kind}" {paint}>{dots}</g>']


def _pairs(view: _View, said: Any, true: Any) -> list[str]:
    if len(said[0]) != len(true[0]) or len(true[0]) > 300:
        return []
    ends = zip(view.at(*true), view.at(*said), strict=True)
    lines = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for (a, b), (c, d) in ends)
    return [f'<path d="{lines}" stroke="{FAINT}" stroke-width=".7"/>']


def _bar(view: _View) -> list[str]:
    """A bar of a round length."""
    if view.plane is None:
        return []
    length = _round(view.wide / view.scale / 8)
    size, x, y = length * view.scale, _EDGE + 10, _EDGE + view.high - 12
    return [
        f'<path d="M{x} {y - 5}v5h{size:.1f}v-5" fill="none" stroke="{INK}"/>',
        f'<text x="{x + size / 2:.1f}" y="{y - 8}" text-anchor="middle">{in_words(length)}</text>',
    ]
