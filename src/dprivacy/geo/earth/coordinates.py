"""Latitudes and longitudes as people have them; what is wrong is named by row, never by value."""

from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, WrongKind, WrongShape
from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.regions import Region
from dprivacy.mechanisms import read_doubles
from dprivacy.model import counted
from dprivacy.numbers import Floats

_CHUNK = 1 << 14  # rows that stay in the processor's cache


def read_places(lat: Degrees, lon: Degrees, region: Region | None = None) -> tuple[Floats, Floats]:
    """Checked arrays of degrees.

    Parameters
    ----------
    lat, lon
        Lists, arrays, or columns of a pandas or Polars frame, of one length. Longitudes go from −180 to
        180, or from 0 to 360.
    region
        Where all of them must lie.

    Returns
    -------
    tuple of arrays
        Latitudes and longitudes as doubles.

    Raises
    ------
    BadNumber
        With the number of the first row that is missing, out of range or outside the region.
    WrongKind, WrongShape
        For values that are not one number a row, and for sides of two lengths.
    """
    sides = [_side(values, name) for values, name in ((lat, "latitudes"), (lon, "longitudes"))]
    if len(sides[0]) != len(sides[1]):
        raise WrongShape(
            "there should be one longitude for each latitude, not "
            f"{counted(len(sides[1]), 'longitude')} for {counted(len(sides[0]), 'latitude')}"
        )
    require_rows(~np.isfinite(sides[0]), "has no finite latitude; leave such rows out")
    require_rows(~np.isfinite(sides[1]), "has no finite longitude; leave such rows out")
    latitudes, longitudes = sides
    high = np.abs(latitudes) > 90
    swapped = high.any() and bool((np.abs(longitudes) <= 90).all())
    hint = (
        "; the two seem to be swapped (GeoJSON has the longitude first, all else the latitude)"
        if swapped
        else ""
    )
    require_rows(high, f"has a latitude beyond ±90{hint}")
    wide = (longitudes < -180) | (longitudes > 360)
    require_rows(wide, "has a longitude outside −180 … 360")
    if region is not None:
        _require_inside(latitudes, longitudes, region)
    return latitudes, longitudes


def like(values: Floats, original: Any) -> Any:
    """Values as what they came in: a pandas or Polars column, or an array."""
    module = type(original).__module__.partition(".")[0]
    if module == "pandas" and hasattr(original, "index"):
        return type(original)(values, index=original.index, name=original.name)
    if module == "polars":
        return type(original)(original.name, values)
    return values


def _side(values: Any, name: str) -> Floats:
    if isinstance(values, str | bytes):
        raise WrongKind(f"{name} should be a list of numbers, not a single text")
    try:
        found = values.to_numpy() if hasattr(values, "to_numpy") else values
        found = found if isinstance(found, np.ndarray) else np.asarray(found)
    except (TypeError, ValueError):
        raise WrongShape(f"{name} should be one number per row") from None
    kind = found.dtype.kind
    texts = kind == "O" and any(isinstance(v, str | bytes | bool) for v in found.flat)
    if kind in "bUS" or texts:
        raise WrongKind(f"{name} should be numbers, not texts or truth values")
    array = np.atleast_1d(read_doubles(found, name))
    if array.ndim != 1:
        raise WrongShape(
            f"{name} should be one number per row, not an array of shape {array.shape}"
        )
    return array


def require_rows(broken: Any, what: str, hint: str = "") -> None:
    """Refuse the first row that is broken, by its number."""
    rows = np.flatnonzero(broken)
    if len(rows):
        more = f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""
        raise BadNumber(f"row {int(rows[0])} {what}{more}{hint}")


def _require_inside(lat: Floats, lon: Floats, region: Region) -> None:
    out = np.empty(len(lat), dtype=np.bool_)
    for start in range(0, len(lat), _CHUNK):
        here = slice(start, start + _CHUNK)
        out[here] = ~region.holds(lat[here], lon[here])
    if not out.any():
        return
    swapped = bool((np.abs(lon) <= 90).all() and region.holds(lon, lat).all())
    hint = (
        "the two seem to be swapped"
        if swapped
        else "leave such rows out, or declare a wider region"
    )
    require_rows(out, "lies outside the declared region", f"; {hint}")
