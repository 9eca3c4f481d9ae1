"""`protect_places`: reported places for true ones, with what is guaranteed about them."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.lengths import LengthLike, metres
from dprivacy.geo.earth.regions import RegionLike
from dprivacy.geo.files.places_read import PlaceFile
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.geo.permanent_visits import Visits, visits
from dprivacy.geo.place_noise import PlaceMechanism, place_mechanism
from dprivacy.geo.prepared_places import Prepared, first_of_each, most_reports
from dprivacy.geo.prior.city_grid import City
from dprivacy.geo.prior.given_knowledge import known_of, require_same
from dprivacy.geo.prior.least_distance import least
from dprivacy.geo.prior.optimal_channels import OptimalPlaces, optimal_places
from dprivacy.geo.prior.place_lists import PlaceList
from dprivacy.geo.released_places import ProtectedPlaces, charge_of
from dprivacy.mechanisms import whole
from dprivacy.numbers import as_eps
from dprivacy.release import (
    EVERY_ROW,
    Released,
    charged,
    ledger_place,
    origin_of,
    read_people,
    require_person,
    warn_if_in_order,
)
from dprivacy.sampling import CONSTRUCTION
from dprivacy.sources import result
from dprivacy.typing import Label, LedgerLike, LevelLike, PathArg

_SAME_PLACE = 4  # cells of permanent noise in a radius


@result("T", "Ex 3.2.1")
def protect_places(
    lat: Degrees | PlaceFile,
    lon: Degrees | None = None,
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
    state: PathArg | None = None,
    whole_history: bool = False,
    near: LengthLike | None = None,
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
        True places in degrees: lists, arrays, or columns of a pandas or Polars frame. Or, as the first
        and only one, what `read_place_file` gave.
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
        Whose each place is; a file says so itself. Levels of several reports of one person add up, and
        the guarantee says so.
    reports
        How many reports a person makes at most. Then `eps` is for all of them together, and each has
        eps/reports.
    permanent_key
        At least 16 secret bytes: permanent noise. Whoever is at the same place again reports the same
        place again, which counts once. Needs `people`. The same place is the same cell; or, with
        `state` or `whole_history`, one that is near an earlier place of the person.
    state
        With a key: a secret file of the places that people reported from before, which is written
        anew. A reading near one of them, its *leader*, reports what that one reported, and any other
        becomes a leader itself. Rows are taken in the order of time. The file begins empty; nobody but
        its owner may read it.
    whole_history
        With a key, instead: the rows are all that these people ever reported, in the order of time, so
        that leaders can be found in them again every time.
    near
        How far a reading may be from its leader; 75 m when omitted.
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
        the level of all reports of a person, per kilometre; without `people`, of one report. With a
        state file whose leaders were all charged to this account, new leaders alone are charged.
    insecure_seed
        For tests and examples only; it warns.

    Returns
    -------
    Released
        Its `data` has `lat`, `lon` and `guarantee`; `save` writes .csv, .parquet, .geojson or
        .gpx, for a file with what it keeps.

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
    4. Permanent noise is a function of the key, the person and the cell or the leader's own point of
       the lattice, so that one draw is made for each of them, however often it is reported.
    5. Which mechanism moves public places least is decided on public knowledge alone.

    Examples
    --------
    >>> reported = protect_places([40.7484], [-73.9857], radius="200 m", region="40.7,-74,50 km")
    >>> print(reported.data.guarantee.brief())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    >>> reported.card.holds, len(reported.data)
    (True, 1)
    """
    found = lat if isinstance(lat, PlaceFile) else None
    given: tuple[Any, Any] = (lat, lon) if found is None else (found.lat, found.lon)
    if found is not None:
        if lon is not None or people is not None:
            raise NotApplicable(
                "a file says where its places are and whose: leave out lon and people, and name the "
                "column of people to read_place_file"
            )
        require_person(found.person, found.kept)
        question, people = question or found.question, found.people
    elif lon is None:
        raise WrongShape(
            "true places should be numbers, latitudes and longitudes, or what read_place_file gave"
        )
    permanent = permanent_key is not None
    _require_names(found, ledger, permanent=permanent)
    if people is None and (permanent or reports is not None):
        raise NotApplicable(
            "permanent noise and a number of reports need to know whose each place is; give people="
        )
    if permanent and (among is not None or optimal is not None):
        raise NotApplicable("permanent noise is planar or spatial: leave out among and optimal")
    if force and among is None and optimal is None:
        raise NotApplicable("force is for the optimal mechanism: give optimal= or among=")
    level = as_eps(eps) if reports is None else as_eps(eps) / whole(reports, "reports")
    known = known_of(city, among, optimal, region)
    declared = region if known is None else known.region
    if clamp and declared is None:
        raise NotApplicable("clamping needs a region to clamp to; give region= as well")
    leading = state is not None or whole_history
    if leading and not permanent:
        raise NotApplicable(
            "a state and a whole history are for permanent noise: give a key as well"
        )
    if near is not None and not leading:
        raise NotApplicable("near is for leaders: give state= or whole_history= as well")
    if leading and cell is not None:
        raise NotApplicable("leaders stand for places as they are: leave out cell")
    if permanent and cell is None and not leading:
        cell = metres(radius, what="the radius") / _SAME_PLACE
    mechanism = place_mechanism(radius=radius, eps=level, region=declared, cell=cell)
    listed = known if isinstance(known, PlaceList) else None
    true = read_places(*given, mechanism.region if listed is None else None)
    if listed is not None:
        listed.nearest(*true)  # refuses what is not on the list
    owners = None if people is None else read_people(people, len(true[0]), "place")
    first = first_of_each(owners)
    warn_if_in_order({"latitude": true[0][first], "longitude": true[1][first]})
    if optimal is None and listed is not None:
        optimal = optimal_places(listed, eps=level, radius=radius)
    used: PlaceMechanism | OptimalPlaces = mechanism
    choice = None
    if known is not None:
        require_same(mechanism.guarantee, optimal)
        choice = least(mechanism, known.public, optimal, force=force)
        used = optimal if choice.used == "optimal" and optimal is not None else mechanism
    at: AbstractContextManager[Visits | None] = nullcontext()
    if permanent:
        at = visits(
            PermanentNoise(mechanism, permanent_key, question),
            owners or (),
            true,
            state=state,
            whole_history=whole_history,
            near=near,
            limit=reports,
            ledger=ledger,
        )
    file = None if found is None else found.source
    with at as visited:
        most = most_reports(owners, reports) if visited is None else visited.most
        ready = Prepared(
            replace(
                used,
                guarantee=replace(used.guarantee, reports=reports or most, permanent=permanent),
            ),
            *true,
            given,
            owners,
            visited,
            known,
            choice,
            clamp,
            reports,
            insecure_seed,
        )
        with charged(
            ledger,
            charge_of(ready.mechanism.guarantee, paid=ready.paid),
            true[0].tobytes() + true[1].tobytes() if file is None else file,
            people=ready.charged,
            rows_per_person=ready.charged_times,
            published=[*(found.kept if found else ()), *ready.published],
            run=b"" if visited is None else visited.run,
            again=again,
            note="places" if visited is None else f"places, {CONSTRUCTION}",
        ) as receipt:
            made = ready.drawn(receipt=receipt, found=found)
    if file is None:
        return made
    return replace(made, origin=origin_of(file, ledger=ledger, again=again, permanent=permanent))


def _require_names(found: PlaceFile | None, ledger: LedgerLike, *, permanent: bool) -> None:
    """Refuse to remember people whom a file only numbers: those of another file have these numbers."""
    if found is None or found.people is None or found.person not in (None, EVERY_ROW):
        return
    place = None if permanent else ledger_place(ledger)
    per_person = place is not None and place.per == "person"
    if permanent or per_person:
        what = "permanent noise belongs" if permanent else "this account's budgets belong"
        raise NotApplicable(
            f"{what} to people by name, and nothing says whose the tracks of this file are; name the "
            "element or property that does with person= (--person)"
        )
