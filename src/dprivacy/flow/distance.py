"""The d-vulnerability of a distribution: how far it tells secrets apart, per unit of distance."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Uncertified
from dprivacy.model.dist import Dist
from dprivacy.numbers.level import Level, as_level, ln
from dprivacy.numbers.rounding import float_up
from dprivacy.sources import result
from dprivacy.spaces.distances import Distance
from dprivacy.spaces.finite import FiniteSpace
from dprivacy.spaces.labels import require_same_labels


@result("T", "Def 4.4.6", "Lem 4.7")
def d_vulnerability(space: FiniteSpace) -> Callable[[Dist], Level | float]:
    """V_d(π) = max ln(π_x/π_z)/d(x, z): the smallest ε for which π, read as a column, is private.

    It is quasi-convex, so that it is a measure for the max case: give it to `leakage` with
    ``case="max", kind="additive"``.

    Parameters
    ----------
    space
        The metric on the secrets.

    Returns
    -------
    callable
        From a distribution to a Level (exact for an exact prior on an exact space; rounded up to a
        float where a quotient of logarithms has no exact form), a float, or inf.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(d_vulnerability(line(3))(Dist([0, 1, 2], ["1/7", "2/7", "4/7"])))
    ln(2)
    """

    def measure(prior: Dist) -> Level | float:
        order = require_same_labels(space.labels, prior.labels, "d-vulnerability: space and prior")
        weights = prior.matrix.take(columns=order)
        if weights.exact and space.exact:
            return _exact(weights.entries[0].tolist(), space)
        return _floats(weights.floats[0], space.distances.floats)

    return measure


def _exact(weights: list[int], space: FiniteSpace) -> Level | float:
    """Among pairs at one distance the largest ratio decides; then one quotient a distance."""
    largest: dict[Distance, Fraction] = {}
    distances = space.distances
    n = len(weights)
    for i in range(n):
        for j in range(n):
            if i == j or weights[i] <= weights[j]:
                continue
            d = distances[i, j]
            if isinstance(d, float) and math.isinf(d):
                continue
            if weights[j] == 0 or d == 0:
                return math.inf
            ratio = Fraction(weights[i], weights[j])
            if ratio > largest.get(d, 1):
                largest[d] = ratio
    rates = [_rate(ratio, d) for d, ratio in largest.items()]
    return max(rates, default=Level(0))


def _rate(ratio: Fraction, d: Any) -> Level | float:
    try:
        return ln(ratio) / as_level(d)
    except Uncertified:
        _, high = ln(ratio).bounds(160)
        low, _ = as_level(d).bounds(160)
        return float_up(high / low)


def _floats(weights: Any, distances: Any) -> float:
    apart = weights[:, None] > weights[None, :]
    finite = apart & np.isfinite(distances)
    if not finite.any():
        return 0.0
    top, bottom = np.nonzero(finite)
    d = distances[top, bottom]
    if (d == 0).any() or (weights[bottom] == 0).any():
        return math.inf
    return float(((np.log(weights[top]) - np.log(weights[bottom])) / d).max())
