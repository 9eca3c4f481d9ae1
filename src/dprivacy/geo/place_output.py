"""Reported places as files, and the promise beside them."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.extras import arrow
from dprivacy.geo.earth.lengths import metres
from dprivacy.geo.place_files import PlaceFile, is_geojson, read_place_file
from dprivacy.geo.protecting_places import ProtectedPlaces, protect
from dprivacy.mechanisms import whole
from dprivacy.numbers import as_eps
from dprivacy.release import (
    Charge,
    Receipt,
    Workplace,
    charged,
    open_own,
    per_unit,
    write_errors,
    writer_of,
)


def promise_path(output: str | Path) -> Path:
    """Where the promise of an output lies: out.csv has out.promise.json beside it."""
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix(path.suffix)}.promise.json")


def protect_file(
    places: str | Path,
    output: str | Path,
    *,
    lat: str | None = None,
    lon: str | None = None,
    person: str | None = None,
    keep: Sequence[str] = (),
    replace: bool = False,
    mechanism: Any = None,
    ledger: Any = None,
    again: str | None = None,
    **options: Any,
) -> ProtectedPlaces:
    """Write reported places for the true places of a file, and the promise beside them.

    Parameters
    ----------
    places
        A .csv, .csv.gz, .parquet or .geojson file; see `read_place_file`.
    output
        A .csv, .parquet or .geojson file. It has the coordinates and what `keep` names, nothing else.
    lat, lon, person, keep
        Columns; see `read_place_file`. Columns that are kept are published as they are.
    replace
        Replace an existing output. New noise is drawn, which spends the level again.
    mechanism
        A `CityMechanism` to draw from instead of planar or spatial noise.
    ledger, again
        As for `sanitise`: what is charged before anything is drawn, and why once more. It is charged
        the level of one report, per kilometre; a receipt goes into the promise's file.
    **options
        As for `protect`; not with a mechanism.

    Returns
    -------
    ProtectedPlaces
        What was written.

    Raises
    ------
    BadFile, OutputExists
        When the files are not what they should be, or the output is there already.
    BudgetExceeded, AlreadyReleased
        When the ledger refuses; nothing is drawn.
    """
    target = Path(output)
    if target.suffix.lower() not in (".csv", ".parquet", ".geojson", ".json"):
        raise BadFile(f"{target}: the name should end in .csv, .parquet or .geojson")
    if target.exists() and not replace:
        raise OutputExists(
            f"{target} already exists; choose another name, or pass --replace to overwrite it"
        )
    found = read_place_file(places, lat=lat, lon=lon, person=person, keep=keep)
    if mechanism is not None and (options or found.people is not None):
        given = ", ".join([*options, *(["person"] if found.people is not None else [])])
        raise NotApplicable(f"the optimal mechanism takes each row by itself; leave out {given}")
    if mechanism is None:  # said here, so that what is charged is what is drawn
        options = {"radius": "200 m", "eps": "ln 4", **options}
    with charged(
        ledger,
        _charge(mechanism, options),
        Path(places),
        people=found.people,
        again=again,
        note="places",
    ) as receipt:
        reported: ProtectedPlaces = (
            protect(found.lat, found.lon, people=found.people, **options)
            if mechanism is None
            else mechanism.protect(found.lat, found.lon)
        )
        write_places(reported, found, target, receipt)
    return reported


def _charge(mechanism: Any, options: Mapping[str, Any]) -> Charge:
    """The level of one report, per kilometre: what is promised from the radius on."""
    if mechanism is not None:
        eps, radius = mechanism.promise.eps, mechanism.promise.radius
    else:
        eps = as_eps(options["eps"]) / whole(options.get("reports") or 1, "reports")
        radius = metres(options["radius"], what="the radius")
    return per_unit("places", "metres on Earth", "per kilometre and report", eps * 1000 / radius)


def write_places(
    reported: ProtectedPlaces, found: PlaceFile, target: Path, receipt: Receipt | None = None
) -> None:
    """Write reports in the form that the file's name says, and the promise.

    Parameters
    ----------
    reported
        What to write.
    found
        Where the names, the kept columns and the shapes come from.
    target
        The file.
    receipt
        What a ledger gave for it.
    """
    if not is_geojson(target) and found.shapes is not None and found.kept:
        raise NotApplicable(
            f"properties are kept from GeoJSON to GeoJSON only, but the output is {target.name}"
        )
    place = Workplace(target)
    with place.held(), _cleared(place):
        handle = open_own(place.output_part, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(handle, "wb") as file:
            if is_geojson(target):
                file.write(_json(_collection(reported, found), target))
            else:
                _table(reported, found, target, file)
            file.flush()
            os.fsync(file.fileno())
        told = reported.to_dict() | ({} if receipt is None else {"receipt": receipt.to_dict()})
        text = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
        promise_path(target).write_text(text, encoding="utf-8")
        os.replace(place.output_part, target)
        place.sync()


@contextmanager
def _cleared(place: Workplace) -> Iterator[None]:
    """Leave nothing half-written behind."""
    try:
        yield
    finally:
        place.clear()


def _table(reported: ProtectedPlaces, found: PlaceFile, target: Path, file: Any) -> None:
    pa = arrow()
    columns = {found.names[0]: pa.array(reported.lat), found.names[1]: pa.array(reported.lon)}
    with write_errors(target):
        columns |= {name: pa.array(values) for name, values in found.kept.items()}
        table = pa.table(columns)
        writer = writer_of(file, target, table.schema)
        writer.write_table(table)
        writer.close()


def _json(data: Any, target: Path) -> bytes:
    try:
        return json.dumps(data, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise BadFile(f"{target}: a kept property cannot be written as JSON") from None


def _collection(reported: ProtectedPlaces, found: PlaceFile) -> dict[str, Any]:
    """A FeatureCollection with the shapes that came, or with points."""
    positions = [[x, y] for x, y in zip(reported.lon.tolist(), reported.lat.tolist(), strict=True)]
    shapes = found.shapes or tuple(("Point", 1) for _ in positions)
    features, at = [], 0
    for k, (kind, size) in enumerate(shapes):
        here = positions[at : at + size]
        at += size
        features.append(
            {
                "type": "Feature",
                "properties": {name: values[k] for name, values in found.kept.items()},
                "geometry": {"type": kind, "coordinates": here[0] if kind == "Point" else here},
            }
        )
    return {"type": "FeatureCollection", "features": features}
