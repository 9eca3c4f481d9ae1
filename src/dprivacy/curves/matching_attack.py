"""The matching attack: whose day is this?"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprivacy.curves.curve_readings import CurvesLike, read_curves
from dprivacy.curves.released_curves import ProtectedCurves
from dprivacy.errors import WrongShape
from dprivacy.model import Answer
from dprivacy.numbers import Floats

_BLOCK = 1 << 22


@dataclass(frozen=True)
class Linkage(Answer):
    """How often a curve is found again among all true ones.

    Attributes
    ----------
    before
        The share found when the curves are published as they are (twins cannot be told apart).
    after
        The share found from protected curves, by the attacker who knows all true curves and the law
        of the noise and takes the likeliest one.
    chance
        The share found by guessing.
    curves
        How many curves there are.

    Examples
    --------
    >>> found = Linkage(before=1.0, after=0.02, chance=0.01, curves=100)
    >>> "2.00% when they are protected" in found.explain()
    True
    """

    before: float
    after: float
    chance: float
    curves: int
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The attack in words."""
        return (
            f"Of {self.curves:,} curves, an attacker who knows them all recognises {self.before:.1%} "
            f"when they are published as they are, {self.after:.2%} when they are protected, and "
            f"{self.chance:.2%} by guessing."
        )


def linkage(protected: ProtectedCurves, true: CurvesLike) -> Linkage:
    """Match every protected curve to the true curve that makes it likeliest.

    Parameters
    ----------
    protected
        The `data` of what `protect_curves` gave.
    true
        The true curves, in the same order; secret.

    Notes
    -----
    Exact noise of level λ_k on coefficient k has a likelihood that falls with Σ λ_k·|c_k − u_k|, so the
    likeliest true curve is the nearest in that norm; idealised noise, in the norm of its distance.

    Examples
    --------
    >>> from dprivacy.curves import example_days, protect_curves
    >>> days = example_days(50)
    >>> loud, quiet = (protect_curves(days, eps=eps, grid="0.01").data for eps in (5000, "1/10"))
    >>> linkage(quiet, days).after < linkage(loud, days).after
    True
    """
    curves = read_curves(true)
    n = len(curves)
    if n != len(protected):
        raise WrongShape(
            f"there should be one true curve for each of {len(protected)} protected ones, not {n}"
        )
    mechanism = protected.mechanism
    candidates = mechanism.coefficients(curves).astype(np.float64)
    if mechanism.numerics == "exact":
        weights = np.array([float(level) for level in mechanism.levels])
        metric = "cityblock"
    else:
        weights = np.ones(mechanism.basis.size)
        metric = "euclidean" if mechanism.distance == "L2" else "chebyshev"
    found = _nearest(protected.coefficients * weights, candidates * weights, metric)
    _, twins = np.unique(curves, axis=0, return_inverse=True)
    sizes = np.bincount(twins.ravel())
    return Linkage(len(sizes) / n, float((found == np.arange(n)).mean()), 1 / n, n)


def _nearest(seen: Floats, candidates: Floats, metric: str) -> NDArray[np.intp]:
    """The position of the nearest candidate, in blocks that fit in memory."""
    from scipy.spatial.distance import cdist

    rows = max(1, _BLOCK // len(candidates))
    parts = (seen[start : start + rows] for start in range(0, len(seen), rows))
    return np.concatenate([cdist(part, candidates, metric).argmin(axis=1) for part in parts])
