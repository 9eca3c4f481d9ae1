"""Points, lines and tracks of a file: what was read of each, and the file that all of them make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import BadFile
from dprivacy.geo.files.places_read import PlaceFile
from dprivacy.release import EVERY_ROW


@dataclass(frozen=True)
class Shape:
    """One feature: places of one person, in one part or several.

    Attributes
    ----------
    kind
        As GeoJSON calls it: Point, MultiPoint, LineString or MultiLineString.
    parts
        Pairs (longitude, latitude), NaN where there is no number; a line has one part, a track one for
        every segment.
    said
        What else stands with it, by name.
    """

    kind: str
    parts: Sequence[Sequence[tuple[float, float]]]
    said: Mapping[str, Any]


def file_of_shapes(
    shapes: Iterable[Shape], person: str | None, keep: Sequence[str], *, one: bool
) -> PlaceFile:
    """The places of all shapes, with whose they are.

    Parameters
    ----------
    shapes
        In the order of the file.
    person
        What says whose a shape is; "row" or None where every shape is another person's.
    keep
        What is passed on of each shape.
    one
        Whether all shapes are one person's, where nothing says whose they are.
    """
    flat: list[tuple[float, float]] = []
    owners: list[Any] = []
    outlines: list[tuple[str, tuple[int, ...]]] = []
    kept: dict[str, list[Any]] = {name: [] for name in keep}
    for k, shape in enumerate(shapes):
        sizes = tuple(map(len, shape.parts))
        outlines.append((shape.kind, sizes))
        for name in keep:
            kept[name].append(shape.said.get(name))
        owner = k if person in (None, EVERY_ROW) else _owner(shape.said, person, k)
        owners += [owner] * sum(sizes)
        for part in shape.parts:
            flat += part
    lon, lat = np.array(flat, dtype=np.float64).reshape(-1, 2).T
    if person is None and one:
        owners = [0] * len(owners)
    several = person is not None or one or any(sum(sizes) > 1 for _, sizes in outlines)
    people = owners if several else None
    return PlaceFile(lat, lon, people, ("latitude", "longitude"), kept, tuple(outlines))


def _owner(said: Mapping[str, Any], person: str | None, k: int) -> Any:
    owner = said.get(person or "")
    if not isinstance(owner, str | int | float) or isinstance(owner, bool):
        raise BadFile(f"feature {k}: nothing in it is called {person!r} and names a person")
    return owner
