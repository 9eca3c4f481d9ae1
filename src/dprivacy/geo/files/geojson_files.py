"""Places in GeoJSON: points and lines in, the same shapes out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.geo.earth.polygons import read_json
from dprivacy.geo.files.place_shapes import Shape, file_of_shapes
from dprivacy.geo.files.places_read import PlaceFile

LARGEST = 1 << 29  # bytes of a file
_DEPTH = {"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2}  # of positions
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326")  # how older files call what GeoJSON always means


def is_geojson(path: Path) -> bool:
    """Whether a file's name says that it is GeoJSON."""
    return path.suffix.lower() in (".geojson", ".json")


def read_geojson(path: Path, person: str | None, keep: Sequence[str]) -> PlaceFile:
    """The points and lines of a GeoJSON file; a feature is one person's unless a property says whose.

    Parameters
    ----------
    path
        The file.
    person
        The property that says whose a feature is.
    keep
        Properties to pass on.
    """
    data = read_json(path, largest=LARGEST)
    return file_of_shapes(_shapes(_features(data, path)), person, keep, one=False)


def _features(data: Any, path: Path) -> list[Any]:
    if isinstance(data, Mapping):
        require_degrees(data, path)
        if data.get("type") == "FeatureCollection" and isinstance(data.get("features"), list):
            return list(data["features"])
        if data.get("type") == "Feature":
            return [data]
        if data.get("type") in tuple(_DEPTH):  # which may be anything, also what has no hash
            return [{"type": "Feature", "geometry": data}]
    raise BadFile(f"{path}: is not GeoJSON with features")


def require_degrees(data: Mapping[str, Any], path: Path) -> None:
    """Refuse a file that says it is not in degrees of WGS 84."""
    named = json.dumps(data.get("crs"))
    if data.get("crs") is not None and not any(name in named for name in _DEGREES):
        raise NotApplicable(
            f"{path}: says that its coordinates are not degrees of WGS 84 (its member crs); convert it "
            "to WGS 84 first"
        )


def _shapes(features: Sequence[Any]) -> Iterator[Shape]:
    for k, feature in enumerate(features):
        geometry = feature.get("geometry") if isinstance(feature, Mapping) else None
        kind = geometry.get("type") if isinstance(geometry, Mapping) else None
        if not isinstance(kind, str) or kind not in _DEPTH or not isinstance(geometry, Mapping):
            raise BadFile(
                f"feature {k}: its geometry should be one of {', '.join(_DEPTH)}, not "
                f"{str(kind)[:40]!r}"
            )
        given = geometry.get("coordinates")
        for _ in range(_DEPTH[kind], 2):
            given = [given]
        if not isinstance(given, list) or not all(isinstance(part, list) for part in given):
            raise BadFile(f"feature {k}: its coordinates are not a list of positions")
        properties = feature.get("properties")
        said = properties if isinstance(properties, Mapping) else {}
        yield Shape(kind, [[_place(position, k) for position in part] for part in given], said)


def _place(position: Any, k: int) -> tuple[float, float]:
    if not isinstance(position, list) or len(position) < 2:
        return np.nan, np.nan
    return _degrees(position[0], k), _degrees(position[1], k)


def _degrees(value: Any, k: int) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        raise BadFile(f"feature {k}: a coordinate is too large") from None


def geojson_text(shapes: Sequence[Shape], path: Path) -> str:
    """A FeatureCollection.

    Parameters
    ----------
    shapes
        What it holds.
    path
        The file's name, for a refusal.
    """
    features = []
    for shape in shapes:
        places: Any = [[list(place) for place in part] for part in shape.parts]
        for _ in range(_DEPTH[shape.kind], 2):
            places = places[0]
        geometry = {"type": shape.kind, "coordinates": places}
        features.append({"type": "Feature", "properties": shape.said, "geometry": geometry})
    try:
        return json.dumps({"type": "FeatureCollection", "features": features}, allow_nan=False)
    except (ValueError, RecursionError):
        raise BadFile(f"{path}: a kept property cannot be written as JSON") from None
