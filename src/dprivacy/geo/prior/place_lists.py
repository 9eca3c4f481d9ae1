"""A public list of places, such as venues, antennas or postcodes, of which each true place is one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.geo.earth.coordinates import require_rows
from dprivacy.geo.earth.ellipsoid import Degrees, to_space, to_surface
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.earth.regions import Disc
from dprivacy.geo.earth.tangent_plane import WIDEST, Plane
from dprivacy.geo.metre_guarantee import SHADOW, Step
from dprivacy.geo.prior.public_places import PublicPlaces, read_pair
from dprivacy.model import Dist, Explained, counted
from dprivacy.numbers import Floats, Level
from dprivacy.spaces import FiniteSpace, points
from dprivacy.typing import Label

_MOST_PLACES = 10_000
_FINEST = Fraction(1, 1000)  # metres: what listed places are rounded to


@dataclass(frozen=True, eq=False)
class PlaceList(Explained):
    """Listed places as the secrets: no cells, and nothing is lost by moving places to their centres.

    Attributes
    ----------
    region
        A disc around the list.
    tolerance
        How far from a listed place, in metres, a true place may lie and still count as it.
    millimetres
        East and north of each place on the region's plane, in whole numbers.
    counts
        How often each is on the list: how likely it is, in proportion.
    places
        Latitudes and longitudes, as they are reported.

    Examples
    --------
    >>> from dprivacy.geo import place_list
    >>> shops = place_list([40.7, 40.7, 40.702, 40.701], [-74.0, -74.0, -74.001, -73.999])
    >>> len(shops), shops.counts
    (3, (1, 2, 1))
    >>> print(shops.prior, shops.losses, shops.space.labels, shops.centres.shape)
    Dist(0: 1/4, 1: 1/2, 2: 1/4) metric (0, 1, 2) (3, 2)
    >>> shops.nearest(np.array([40.702]), np.array([-74.001])).tolist(), shops.positions([2]).tolist()
    ([0], [2])
    >>> shops.public_cells.tolist(), shops.raw_cells.tolist(), shops.public.region.words()
    ([0, 1, 2], [0, 1, 2], 'within 163.515 m of (40.7007, -74)')
    >>> [step.words for step in shops.steps][:1], sorted(shops.to_dict())
    (['taking their shadows on a plane'], ['listed', 'region', 'tolerance_m'])
    >>> print(shops.explain())
    3 listed places, within 163.515 m of (40.7007, -74).
    """

    region: Disc
    tolerance: Fraction
    millimetres: tuple[tuple[int, int], ...]
    counts: tuple[int, ...]
    places: tuple[Floats, Floats]

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What the optimal mechanism does to true places first."""
        words = f"moving them by at most {in_words(self.tolerance)} to a place of the list"
        return SHADOW, Step(words, Level(2 * self.tolerance))

    @cached_property
    def space(self) -> FiniteSpace:
        """Numbers of the listed places, with their distances in metres, exact."""
        return points([[n * _FINEST for n in place] for place in self.millimetres])

    @cached_property
    def prior(self) -> Dist:
        """How likely each place is, exact."""
        total = sum(self.counts)
        return Dist(self.space.labels, [Fraction(count, total) for count in self.counts])

    @property
    def losses(self) -> str:
        """Metres between listed places."""
        return "metric"

    @cached_property
    def centres(self) -> Floats:
        """Metres east and north of the listed places."""
        return np.array(self.millimetres, dtype=np.float64) / 1000

    @cached_property
    def public(self) -> PublicPlaces:
        """The list as a prior."""
        return PublicPlaces(self.region, self.centres, np.array(self.counts, dtype=np.int64))

    @property
    def public_cells(self) -> NDArray[np.intp]:
        """The position of each place of the prior: its own."""
        return np.arange(len(self))

    raw_cells = public_cells

    def positions(self, labels: Sequence[Label]) -> NDArray[np.intp]:
        """Where these places stand on the list."""
        return np.array(labels, dtype=np.intp)

    def nearest(self, lat: Floats, lon: Floats) -> NDArray[np.intp]:
        """The position of the listed place that each place counts as.

        Raises
        ------
        BadNumber
            With the number of the first row that lies farther than the tolerance from all of them.
        """
        from scipy.spatial import cKDTree

        away, found = cKDTree(self.centres).query(self.region.plane.shadow(lat, lon))
        require_rows(
            (away > float(self.tolerance)) | ~self.region.holds(lat, lon),
            f"lies more than {in_words(self.tolerance)} from every listed place",
            "; leave such rows out, complete the list, or give a larger tolerance",
        )
        return np.asarray(found, dtype=np.intp)

    def explain(self) -> str:
        """The list in words."""
        return f"{counted(len(self), 'listed place')}, {self.region.words()}."

    def to_dict(self) -> dict[str, Any]:
        """The list as plain data, without the places."""
        return {
            "region": self.region.words(),
            "listed": len(self),
            "tolerance_m": str(self.tolerance),
        }

    def __repr__(self) -> str:
        return f"PlaceList({counted(len(self), 'place')})"


def place_list(lat: Degrees, lon: Degrees, *, tolerance: LengthLike = "1 m") -> PlaceList:
    """A public list of places; one that is on it twice is held to be twice as likely.

    Parameters
    ----------
    lat, lon
        The places in degrees. They are public: never take them from the places to protect.
    tolerance
        How far from a listed place a true place may lie. Others are refused; twice the tolerance is
        taken off the level.

    Returns
    -------
    PlaceList
        For `protect_places(..., among=…)`, `optimal_places` and `frontier`.

    Raises
    ------
    TooLarge
        For more than 10,000 different places.

    Examples
    --------
    >>> place_list([40.7, 40.701], [-74.0, -74.0])
    PlaceList(2 places)
    """
    sides, most = read_pair((lat, lon)), metres(tolerance, what="the tolerance")
    if not len(sides[0]):
        raise NotApplicable("a list of places should have at least one place")
    middle = [round(float(side), 6) for side in to_surface(to_space(*sides).mean(axis=0))]
    shadows = np.rint(Plane(*middle).shadow(*sides) * 1000)
    different, first, counts = np.unique(shadows, axis=0, return_index=True, return_counts=True)
    if len(different) > _MOST_PLACES:
        raise TooLarge(
            f"{len(different):,} different places are more than {_MOST_PLACES:,}; take a shorter list"
        )
    reach = Fraction(math.ceil(np.hypot(*different.T).max()), 1000) + most
    region = Disc(middle[0], middle[1], reach)
    if not reach <= WIDEST or not region.holds(*sides).all():
        raise NotApplicable(
            "a list of places, with the tolerance, should reach at most 3,000 km from its middle; take "
            "the places of one part of the world, or protect places without a list"
        )
    return PlaceList(
        region,
        most,
        tuple((int(east), int(north)) for east, north in different.tolist()),
        tuple(counts.tolist()),
        (np.round(sides[0][first], 7), np.round(sides[1][first], 7)),
    )
