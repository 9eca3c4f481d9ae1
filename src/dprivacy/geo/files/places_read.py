"""What was read of a file of places."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.numbers import Floats, Sealed

USUAL = {"lat": ("lat", "latitude", "y"), "lon": ("lon", "lng", "long", "longitude", "x")}


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
        For GeoJSON and GPX: the kind of each feature, and how many places each of its parts has.
    person
        The column that says whose a place is, as it was named.
    source
        The file.

    Examples
    --------
    >>> found = PlaceFile(np.array([40.7]), np.array([-74.0]), ["ann"], ("lat", "lon"))
    >>> found.names, found.kept
    (('lat', 'lon'), {})
    >>> found.published.names, len(found.published.lat), found.question
    (('lat', 'lon'), 0, '')
    """

    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    people: Sequence[Any] | None = field(repr=False)
    names: tuple[str, str]
    kept: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    shapes: tuple[tuple[str, tuple[int, ...]], ...] | None = field(default=None, repr=False)
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
            name.strip().lower() in USUAL[side]
            for name, side in zip(self.names, USUAL, strict=True)
        )
        return "" if usual else json.dumps(self.names)
