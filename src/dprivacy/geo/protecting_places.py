"""`protect_places`: reported places for true ones, with what is guaranteed about them."""

from collections.abc import Iterable
from typing import Any

from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.lengths import LengthLike
from dprivacy.geo.earth.regions import RegionLike
from dprivacy.geo.prepared_places import prepared
from dprivacy.geo.prior.city_grid import City
from dprivacy.geo.prior.optimal_channels import (
    OptimalPlaces,
)
from dprivacy.geo.prior.place_lists import PlaceList
from dprivacy.geo.released_places import MOVED, ProtectedPlaces, charge_of
from dprivacy.release import (
    Released,
    charged,
)
from dprivacy.sources import result
from dprivacy.typing import Label, LedgerLike, LevelLike


@result("T", "Ex 3.2.1")
def protect_places(
    lat: Degrees,
    lon: Degrees,
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike | None = None,
    city: City | None = None,
    among: PlaceList | tuple[Any, Any] | None = None,
    optimal: OptimalPlaces | None = None,
    force: bool = False,
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
        Public places, as `city` reads them. Each report becomes the best guess under this prior, unless
        that moves public places farther than the noise alone; the guarantee stays.
    among
        A public list that every place is from: what `place_list` made, or (latitudes, longitudes).
        Reports are drawn from the optimal mechanism on the list, and the guarantee speaks of listed
        places. Rows farther than the list's tolerance from all of them are refused.
    optimal
        What `optimal_places` found for the city or the list, at this eps and radius. For a city it is
        used if it moves public places less than the others do; for a list it saves finding it again.
    force
        Use the optimal mechanism even if planar noise moves public places less.
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
    3. Clamping, best guesses, and the way back to degrees see the noisy point only: post-processing.
    4. Which mechanism moves public places least is decided on public knowledge alone.

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
        among=among,
        optimal=optimal,
        force=force,
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
