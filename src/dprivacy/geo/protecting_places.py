"""`protect_places`: reported places for true ones, with what is guaranteed about them."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BudgetExceeded, NotApplicable, PrivacyLeakWarning
from dprivacy.geo.city_grid import City, require_city
from dprivacy.geo.earth.coordinates import like, read_places
from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.lengths import LengthLike, metres
from dprivacy.geo.earth.regions import RegionLike
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.geo.place_files import PlaceFile
from dprivacy.geo.place_noise import PlaceMechanism, place_mechanism
from dprivacy.geo.released_places import MOVED, ProtectedPlaces, charge_of, released
from dprivacy.mechanisms import whole
from dprivacy.model import counted
from dprivacy.numbers import Floats, as_eps
from dprivacy.release import (
    Receipt,
    Released,
    charged,
    person_name,
    read_people,
    warn_if_in_order,
)
from dprivacy.sampling import Source, choose_source
from dprivacy.sources import result
from dprivacy.typing import Label, LedgerLike, LevelLike

_CHUNK = 1 << 14
_SAME_PLACE = 4  # cells of permanent noise in a radius


@result("T", "Ex 3.2.1")
def protect_places(
    lat: Degrees,
    lon: Degrees,
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike | None = None,
    city: City | None = None,
    people: Iterable[Label] | None = None,
    reports: int | None = None,
    permanent_key: bytes | None = None,
    question: str = "",
    cell: LengthLike | None = None,
    clamp: bool = False,
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> Released[ProtectedPlaces]:
    """Noisy places: within `radius`, the odds between two true places change by at most e^eps.

    Parameters
    ----------
    lat, lon
        True places in degrees: lists, arrays, or columns of a pandas or Polars frame.
    eps, radius
        What is guaranteed, such as "ln 4" (a factor of 4) and "200 m".
    region
        What everyone may know about where the places are; see `as_region`. It makes the noise planar
        instead of spatial, which moves places 15 % less. Never compute it from the places.
    city
        Public knowledge about plausible places. Each report becomes the cell that is best in
        expectation; the guarantee stays.
    people
        Whose each place is. Levels of several reports of one person add up, and the guarantee says so.
    reports
        How many reports a person makes at most. Then `eps` is for all of them together, and each has
        eps/reports.
    permanent_key
        At least 16 secret bytes: permanent noise. Whoever is in the same cell again reports the same
        place again, which counts once. Needs `people`.
    question
        With a key: what is asked, such as "home". Other questions have other noise; in a file they are
        told apart by the names of the columns.
    cell
        The cells that true places are moved to first; with a key a quarter of the radius, otherwise a
        thousandth.
    clamp
        Move reports that fall outside the region to its border.
    ledger, again
        As for `sanitise`: what is charged before anything is drawn, and why once more. It is charged
        the level of all reports of a person, per kilometre; without `people`, of one report.
    insecure_seed
        For tests and examples only; it warns.

    Returns
    -------
    Released
        Its `data` has `lat`, `lon` and `guarantee`; `save` writes .csv, .parquet or .geojson.

    Raises
    ------
    BadNumber
        For coordinates that are out of range, outside the region or seem to be swapped, by row number.
    BudgetExceeded
        When a person has more than `reports` reports.

    Warns
    -----
    PrivacyLeakWarning
        When the level of all reports of a person together is above 10.

    Notes
    -----
    1. Places become metres: shadows on the region's plane, or points in space. Neither puts two places
       farther apart.
    2. They move to the centres of public cells, and exact noise is drawn on a lattice of metres. The
       level per metre is eps/(radius + what the cells may add).
    3. Clamping, remapping, and the way back to degrees see the noisy point only: post-processing.

    Examples
    --------
    >>> reported = protect_places([40.7484], [-73.9857], radius="200 m", region="40.7,-74,50 km")
    >>> print(reported.data.guarantee.brief())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    >>> reported.card.holds, len(reported.data)
    (True, 1)
    """
    ready = prepared(
        lat,
        lon,
        eps=eps,
        radius=radius,
        region=region,
        city=city,
        people=people,
        reports=reports,
        permanent_key=permanent_key,
        question=question,
        cell=cell,
        clamp=clamp,
        insecure_seed=insecure_seed,
    )
    source = ready.lat.tobytes() + ready.lon.tobytes()
    charge = charge_of(ready.mechanism.guarantee)
    with charged(
        ledger,
        charge,
        source,
        people=ready.charged,
        rows_per_person=ready.mechanism.guarantee.reports,
        published=[] if permanent_key is None else [MOVED],
        again=again,
        note="places",
    ) as receipt:
        return ready.drawn(receipt=receipt)


def prepared(
    lat: Degrees,
    lon: Degrees,
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike | None = None,
    city: City | None = None,
    people: Iterable[Label] | None = None,
    reports: int | None = None,
    permanent_key: bytes | None = None,
    question: str = "",
    cell: LengthLike | None = None,
    clamp: bool = False,
    insecure_seed: int | None = None,
) -> "Prepared":
    """All that `protect_places` does before it draws; nothing is spent yet."""
    level = as_eps(eps) if reports is None else as_eps(eps) / whole(reports, "reports")
    if city is not None:
        require_city(city)
    declared = city.region if region is None and city is not None else region
    if clamp and declared is None:
        raise NotApplicable("clamping needs a region to clamp to; give region= as well")
    if permanent_key is not None and cell is None:
        cell = metres(radius, what="the radius") / _SAME_PLACE
    mechanism = place_mechanism(radius=radius, eps=level, region=declared, cell=cell)
    if city is not None and mechanism.region != city.region:
        raise NotApplicable(
            f"the region should be the city's own ({city.region.words()}); leave the region out"
        )
    latitudes, longitudes = read_places(lat, lon, mechanism.region)
    if people is None and (permanent_key is not None or reports is not None):
        raise NotApplicable(
            "permanent noise and a number of reports need to know whose each place is; give people="
        )
    owners = None if people is None else read_people(people, len(latitudes), "place")
    cells = None if permanent_key is None else mechanism.cells(latitudes, longitudes)
    most = 1 if owners is None else _most(owners, cells, reports)
    first = slice(None) if owners is None else _first_of_each(owners)
    warn_if_in_order({"latitude": latitudes[first], "longitude": longitudes[first]}, above=2)
    guarantee = replace(mechanism.guarantee, reports=reports or most)
    return Prepared(
        replace(mechanism, guarantee=guarantee),
        latitudes,
        longitudes,
        (lat, lon),
        owners,
        None if permanent_key is None else PermanentNoise(mechanism, permanent_key, question),
        city,
        clamp,
        reports,
        insecure_seed,
    )


@dataclass(frozen=True, eq=False)
class Prepared:
    """Places that were read and checked, and how their reports will be drawn."""

    mechanism: PlaceMechanism
    lat: Floats
    lon: Floats
    given: tuple[Any, Any]  # what the places came in, and the reports go out in
    owners: Sequence[Any] | None
    permanent: PermanentNoise | None
    city: City | None
    clamp: bool
    reports: int | None  # as many as were declared
    seed: int | None

    @property
    def charged(self) -> list[Any] | None:
        """Whose each report is; with permanent noise each person once, since cells are what counts."""
        if self.owners is None or self.permanent is None:
            return None if self.owners is None else list(self.owners)
        return list({person_name(who, row): who for row, who in enumerate(self.owners)}.values())

    def drawn(
        self, *, receipt: Receipt | None = None, found: PlaceFile | None = None
    ) -> Released[ProtectedPlaces]:
        """The reports."""
        guarantee, source = self.mechanism.guarantee, choose_source(self.seed)
        if guarantee.warning:
            warnings.warn(guarantee.warning, PrivacyLeakWarning, stacklevel=3)
        out = np.empty((2, len(self.lat)))
        for start in range(0, len(self.lat), _CHUNK):
            here = slice(start, start + _CHUNK)
            out[:, here] = self._reported(self.mechanism.points(self._noisy(here, source)))
        places = ProtectedPlaces(
            like(out[0], self.given[0]),
            like(out[1], self.given[1]),
            guarantee,
            tuple(self._notes()),
            self.mechanism.law,
        )
        permanent = self.permanent is not None
        return released(
            places,
            self.mechanism,
            secure=permanent or source.secure,
            permanent=permanent,
            receipt=receipt,
            found=found,
        )

    def _noisy(self, here: slice, source: Source) -> NDArray[np.int64]:
        cells = self.mechanism.cells(self.lat[here], self.lon[here])
        if self.permanent is not None and self.owners is not None:
            return self.permanent.noisy(cells, self.owners[here])
        return self.mechanism.noisy(cells, source)

    def _reported(self, points: Floats) -> tuple[Floats, ...]:
        """Degrees of noisy points: post-processing."""
        if self.city is not None:
            best = self.city.remapped(points, float(self.mechanism.guarantee.eps))
            return tuple(side[best] for side in self.city.places)
        found = self.mechanism.places(points)
        region = self.mechanism.region
        return region.nearest(*found) if self.clamp and region is not None else found

    def _notes(self) -> list[str]:
        notes = []
        if self.mechanism.region is None:
            notes.append(
                "No region was declared, so the noise is spatial; with a region it moves less."
            )
        else:
            notes.append(f"Everyone may know that the places lie {self.mechanism.region.words()}.")
        if self.owners is None:
            notes.append("Each row is treated as another person; levels of a person's rows add up.")
        elif self.reports is None:
            notes.append(
                "The largest number of reports of one person was counted in the data; it is now public."
            )
        if self.reports is not None:
            notes.append(
                f"A person has at most {counted(self.reports, 'report')}, which may use the level up."
            )
        if self.permanent is not None:
            notes.append(
                "The noise is permanent: the same person in the same cell reports the same place, "
                "however often, and that counts as one report. Anyone can see that somebody is back, "
                "or has left."
            )
        if self.city is not None:
            notes.append(
                f"Reports are moved to the best of {counted(len(self.city), 'cell')}: "
                f"{self.city.explain()}"
            )
        elif self.clamp:
            notes.append("Reports outside the region are moved to its border.")
        return notes


def _first_of_each(owners: Sequence[Any]) -> list[int]:
    """Where another person's rows begin: the places of one may well lie together."""
    return [k for k, who in enumerate(owners) if not k or who != owners[k - 1]]


def _most(owners: Sequence[Any], cells: NDArray[np.int64] | None, limit: int | None) -> int:
    """The most reports of one person; with permanent noise, the most cells."""
    seen: dict[bytes, Any] = {}
    most = 1
    for row, person in enumerate(owners):
        mine = seen.setdefault(person_name(person, row), set())
        mine.add(row if cells is None else cells[row].tobytes())
        most = max(most, len(mine))
        if limit is not None and most > limit:
            what = counted(limit, "report" if cells is None else "different place")
            raise BudgetExceeded(
                f"row {row}: its person has more than {what}, and the level was divided by "
                f"{limit}; leave rows out, or declare more reports"
            )
    return most
