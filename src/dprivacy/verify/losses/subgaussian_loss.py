"""How subgaussian is a privacy loss? The smallest τ with E e^(s(L − E L)) ≤ e^(s²τ²/2) for all s."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dprivacy.errors import Uncertified
from dprivacy.model import Answer, about
from dprivacy.numbers import Floats, Level, as_level, quotient_up
from dprivacy.sources import result
from dprivacy.verify.losses.privacy_loss_law import PrivacyLoss, log_of

_CLOSE = 1e-6  # relative width at which the search stops
_MOST_PIECES = 200_000
_FEW = 100  # values of a loss up to which all differences are looked at
_COARSE = 1e-280
_SCAN = np.geomspace(1e-2, 1e4, 64)


@dataclass(frozen=True)
class SubgaussianScale(Answer):
    """The smallest τ for which a centred loss is τ-subgaussian, between two floats.

    `hoeffding` is half the range of the loss, an exact τ that always serves (Hoeffding's lemma).

    Examples
    --------
    >>> print(SubgaussianScale(1.0, 1.25, 2.0))
    The smallest τ lies between 1 and 1.25; half the range, 2, always serves.
    """

    low: float
    high: float
    hoeffding: Level | float
    exact: ClassVar = False  # the bounds are floats, rounded outwards

    def explain(self) -> str:
        """The scale in words."""
        return (
            f"The smallest τ lies between {about(self.low)} and {about(self.high)}; half the range, "
            f"{about(self.hoeffding)}, always serves."
        )


def hoeffding_scale(loss: PrivacyLoss) -> Level | float:
    """Half the range of the loss: by Hoeffding's lemma a τ that always serves (T Lem A2)."""
    if loss.escape:
        return math.inf
    if loss.exact:
        return (as_level(loss.maximum) - as_level(loss.minimum)) / 2
    return (float(loss.maximum) - float(loss.minimum)) / 2


@result("T", "Def 10.3.4")
def subgaussian_scale(loss: PrivacyLoss, *, floor: float = 0.0) -> SubgaussianScale:
    """The smallest τ for which the centred loss is τ-subgaussian: τ² = sup_s 2·ln E e^(sZ) / s².

    Parameters
    ----------
    loss
        A privacy-loss distribution; Z is the loss minus its mean.
    floor
        What lies below this τ is not looked into further: the bounds are then those of the larger of
        it and the smallest τ, and come sooner.

    Returns
    -------
    SubgaussianScale
        Bounds on τ a relative 5e-7 apart, computed in floats with their rounding added;
        ``inf`` when the loss can be infinite.

    Notes
    -----
    With ψ(t) = (e^t − 1 − t)/t², which increases, and S = E e^(sZ) − 1 = s²·E[Z²·ψ(sZ)]:

    1. 2·ln(1 + S)/s² = 2·E[Z²·ψ(sZ)]·ln(1 + S)/S. On a ≤ s ≤ b the first factor is at most its value
       with b where Z > 0 and a where Z < 0, the second at most its value at a.
    2. Pieces of the positive half-line (and of its mirror image) whose bound exceeds the best value
       found are cut in two, until none exceeds it by more than the tolerance.
    3. Beyond s = 2·max Z/τ² nothing is left to find, since ln E e^(sZ) ≤ s·max Z.

    Examples
    --------
    >>> from dprivacy.verify import privacy_loss
    >>> loss = privacy_loss([["3/4", "1/4"], ["1/4", "3/4"]], 0, 1)
    >>> round(subgaussian_scale(loss).high, 5)  # √(2·ε·tanh(ε/2)) at ε = ln 3
    1.04815
    """
    upper = hoeffding_scale(loss)
    if upper == math.inf:
        return SubgaussianScale(math.inf, math.inf, math.inf)
    if not upper:
        return SubgaussianScale(0.0, 0.0, upper)
    z, error = _centred(loss)
    p = np.array([float(q) for _, q in loss.cells])
    variance = float((p * z * z).sum())
    half = max(quotient_up(upper, 1) * (1 + 2**-50), floor)
    if variance < _COARSE:  # squares of doubles are lost there; half the range is not
        return SubgaussianScale(floor, half, upper)
    best = bound = max(variance, floor**2)
    for side in (z, -z):
        low, high = _largest_rate(side, p, best)
        best, bound = max(best, low), max(bound, high)
    least = max(math.sqrt(best) * (1 - error), 0.0)
    return SubgaussianScale(least, min(math.sqrt(bound) * (1 + error), half), upper)


def _centred(loss: PrivacyLoss) -> tuple[Floats, float]:
    """Z, and a bound on the relative error that its rounding to doubles makes in τ.

    Notes
    -----
    1. Loss less mean is off by about an ulp of the largest one, which is little next to the standard
       deviation unless large losses are rare.
    2. Where they are, Z = Σ_j p_j·(loss − loss_j), each difference the logarithm of one quotient, is
       right to a share of its own size, and with it everything that follows.
    """
    values = np.array([log_of(key) if isinstance(key, Fraction) else key for key, _ in loss.cells])
    p = np.array([float(q) for _, q in loss.cells])
    mean = math.fsum((values * p).tolist())
    z = values - mean
    deviation = math.sqrt(float((p * z * z).sum()))
    largest = float(np.abs(z).max()) + abs(mean)
    error = 2**-44 * (1 + largest / deviation) if deviation else math.inf
    keys = [key for key, _ in loss.cells if isinstance(key, Fraction)]
    if error < _CLOSE / 4 or not loss.exact or len(keys) > _FEW:
        return z, error
    apart = np.array([[0.0 if a == b else log_of(a / b) for b in keys] for a in keys])
    fine = apart @ p
    if not fine.all():
        return z, error
    return fine, 2**-40 * float((np.abs(apart) @ p / np.abs(fine)).max())


def _largest_rate(z: Floats, p: Floats, best: float) -> tuple[float, float]:
    """Bounds on the supremum over s > 0 of 2·ln E e^(sZ)/s², given that it is at least `best`."""
    top = float(z.max())
    if not top > 0:  # ψ is at most 1/2 below 0, so that the rate is at most the variance
        return best, best
    # of rare values, far above the variance
    best = max(best, float(_rates(z, p, _SCAN / top).max()))
    end = 2 * top / best
    edges = np.concatenate([[0.0], np.geomspace(1e-3 * end, end, 64)])
    a, b = edges[:-1], edges[1:]
    settled = best
    for _ in range(64):
        best = max(best, float(_rates(z, p, b).max()))
        bounds = _piece_bounds(z, p, a, b)
        open_ = bounds > best * (1 + _CLOSE)
        settled = max(settled, float(bounds[~open_].max(initial=0.0)))
        if not open_.any():
            return best, max(settled, best)
        a, b = a[open_], b[open_]
        middle = (a + b) / 2
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        if len(a) * len(z) > _MOST_PIECES * 64:
            break
    raise Uncertified(
        f"the subgaussian scale of this loss of {len(z)} atoms could not be enclosed; use half its "
        "range (`hoeffding`)"
    )


def _rates(z: Floats, p: Floats, s: Floats) -> Floats:
    """2·ln E e^(sZ)/s² at each s > 0."""
    t = np.outer(s, z)
    top = t.max(axis=1)
    far = 2 * (top + np.log((p * np.exp(t - top[:, None])).sum(axis=1))) / s**2
    growth = ((p * z * z) * _psi(np.minimum(t, 500.0))).sum(axis=1) * s**2
    near = 2 * np.log1p(growth) / s**2
    return np.asarray(np.where(top > 30, far, near), dtype=np.float64)


def _piece_bounds(z: Floats, p: Floats, a: Floats, b: Floats) -> Floats:
    """An upper bound on 2·ln E e^(sZ)/s² for a ≤ s ≤ b."""
    t = np.where(z > 0, np.outer(b, z), np.outer(a, z))
    lead = 2 * ((p * z * z) * _psi(np.minimum(t, 500.0))).sum(axis=1)
    grown = ((p * z * z) * _psi(np.minimum(np.outer(a, z), 500.0))).sum(axis=1) * a**2
    with np.errstate(divide="ignore", invalid="ignore"):
        near = lead * np.where(grown > 0, np.log1p(grown) / grown, 1.0)
        far = _rates(z, p, b) * (b / a) ** 2  # ln E e^(sZ) increases with s
    near = np.where(np.outer(b, z).max(axis=1) < 500, near, math.inf)
    return np.asarray(np.minimum(near, np.where(a > 0, far, math.inf)), dtype=np.float64)


def _psi(t: Floats) -> Floats:
    """(e^t − 1 − t)/t², stable near 0."""
    small = np.abs(t) < 0.5
    safe = np.where(small, 1.0, t)
    direct = (np.expm1(safe) - safe) / safe**2
    series = np.zeros_like(t)
    for k in range(17, 1, -1):  # Σ t^(k−2)/k!
        series = series * np.where(small, t, 0.0) + 1 / math.factorial(k)
    return np.where(small, series, direct)
