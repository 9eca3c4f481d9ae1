"""Two distributions on the same labels, read from whatever holds them."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotStochastic, UnknownCategory, WrongKind, WrongShape
from dprivacy.model import Dist
from dprivacy.numbers import read_number
from dprivacy.spaces import normal
from dprivacy.typing import Label, NumberLike

Weight = Fraction | float


class Shared(Protocol):
    """An estimate: something with a share for every label."""

    @property
    def distribution(self) -> Mapping[Label, NumberLike]: ...  # noqa: D102


DistLike = Dist | Mapping[Label, NumberLike] | Sequence[NumberLike] | NDArray[Any] | Shared
_FLOAT_SUM = 1e-9


def weights_on(p: DistLike, labels: Sequence[Label], what: str) -> list[Weight]:
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
    given: Any = getattr(p, "distribution", p)
    weights: list[Weight]
    if isinstance(given, Dist) and given.labels == tuple(labels):
        return list(given.weights) if given.exact else given.matrix.entries[0].tolist()
    if isinstance(given, Dist | Mapping):
        index = {normal(label): i for i, label in enumerate(labels)}
        weights = [Fraction(0)] * len(labels)
        for label, weight in given.items():
            position = index.get(normal(label), -1)
            if position < 0:
                raise UnknownCategory(
                    f"{what} has a weight for {label!r}, which is not one of the {len(labels)} labels"
                )
            weights[position] = read_number(weight, f"{what}, {label!r}")
    else:
        if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
            raise WrongKind(
                f"{what} should be a Dist, a mapping from label to weight, or a list of weights, not "
                f"{type(given).__name__}"
            )
        if len(given) != len(labels):
            raise WrongShape(
                f"{what} should have {len(labels)} weights, one for each label, not {len(given)}"
            )
        if isinstance(given, np.ndarray) and given.dtype == float and np.isfinite(given).all():
            weights = given.ravel().tolist()
        else:
            weights = [
                read_number(weight, f"{what}, {label!r}")
                for label, weight in zip(labels, given, strict=True)
            ]
    if any(isinstance(weight, float) for weight in weights):
        weights = [float(weight) for weight in weights]
    exact = not isinstance(weights[0], float)
    total: Any = sum(weights) if exact else math.fsum(weights)
    if not abs(total - 1) <= (0 if exact else _FLOAT_SUM):
        raise NotStochastic(f"the weights of {what} should sum to 1 but sum to {total}")
    return weights
