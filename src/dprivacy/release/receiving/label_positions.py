"""Where the values of a released table stand among the labels of its card."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import UnknownCategory
from dprivacy.model import shown


def positions_of(
    keys: Iterable[tuple[Any, ...]], sides: Sequence[Sequence[Any]]
) -> list[list[int]]:
    """The position of each value of each key among the labels of its side."""
    indices = [_index(labels) for labels in sides]
    try:
        return [
            [index[read(value)] for (index, read), value in zip(indices, key, strict=True)]
            for key in keys
        ]
    except (KeyError, TypeError, ValueError):
        raise UnknownCategory(
            "the table holds values that its card does not list; is this the card of this table?"
        ) from None


def _index(labels: Sequence[Any]) -> tuple[dict[Any, int], Callable[[Any], Any]]:
    """Where each label stands, and how a value of the table is read to find it.

    Labels that are numbers are found by their value as a double, also when they are written as text
    (in CSV files) or were rounded to single precision; all others as they are. Words beside numbers
    are found as they are first, and by their number where they are written as one.
    """
    sized = [isinstance(label, int | Fraction) for label in labels]
    if not any(sized):
        return {_as_text(label): k for k, label in enumerate(labels)}, _as_text
    index: dict[Any, int] = {}
    for k, label in enumerate(labels):
        if sized[k]:
            index[float(label)] = k
            index.setdefault(float(np.float32(label)), k)
        else:
            index[label] = k
    words = {label for label in labels if isinstance(label, str)}
    for word in words:  # a code such as 999 may stand in a column of numbers
        with suppress(ValueError):
            index.setdefault(float(word), index[word])
    return index, lambda value: value if value is None or value in words else float(value)


def _as_text(value: Any) -> Any:
    """A value that was written in words: true is "true", as everywhere in tables."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None else shown(value)
