"""What was observed: noisy labels, counts by label, or frequencies, read into counts by position."""

import math
import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable, UnknownCategory, WrongKind
from dprivacy.model import Dist
from dprivacy.numbers import Floats
from dprivacy.spaces import normal, python_value

Count = Fraction | float


@dataclass(frozen=True)
class Observed:
    """How often each output was seen, in the order of the channel's outputs."""

    counts: tuple[Count, ...]

    @property
    def exact(self) -> bool:
        """Whether every count is a rational number."""
        return not any(isinstance(count, float) for count in self.counts)

    @cached_property
    def n(self) -> int | Count:
        """How many answers there are."""
        total: Any = sum(self.counts)
        return int(total) if total == int(total) else total

    @cached_property
    def floats(self) -> Floats:
        """The counts as doubles."""
        return np.array([float(count) for count in self.counts])


def read_observed(observed: Any, outputs: Sequence[Any], n: Any = None) -> Observed:
    """Counts of the channel's outputs.

    Parameters
    ----------
    observed
        Noisy labels (a sequence or an array), a mapping from label to count, or a Dist of frequencies.
    outputs
        The labels that the channel may give.
    n
        For frequencies: how many answers they come from.

    Raises
    ------
    UnknownCategory
        Labels that the channel cannot give. The message counts them and shows none: what a person
        answered has no place in a message.
    BadNumber, WrongKind
        Counts that are negative, not finite or not numbers.
    NotApplicable
        No answers at all, or frequencies without n.
    """
    index = _positions(outputs)
    if isinstance(observed, Dist):
        pairs = _from_frequencies(observed, n)
    elif n is not None:
        raise NotApplicable(
            f"n={n!r} belongs to a Dist of frequencies; noisy labels and counts have their own number "
            "of answers, so leave n out"
        )
    elif isinstance(observed, Mapping):
        pairs = [(label, _read_count(count)) for label, count in observed.items()]
    else:
        pairs = [(label, Fraction(count)) for label, count in _tally(observed).items()]
    totals: list[Any] = [Fraction(0)] * len(outputs)
    strange: Any = 0
    for label, count in pairs:
        try:
            position = index.get(normal(python_value(label)), -1)
        except TypeError:  # not hashable, so certainly not a label
            position = -1
        if position >= 0:
            totals[position] += count
        else:
            strange += count
    everything = sum(totals) + strange
    if strange:
        raise UnknownCategory(
            f"every answer should be one of the channel's {len(outputs)} outputs, but "
            f"{_shown(strange)} of {_shown(everything)} answers are not; was the data made by another "
            "mechanism, or is a label spelt differently?"
        )
    if not everything > 0:
        raise NotApplicable(
            f"there are no answers to estimate from: the counts of all {len(outputs)} outputs are 0"
        )
    if any(isinstance(total, float) for total in totals):
        totals = [float(total) for total in totals]
    return Observed(tuple(totals))


def positions_of(values: Any, outputs: Sequence[Any], what: str) -> NDArray[np.intp]:
    """Where every value of a column stands among some labels; refused by counts, never by value."""
    index = _positions(outputs)
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise WrongKind(
            f"{what} should be a list or an array of labels, not {type(values).__name__}"
        )
    listed = values.ravel().tolist() if isinstance(values, np.ndarray) else list(values)
    found = (index.get(normal(v), -1) if _hashable(v) else -1 for v in map(python_value, listed))
    at = np.fromiter(found, dtype=np.intp, count=len(listed))
    strange = int((at < 0).sum())
    if strange:
        raise UnknownCategory(
            f"every row of {what} should be an output of its channel, but {strange:,} of {len(at):,} "
            "rows are not; was it randomised by another mechanism?"
        )
    return at


def _positions(outputs: Sequence[Any]) -> dict[Any, int]:
    """Where each label stands; fractions are also known as the doubles nearest to them."""
    index = {normal(label): i for i, label in enumerate(outputs)}
    for i, label in enumerate(outputs):
        if isinstance(label, Fraction):
            index.setdefault(float(label), i)
    return index


def _tally(observed: Any) -> Mapping[Any, int]:
    if isinstance(observed, str | bytes):
        raise WrongKind(
            f"observed should be a list of noisy labels, not one {type(observed).__name__}"
        )
    if np.ma.is_masked(observed):
        missing = int(np.ma.getmaskarray(observed).sum())
        raise NotApplicable(f"{missing:,} answers are masked, that is missing; drop them first")
    if isinstance(observed, np.ndarray) and observed.dtype.kind in "iufbU":
        labels, counts = np.unique(observed.ravel(), return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))
    try:
        values = observed.ravel().tolist() if isinstance(observed, np.ndarray) else list(observed)
    except TypeError:
        raise WrongKind(
            "observed should be a list of noisy labels, a mapping from label to count, or a Dist, not "
            f"{type(observed).__name__}"
        ) from None
    try:
        return Counter(values)
    except TypeError:  # something that cannot be a label: count it as strange
        return Counter(value if _hashable(value) else _Strange for value in values)


class _Strange:
    """Stands for answers that cannot be labels."""


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _from_frequencies(observed: Dist, n: Any) -> list[tuple[Any, Count]]:
    if n is None:
        raise NotApplicable(
            f"a Dist of {len(observed.labels)} frequencies does not say how many answers it comes "
            "from; add n, such as n=1000"
        )
    size = _read_count(n)
    if not size > 0:
        raise BadNumber(f"n should be a positive number, not {n!r}")
    if not observed.exact:
        size = float(size)
    return [(label, weight * size) for label, weight in observed.items()]


def _read_count(count: Any) -> Count:
    """A count: exact for whole numbers and Fractions, a float otherwise; never shown when refused."""
    if isinstance(count, bool | np.bool_) or not isinstance(count, numbers.Real):
        raise WrongKind(f"a count should be a number, not {type(count).__name__}")
    number: Any = (
        Fraction(int(count.numerator), int(count.denominator))
        if isinstance(count, numbers.Rational)
        else float(count)
    )
    if isinstance(number, float) and number.is_integer():
        number = Fraction(int(number))  # counts in a column of doubles are still counts
    if isinstance(number, float) and not math.isfinite(number):
        raise BadNumber("a count is NaN or infinite; counts should be finite numbers")
    if number < 0:
        raise BadNumber("a count is negative; counts should be at least 0")
    return number  # type: ignore[no-any-return]


def _shown(count: Any) -> str:
    return f"{int(count):,}" if count == int(count) else f"{float(count):.6g}"
