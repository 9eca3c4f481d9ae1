"""The mean of protected curves, with a band that is as wide as the noise makes it."""

from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from dprivacy.curves.coefficient_noise import CurveMechanism
from dprivacy.errors import WrongShape
from dprivacy.estimation import read_chance
from dprivacy.model import Answer, Pictured, counted
from dprivacy.numbers import Floats, Sealed
from dprivacy.typing import NumberLike


@dataclass(frozen=True, eq=False)
class Profile(Answer, Sealed, Pictured):
    """A mean curve and its band.

    Attributes
    ----------
    mean
        The mean of the protected curves, in the unit of the readings.
    standard_errors
        What noise does to it at each reading: the known law, no estimate.
    low, high
        The band: it holds the mean of the true curves, as far as the basis can follow it, at all
        readings at once with the stated confidence.
    curves
        How many curves were averaged.

    Examples
    --------
    >>> from dprivacy.curves import example_days, protect_curves
    >>> profile = protect_curves(example_days(50), eps=5, grid="0.01").data.mean(confidence=0.9)
    >>> profile.curves, bool((profile.low < profile.high).all())
    (50, True)
    """

    mean: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    curves: int
    confidence: float
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The profile in words."""
        top = int(np.argmax(self.mean))
        return (
            f"The mean of {counted(self.curves, 'curve')}: highest at reading {top}, with "
            f"{self.mean[top]:.4g} ± {(self.high - self.mean)[top]:.2g}; the band holds the whole "
            f"mean curve with {self.confidence:.0%} confidence, up to what the basis leaves out."
        )


def mean_profile(
    coefficients: Floats, mechanism: CurveMechanism, confidence: NumberLike
) -> Profile:
    """The mean of curves with these noisy coefficients.

    Notes
    -----
    The noise has mean 0 and the known variance of `CurveMechanism.variances` on each coefficient, so
    that the mean of n curves has standard errors `mechanism.noise`/√n. The band covers all readings
    at once: each gets the quantile for (1 − confidence)/readings (Bonferroni).
    """
    n = len(coefficients)
    if not n:
        raise WrongShape(f"there should be at least one curve to average, not {n}")
    sure = read_chance(confidence)
    mean = mechanism.curves(coefficients.mean(axis=0, keepdims=True))[0]
    errors = mechanism.noise / np.sqrt(n)
    width = NormalDist().inv_cdf(1 - (1 - sure) / (2 * mechanism.basis.times)) * errors
    return Profile(mean, errors, mean - width, mean + width, n, sure)
