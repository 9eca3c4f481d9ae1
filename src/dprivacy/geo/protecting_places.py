"""`protect`: reported places for true ones, with what is promised about them."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprivacy.errors import BudgetExceeded, NotApplicable, PrivacyLeakWarning, WrongShape
from dprivacy.geo.city_grid import City
from dprivacy.geo.earth.coordinates import like, read_places
from dprivacy.geo.earth.ellipsoid import Floats
from dprivacy.geo.earth.lengths import metres
from dprivacy.geo.metre_promise import Promise
from dprivacy.geo.noise_law import NoiseLaw
from dprivacy.geo.permanent_places import PermanentNoise, named
from dprivacy.geo.place_noise import PlaceMechanism, place_mechanism
from dprivacy.mechanisms import whole
from dprivacy.model import plain
from dprivacy.numbers import as_eps
from dprivacy.sampling import choose_source
from dprivacy.sources import result

_CHUNK = 1 << 14
_SAME_PLACE = 4  # cells of permanent noise in a radius
_MUCH = 10  # a level above which a promise is worth little


@dataclass(frozen=True, eq=False)
class ProtectedPlaces:
    """Reported places. Nothing of the true ones is in here.

    Attributes
    ----------
    lat, lon
        What may be published: degrees, in the order of the true places.
    promise
        What holds for the true places.
    notes
        What else was done, and what is not promised, in words.
    secure
        Whether the noise came from a source that nobody can guess.
    law
        How far the noise moves places; None when it is none of metres (a city's channel).
    """

    lat: Any
    lon: Any
    promise: Promise
    notes: tuple[str, ...] = ()
    secure: bool = True
    law: NoiseLaw | None = None

    def __len__(self) -> int:
        return len(self.lat)

    def explain(self) -> str:
        """The promise, and what else was done."""
        head = (
            [] if self.secure else ["NO GUARANTEE: the noise came from a seed and can be guessed."]
        )
        law = [] if self.law is None else [self.law.explain()]
        return "\n".join([*head, self.promise.explain(), *law, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """All but the places, as plain data."""
        return {
            "places": len(self),
            "promise": self.promise.to_dict(),
            "noise": None if self.law is None else self.law.to_dict(),
            "notes": plain(self.notes),
            "secure": self.secure,
        }

    def __repr__(self) -> str:
        return f"ProtectedPlaces({len(self):,} places, {self.promise!r})"


@result("T", "Ex 3.2.1")
def protect(
    lat: Any,
    lon: Any,
    *,
    radius: Any = "200 m",
    eps: Any = "ln 4",
    region: Any = None,
    clamp: bool = False,
    city: City | None = None,
    people: Any = None,
    reports: int | None = None,
    key: bytes | None = None,
    cell: Any = None,
    insecure_seed: int | None = None,
) -> ProtectedPlaces:
    """Noisy places: within `radius`, the odds between two true places change by at most e^eps.

    Parameters
    ----------
    lat, lon
        True places in degrees: lists, arrays, or columns of a pandas or Polars frame.
    radius, eps
        What is promised, such as "200 m" and "ln 4" (a factor of 4).
    region
        What everyone may know about where the places are; see `as_region`. It makes the noise planar
        instead of spatial, which moves places 15 % less. Never compute it from the places.
    clamp
        Move reports that fall outside the region to its border.
    city
        Public knowledge about plausible places. Each report becomes the cell that is best in
        expectation; the promise stays.
    people
        Whose each place is. Levels of several reports of one person add up, and the promise says so.
    reports
        How many reports a person makes at most. Then `eps` is for all of them together, and each has
        eps/reports.
    key
        At least 16 secret bytes: permanent noise. Who is in the same cell again reports the same place
        again, which counts once. Needs `people`.
    cell
        The cells that true places are moved to first; with a key a quarter of the radius, otherwise a
        thousandth.
    insecure_seed
        For tests and examples only; it warns.

    Returns
    -------
    ProtectedPlaces
        With `lat`, `lon` and `promise`.

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
    >>> reported = protect([40.7484], [-73.9857], radius="200 m", eps="ln 4", region="40.7,-74,50 km")
    >>> print(reported.promise.sentence())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    """
    level = as_eps(eps)
    if reports is not None:
        level = level / whole(reports, "reports")
    declared = city.region if region is None and city is not None else region
    if clamp and declared is None:
        raise NotApplicable("clamping needs a region to clamp to; give region= as well")
    if key is not None and cell is None:
        cell = metres(radius, what="the radius") / _SAME_PLACE
    mechanism = place_mechanism(radius=radius, eps=level, region=declared, cell=cell)
    if city is not None and mechanism.region != city.region:
        raise NotApplicable(
            f"the region should be the city's own ({city.region.words()}); leave the region out"
        )
    latitudes, longitudes = read_places(lat, lon, mechanism.region)
    owners = _owners(people, len(latitudes), wanted=key is not None or reports is not None)
    noise = _Noise(mechanism, key, insecure_seed)
    most = _most(owners, mechanism, latitudes, longitudes, permanent=key is not None, limit=reports)
    out = _reported(noise, latitudes, longitudes, owners, city, clamp)
    promise = replace(mechanism.promise, reports=reports or most)
    if promise.total > _MUCH:
        warnings.warn(
            f"ε = {float(promise.total):.3g} for {promise.reports:,} reports of a person within the "
            "radius protects little; permanent noise, or a level for all reports together, does more",
            PrivacyLeakWarning,
            stacklevel=2,
        )
    return ProtectedPlaces(
        like(out[0], lat),
        like(out[1], lon),
        promise,
        tuple(_notes(mechanism, owners, key, reports, city, clamp)),
        noise.secure,
        mechanism.law,
    )


class _Noise:
    """Fresh or permanent noise, and where it comes from."""

    def __init__(self, mechanism: PlaceMechanism, key: bytes | None, seed: int | None) -> None:
        self.mechanism = mechanism
        self.permanent = None if key is None else PermanentNoise(mechanism, key)
        self.source = choose_source(seed)
        self.secure = key is not None or self.source.secure

    def __call__(self, lat: Floats, lon: Floats, people: Sequence[Any] | None) -> Any:
        cells = self.mechanism.cells(lat, lon)
        if self.permanent is not None and people is not None:
            return self.permanent.noisy(cells, people)
        return self.mechanism.noisy(cells, self.source)


def _reported(
    noise: _Noise,
    lat: Floats,
    lon: Floats,
    owners: Sequence[Any] | None,
    city: City | None,
    clamp: bool,
) -> tuple[Floats, Floats]:
    mechanism, region = noise.mechanism, noise.mechanism.region
    out = np.empty((2, len(lat)))
    for start in range(0, len(lat), _CHUNK):
        here = slice(start, start + _CHUNK)
        steps = noise(lat[here], lon[here], None if owners is None else owners[here])
        points = mechanism.points(steps)
        if city is not None:
            best = city.remapped(points, float(mechanism.promise.rate))
            found = tuple(side[best] for side in city.places)
        else:
            found = mechanism.places(points)
            if clamp and region is not None:
                found = region.nearest(*found)
        out[:, here] = found
    return out[0], out[1]


def _owners(people: Any, n: int, *, wanted: bool) -> Sequence[Any] | None:
    if people is None:
        if wanted:
            raise NotApplicable(
                "permanent noise and a number of reports need to know whose each place is; give people="
            )
        return None
    owners = list(people)
    if len(owners) != n:
        raise WrongShape(f"people should name one person for each place: {n}, not {len(owners)}")
    return owners


def _most(
    owners: Sequence[Any] | None,
    mechanism: PlaceMechanism,
    lat: Floats,
    lon: Floats,
    *,
    permanent: bool,
    limit: int | None,
) -> int:
    """The most reports of one person; with permanent noise, the most cells."""
    if owners is None:
        return 1
    seen: dict[bytes, Any] = {}
    most = 1
    cells = mechanism.cells(lat, lon) if permanent else None
    for row, person in enumerate(owners):
        mine = seen.setdefault(named(person, row), set())
        mine.add(row if cells is None else cells[row].tobytes())
        most = max(most, len(mine))
        if limit is not None and most > limit:
            what = "reports" if cells is None else "different places"
            raise BudgetExceeded(
                f"row {row}: its person has more than {limit} {what}, and the level was divided by "
                f"{limit}; leave rows out, or declare more reports"
            )
    return most


def _notes(
    mechanism: PlaceMechanism,
    owners: Any,
    key: bytes | None,
    reports: int | None,
    city: City | None,
    clamp: bool,
) -> list[str]:
    notes = []
    if mechanism.region is None:
        notes.append(
            "No region was declared, so the noise is spatial; with a region it moves less."
        )
    else:
        notes.append(f"Everyone may know that the places lie {mechanism.region.words()}.")
    if owners is None:
        notes.append("Each row is taken to be a person of its own; levels of several rows add up.")
    elif reports is None:
        notes.append("How many reports one person has at most was counted in the data.")
    if reports is not None:
        notes.append(f"A person has at most {reports:,} reports, which share the level.")
    if key is not None:
        notes.append(
            "The noise is permanent: the same person in the same cell reports the same place, however "
            "often, and that counts as one report. That somebody is back, or has left, can be seen."
        )
    if city is not None:
        notes.append(f"Reports are moved to the best of {len(city):,} cells: {city.explain()}")
    elif clamp:
        notes.append("Reports outside the region are moved to its border.")
    return notes
