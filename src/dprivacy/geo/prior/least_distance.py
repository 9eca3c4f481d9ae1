"""How far mechanisms of one promise move public places, and which of them moves them least."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.geo.earth.lengths import TINY, in_words
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.geo.prior.best_guess import BestGuess, distances
from dprivacy.geo.prior.optimal_channels import OptimalPlaces
from dprivacy.geo.prior.public_places import PublicPlaces
from dprivacy.model import Explained
from dprivacy.numbers import Floats

NAMES = ("planar Laplace", "remapped", "optimal")
_DRAWS = 1 << 16  # noisy points that stand for the noise of all places together
_FEWEST, _MOST = 16, 2048  # … and for that of one
_TURN = math.pi * (3 - math.sqrt(5))  # the golden angle, which spreads points evenly
_SPREAD = 0.7548776662466927  # turns from one place to the next


@dataclass(frozen=True)
class Distances:
    """Metres from raw public places to their reports.

    Attributes
    ----------
    mean, within_95
        On average, and what 95 % of the reports stay within.
    worst
        The mean at the public place where it is largest.

    Examples
    --------
    >>> two = np.array([[0.0, 3.0], [4.0, 6.0]])  # reports of two places, and how far off they are
    >>> Distances.of(two, np.full((2, 2), 0.5), np.array([0.5, 0.5]))
    Distances(mean=3.25, within_95=6.0, worst=5.0)
    """

    mean: float
    within_95: float
    worst: float

    @classmethod
    def of(cls, away: Floats, chances: Floats, weights: Floats) -> "Distances":
        """From distances (a row a place), their chances in each row, and the weights of the rows."""
        means = (away * chances).sum(axis=1)
        order = np.argsort(away, axis=None)
        sorted_away = away.ravel()[order]
        total = np.cumsum((chances * weights[:, None]).ravel()[order])
        most = sorted_away[min(np.searchsorted(total, 0.95 * total[-1]), len(order) - 1)]
        return cls(float(weights @ means), float(most), float(means.max()))


def moved_by(
    mechanism: PlaceMechanism, public: PublicPlaces, place: tuple[float, float] | None = None
) -> dict[str, Distances]:
    """Distances of planar noise, and of the best guesses from it, by summing over noisy points.

    Parameters
    ----------
    mechanism
        Planar noise.
    public
        The prior, whose places are moved.
    place
        A latitude and a longitude that are moved instead.

    Notes
    -----
    The noise of one place is a spiral of points with equal chances: radii are the means of Gamma(2) in
    strips of equal chance, so that the mean radius is exact, and angles turn by the golden angle. From
    place to place the spiral is turned.
    """
    rate = float(mechanism.guarantee.rate)
    points, weights = public.raw
    if place is not None:
        points, weights = public.region.plane.shadow(*np.array(place)[:, None]), np.ones(1)
    noisy = _noisy(mechanism, points)
    flat = noisy.reshape(-1, 2)
    guess = BestGuess(public, rate, float(mechanism.guarantee.radius))
    found = {"planar Laplace": flat, "remapped": guess.guesses(flat)}
    chances = np.full(noisy.shape[:2], 1 / noisy.shape[1])
    told = {}
    for name, reports in found.items():
        away = np.hypot(*(reports.reshape(noisy.shape) - points[:, None]).transpose(2, 0, 1))
        told[name] = Distances.of(away, chances, weights)
    if mechanism.cell == mechanism.step:
        law = mechanism.law
        told["planar Laplace"] = Distances(law.mean, law.quantile(), law.mean)
    return told


def _noisy(mechanism: PlaceMechanism, places: Floats) -> Floats:
    """Noisy points around every place: places, points, and metres east and north."""
    from scipy.special import gammainc, gammaincinv

    rate, side = float(mechanism.guarantee.rate), float(mechanism.cell)
    count = min(max(_DRAWS // len(places), _FEWEST), _MOST)
    edges = gammaincinv(2, np.arange(count + 1) / count)
    radii = 2 * count * np.diff(gammainc(3, edges)) / rate
    turned = np.arange(len(places)) * 2 * math.pi * _SPREAD
    angles = np.arange(count) * _TURN + turned[:, None]
    noise = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)
    return np.asarray(np.rint(places / side)[:, None] * side + noise)


def moved_by_channel(mechanism: OptimalPlaces) -> Distances:
    """Distances of a channel on cells or listed places."""
    known = mechanism.known
    reports = known.centres[known.positions(mechanism.channel.columns)]
    chances, (points, weights) = mechanism.channel.matrix.floats[known.raw_cells], known.public.raw
    return Distances.of(distances(points, reports), chances, weights)


def _where(within: float) -> str:
    """Reports at listed places are often the true one, to the rounding of their coordinates."""
    return f"within {in_words(within)}" if within >= TINY else "the place itself"


@dataclass(frozen=True)
class Choice(Explained):
    """Which of the mechanisms of one promise is used, and how far each moves public places.

    Examples
    --------
    >>> means = {"planar Laplace": 289.0, "remapped": 242.0}
    >>> found = Choice("remapped", {name: Distances(mean, 0, 0) for name, mean in means.items()})
    >>> print(found.explain().split(";")[0])
    The best guess under the prior is used: it moves public places by 242 m, planar noise by 289 m
    >>> sorted(found.to_dict())
    ['metres', 'used']
    """

    used: str
    distances: Mapping[str, Distances]
    channel: str = "the optimal mechanism"

    def explain(self) -> str:
        """The choice in a sentence, and the distances of what is used."""
        words = {
            "planar Laplace": "planar noise",
            "remapped": "the best guess under the prior",
            "optimal": self.channel,
        }
        mean = {name: in_words(found.mean) for name, found in self.distances.items()}
        others = " and ".join(
            f"{words[name]} by {mean[name]}" for name in mean if name != self.used
        )
        told = words[self.used]
        more = self.distances[self.used]
        near = _where(more.within_95)
        return (
            f"{told[0].upper()}{told[1:]} is used: it moves public places by {mean[self.used]}, "
            f"{others}; means, at the same guarantee. 95 % of its reports are {near}, "
            f"and at the public place where it is worst the mean is {in_words(more.worst)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data."""
        return {
            "used": self.used,
            "metres": {name: vars(found) for name, found in self.distances.items()},
        }


def least(
    mechanism: PlaceMechanism,
    public: PublicPlaces,
    optimum: OptimalPlaces | None = None,
    *,
    force: bool = False,
) -> Choice:
    """The mechanism that moves public places least; it sees public knowledge alone, and so is free.

    Parameters
    ----------
    mechanism
        Planar noise.
    public
        The prior.
    optimum
        The optimal mechanism of the same guarantee, or None.
    force
        Use it whatever it costs.
    """
    found = moved_by(mechanism, public)
    if optimum is not None:
        found["optimal"] = moved_by_channel(optimum)
    used = min(found, key=lambda name: found[name].mean)
    words = "" if optimum is None else optimum.words
    return Choice("optimal" if force and optimum is not None else used, found, words)
