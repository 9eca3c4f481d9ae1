"""A map of reported places in one file that opens anywhere: no tiles, nothing fetched."""

import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.errors import UnknownName
from dprivacy.geo import City, PlaceList, ProtectedPlaces, read_outlines, read_places
from dprivacy.numbers import Floats
from dprivacy.release import Released
from dprivacy.typing import PathArg
from dprivacy.viz.maps.base_layer import land_layer, own_layer
from dprivacy.viz.maps.clustered_dots import Spots, dots
from dprivacy.viz.maps.map_page import Paper, legend, page
from dprivacy.viz.maps.map_view import EDGE, FAR, View, view_of
from dprivacy.viz.style.figure_words import require_some

_STEPS = (1, 2, 5, 10)
_MOST_PAIRS = 300  # lines from true to reported places


def place_map(
    reported: Released[ProtectedPlaces],
    *,
    true: tuple[ArrayLike, ArrayLike] | None = None,
    city: City | PlaceList | None = None,
    base: PathArg | None = None,
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
        What is public: a prior, drawn as shaded cells, or a list of places, drawn as small squares.
    base
        A GeoJSON file of public lines and polygons that are drawn below, such as streets or borders.
        Maps of countries and continents have coarse coasts by themselves.
    title
        A title.

    Returns
    -------
    str
        HTML with the map as SVG, for light and dark screens. Dots that lie on each other become one,
        with their number. The wheel, the buttons and the keys + and − zoom; dragging and arrows move.

    Raises
    ------
    NotApplicable
        When there is nothing to draw.
    BadFile
        When the layer is not GeoJSON.

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
    own = () if base is None else read_outlines(base)
    view = view_of([(lat, lon), *([] if known is None else [known]), *_extent(city)])
    lines, names = _graticule(view)
    circle = _radius(view, places)
    body = [*land_layer(view), *own_layer(view, own), *_public(view, city), *lines, *circle]
    spots = {"said": Spots.of(view.at(lat, lon))}
    if known is not None:
        body += _pairs(view, (lat, lon), known)
        spots = {"true": Spots.of(view.at(*known)), **spots}
    body += [dots(found, kind) for kind, found in spots.items()]
    marks = legend(places, true=known is not None, public=city, radius=bool(circle))
    bar = None if view.plane is None else view.scale
    paper = Paper(EDGE, view.wide, view.high, "".join(body), "".join(names), spots, bar)
    return page(reported, paper, marks, secret=known is not None, title=title)


def save_map(
    path: PathArg,
    reported: Released[ProtectedPlaces],
    *,
    true: tuple[ArrayLike, ArrayLike] | None = None,
    city: City | PlaceList | None = None,
    base: PathArg | None = None,
    title: str = "",
) -> Path:
    """Write a map to a file.

    Parameters
    ----------
    path
        An .html file.
    reported, true, city, base, title
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
    text = place_map(reported, true=true, city=city, base=base, title=title)
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


def _extent(city: City | PlaceList | None) -> list[tuple[Floats, Floats]]:
    """Places that the view has to hold beside the reports."""
    if city is None:
        return []
    if isinstance(city, PlaceList):
        return [city.places]
    side = float(city.cell) / 2
    spread = np.concatenate([city.centres - side, city.centres + side])
    return [city.plane.places(spread)]


def _public(view: View, city: City | PlaceList | None) -> list[str]:
    if city is None:
        return []
    if isinstance(city, PlaceList):
        marks = "".join(f"M{x - 2:.1f} {y - 2:.1f}h4v4h-4z" for x, y in view.at(*city.places))
        return [f'<path class="listed" d="{marks}"/>']
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
        drawn.append(f'<polygon points="{points}" fill-opacity="{0.05 + 0.4 * shade[k]:.2f}"/>')
    return [f'<g class="prior">{"".join(drawn)}</g>']


def _graticule(view: View) -> tuple[list[str], list[str]]:
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
            drawn.append(f'<polyline class="degree" points="{path}"/>')
            names += _named(view, name, value, paper[0])
    return drawn, names


def _named(view: View, name: str, value: float, end: Floats) -> list[str]:
    """A parallel's degrees on the left, a meridian's below; none in the corner or beyond the frame."""
    if name == "lat":
        x, y, anchor = EDGE + 4, end[1] - 3, "start"
        past, room = end[1] - EDGE - 14, view.high - 40
    else:
        x, y, anchor = end[0] + 3, EDGE + view.high - 5, "start"
        past, room = end[0] - EDGE - 50, view.wide - 100
        value = (value + 180) % 360 - 180
    if not 0 <= past <= room:
        return []
    text = f"{round(value, 9):g}°"
    return [f'<text class="degrees" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>']


def _corners(view: View) -> tuple[float, float, float, float]:
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
        if up > -FAR and 0 <= across <= view.wide and 0 <= down <= view.high:  # meridians meet
            ends = sorted((pole, float(lat.min() if pole > 0 else lat.max())))
            return ends[0], ends[1], view.plane.lon - 180, view.plane.lon + 180
    return float(lat.min()), float(lat.max()), float(turned.min()), float(turned.max())


def _round(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in _STEPS if step * power >= width)


def _radius(view: View, places: ProtectedPlaces) -> list[str]:
    """The radius of the guarantee around the middle of the map."""
    if view.plane is None:
        return []
    x, y = EDGE + view.wide / 2, EDGE + view.high / 2
    size = float(places.guarantee.radius) * view.scale
    if size < 1.5:
        return []
    return [f'<circle class="radius" cx="{x:.1f}" cy="{y:.1f}" r="{size:.2f}"/>']


def _pairs(view: View, said: tuple[Floats, Floats], true: tuple[Floats, Floats]) -> list[str]:
    if len(said[0]) != len(true[0]) or len(true[0]) > _MOST_PAIRS:
        return []
    ends = zip(view.at(*true), view.at(*said), strict=True)
    lines = "".join(f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" for (a, b), (c, d) in ends)
    return [f'<path class="pair" d="{lines}"/>']
