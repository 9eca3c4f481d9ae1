"""Public knowledge as it is given: a city, a list, or the optimal mechanism for one of them."""

from typing import Any

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.geo.earth.lengths import in_words
from dprivacy.geo.earth.regions import RegionLike, as_region
from dprivacy.geo.metre_guarantee import MetreGuarantee
from dprivacy.geo.prior.city_grid import City
from dprivacy.geo.prior.optimal_channels import Known, OptimalPlaces, require_known
from dprivacy.geo.prior.place_lists import PlaceList, place_list
from dprivacy.geo.prior.public_places import read_pair
from dprivacy.model import about


def known_of(
    city: City | None, among: Any, optimal: OptimalPlaces | None, region: RegionLike | None
) -> Known | None:
    """The public knowledge that was given, in one way or the other."""
    given: list[Known] = []
    if among is not None:
        given.append(among if isinstance(among, PlaceList) else place_list(*read_pair(among)))
    if city is not None:
        require_known(city)
        given.append(city)
    if optimal is not None:
        if not isinstance(optimal, OptimalPlaces):
            raise WrongKind(
                f"optimal should be what optimal_places found, not a value of type "
                f"{type(optimal).__name__}"
            )
        given.append(optimal.known)
    if not given:
        return None
    if any(other is not given[0] for other in given[1:]):
        raise NotApplicable("city, among and optimal should be of the same city or list; give one")
    if region is not None and as_region(region) != given[0].region:
        raise NotApplicable(
            f"the region should be the city's own ({given[0].region.words()}); leave the region out"
        )
    return given[0]


def require_same(guarantee: MetreGuarantee, optimal: OptimalPlaces | None) -> None:
    """Refuse an optimal mechanism of another guarantee."""
    if optimal is None:
        return
    other = optimal.guarantee
    if (other.level, other.radius) != (guarantee.level, guarantee.radius):
        raise NotApplicable(
            f"the optimal mechanism is for {about(other.level)} within {in_words(other.radius)}, and "
            f"{about(guarantee.level)} within {in_words(guarantee.radius)} for each report is asked "
            "for; find it again for that"
        )
