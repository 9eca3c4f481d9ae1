"""Distributions on labelled points: priors, rows, posteriors, outers."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, NotStochastic, WrongKind, WrongShape, counted
from dprivacy.model.answers import Pictured
from dprivacy.model.notebooks.notebook_views import html_matrix, latex_matrix
from dprivacy.model.plain_data import plain, shown
from dprivacy.numbers import Frozen, Mat, read_vector
from dprivacy.spaces import locate, positions, read_labels, require_list, require_same_labels
from dprivacy.typing import Label, Number, NumberLike, PriorLike

Weights = Iterable[NumberLike] | Mapping[Any, NumberLike]
_FLOAT_SUM = 1e-9


class Dist(Frozen, Pictured):
    """A probability distribution on labels, exact or float.

    Parameters
    ----------
    labels
        Distinct labels.
    weights
        Their probabilities: "1/3", Fractions and whole numbers are exact; floats are floats. A
        mapping or a Series with an index is read by its labels, a list in their order.

    Examples
    --------
    >>> weather = Dist(["rain", "sun"], ["1/3", "2/3"])
    >>> weather["sun"]
    Fraction(2, 3)
    >>> weather.exact, weather.support, [str(p) for p in weather.weights], dict(weather.items())["sun"]
    (True, ('rain', 'sun'), ['1/3', '2/3'], Fraction(2, 3))
    >>> Dist([("rain", "cold"), ("sun", "cold")], ["1/3", "2/3"]).marginal(1).to_dict()
    {'cold': '1'}
    """

    labels: tuple[Label, ...]
    matrix: Mat

    def __init__(self, labels: Iterable[Label], weights: Weights | Mat) -> None:
        known = read_labels(labels)
        values = weights if isinstance(weights, Mat) else _in_order(weights, known)
        n = values.shape[1] if isinstance(values, Mat) else len(values)
        if n != len(known):
            raise WrongShape(f"{counted(len(known), 'label')} but {counted(n, 'weight')}")
        if not isinstance(values, Mat):
            values = read_vector(values, lambda j: f"{known[j]!r}")
        self._set(labels=known, matrix=values)
        chances: list[Any] = self.weights
        total = sum(chances)
        if not (min(chances) >= 0 and total >= 0):  # min may pass over NaN, and a sum does not
            label, weight = next(pair for pair in self.items() if not pair[1] >= 0)
            raise NotStochastic(
                f"{label!r}: {plain(weight)} is not a probability (it must be at least 0)"
            )
        if abs(total - 1) > (0 if self.exact else _FLOAT_SUM):
            raise NotStochastic(f"the probabilities sum to {plain(total)}, not 1")

    @property
    def exact(self) -> bool:
        """Whether the probabilities are exact rationals."""
        return self.matrix.exact

    @property
    def weights(self) -> list[Number]:
        """The probabilities, in the order of the labels."""
        return self.matrix.row(0)

    @property
    def support(self) -> tuple[Label, ...]:
        """The labels with positive probability."""
        return tuple(x for x, w in zip(self.labels, self.weights, strict=True) if w)

    @cached_property
    def _index(self) -> dict[Label, int]:
        return positions(self.labels)

    def __getitem__(self, label: Label) -> Number:
        return self.matrix[0, locate(self._index, label, "the labels of the distribution")]

    def __len__(self) -> int:
        return len(self.labels)

    def items(self) -> Iterable[tuple[Label, Number]]:
        """Pairs of label and probability."""
        return zip(self.labels, self.weights, strict=True)

    def marginal(self, position: int) -> "Dist":
        """For a joint distribution on tuples: the distribution of one coordinate."""
        totals: dict[Any, Any] = {}
        for label, weight in self.items():
            totals[label[position]] = totals.get(label[position], 0) + weight
        return Dist(totals.keys(), totals.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dist):
            return NotImplemented
        return self.exact == other.exact and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def to_dict(self) -> dict[str, Any]:
        """Labels and probabilities as plain data."""
        return {shown(label): plain(weight) for label, weight in self.items()}

    def __repr__(self) -> str:
        inside = ", ".join(f"{shown(x)}: {w}" for x, w in list(self.items())[:12])
        return f"Dist({inside}{', …' if len(self) > 12 else ''})"

    def _repr_html_(self) -> str:
        """A table, for a notebook."""
        return html_matrix("Dist", ["probability"], self.labels, lambda _: self.weights)

    def _repr_latex_(self) -> str | None:
        """A formula, for a notebook that is printed; None where it would be too large."""
        return latex_matrix(["probability"], self.labels, lambda _: self.weights)


def as_prior(
    given: PriorLike, labels: Sequence[Label] | None = None, *, exact: bool = True
) -> Dist:
    """Read a prior.

    Parameters
    ----------
    given
        A Dist, a mapping from labels to weights or a Series with an index, in any order; a list of
        weights in the order of the labels; or None for the uniform distribution.
    labels
        The secrets; the prior comes back in this order. When omitted, the prior's own; those of a
        list are 0 … n−1.
    exact
        Whether a uniform prior is exact. It is a float where it meets a channel of floats.

    Examples
    --------
    >>> as_prior({"sun": "2/3", "rain": "1/3"}, ["rain", "sun"])
    Dist(rain: 1/3, sun: 2/3)
    >>> as_prior(None, ["rain", "sun"])
    Dist(rain: 1/2, sun: 1/2)
    """
    if isinstance(given, Dist) and (labels is None or given.labels == tuple(labels)):
        return given
    if given is not None and (isinstance(given, str) or not isinstance(given, Dist | Iterable)):
        raise WrongKind(
            f"a prior is a distribution, a mapping or a list of weights, not {given!r}; "
            "leave it out for the uniform distribution"
        )
    if labels is None:
        labels = _own_labels(given)
    if given is None:
        even = Mat.over(len(labels), [[1] * len(labels)])
        return Dist(labels, even if exact else Mat(even.floats))
    if isinstance(given, Dist):
        order = require_same_labels(labels, given.labels, "the secrets and the prior")
        return Dist(labels, given.matrix.take(columns=order))
    return Dist(labels, given)


def _own_labels(given: Any) -> Sequence[Label]:
    if given is None:
        raise NotApplicable(
            "a prior that is left out is uniform, and here nothing says on what; "
            "give uniform(labels)"
        )
    if isinstance(given, Dist):
        return given.labels
    named = _named(given)
    return range(len(given)) if named is None else list(named[0])


def _named(weights: Any) -> tuple[Iterable[Label], Sequence[NumberLike]] | None:
    """The labels and weights of what has labels of its own: a mapping, or a Series with an index."""
    if isinstance(weights, Mapping):
        return weights, list(weights.values())
    if hasattr(weights, "tolist") and not callable(getattr(weights, "index", callable)):
        return weights.index, weights.tolist()
    return None


def _in_order(weights: Weights, labels: Sequence[Label]) -> list[NumberLike]:
    """The weights in the order of the labels."""
    named = _named(weights)
    if named is None:
        if type(weights) is np.ndarray and weights.ndim == 1 and weights.dtype == np.float64:
            weights = weights.tolist()
        return list(require_list(weights, "weights", "numbers"))
    what = "the labels and those of the weights (a list has none, and is read in order)"
    order = require_same_labels(labels, read_labels(named[0]), what)
    return [named[1][i] for i in order]
