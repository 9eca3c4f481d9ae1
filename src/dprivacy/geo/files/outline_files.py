"""Outlines of a public map, such as coasts, borders, rivers or streets, from GeoJSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.geo.earth.polygons import read_json
from dprivacy.geo.files.geojson_files import LARGEST, require_degrees
from dprivacy.numbers import Floats
from dprivacy.typing import PathArg

_DEPTH = {"LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
_MOST = 10  # collections within each other


@dataclass(frozen=True, eq=False)
class Outline:
    """Lines of (longitude, latitude) that belong together; the rings of a closed one enclose land."""

    lines: tuple[Floats, ...]
    closed: bool


def read_outlines(path: PathArg) -> tuple[Outline, ...]:
    """The lines and polygons of a GeoJSON file; points are passed over.

    Parameters
    ----------
    path
        A .geojson file.

    Raises
    ------
    BadFile, NotApplicable
        For anything else, and for a file with neither lines nor polygons.
    """
    data = read_json(Path(path), largest=LARGEST)
    if isinstance(data, Mapping):
        require_degrees(data, Path(path))
    found = tuple(_outlines(data, Path(path), 0))
    if not found:
        raise NotApplicable(f"{path}: has neither lines nor polygons to draw")
    return found


def _outlines(data: Any, path: Path, depth: int) -> Iterator[Outline]:
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or depth > _MOST:
        raise BadFile(f"{path}: is not GeoJSON")
    within = {"FeatureCollection": "features", "GeometryCollection": "geometries"}.get(kind)
    if within is not None:
        parts = data.get(within)
        for part in parts if isinstance(parts, list) else []:
            yield from _outlines(part, path, depth + 1)
    elif kind == "Feature":
        if data.get("geometry") is not None:
            yield from _outlines(data["geometry"], path, depth + 1)
    elif kind in _DEPTH:
        shapes = data.get("coordinates")
        for _ in range(_DEPTH[kind], 3):
            shapes = [shapes]
        for shape in shapes if isinstance(shapes, list) else [None]:
            yield Outline(_lines(shape, path), kind.endswith("Polygon"))


def _lines(shape: Any, path: Path) -> tuple[Floats, ...]:
    try:
        lines = tuple(
            np.array([[place[0], place[1]] for place in line], dtype=np.float64).reshape(-1, 2)
            for line in shape
        )
    except (TypeError, ValueError, LookupError, OverflowError):
        lines = None
    if lines is None or not all(_on_earth(line) for line in lines):
        raise BadFile(f"{path}: a line should be pairs of longitude and latitude in degrees")
    return lines


def _on_earth(line: Floats) -> bool:
    lon, lat = np.abs(line).T
    return bool((lon <= 360).all() and (lat <= 90).all())
