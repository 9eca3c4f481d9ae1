"""Released places: the reports, the card that says what is guaranteed, the charge, and the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.extras import arrow
from dprivacy.geo.earth.lengths import in_words
from dprivacy.geo.files.geojson_files import geojson_text, is_geojson
from dprivacy.geo.files.gpx_files import gpx_pieces, is_gpx, require_elements
from dprivacy.geo.files.place_shapes import Shape
from dprivacy.geo.files.places_read import PlaceFile
from dprivacy.geo.metre_guarantee import MetreGuarantee
from dprivacy.geo.noise_law import NoiseLaw
from dprivacy.geo.prior.least_distance import Choice
from dprivacy.model import Answer, Mechanism, counted, plain
from dprivacy.numbers import Level, Sealed
from dprivacy.release import (
    Card,
    Charge,
    Receipt,
    Released,
    StatedGuarantee,
    per_unit,
    write_table,
)


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


def charge_of(guarantee: MetreGuarantee, *, paid: bool = False) -> Charge:
    """The level of one report, per kilometre: what is guaranteed from the radius on.

    Nothing for what was paid for before.

    Places nearer to each other are in one cell or in two, and count as if they were a radius apart.
    """
    level, least = guarantee.level * 1000 / guarantee.radius, in_words(guarantee.radius)
    level = Level(0) if paid else level
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
    kept: Mapping[str, Sequence[Any]] = {} if found is None else found.kept
    shapes = None if found is None else found.shapes
    if is_geojson(path):
        file.write(geojson_text(_shapes(places, kept, shapes), path).encode())
    elif is_gpx(path):
        for piece in gpx_pieces(_shapes(places, kept, shapes), path):
            file.write(piece.encode())
    else:
        require_keeping(found, path)
        names = ("latitude", "longitude") if found is None else found.names
        table = arrow().table({names[0]: places.lat, names[1]: places.lon, **kept})
        write_table(table, file, path)


def require_keeping(found: PlaceFile | None, path: Path) -> None:
    """Refuse to write what was kept of features and tracks into a table, or anything into GPX."""
    if found is not None and is_gpx(path):
        require_elements(found.kept, path)
    if found is not None and found.shapes is not None and found.kept and not _has_shapes(path):
        raise NotApplicable(
            f"what is kept of GeoJSON or GPX goes to GeoJSON or GPX only, but the output is {path.name}"
        )


def require_ending(path: Path) -> None:
    """Refuse a name that does not say how places are written."""
    if path.suffix.lower() not in (".csv", ".parquet") and not _has_shapes(path):
        raise BadFile(f"{path}: the name should end in .csv, .parquet, .geojson or .gpx")


def _has_shapes(path: Path) -> bool:
    return is_geojson(path) or is_gpx(path)


def _shapes(
    places: ProtectedPlaces,
    kept: Mapping[str, Sequence[Any]],
    shapes: tuple[tuple[str, tuple[int, ...]], ...] | None,
) -> list[Shape]:
    """Reports in the shapes that came, or as points."""
    pairs = zip(places.lon.tolist(), places.lat.tolist(), strict=True)
    return [
        Shape(
            kind,
            [list(islice(pairs, size)) for size in sizes],
            {name: values[k] for name, values in kept.items()},
        )
        for k, (kind, sizes) in enumerate(shapes or (("Point", (1,)),) * len(places))
    ]
