"""The best guess from a noisy place under a prior: free, since it sees no true place."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dprivacy.geo.prior.public_places import PublicPlaces
from dprivacy.numbers import Floats

_MOST_POINTS = 20_000  # of a prior that are looked at one by one
_LATTICE = 0.15  # of noisy points, in units of 1/rate
_TILE = 4.0  # whose noisy points are looked at together
_REACH = 15.0  # beyond which a public place hardly counts
_ROUNDS = 10
_CHUNK = 1 << 16  # pairs of noisy points and public places at a time, which stay in the cache


def distances(first: Floats, second: Floats) -> Floats:
    """Metres between all points of one table and all of another."""
    found = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)
    found -= 2 * first @ second.T
    np.maximum(found, 0.0, out=found)
    return np.asarray(np.sqrt(found, out=found))


def medians(belief: Floats, points: Floats, finest: float, own: Any = None) -> Floats:
    """For each row of beliefs about points, the point of the plane with the least expected distance.

    Parameters
    ----------
    belief
        One row a belief, one column a point.
    points
        Metres.
    finest
        What counts as no distance, in metres.
    own
        For each row one more point, its weight, and how many metres wide it is; or None.

    Notes
    -----
    The expected distance is convex, and Weiszfeld's iteration descends. Where it ends near one of the
    points, that point may be better still.
    """
    middle, weight, width = own or (np.zeros((len(belief), 2)), np.zeros((len(belief), 1)), 1.0)

    def aside(guess: Floats) -> Floats:
        return np.asarray(np.sqrt(((guess - middle) ** 2).sum(axis=1, keepdims=True) + width**2))

    def expected(guess: Floats, away: Floats) -> Floats:
        far = np.einsum("ij,ij->i", belief, away)[:, None]
        return np.asarray(far + weight * aside(guess))

    guess = (belief @ points + weight * middle) / (belief.sum(axis=1, keepdims=True) + weight)
    for _ in range(_ROUNDS):
        pull, own_pull = distances(guess, points), weight / aside(guess)
        np.maximum(pull, finest, out=pull)
        np.divide(belief, pull, out=pull)
        guess = pull @ points + own_pull * middle
        guess /= pull.sum(axis=1, keepdims=True) + own_pull
    away = distances(guess, points)
    near = points[away.argmin(axis=1)]
    better = expected(near, distances(near, points)) < expected(guess, away)
    return np.asarray(np.where(better, near, guess))


@dataclass(frozen=True, eq=False)
class BestGuess:
    """For a noisy point, the place with the least expected distance to where somebody is.

    Attributes
    ----------
    public
        The prior.
    rate
        Of the planar noise, per metre.
    radius
        Of the guarantee, in metres; decides how finely a prior of very many places is taken.

    Notes
    -----
    1. The posterior is in proportion to prior·e^(−rate·distance).
    2. If nobody could be elsewhere, a report from a suburb would be moved to the nearest shop of the
       next town: for whoever is there, far worse than the noisy point itself.
    3. Noisy points are rounded to a lattice of 0.15/rate, so that many share one guess. This and all
       that is approximate here costs a little use and no privacy.
    """

    public: PublicPlaces
    rate: float
    radius: float

    @cached_property
    def _prior(self) -> PublicPlaces:
        if len(self.public) <= _MOST_POINTS:
            return self.public
        return self.public.merged(min(self.radius / 4, 0.25 / self.rate))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._prior.points)

    def guesses(self, noisy: Floats) -> Floats:
        """The best guess for each noisy point.

        Parameters
        ----------
        noisy
            Metres east and north on the plane of the region, one row a point.
        """
        step = _LATTICE / self.rate
        steps, place = np.unique(np.rint(noisy / step), axis=0, return_inverse=True)
        return self._found(steps * step)[place.ravel()]

    def _found(self, noisy: Floats) -> Floats:
        """Tile by tile, with the public places around it."""
        side, found = _TILE / self.rate, np.empty_like(noisy)
        tiles, place = np.unique(np.floor(noisy / side), axis=0, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(place.ravel()))
        for tile, rows in zip(tiles, np.split(order, ends[:-1]), strict=True):
            middle = (tile + 0.5) * side
            reach = float(self._tree.query(middle)[0]) + side * math.sqrt(2) + _REACH / self.rate
            near = np.array(self._tree.query_ball_point(middle, reach), dtype=np.intp)
            for part in np.array_split(rows, math.ceil(len(rows) * len(near) / _CHUNK)):
                found[part] = self._among(noisy[part] - middle, near, middle) + middle
        return found

    def _among(self, noisy: Floats, near: Any, middle: Floats) -> Floats:
        points, weights = self._prior.points[near] - middle, self._prior.weights[near]
        logs = np.log(weights) - self.rate * distances(noisy, points)
        own, own_logs = self._anywhere(noisy, middle)
        top = np.maximum(logs.max(axis=1, keepdims=True), own_logs)
        scale = 1e-3 / self.rate
        return medians(
            np.exp(logs - top), points, scale, (own, np.exp(own_logs - top), 1 / self.rate)
        )

    def _anywhere(self, noisy: Floats, middle: Floats) -> tuple[Floats, Floats]:
        """What stands for all other places: the noisy point itself, or where it enters the region.

        Of an even density β, a noisy point well inside makes ∫ β·e^(−rate·‖x − y‖) dx = 2π·β/rate².
        """
        low, high = self._prior.bounds
        edge = np.minimum(1 / self.rate, (high - low) / 2)
        own = np.clip(noisy, low + edge - middle, high - edge - middle)
        away = np.sqrt(((noisy - own) ** 2).sum(axis=1, keepdims=True))
        elsewhere = self.public.elsewhere
        if not elsewhere:
            return own, np.full_like(away, -np.inf)
        share = elsewhere / (1 - elsewhere)
        density = share / float(np.prod(high - low))
        return own, math.log(2 * math.pi * density / self.rate**2) - self.rate * away
