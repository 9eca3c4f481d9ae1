"""How far the noise moves a place."""

import math
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.geo.earth.lengths import in_words


@dataclass(frozen=True)
class NoiseLaw:
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

    def quantile(self, share: float = 0.95) -> float:
        """The displacement, in metres, that a share of the reports stays within.

        Parameters
        ----------
        share
            Between 0 and 1.
        """
        if not 0 < share < 1:
            raise Malformed(f"a share lies between 0 and 1, not {share!r}")
        low, high = 0.0, 1.0 / self.rate
        while self.beyond(high) > 1 - share:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.beyond(middle) > 1 - share else (low, middle)
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
