"""Two distributions on the same labels, read from whatever holds them."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import NotStochastic, UnknownCategory, WrongKind, WrongShape
from dprivacy.model import Dist
from dprivacy.numbers import read_number
from dprivacy.spaces import normal

Weight = Fraction | float
_FLOAT_SUM = 1e-9


def weights_on(p: Any, labels: Sequence[Any], what: str) -> list[Weight]:
    """The weights of p on some labels, in their order; labels that p does not have weigh 0.

    Parameters
    ----------
    p
        A Dist, a mapping from label to weight, something with a `distribution` (an Estimate), or
        numbers in the order of the labels.
    labels
        The labels.
    what
        What to call p in messages.

    Raises
    ------
    UnknownCategory
        A label of p that is not among them.
    NotStochastic
        Weights that do not sum to 1. Negative ones pass: an inverted estimate has them.
    """
    p = getattr(p, "distribution", p)
    weights: list[Weight]
    if isinstance(p, Dist | Mapping):
        index = {normal(label): i for i, label in enumerate(labels)}
        weights = [Fraction(0)] * len(labels)
        for label, weight in p.items():
            position = index.get(normal(label), -1)
            if position < 0:
                raise UnknownCategory(
                    f"{what} has a weight for {label!r}, which is not one of the {len(labels)} labels"
                )
            weights[position] = read_number(weight, f"{what}, {label!r}")
    else:
        if isinstance(p, str | bytes) or not hasattr(p, "__len__"):
            raise WrongKind(
                f"{what} should be a Dist, a mapping from label to weight, or a list of weights, not "
                f"{type(p).__name__}"
            )
        if len(p) != len(labels):
            raise WrongShape(
                f"{what} should have {len(labels)} weights, one for each label, not {len(p)}"
            )
        if isinstance(p, np.ndarray) and p.dtype == np.float64 and np.isfinite(p).all():
            weights = p.ravel().tolist()
        else:
            weights = [
                read_number(weight, f"{what}, {label!r}")
                for label, weight in zip(labels, p, strict=True)
            ]
    if any(isinstance(weight, float) for weight in weights):
        weights = [float(weight) for weight in weights]
    exact = not isinstance(weights[0], float)
    total: Any = sum(weights) if exact else math.fsum(weights)
    if not abs(total - 1) <= (0 if exact else _FLOAT_SUM):
        raise NotStochastic(f"the weights of {what} should sum to 1 but sum to {total}")
    return weights
