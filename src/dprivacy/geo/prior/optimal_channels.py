"""The optimal mechanism on a city's cells, or on listed places, for true places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dprivacy.design import Optimum, optimal
from dprivacy.errors import WrongKind
from dprivacy.geo.earth.lengths import TINY, LengthLike, in_words, in_words_down, in_words_up
from dprivacy.geo.metre_guarantee import MetreGuarantee
from dprivacy.geo.place_noise import read_rows
from dprivacy.geo.prior.city_grid import City
from dprivacy.geo.prior.place_lists import PlaceList
from dprivacy.model import Channel, Explained, Sourced
from dprivacy.numbers import Floats, float_down, float_up
from dprivacy.sampling import CategoricalSampler, Source
from dprivacy.typing import LevelLike

Known: TypeAlias = City | PlaceList  # what everyone may know


def require_known(known: Any) -> None:
    """Refuse anything but a city or a list of places."""
    if not isinstance(known, City | PlaceList):
        raise WrongKind(
            "a city should be what city(region, places=…) made, or a list what place_list(lat, lon) "
            f"made, not a value of type {type(known).__name__}"
        )


@dataclass(frozen=True, eq=False)
class OptimalPlaces(Explained, Sourced):
    """Draws a cell, or a listed place, from a channel that was proved private.

    Attributes
    ----------
    known
        The city or the list.
    guarantee
        What holds for true places; cells and tolerance are counted in.
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
    >>> found.words, found.bound, found.bound_in_words  # a bound is for lists of places
    ('the optimal mechanism on cells of 1 km', None, [])
    >>> print(round(found.bound_scale))  # 1 km and what cells may add, over ln 4
    1741
    >>> print(found.explain().splitlines()[0])
    Within 1 km, the odds between two true places change by at most a factor of 4.
    """

    known: Known
    guarantee: MetreGuarantee
    optimum: Optimum
    source: Source | None = None
    family: str = "optimal places"

    @property
    def channel(self) -> Channel:
        """The channel on cells or listed places, exact."""
        return self.optimum.channel

    @property
    def bound(self) -> float | None:
        """For a list: metres that no other private reports get below, see `explain`; None for cells."""
        if not isinstance(self.known, PlaceList):
            return None
        found = self.optimum.bound
        return found if isinstance(found, float) else float_down(Fraction(found))

    @property
    def bound_scale(self) -> float:
        """The metres s for which the bound is one for reports that change odds by at most e^(D/s)."""
        return float_up(1 / self.guarantee.rate.bounds(64)[0])

    def randomise(self, values: ArrayLike, *, insecure_seed: int | None = None) -> Floats:
        """Reported places for true ones: centres of cells, or places of the list.

        Parameters
        ----------
        values
            Rows of latitude and longitude, in the city's region or on the list.
        insecure_seed
            For tests only; it warns.
        """
        region = None if isinstance(self.known, PlaceList) else self.known.region
        lat, lon = read_rows(values, region)
        sampler = CategoricalSampler(self.channel.matrix.entries.tolist())
        drawn = sampler.draw(self.known.nearest(lat, lon), self._source(insecure_seed))
        named = self.known.positions(self.channel.columns)[drawn]
        return np.stack([side[named] for side in self.known.places], axis=1)

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        if isinstance(self.known, PlaceList):
            return "the optimal mechanism on the listed places"
        return f"the optimal mechanism on cells of {in_words(self.known.cell)}"

    def explain(self) -> str:
        """The guarantee, and how good the mechanism is."""
        loss = float(self.optimum.loss)
        told = f"By the prior, {self.words} reports {in_words(loss)} from the true place on average"
        told += (
            "."
            if loss < TINY
            else f", with {100 * float(self.optimum.gap):.2g} % proved to be all that another channel "
            "on them could gain."
        )
        return "\n".join([self.guarantee.explain(), told, *self.bound_in_words])

    @property
    def bound_in_words(self) -> list[str]:
        """What the bound is one for; nothing for cells."""
        if self.bound is None or self.bound < TINY:
            return []
        return [bound_in_words(len(self.known), [(self.bound, self.bound_scale)])]

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, without the channel."""
        return super().to_dict() | {
            "known": self.known.to_dict(),
            "mean_m": float(self.optimum.loss),
            "gap": float(self.optimum.gap),
            "bound_m": self.bound,
            "bound_scale_m": None if self.bound is None else self.bound_scale,
        }

    def __repr__(self) -> str:
        return f"OptimalPlaces({self.known!r}, {self.guarantee!r})"


def bound_in_words(listed: int, bounds: Sequence[tuple[float, float]]) -> str:
    """What no reports of listed places get below.

    Parameters
    ----------
    listed
        How many places there are.
    bounds
        Metres, and the metres s of the e^(D/s) by which odds may change; two or more from the most on.
    """
    first, *others = (
        f"{in_words_down(bound)} if {{}} by at most e^(D/{in_words_up(scale)})"
        for bound, scale in bounds
    )
    told = [first.format(f"the odds between two of the {listed:,} listed places, D apart, change")]
    told += [f"by {other.format('they change')}" for other in others]
    return (
        "For this prior, reports of any kind, read as places of the list, are off on average by at "
        f"least {'; '.join(told)}."
    )


def optimal_places(
    known: Known,
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    gap: float = 1e-3,
    seconds: float | None = None,
    start: Optimum | None = None,
    progress: Callable[[float, float, float], None] | None = None,
    device: Literal["cpu", "gpu"] = "cpu",
    force: bool = False,
) -> OptimalPlaces:
    """The mechanism on cells or listed places that moves public places least on average.

    Parameters
    ----------
    known
        A `city` or a `place_list`.
    eps, radius
        What is guaranteed about true places. Moving them to cells may put two √2 cells farther apart,
        which is counted in; for a list it is twice the tolerance.
    gap, seconds, start, progress, device, force
        As for `dprivacy.design.optimal`.

    Returns
    -------
    OptimalPlaces
        For `protect_places(..., optimal=…)`; with `channel` and both proofs.

    Notes
    -----
    A raw position that is moved to a cell is off by the distance to the report, not by that of the
    cell's centre. The expected distance is linear in the channel all the same: the loss of a cell is
    the mean over the public places in it.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = optimal_places(city("40.7, -74, 1 km", cell="500 m"), radius="1 km", eps="ln 4")
    >>> print(found.guarantee.brief())
    Within 1 km, the odds between two true places change by at most a factor of 4.
    """
    require_known(known)
    listed = len(known) if isinstance(known, PlaceList) else None
    guarantee = MetreGuarantee.read(radius=radius, eps=eps, steps=known.steps, listed=listed)
    found = optimal(
        known.space,
        eps=guarantee.rate,
        prior=known.prior,
        loss=known.losses,
        gap=gap,
        seconds=seconds,
        start=start,
        progress=progress,
        device=device,
        force=force,
    )
    return OptimalPlaces(known, guarantee, found)
