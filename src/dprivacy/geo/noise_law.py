"""How far reports are from the truth, in metres: by the law of the noise, and as measured."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.errors import WrongShape
from dprivacy.estimation import read_chance
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import Degrees, apart
from dprivacy.geo.earth.lengths import in_words
from dprivacy.model import Answer, Explained, counted
from dprivacy.typing import NumberLike


@dataclass(frozen=True)
class NoiseLaw(Explained):
    """The displacement by planar (2 axes) or spatial (3 axes) Laplace noise of a rate per metre.

    Notes
    -----
    In the plane the radius is Gamma(2): P(> t) = (1 + t)·e^(−t) in units of 1/rate, with mean 2. The
    part along the surface of noise in space has P(> t) = t²·K₂(t)/2, with mean 3π/4.

    Examples
    --------
    >>> law = NoiseLaw(0.01, 2)
    >>> law.mean, round(law.quantile(0.95))
    (200.0, 474)
    >>> round(law.beyond(474), 3), sorted(law.to_dict())
    (0.05, ['eps_per_metre', 'mean_m', 'noise', 'within_95_percent_m'])
    >>> print(law.explain().split(".")[0])
    The noise is planar; its density falls by a factor of e every 100 m
    """

    rate: float
    axes: int

    @property
    def mean(self) -> float:
        """The mean displacement, in metres."""
        return (2.0 if self.axes == 2 else 0.75 * math.pi) / self.rate

    def beyond(self, distance: float) -> float:
        """The share of reports that are moved farther than this.

        Parameters
        ----------
        distance
            Metres.
        """
        t = distance * self.rate
        if self.axes == 2:
            return (1 + t) * math.exp(-t)
        from scipy.special import kn

        return float(t * t * kn(2, t) / 2) if t > 1e-6 else 1.0

    def quantile(self, share: NumberLike = 0.95) -> float:
        """The displacement, in metres, that a share of the reports stays within.

        Parameters
        ----------
        share
            Between 0 and 1.
        """
        left = 1 - read_chance(share, "share")
        low, high = 0.0, 1.0 / self.rate
        while self.beyond(high) > left:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.beyond(middle) > left else (low, middle)
        return high

    def explain(self) -> str:
        """The law in words."""
        kind = "planar" if self.axes == 2 else "spatial, for places anywhere on Earth"
        falls, mean, most = (in_words(v) for v in (1 / self.rate, self.mean, self.quantile()))
        return (
            f"The noise is {kind}; its density falls by a factor of e every {falls}. It moves a place "
            f"by {mean} on average, and 95 % of the places by less than {most}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The law as plain data."""
        return {
            "noise": "planar" if self.axes == 2 else "spatial",
            "eps_per_metre": self.rate,
            "mean_m": self.mean,
            "within_95_percent_m": self.quantile(),
        }


@dataclass(frozen=True)
class Displacement(Answer):
    """Metres between true and reported places. It is computed from the truth: keep it to yourself.

    Examples
    --------
    >>> Displacement(mean=210.0, median=180.0, within_95=470.0, places=1000).explain().split(";")[0]
    'The mean distance of 1,000 reports from the truth is 210 m'
    """

    mean: float
    median: float
    within_95: float
    places: int
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The displacement in words."""
        return (
            f"The mean distance of {counted(self.places, 'report')} from the truth is "
            f"{in_words(self.mean)}; half are within {in_words(self.median)} and 95 % within "
            f"{in_words(self.within_95)}."
        )


def displacement(
    lat: Degrees, lon: Degrees, reported_lat: Degrees, reported_lon: Degrees
) -> Displacement:
    """The distances between true and reported places.

    Parameters
    ----------
    lat, lon
        True places in degrees.
    reported_lat, reported_lon
        What was reported for them, in the same order.

    Examples
    --------
    >>> displacement([40.0], [-74.0], [40.001], [-74.0]).explain().split(";")[0]
    'The mean distance of 1 report from the truth is 111 m'
    """
    true, said = read_places(lat, lon), read_places(reported_lat, reported_lon)
    if len(true[0]) != len(said[0]) or not len(true[0]):
        raise WrongShape(
            "there should be one report for each true place, not "
            f"{counted(len(said[0]), 'report')} for {counted(len(true[0]), 'true place')}"
        )
    away = apart(*true, *said)
    middle, most = np.quantile(away, [0.5, 0.95])
    return Displacement(float(away.mean()), float(middle), float(most), len(away))
