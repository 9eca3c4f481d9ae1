"""Distributions on labelled points: priors, rows, posteriors, outers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dprivacy.errors import NotStochastic, UnknownCategory, WrongKind, WrongShape
from dprivacy.model.answers import Pictured
from dprivacy.model.labelled_matrix import Labelled
from dprivacy.model.plain_data import plain, shown
from dprivacy.numbers import Frozen, Mat, read_vector
from dprivacy.spaces import (
    FiniteSpace,
    locate,
    positions,
    python_value,
    read_labels,
    require_same_labels,
)
from dprivacy.typing import Label, Number, NumberLike, PriorLike, TableLike

_FLOAT_SUM = 1e-9


class Dist(Frozen, Pictured):
    """A probability distribution on labels, exact or float.

    Parameters
    ----------
    labels
        Distinct labels.
    weights
        Their probabilities: "1/3", Fractions and whole numbers are exact; floats are floats.

    Examples
    --------
    >>> Dist(["rain", "sun"], ["1/3", "2/3"])["sun"]
    Fraction(2, 3)
    """

    labels: tuple[Label, ...]
    matrix: Mat
    _index: dict[Label, int]

    def __init__(self, labels: Iterable[Label], weights: Iterable[NumberLike] | Mat) -> None:
        known = read_labels(labels)
        values = weights if isinstance(weights, Mat) else list(weights)
        count = values.shape[1] if isinstance(values, Mat) else len(values)
        if count != len(known):
            raise WrongShape(f"{len(known)} labels but {count} weights")
        if not isinstance(values, Mat):
            values = read_vector(values, lambda j: f"{known[j]!r}")
        self._set(labels=known, matrix=values, _index=positions(known))
        total: Any = 0
        for label, weight in zip(self.labels, self.weights, strict=True):
            if not weight >= 0:
                raise NotStochastic(
                    f"{label!r}: {weight} is not a probability (it must be at least 0)"
                )
            total += weight
        if abs(total - 1) > (0 if self.exact else _FLOAT_SUM):
            raise NotStochastic(f"the probabilities sum to {total}, not 1")

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


def as_prior(given: PriorLike, labels: Sequence[Label], *, exact: bool = True) -> Dist:
    """Read a prior on known secrets.

    Parameters
    ----------
    given
        A Dist or a mapping from labels to weights, in any order; a list of weights in the order of
        the labels; or None for the uniform distribution.
    labels
        The secrets; the prior comes back in this order.
    exact
        Whether a uniform prior is exact. It is a float where it meets a channel of floats.

    Examples
    --------
    >>> as_prior({"sun": "2/3", "rain": "1/3"}, ["rain", "sun"])
    Dist(rain: 1/3, sun: 2/3)
    >>> as_prior(None, ["rain", "sun"])
    Dist(rain: 1/2, sun: 1/2)
    """
    if given is None:
        even = uniform(labels)
        return even if exact else Dist(labels, Mat(even.matrix.floats))
    if isinstance(given, Mapping):
        given = Dist(given, given.values())
    if isinstance(given, Dist):
        order = require_same_labels(labels, given.labels, "the secrets and the prior")
        if order == list(range(len(order))):
            return given
        return Dist(labels, given.matrix.take(columns=order))
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise WrongKind(
            f"a prior is a distribution, a mapping or a list of weights, not {given!r}; "
            "leave it out for the uniform distribution"
        )
    return Dist(labels, given)


def _labels_of(over: FiniteSpace | Iterable[Label]) -> tuple[Label, ...]:
    return over.labels if isinstance(over, FiniteSpace) else read_labels(over)


def uniform(over: FiniteSpace | Iterable[Label]) -> Dist:
    """The uniform distribution on a space or on labels.

    Examples
    --------
    >>> uniform(["tea", "coffee", "water"])["tea"]
    Fraction(1, 3)
    """
    labels = _labels_of(over)
    return Dist(labels, Mat.over(len(labels), [[1] * len(labels)]) if labels else [])


def point(label: Label, over: FiniteSpace | Iterable[Label]) -> Dist:
    """All probability on one label.

    Examples
    --------
    >>> point("tea", ["tea", "coffee"]).weights
    [Fraction(1, 1), Fraction(0, 1)]
    """
    labels = _labels_of(over)
    if label not in labels:
        raise UnknownCategory(f"{label!r} is not among the labels")
    return Dist(labels, [int(x == label) for x in labels])


def empirical(values: Iterable[Label], over: FiniteSpace | Iterable[Label]) -> Dist:
    """The frequencies of some values, exactly.

    Parameters
    ----------
    values
        The observed values.
    over
        The space or labels they are declared to come from. A domain is never read off the data.

    Examples
    --------
    >>> empirical(["tea", "tea", "coffee"], ["tea", "coffee", "water"])
    Dist(tea: 2/3, coffee: 1/3, water: 0)
    """
    labels = _labels_of(over)
    counts = Counter(python_value(value) for value in values)
    total = sum(counts.values())
    known = set(labels)
    strange = sum(count for value, count in counts.items() if value not in known)
    if strange:
        raise UnknownCategory(f"{strange} of {total} values are outside the declared labels")
    if not total:
        raise WrongShape(f"there are no values; at least one of {len(labels)} labels is needed")
    return Dist(labels, Mat.over(total, [[counts[label] for label in labels]]))


def joint(rows: Sequence[Label], columns: Sequence[Label], table: TableLike) -> Dist:
    """A correlation: the joint distribution of two values from a table of counts or weights.

    Parameters
    ----------
    rows, columns
        The values of the two coordinates.
    table
        Counts (whole numbers) or weights; they are divided by their sum.

    Examples
    --------
    >>> smoking = joint(["young", "old"], ["smokes", "does not"], [[1, 3], [2, 2]])
    >>> smoking.marginal(1)
    Dist(smokes: 3/8, does not: 5/8)
    """
    counts = Labelled(rows, columns, table).matrix
    flat = [value for row in counts.rows() for value in row]
    total = sum(flat)
    if not total > 0 or any(value < 0 for value in flat):
        raise NotStochastic(
            f"a joint distribution needs counts of at least 0 that are not all 0; the least is "
            f"{min(flat)}, the sum {total}"
        )
    return Dist([(x, y) for x in rows for y in columns], [value / total for value in flat])
