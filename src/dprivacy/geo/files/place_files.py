"""Places in files: CSV, Parquet and GeoJSON; every refusal is one sentence that shows no place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from dprivacy.errors import BadFile, UnknownName
from dprivacy.geo.earth.polygons import read_json
from dprivacy.numbers import Floats, Sealed
from dprivacy.release import EVERY_ROW, Written, column_list, float_column, whole_table
from dprivacy.typing import PathArg

_USUAL = {"lat": ("lat", "latitude", "y"), "lon": ("lon", "lng", "long", "longitude", "x")}
_LONG = {"lat": "latitude", "lon": "longitude"}
_LARGEST = 1 << 29  # bytes of a GeoJSON file
_SHAPES = {"Point": 0, "MultiPoint": 1, "LineString": 1}  # how deep the positions lie


@dataclass(frozen=True, eq=False)
class PlaceFile(Sealed):
    """The places of a file, and of its other columns only those that were asked for.

    Attributes
    ----------
    lat, lon
        Degrees, as they stand in the file; missing ones are NaN.
    people
        Whose each place is, or None.
    names
        What the columns with the coordinates are called.
    kept
        Columns that are passed on as they are.
    shapes
        For GeoJSON: the type of each feature's geometry, and how many places it has.
    person
        The column that says whose a place is, as it was named.
    source
        The file.

    Examples
    --------
    >>> found = PlaceFile(np.array([40.7]), np.array([-74.0]), ["ann"], ("lat", "lon"))
    >>> found.names, found.kept
    (('lat', 'lon'), {})
    """

    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    people: Sequence[Any] | None = field(repr=False)
    names: tuple[str, str]
    kept: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    shapes: tuple[tuple[str, int], ...] | None = field(default=None, repr=False)
    person: str | None = None
    source: Path | None = None

    @property
    def published(self) -> "PlaceFile":
        """What may be published of it: names, kept columns, shapes; neither places nor people."""
        nowhere = np.empty(0)
        return replace(self, lat=nowhere, lon=nowhere, people=None, source=None)

    @property
    def question(self) -> str:
        """What is asked, by the names of the columns; empty where these are the usual ones."""
        usual = all(
            name.strip().lower() in _USUAL[side]
            for name, side in zip(self.names, _USUAL, strict=True)
        )
        return "" if usual else json.dumps(self.names)


def is_geojson(path: Path) -> bool:
    """Whether a file's name says that it is GeoJSON."""
    return path.suffix.lower() in (".geojson", ".json")


def read_place_file(
    path: PathArg,
    *,
    lat: str | None = None,
    lon: str | None = None,
    person: str | None = None,
    keep: str | Sequence[str] = (),
    **written: Unpack[Written],
) -> PlaceFile:
    r"""Read places.

    Parameters
    ----------
    path
        A .csv, .csv.gz, .parquet or .geojson file. GeoJSON may hold points, and lines of points.
    lat, lon
        The columns; found by their usual names when omitted.
    person
        The column (or property) that says whose a place is. Without it, or with "row", every place is
        another person's, and a line is one person's.
    keep
        Columns (or properties) to pass on unchanged.
    **written
        How a text table is written, as for `sanitise_file`: `delimiter`, `encoding` and so on.

    Returns
    -------
    PlaceFile
        Numbers are read, not yet checked.

    Raises
    ------
    BadFile
        When the file is not what it should be; `UnclearTable` when it cannot be seen how it is written.
    UnknownName
        When it does not have a column that is asked for.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "p.csv").write_text("who,lat,lon\nann,40.7,-74.0\n")
    ...     found = read_place_file(f"{folder}/p.csv", person="who")
    >>> found.people, found.lat.tolist()
    (['ann'], [40.7])
    """
    file, passed = Path(path), column_list(keep)
    column = None if person == EVERY_ROW else person
    if is_geojson(file):
        return replace(_geojson(file, column, passed), person=person, source=file)
    named = [*passed, *([] if column is None else [column])]
    table = whole_table(file, named, likely=(lat or "lat", lon or "lon"), **written)
    names = table.column_names
    sides = (_column(names, lat, "lat"), _column(names, lon, "lon"))
    north, east = (float_column(table, name, file) for name in sides)
    people = None if column is None else table[column].to_pylist()
    kept = {name: table[name].to_pylist() for name in passed}
    return PlaceFile(north, east, people, sides, kept, None, person, file)


def _column(names: Sequence[str], given: str | None, side: str) -> str:
    if given is not None:
        found = [name for name in names if name == given]
    else:
        found = [name for name in names if name.strip().lower() in _USUAL[side]]
    if len(found) != 1:
        raise UnknownName(
            f"which column is the {_LONG[side]}? There are {', '.join(names)}; name it with {side}= or "
            f"--{side}"
        )
    return found[0]


def _geojson(path: Path, person: str | None, keep: Sequence[str]) -> PlaceFile:
    features = _features(read_json(path, largest=_LARGEST), path)
    lat, lon, owners = [], [], []
    shapes: list[tuple[str, int]] = []
    kept: dict[str, list[Any]] = {name: [] for name in keep}
    for k, feature in enumerate(features):
        kind, positions = _positions(feature, k)
        shapes.append((kind, len(positions)))
        properties = feature.get("properties")
        said = properties if isinstance(properties, Mapping) else {}
        for name in keep:
            kept[name].append(said.get(name))
        for position in positions:
            known = isinstance(position, list) and len(position) >= 2
            lon.append(_degrees(position[0], k) if known else np.nan)
            lat.append(_degrees(position[1], k) if known else np.nan)
            owners.append(_owner(said, person, k))
    people = (
        owners if person is not None or any(kind == "LineString" for kind, _ in shapes) else None
    )
    return PlaceFile(
        np.array(lat), np.array(lon), people, ("latitude", "longitude"), kept, tuple(shapes)
    )


def _degrees(value: Any, k: int) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        raise BadFile(f"feature {k}: a coordinate is too large") from None


def _owner(said: Mapping[str, Any], person: str | None, k: int) -> Any:
    if person is None:
        return k
    owner = said.get(person)
    if not isinstance(owner, str | int | float) or isinstance(owner, bool):
        raise BadFile(f"feature {k}: has no property {person!r} that names a person")
    return owner


def _features(data: Any, path: Path) -> list[Any]:
    if isinstance(data, Mapping):
        if data.get("type") == "FeatureCollection" and isinstance(data.get("features"), list):
            return list(data["features"])
        if data.get("type") == "Feature":
            return [data]
        if data.get("type") in tuple(_SHAPES):  # which may be anything, also what has no hash
            return [{"type": "Feature", "geometry": data}]
    raise BadFile(f"{path}: is not GeoJSON with features")


def _positions(feature: Any, k: int) -> tuple[str, list[Any]]:
    geometry = feature.get("geometry") if isinstance(feature, Mapping) else None
    kind = geometry.get("type") if isinstance(geometry, Mapping) else None
    if not isinstance(kind, str) or kind not in _SHAPES or not isinstance(geometry, Mapping):
        raise BadFile(
            f"feature {k}: its geometry should be one of {', '.join(_SHAPES)}, not {str(kind)[:40]!r}"
        )
    given = geometry.get("coordinates")
    positions = [given] if _SHAPES[kind] == 0 else given
    if not isinstance(positions, list):
        raise BadFile(f"feature {k}: its coordinates are not a list of positions")
    return kind, positions
