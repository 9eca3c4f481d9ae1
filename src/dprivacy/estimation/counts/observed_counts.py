"""What was observed: noisy labels, counts by label, or frequencies, read into counts by position."""

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable, UnknownCategory, WrongKind
from dprivacy.model import Dist, counted
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
        Noisy labels (a list, an array, a column), counts by label (a mapping, or what pandas'
        `value_counts` gives), or a Dist of frequencies.
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
    observed = _counts_in_series(observed, index)
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
        pairs = [(label, Fraction(count)) for label, count in _tally(observed)]
    totals: list[Any] = [Fraction(0)] * len(outputs)
    strange: Any = 0
    for label, count in pairs:
        position = _place(index, label)
        if position >= 0:
            totals[position] += count
        else:
            strange += count
    everything = sum(totals) + strange
    if strange:
        raise UnknownCategory(
            f"every answer should be one of the channel's {counted(len(outputs), 'output')}, but this "
            f"is not so for {_shown(strange)} of {_shown(everything)}; was the data made by another "
            "mechanism, or is a label spelt differently?"
        )
    if not everything > 0:
        raise NotApplicable(
            "there are no answers to estimate from: all counts (for "
            f"{counted(len(outputs), 'output')}) are 0"
        )
    if any(isinstance(total, float) for total in totals):
        totals = [float(total) for total in totals]
    return Observed(tuple(totals))


def positions_of(values: Any, outputs: Sequence[Any], what: str) -> NDArray[np.intp]:
    """Where every value of a column stands among some labels; refused by counts, never by value."""
    index = _positions(outputs)
    column = read_column(values, what)
    listed = column.tolist() if isinstance(column, np.ndarray) else column
    at = np.array([_place(index, value) for value in listed], dtype=np.intp)
    strange = int((at < 0).sum())
    if strange:
        raise UnknownCategory(
            f"every row of {what} should be an output of its channel, but this is not so for "
            f"{strange:,} of {counted(len(at), 'row')}; was it randomised by another mechanism?"
        )
    return at


def read_column(values: Any, what: str) -> Any:
    """One value a row, as an array or a list: of a list, an array, or a column of any kind of frame.

    Raises
    ------
    WrongKind
        For a single text, a whole table, and what cannot be listed.
    NotApplicable
        For an array with masked entries.
    """
    names = getattr(values, "column_names", getattr(values, "columns", None))  # of Arrow, of others
    if names is not None and not isinstance(values, Mapping):
        told = ", ".join(repr(str(name)) for name in list(names)[:5])
        raise WrongKind(
            f"{what} should be one column, not a table ({type(values).__name__}); its columns are "
            f"{told}: pass one of them as a list or an array, or counts as {{label: count}}"
        )
    if np.ma.is_masked(values):
        missing = int(np.ma.getmaskarray(values).sum())
        raise NotApplicable(
            f"{what}: {missing:,} entries are masked, that is missing; drop them first"
        )
    if isinstance(values, np.ndarray):
        return values.ravel()
    try:
        if not isinstance(values, str | bytes):
            return values.to_pylist() if hasattr(values, "to_pylist") else list(values)  # of Arrow
    except TypeError:
        pass
    raise WrongKind(
        f"{what} should be a list, an array or a column of labels, not one value of type "
        f"{type(values).__name__}"
    )


def _counts_in_series(observed: Any, index: Mapping[Any, int]) -> Any:
    """A pandas Series of counts as a mapping; anything else, also a Series of noisy labels, as it is.

    Its index are then outputs, each once, and its values are numbers. Where the values could just as
    well be noisy labels, nothing is guessed.
    """
    from narwhals.dependencies import is_pandas_series

    if not is_pandas_series(observed) or observed.dtype.kind not in "iuf":
        return observed
    labels = observed.index
    named = labels.is_unique and all(_place(index, label) >= 0 for label in labels)
    numbered = type(labels).__name__ == "RangeIndex" and observed.name != "count"
    if not named or numbered or not len(labels):
        return observed
    if all(_place(index, value) >= 0 for value in observed):
        raise NotApplicable(
            "this Series can be read as noisy labels, with rows named like outputs, and as counts of "
            "them; pass series.tolist() for noisy labels, or series.to_dict() for counts"
        )
    return observed.to_dict()


def _place(index: Mapping[Any, int], label: Any) -> int:
    """Where a label stands, or −1."""
    try:
        return index.get(normal(python_value(label)), -1)
    except TypeError:  # not hashable, so certainly not a label
        return -1


def _positions(outputs: Sequence[Any]) -> dict[Any, int]:
    """Where each label stands; fractions are also known as the doubles nearest to them."""
    index = {normal(label): i for i, label in enumerate(outputs)}
    for i, label in enumerate(outputs):
        if isinstance(label, Fraction):
            index.setdefault(float(label), i)
    return index


def _tally(observed: Any) -> Iterable[tuple[Any, int]]:
    values = read_column(observed, "observed")
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufbU":
        labels, counts = np.unique(values, return_counts=True)
        return zip(labels.tolist(), counts.tolist(), strict=True)
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        return Counter(listed).items()
    except TypeError:  # some of them cannot be labels
        return [(value, 1) for value in listed]


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
