"""The optimal mechanism on a city's cells, for true places."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.design import Optimum, optimal
from dprivacy.geo.city_grid import City, require_city
from dprivacy.geo.earth.coordinates import like, read_places
from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.lengths import LengthLike, in_words
from dprivacy.geo.metre_guarantee import SHADOW, MetreGuarantee, snapped
from dprivacy.geo.place_files import PlaceFile
from dprivacy.geo.place_noise import read_rows
from dprivacy.geo.released_places import ProtectedPlaces, released
from dprivacy.model import Channel, Sourced
from dprivacy.numbers import Floats
from dprivacy.release import Receipt, Released
from dprivacy.sampling import CategoricalSampler, Source
from dprivacy.typing import LevelLike


@dataclass(frozen=True, eq=False)
class CityMechanism(Sourced):
    """Draws a cell for the cell of a true place, from a channel that was proved private.

    Attributes
    ----------
    city
        The cells.
    guarantee
        What holds for true places; the size of the cells is counted in.
    optimum
        The channel with its proofs, of privacy and of optimality.
    source
        Where random words come from; the operating system's when None.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = optimal_places(city("40.7, -74, 1 km", cell="1 km"), radius="1 km")
    >>> found.randomise([[40.702, -74.001]]).shape, len(found.channel.rows)
    ((1, 2), 4)
    """

    city: City
    guarantee: MetreGuarantee
    optimum: Optimum
    source: Source | None = None
    family: str = "optimal places"

    @property
    def channel(self) -> Channel:
        """The channel on cells, exact."""
        return self.optimum.channel

    def randomise(self, values: ArrayLike, *, insecure_seed: int | None = None) -> Floats:
        """Reported places for true ones: centres of cells.

        Parameters
        ----------
        values
            Rows of latitude and longitude, in the city's region.
        insecure_seed
            For tests only; it warns.
        """
        lat, lon = read_rows(values, self.city.region)
        sampler = CategoricalSampler(self.channel.matrix.entries.tolist())
        drawn = sampler.draw(self.city.cell_of(lat, lon), self._source(insecure_seed))
        named = self.city.positions(self.channel.columns)[drawn]
        return np.stack([side[named] for side in self.city.places], axis=1)

    def protect(
        self, lat: Degrees, lon: Degrees, *, insecure_seed: int | None = None
    ) -> Released[ProtectedPlaces]:
        """Reported places for true ones, with their card.

        Parameters
        ----------
        lat, lon
            True places in degrees, in the city's region.
        insecure_seed
            For tests and examples only; it warns.

        Returns
        -------
        Released
            Its `data` has `lat`, `lon` and `guarantee`.
        """
        return self.drawn(lat, lon, insecure_seed=insecure_seed)

    def drawn(
        self,
        lat: Degrees,
        lon: Degrees,
        *,
        insecure_seed: int | None = None,
        receipt: Receipt | None = None,
        found: PlaceFile | None = None,
    ) -> Released[ProtectedPlaces]:
        """The same with what a ledger gave, and the file that the places came from."""
        sides = read_places(lat, lon)
        reports = self.randomise(np.stack(sides, axis=1), insecure_seed=insecure_seed)
        notes = (
            f"Reports are drawn from the best private channel on the city: {self.city.explain()}",
            self._worth,
            "Each row is treated as another person; levels of a person's rows add up.",
        )
        places = ProtectedPlaces(
            like(reports[:, 0], lat), like(reports[:, 1], lon), self.guarantee, notes
        )
        secure = self.secure and insecure_seed is None
        return released(places, self, secure=secure, receipt=receipt, found=found)

    @property
    def _worth(self) -> str:
        loss, bound = in_words(float(self.optimum.loss)), in_words(float(self.optimum.bound))
        return (
            f"By the prior, a report is {loss} from the centre of the true cell on average; no private "
            f"channel gets below {bound}."
        )

    def explain(self) -> str:
        """The guarantee, and how good the mechanism is."""
        return "\n".join(
            [
                self.guarantee.brief(),
                "The size of the cells that true places are moved to first is counted in.",
                self._worth,
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, without the channel."""
        return super().to_dict() | {
            "city": self.city.to_dict(),
            "optimum": self.optimum.to_dict(),
        }

    def __repr__(self) -> str:
        return f"CityMechanism({self.city!r}, {self.guarantee!r})"


def optimal_places(
    city: City,
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    gap: float = 1e-3,
    seconds: float | None = None,
    start: Optimum | None = None,
    progress: Callable[[float, float, float], None] | None = None,
) -> CityMechanism:
    """The mechanism on a city's cells with the least expected displacement under its prior.

    Parameters
    ----------
    city
        Cells and a public prior.
    eps, radius
        What is guaranteed about true places. Moving them to cells may put two √2 cells farther apart,
        which is counted in: cells should be small beside the radius.
    gap, seconds, start, progress
        As for `dprivacy.design.optimal`.

    Returns
    -------
    CityMechanism
        With `protect`, `channel` and both proofs.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = optimal_places(city("40.7, -74, 1 km", cell="500 m"), radius="1 km", eps="ln 4")
    >>> print(found.guarantee.brief())
    Within 1 km, the odds between two true places change by at most a factor of 4.
    """
    require_city(city)
    guarantee = MetreGuarantee.read(
        radius=radius, eps=eps, steps=(SHADOW, snapped(city.cell, to="centres of cells of"))
    )
    found = optimal(
        city.space,
        eps=guarantee.eps,
        prior=city.prior,
        gap=gap,
        seconds=seconds,
        start=start,
        progress=progress,
    )
    return CityMechanism(city, guarantee, found)
