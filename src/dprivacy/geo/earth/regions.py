"""Declared regions: what everyone may know about where the places are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, WrongKind
from dprivacy.geo.earth.lengths import in_words, metres
from dprivacy.geo.earth.polygons import Polygon, read_json, read_polygon
from dprivacy.geo.earth.tangent_plane import TOUCH, WIDEST, Plane
from dprivacy.numbers import Floats

_WAYS = (
    "a region should be 'latitude, longitude, 30 km' (a disc), 'south, west, north, east' in degrees "
    "(a box), or a GeoJSON polygon"
)


@dataclass(frozen=True)
class Disc:
    """All places whose shadows lie within `reach` metres of a centre's.

    Examples
    --------
    >>> disc = Disc(40.7, -74.0, Fraction(1000))
    >>> disc.holds(np.array([40.7, 40.8]), np.array([-74.0, -74.0])).tolist()
    [True, False]
    >>> [end.round(3).tolist() for end in disc.nearest(np.array([40.8]), np.array([-74.0]))]
    [[40.709], [-74.0]]
    >>> disc.words(), disc.plane, disc.corners().shape
    ('within 1 km of (40.7, -74)', Plane(lat=40.7, lon=-74.0), (4, 2))
    """

    lat: float
    lon: float
    reach: Fraction

    @cached_property
    def plane(self) -> Plane:
        """The plane at the centre."""
        return Plane(self.lat, self.lon)

    def holds(self, lat: Floats, lon: Floats) -> NDArray[np.bool_]:
        """Which places lie in it."""
        east, north, up = self.plane.local(lat, lon)
        within = east * east + north * north <= (float(self.reach) + TOUCH) ** 2
        return np.asarray(within & (up > -WIDEST))  # and not below: the far side of the Earth

    def nearest(self, lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
        """Places outside, moved to the border along the line to the centre."""
        shadows = self.plane.shadow(lat, lon)
        length = np.hypot(*shadows.T)
        out = ~self.holds(lat, lon)
        shrink = np.where(out, float(self.reach) / np.where(out, length, 1.0), 1.0)
        moved = self.plane.places(shadows * shrink[:, None])
        return np.where(out, moved[0], lat), np.where(out, moved[1], lon)

    def corners(self) -> Floats:
        """The corners of the square around it."""
        r = float(self.reach)
        return np.array([[-r, -r], [-r, r], [r, -r], [r, r]])

    def words(self) -> str:
        """What it is, for a sentence."""
        return f"within {in_words(self.reach)} of ({self.lat:g}, {self.lon:g})"


@dataclass(frozen=True)
class Box:
    """All places between two parallels and two meridians; it may cross the date line (west > east).

    Examples
    --------
    >>> box = Box(-19, 177, -16, -178)  # across the date line
    >>> box.holds(np.array([-17.0, -17.0]), np.array([179.9, 170.0])).tolist()
    [True, False]
    >>> [end.tolist() for end in box.nearest(np.array([-17.0]), np.array([170.0]))]
    [[-17.0], [177.0]]
    >>> box.words(), box.width, box.plane, box.corners().shape
    ('latitude -19 to -16, longitude 177 to -178', 5.0, Plane(lat=-17.5, lon=179.5), (165, 2))
    """

    south: float
    west: float
    north: float
    east: float

    @property
    def width(self) -> float:
        """Degrees of longitude from west to east."""
        return (self.east - self.west) % 360.0 or 360.0

    @cached_property
    def plane(self) -> Plane:
        """The plane in the middle."""
        lon = (self.west + self.width / 2 + 180.0) % 360.0 - 180.0
        return Plane((self.south + self.north) / 2, lon)

    def _turned(self, lon: Floats) -> Floats:
        """Degrees east of the middle, from −180 to 180."""
        return np.asarray((lon - self.plane.lon + 180.0) % 360.0 - 180.0)

    def holds(self, lat: Floats, lon: Floats) -> NDArray[np.bool_]:
        """Which places lie in it."""
        high = (lat >= self.south - TOUCH) & (lat <= self.north + TOUCH)
        return np.asarray(high & (np.abs(self._turned(lon)) <= self.width / 2 + TOUCH))

    def nearest(self, lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
        """Latitude and longitude, each moved to the border where it is beyond."""
        inside = self.holds(lat, lon)
        turned = np.clip(self._turned(lon), -self.width / 2, self.width / 2)
        moved = (turned + self.plane.lon + 180.0) % 360.0 - 180.0
        return (
            np.where(inside, lat, np.clip(lat, self.south, self.north)),
            np.where(inside, lon, moved),
        )

    def corners(self) -> Floats:
        """Points all along its border."""
        t = np.linspace(0, 1, 33)
        lats, lons = self.south + t * (self.north - self.south), self.west + t * self.width
        sides = [(lats, np.full(33, lons[k])) for k in (0, 16, -1)]
        sides += [(np.full(33, lats[k]), lons) for k in (0, -1)]
        return np.concatenate([self.plane.shadow(*side) for side in sides])

    def words(self) -> str:
        """What it is, for a sentence."""
        return (
            f"latitude {self.south:g} to {self.north:g}, longitude {self.west:g} to {self.east:g}"
        )


Region: TypeAlias = Disc | Box | Polygon  # a public part of the Earth, with a plane for its noise
RegionLike: TypeAlias = (  # text, a path, three or four numbers, or GeoJSON
    Region | str | Path | Sequence[float | str | Fraction] | Mapping[str, Any]
)


def as_region(given: RegionLike) -> Region:
    """Read a region: a disc, a box or a polygon.

    Parameters
    ----------
    given
        A region; "40.7, -74.0, 30 km" (centre and reach) or the same three as a tuple;
        "40.5, -74.3, 40.9, -73.7" (south, west, north, east) or the same four; a GeoJSON polygon as a
        mapping, or the path of a .geojson file with one. It is public: everyone who sees a report
        may know it, so never compute it from the places to protect.

    Returns
    -------
    Disc, Box or Polygon
        The region.

    Raises
    ------
    WrongKind
        For anything else.
    BadNumber
        For degrees out of range, and for regions that reach farther than 3,000 km from their centre.

    Examples
    --------
    >>> as_region("40.7, -74.0, 30 km").words()
    'within 30 km of (40.7, -74)'
    """
    if isinstance(given, Disc | Box | Polygon):
        found: Region = given
    elif isinstance(given, str | Path) and str(given).lower().endswith((".json", ".geojson")):
        found = read_polygon(read_json(Path(given)))
    elif isinstance(given, str):
        found = _numbers([part.strip() for part in given.split(",")])
    elif isinstance(given, Mapping):
        found = read_polygon(given)
    elif isinstance(given, Sequence):
        found = _numbers(list(given))
    else:
        raise WrongKind(f"{_WAYS}, not a value of type {type(given).__name__}")
    if not isinstance(found, Disc):
        _require_near(float(np.hypot(*found.corners().T).max()))
    return found


def _require_near(reach: float) -> None:
    if not reach <= WIDEST:
        raise BadNumber(
            f"a region should reach at most 3,000 km from its centre, not {reach / 1000:,.0f} km; "
            "declare a smaller one, or none: noise in space then serves the whole Earth"
        )


def _numbers(parts: Sequence[Any]) -> Region:
    written = ", ".join(str(part) for part in parts)[:80]
    try:
        degrees = [float(part) for part in (parts[:2] if len(parts) == 3 else parts)]
    except (TypeError, ValueError):
        degrees = []
    if len(parts) not in (3, 4) or not degrees:
        raise WrongKind(f"{_WAYS}, not {written!r}")
    lats, lons = degrees[0::2], degrees[1::2]
    if not all(abs(lat) <= 90 for lat in lats) or not all(abs(lon) <= 180 for lon in lons):
        raise BadNumber(
            "a region's latitudes should lie between -90 and 90 and its longitudes between -180 and "
            f"180, the latitude first, not {written!r}"
        )
    if len(parts) == 3:
        reach = metres(parts[2], what="the reach of a region")
        _require_near(float(reach))
        return Disc(degrees[0], degrees[1], reach)
    south, west, north, east = degrees
    if not south < north or west == east:
        raise BadNumber(
            f"a box should be 'south, west, north, east', with south below north, not {written!r}"
        )
    return Box(south, west, north, east)
