"""Places in files: tables, GeoJSON and GPX; every refusal is one sentence that shows no place."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from dprivacy.errors import UnknownName
from dprivacy.geo.files.geojson_files import is_geojson, read_geojson
from dprivacy.geo.files.gpx_files import is_gpx, read_gpx
from dprivacy.geo.files.places_read import USUAL, PlaceFile
from dprivacy.release import EVERY_ROW, Written, column_list, float_column, whole_table
from dprivacy.typing import PathArg

_LONG = {"lat": "latitude", "lon": "longitude"}


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
        A .csv, .csv.gz, .parquet, .geojson or .gpx file. GeoJSON may hold points and lines; of GPX,
        waypoints, routes and tracks are read.
    lat, lon
        The columns; found by their usual names when omitted.
    person
        The column (of GeoJSON the property, of GPX an element such as name) that says whose a place is.
        Without it, every row of a table is another person's, and so is every feature of GeoJSON, of
        which a line is a person's track; a GPX file is one person's as a whole. With "row" every row,
        feature, waypoint, route or track is a person's of its own.
    keep
        Columns, properties or elements to pass on unchanged. What a track does not say itself, such as
        the time, is kept for each of its places.
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
    if is_geojson(file):
        return replace(read_geojson(file, person, passed), person=person, source=file)
    if is_gpx(file):
        return replace(read_gpx(file, person, passed), person=person, source=file)
    column = None if person == EVERY_ROW else person
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
        found = [name for name in names if name.strip().lower() in USUAL[side]]
    if len(found) != 1:
        raise UnknownName(
            f"which column is the {_LONG[side]}? There are {', '.join(names)}; name it with {side}= or "
            f"--{side}"
        )
    return found[0]
