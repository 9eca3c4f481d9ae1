"""Functions of totals, linearised: ratios, means, variances, covariances and correlations."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from dprivacy.errors import WrongShape
from dprivacy.estimation.scores.total_variances import Totals
from dprivacy.numbers import Floats

_UNSURE = 0.1  # coefficient of variation of a denominator beyond which Fieller's interval is taken
EMPTY = "the group may be empty at this noise: its size is not told apart from 0"

Function = Callable[[Floats, Floats], tuple[float, Floats]]


@dataclass(frozen=True)
class Smooth:
    """A function of totals with its standard error and interval.

    `low` and `high` are infinite, and `note` says why, where the totals do not bound it.
    """

    value: float
    standard_error: float
    low: float
    high: float
    note: str = ""


def reach(confidence: float, degrees: float = math.inf) -> float:
    """How many standard errors an interval goes either way: Student's quantile, or the normal one."""
    if math.isinf(degrees):
        return NormalDist().inv_cdf((1 + confidence) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(max(degrees, 1.0), (1 + confidence) / 2))


def smooth(totals: Totals, function: Function, *, confidence: float) -> list[Smooth]:
    """A function of the totals in every group: F(T̂) ± quantile·√(∇F·V̂·∇Fᵀ).

    Parameters
    ----------
    totals
        With their covariances.
    function
        Takes the totals of a group and their covariance, and gives F and its gradient; `total`,
        `ratio`, `variance`, `covariance`, `correlation` below are such functions.
    confidence
        Of the intervals.

    Notes
    -----
    With replicate weights the variance is A·Σ_r (F(T_r) − F(T))², every T_r from the same scores. A
    ratio whose denominator varies by more than a tenth takes Fieller's set
    {R : (a − R·b)² ≤ z²(V_aa − 2R·V_ab + R²·V_bb)}, which the delta method only approximates.
    """
    z = reach(confidence, totals.degrees)
    found = []
    for g, values in enumerate(totals.values):
        covariance = totals.covariance[g]
        if function is ratio and _unsure(values, covariance):
            found.append(fieller(values, covariance, z))
            continue
        value, gradient = function(values, covariance)
        if totals.replicated is None:
            spread = float(gradient @ covariance @ gradient)
        else:
            again = [function(each, covariance)[0] for each in totals.replicated[:, g]]
            spread = totals.scale * float(((np.array(again) - value) ** 2).sum())
        error = math.sqrt(max(spread, 0.0)) if not math.isnan(spread) else math.nan
        note = "" if math.isfinite(value) else EMPTY
        found.append(Smooth(value, error, value - z * error, value + z * error, note))
    return found


def _unsure(values: Floats, covariance: Floats) -> bool:
    return bool(covariance[1, 1] > (_UNSURE * values[1]) ** 2) or values[1] == 0


def fieller(values: Floats, covariance: Floats, z: float) -> Smooth:
    """A ratio of two totals with Fieller's interval; unbounded where the denominator may be 0."""
    (a, b), (vaa, vab, vbb) = values, (covariance[0, 0], covariance[0, 1], covariance[1, 1])
    if b == 0:
        return Smooth(math.nan, math.inf, -math.inf, math.inf, EMPTY)
    value, gradient = ratio(values, covariance)
    error = math.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
    lead, middle, last = b * b - z * z * vbb, a * b - z * z * vab, a * a - z * z * vaa
    if lead <= 0:
        return Smooth(value, error, -math.inf, math.inf, EMPTY)
    root = math.sqrt(max(middle * middle - lead * last, 0.0))
    return Smooth(value, error, (middle - root) / lead, (middle + root) / lead)


def total(t: Floats, covariance: Floats) -> tuple[float, Floats]:
    """T₀."""
    _require(t, 1)
    return float(t[0]), np.array([1.0])


def ratio(t: Floats, covariance: Floats) -> tuple[float, Floats]:
    """T₀/T₁: a mean (Σw·x, Σw), a share, or any quotient of totals."""
    _require(t, 2)
    a, b = map(float, t)
    if b == 0:
        return math.nan, np.full(2, math.nan)
    return a / b, np.array([1 / b, -a / b**2])


def variance(t: Floats, covariance: Floats) -> tuple[float, Floats]:
    """Of x, from (Σw·x², Σw·x, Σw): the mean square less the squared mean.

    The square of an estimated mean is too large by its variance on average; that is added back.
    """
    _require(t, 3)
    s, m, n = map(float, t)
    if n == 0:
        return math.nan, np.full(3, math.nan)
    tilt = np.array([0.0, 1 / n, -m / n**2])
    value = s / n - (m / n) ** 2 + float(tilt @ covariance @ tilt)
    return value, np.array([1 / n, -2 * m / n**2, (2 * m * m / n - s) / n**2])


def covariance(t: Floats, spread: Floats) -> tuple[float, Floats]:
    """Of x and y, from (Σw·x·y, Σw·x, Σw·y, Σw)."""
    _require(t, 4)
    s, x, y, n = map(float, t)
    if n == 0:
        return math.nan, np.full(4, math.nan)
    first, second = np.array([0, 1 / n, 0, -x / n**2]), np.array([0, 0, 1 / n, -y / n**2])
    value = s / n - x * y / n**2 + float(first @ spread @ second)
    return value, np.array([1 / n, -y / n**2, -x / n**2, (2 * x * y / n - s) / n**2])


def correlation(t: Floats, spread: Floats) -> tuple[float, Floats]:
    """Of x and y, from (Σw·x·y, Σw·x², Σw·y², Σw·x, Σw·y, Σw)."""
    _require(t, 6)
    xy, xx, yy, x, y, n = map(float, t)
    if n == 0:
        return math.nan, np.full(6, math.nan)
    both, down = xy / n - x * y / n**2, (xx / n - (x / n) ** 2, yy / n - (y / n) ** 2)
    if min(down) <= 0:
        return math.nan, np.full(6, math.nan)
    size = math.sqrt(down[0] * down[1])
    value = both / size
    c = np.array([1, 0, 0, -y / n, -x / n, (2 * x * y / n - xy) / n]) / n
    first = np.array([0, 1, 0, -2 * x / n, 0, (2 * x * x / n - xx) / n]) / n
    second = np.array([0, 0, 1, 0, -2 * y / n, (2 * y * y / n - yy) / n]) / n
    return value, c / size - value / 2 * (first / down[0] + second / down[1])


def _require(t: Floats, size: int) -> None:
    if len(t) != size:
        raise WrongShape(f"this function takes {size} totals, not {len(t)}")
