"""Regions that are polygons, from GeoJSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.extras import shapely
from dprivacy.geo.earth.ellipsoid import to_space
from dprivacy.geo.earth.tangent_plane import TOUCH, WIDEST, Plane
from dprivacy.model import file_text, parsed_json
from dprivacy.numbers import Floats

_LARGEST = 1 << 26  # bytes of a file with a region


@dataclass(frozen=True)
class Polygon:
    """The inside of rings of (longitude, latitude), as in GeoJSON; edges are straight on the plane.

    Examples
    --------
    >>> square = Polygon((((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)),))
    >>> square.holds(np.array([0.5, 2.0]), np.array([0.5, 0.5])).tolist()
    [True, False]
    >>> [end.round(3).tolist() for end in square.nearest(np.array([0.5]), np.array([2.0]))]
    [[0.5], [1.0]]
    >>> square.words(), square.corners().shape, round(square.plane.lat, 3)
    ('a polygon around (0.3973, 0.4)', (5, 2), 0.397)
    """

    rings: tuple[tuple[tuple[float, float], ...], ...]

    @cached_property
    def plane(self) -> Plane:
        """The plane at the middle of the outer ring, as seen from the Earth's centre."""
        lon, lat = np.array(self.rings[0]).T
        x, y, z = to_space(lat, lon).mean(axis=0)
        middle = np.degrees([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)]).tolist()
        return Plane(*middle)

    @cached_property
    def _shape(self) -> Any:
        rings = [self.plane.shadow(*np.array(ring).T[::-1]) for ring in self.rings]
        shape = shapely().Polygon(rings[0], rings[1:])
        if not shape.is_valid or shape.area == 0:
            raise NotApplicable(
                f"the rings of {self.words()} cross themselves or enclose nothing; mend the polygon"
            )
        shapely().prepare(shape)
        return shape

    def holds(self, lat: Floats, lon: Floats) -> NDArray[np.bool_]:
        """Which places lie in it."""
        east, north, up = self.plane.local(lat, lon)
        points = shapely().points(east, north)
        return np.asarray((up > -WIDEST) & shapely().dwithin(self._shape, points, TOUCH))

    def nearest(self, lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
        """Places outside, moved to the nearest point of the border."""
        points = shapely().points(self.plane.shadow(lat, lon))
        lines = shapely().shortest_line(self._shape, points)
        ends = shapely().get_coordinates(shapely().get_point(lines, 0))
        out = ~self.holds(lat, lon)
        moved = self.plane.places(ends)
        return np.where(out, moved[0], lat), np.where(out, moved[1], lon)

    def corners(self) -> Floats:
        """Its corners."""
        lon, lat = np.array(self.rings[0]).T
        return self.plane.shadow(lat, lon)

    def words(self) -> str:
        """What it is, for a sentence."""
        return f"a polygon around ({self.plane.lat:.4g}, {self.plane.lon:.4g})"


def read_json(path: Path, *, largest: int = _LARGEST) -> Any:
    """What a .geojson file holds.

    Parameters
    ----------
    path
        The file.
    largest
        More bytes are refused.
    """
    return parsed_json(file_text(path, largest=largest), str(path))


def read_polygon(data: Any) -> Polygon:
    """The one polygon of a geometry, a feature or a collection with one feature.

    Parameters
    ----------
    data
        GeoJSON, as plain data.
    """
    for _ in range(3):
        if isinstance(data, Mapping) and data.get("type") == "Feature":
            data = data.get("geometry")
        elif isinstance(data, Mapping) and data.get("type") == "FeatureCollection":
            features = data.get("features")
            data = features[0] if isinstance(features, list) and len(features) == 1 else None
    if not isinstance(data, Mapping) or data.get("type") != "Polygon":
        kind = data.get("type") if isinstance(data, Mapping) else type(data).__name__
        raise NotApplicable(
            f"a region in GeoJSON should be one Polygon, alone or as the only feature, not {kind!r}"
        )
    try:
        rings = tuple(
            tuple((float(point[0]), float(point[1])) for point in ring)
            for ring in data["coordinates"]
        )
        array = np.concatenate([np.array(ring) for ring in rings])
        fits = all(len(ring) >= 4 for ring in rings) and np.isfinite(array).all()
        fits = fits and (np.abs(array[:, 1]) <= 90).all() and (np.abs(array[:, 0]) <= 360).all()
    except (KeyError, TypeError, ValueError, IndexError):
        fits = False
    if not fits:
        raise BadNumber(
            "a polygon should have rings of at least four pairs (longitude, latitude) in degrees, the "
            "last equal to the first"
        )
    return Polygon(rings)
