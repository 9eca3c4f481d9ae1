"""The optimal mechanism on a city's cells, for true places."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.design import Optimum, optimal
from dprivacy.geo.city_grid import City
from dprivacy.geo.earth.coordinates import like, read_places
from dprivacy.geo.earth.lengths import in_words
from dprivacy.geo.metre_promise import Promise
from dprivacy.geo.protecting_places import ProtectedPlaces
from dprivacy.model import Channel, Guarantee
from dprivacy.sampling import CategoricalSampler, choose_source


@dataclass(frozen=True, eq=False)
class CityMechanism:
    """Draws a cell for the cell of a true place, from a channel that was proved private.

    Attributes
    ----------
    city
        The cells.
    promise
        What holds for true places; the size of the cells is counted in.
    optimum
        The channel with its proofs, of privacy and of optimality.
    """

    city: City
    promise: Promise
    optimum: Optimum
    family: str = "optimal places"

    @property
    def channel(self) -> Channel:
        """The channel on cells, exact."""
        return self.optimum.channel

    @property
    def guarantee(self) -> Guarantee:
        """The promise as a guarantee per metre."""
        return self.promise.guarantee

    def protect(self, lat: Any, lon: Any, *, insecure_seed: int | None = None) -> ProtectedPlaces:
        """Reported places for true ones: centres of cells.

        Parameters
        ----------
        lat, lon
            True places in degrees, in the city's region.
        insecure_seed
            For tests and examples only; it warns.

        Returns
        -------
        ProtectedPlaces
            With `lat`, `lon` and `promise`.
        """
        source = choose_source(insecure_seed)
        latitudes, longitudes = read_places(lat, lon, self.city.region)
        sampler = CategoricalSampler(self.channel.matrix.entries.tolist())
        drawn = sampler.draw(self.city.cell_of(latitudes, longitudes), source)
        order = {label: at for at, label in enumerate(self.city.space.labels)}
        named = np.array([order[label] for label in self.channel.columns])[drawn]
        sides = [side[named] for side in self.city.places]
        notes = (
            f"Reports are drawn from the best private channel on the city: {self.city.explain()}",
            self._worth,
            "Each row is taken to be a person of its own; levels of several rows add up.",
        )
        return ProtectedPlaces(
            like(sides[0], lat), like(sides[1], lon), self.promise, notes, source.secure
        )

    @property
    def _worth(self) -> str:
        loss, bound = in_words(float(self.optimum.loss)), in_words(float(self.optimum.bound))
        return (
            f"By the prior, a report is {loss} from the centre of the true cell on average; no private "
            f"channel gets below {bound}."
        )

    def explain(self) -> str:
        """The promise, and how good the mechanism is."""
        return "\n".join(
            [
                self.promise.sentence(),
                "The size of the cells that true places are moved to first is counted in.",
                self._worth,
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, without the channel."""
        return {
            "city": self.city.to_dict(),
            "promise": self.promise.to_dict(),
            "optimum": self.optimum.to_dict(),
        }

    def __repr__(self) -> str:
        return f"CityMechanism({self.city!r}, {self.promise!r})"


def optimal_places(
    city: City,
    *,
    radius: Any = "200 m",
    eps: Any = "ln 4",
    gap: float = 1e-3,
    seconds: float | None = None,
    start: Optimum | None = None,
    progress: Any = None,
) -> CityMechanism:
    """The mechanism on a city's cells with the least expected displacement under its prior.

    Parameters
    ----------
    city
        Cells and a public prior.
    radius, eps
        What is promised about true places. Moving them to cells may put two √2 cells farther apart,
        which is counted in: cells should be small beside the radius.
    gap, seconds, start, progress
        As for `dprivacy.design.least_expected_loss`.

    Returns
    -------
    CityMechanism
        With `protect`, `channel` and both proofs.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = optimal_places(city("40.7, -74, 1 km", cell="500 m"), radius="1 km", eps="ln 4")
    >>> print(found.promise.sentence())
    Within 1 km, the odds between two true places change by at most a factor of 4.
    """
    promise = Promise.read(radius=radius, eps=eps, cell=city.cell)
    found = optimal(
        city.space,
        eps=promise.rate,
        prior=city.prior,
        gap=gap,
        seconds=seconds,
        start=start,
        progress=progress,
    )
    return CityMechanism(city, promise, found)
