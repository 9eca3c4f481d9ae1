"""Released places: the reports, the card that says what is guaranteed, the charge, and the file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.extras import arrow
from dprivacy.geo.earth.lengths import in_words
from dprivacy.geo.files.place_files import PlaceFile, is_geojson
from dprivacy.geo.metre_guarantee import MetreGuarantee
from dprivacy.geo.noise_law import NoiseLaw
from dprivacy.geo.prior.least_distance import Choice
from dprivacy.model import Answer, Mechanism, counted, plain
from dprivacy.numbers import Sealed
from dprivacy.release import (
    Card,
    Charge,
    Receipt,
    Released,
    StatedGuarantee,
    per_unit,
    write_table,
)

MOVED = "whether and when a person is in another cell"  # what permanent noise publishes


@dataclass(frozen=True, eq=False)
class ProtectedPlaces(Answer, Sealed):
    """Reported places. Nothing of the true ones is in here.

    Attributes
    ----------
    lat, lon
        What may be published: degrees, in the order of the true places.
    guarantee
        What holds for the true places.
    notes
        What else was done, and what is not guaranteed, in words.
    law
        How far the noise moves places; None where a channel decides it.
    choice
        With a prior: which mechanism was used, and how far each would have moved public places.

    Examples
    --------
    >>> from dprivacy.geo import protect_places
    >>> places = protect_places([40.7, 40.71], [-74.0, -74.01], region="40.7, -74, 9 km").data
    >>> len(places), places.guarantee.reports
    (2, 1)
    """

    lat: Any  # an array, or a column of a pandas or Polars frame: what the true ones came in
    lon: Any
    guarantee: MetreGuarantee
    notes: tuple[str, ...] = ()
    law: NoiseLaw | None = None
    choice: Choice | None = None
    exact: bool = field(default=True, init=False)

    def __len__(self) -> int:
        return len(self.lat)

    def explain(self) -> str:
        """The guarantee, how far places are moved, and what else was done."""
        law = [] if self.law is None else [self.law.explain()]
        return "\n".join([self.guarantee.explain(), *law, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """All but the places, as plain data."""
        return {
            "places": len(self),
            "guarantee": self.guarantee.to_dict(),
            "noise": None if self.law is None else self.law.to_dict(),
            "choice": None if self.choice is None else self.choice.to_dict(),
            "notes": plain(self.notes),
        }

    def __repr__(self) -> str:
        return f"ProtectedPlaces({counted(len(self), 'place')}, {self.guarantee!r})"


def charge_of(guarantee: MetreGuarantee) -> Charge:
    """The level of one report, per kilometre: what is guaranteed from the radius on.

    Places nearer to each other are in one cell or in two, and count as if they were a radius apart.
    """
    level, least = guarantee.level * 1000 / guarantee.radius, in_words(guarantee.radius)
    metric, unit = f"metres on Earth, at least {least}", f"per kilometre, at least {least}"
    return per_unit("places", metric, unit, level)


def released(
    places: ProtectedPlaces,
    mechanism: Mechanism,
    *,
    secure: bool,
    permanent: bool = False,
    receipt: Receipt | None = None,
    found: PlaceFile | None = None,
) -> Released[ProtectedPlaces]:
    """Reports with their card, ready to be saved with the names, kept columns and shapes of a file.

    `secure` says whether the noise came from a source that nobody can guess.
    """
    card = Card.of(
        "places",
        StatedGuarantee.of(places.guarantee, sentence=places.explain()),
        count=len(places),
        secure=secure,
        mechanisms={"": mechanism.to_dict()},
        permanent=permanent,
        receipt=receipt,
        pass_through=() if found is None else tuple(found.kept),
    )
    beside = None if found is None else found.published  # a release may be pickled and sent
    return Released(places, card, partial(write_places, found=beside), receipt=receipt)


def write_places(
    places: ProtectedPlaces, file: Any, path: Path, *, found: PlaceFile | None = None
) -> None:
    """Write reports into a binary file, in the form that the name of the path says.

    Parameters
    ----------
    places
        What to write.
    file, path
        The open file, and the name it will have.
    found
        Where the names, the kept columns and the shapes come from.
    """
    require_ending(path)
    names = ("latitude", "longitude") if found is None else found.names
    kept: Mapping[str, Sequence[Any]] = {} if found is None else found.kept
    shapes = None if found is None else found.shapes
    if is_geojson(path):
        file.write(_json(_collection(places, kept, shapes), path))
        return
    if shapes is not None and kept:
        raise NotApplicable(
            f"properties are kept from GeoJSON to GeoJSON only, but the output is {path.name}"
        )
    table = arrow().table({names[0]: places.lat, names[1]: places.lon, **kept})
    write_table(table, file, path)


def require_ending(path: Path) -> None:
    """Refuse a name that does not say how places are written."""
    if path.suffix.lower() not in (".csv", ".parquet", ".geojson", ".json"):
        raise BadFile(f"{path}: the name should end in .csv, .parquet or .geojson")


def _json(data: Any, path: Path) -> bytes:
    try:
        return json.dumps(data, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise BadFile(f"{path}: a kept property cannot be written as JSON") from None


def _collection(
    places: ProtectedPlaces,
    kept: Mapping[str, Sequence[Any]],
    shapes: tuple[tuple[str, int], ...] | None,
) -> dict[str, Any]:
    """A FeatureCollection with the shapes that came, or with points."""
    positions = [[x, y] for x, y in zip(places.lon.tolist(), places.lat.tolist(), strict=True)]
    features, at = [], 0
    for k, (kind, size) in enumerate(shapes or (("Point", 1),) * len(positions)):
        here = positions[at : at + size]
        at += size
        features.append(
            {
                "type": "Feature",
                "properties": {name: values[k] for name, values in kept.items()},
                "geometry": {"type": kind, "coordinates": here[0] if kind == "Point" else here},
            }
        )
    return {"type": "FeatureCollection", "features": features}
