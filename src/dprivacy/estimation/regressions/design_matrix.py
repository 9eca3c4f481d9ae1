"""The columns of a regression: given ones as they are, randomised ones through their channels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, SpaceMismatch, TooLarge, UnknownName, WrongKind, WrongShape
from dprivacy.estimation.counts.observed_counts import positions_of, read_column
from dprivacy.estimation.operators.channel_operator import left_inverse
from dprivacy.model import Channel, as_channel, shown
from dprivacy.numbers import Floats

_MOST_COMBINATIONS = 10_000


@dataclass(frozen=True)
class Randomised:
    """A categorical column that went through a channel: what every row is worth, category by category.

    `worth[i, x]` = C⁻¹[y_i, x] sums to 1 over x, and its expectation is 1 for the true category and 0
    for the others.
    """

    name: str
    labels: tuple[Any, ...]
    worth: Floats


@dataclass(frozen=True)
class Design:
    """Given columns (the first is the intercept) and randomised ones."""

    given: Floats
    given_names: tuple[str, ...]
    randomised: tuple[Randomised, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients: given columns, then every category but the first of each randomised one."""
        found = list(self.given_names)
        for column in self.randomised:
            found += [f"{column.name}={shown(label)}" for label in column.labels[1:]]
        return tuple(found)

    def cases(self) -> Iterator[tuple[Floats, Floats]]:
        """Every combination of true categories: (signed weight of each row, design matrix).

        For any function f of a row with its true categories, Σ over cases of weight·f(case) has the
        expectation f(truth). This is the corrected score of Nakamura (1990), exact for categories.
        """
        n = len(self.given)
        sizes = [len(column.labels) for column in self.randomised]
        for combination in product(*(range(size) for size in sizes)):
            weight = np.ones(n)
            blocks = [self.given]
            for column, x in zip(self.randomised, combination, strict=True):
                weight = weight * column.worth[:, x]
                block = np.zeros((n, len(column.labels) - 1))
                if x:
                    block[:, x - 1] = 1.0
                blocks.append(block)
            yield weight, np.concatenate(blocks, axis=1)


def read_design(X: Any, channels: Mapping[str, Any], rows: int) -> Design:
    """Columns by name, with an intercept before them.

    Parameters
    ----------
    X
        A mapping from name to column, a data frame, or a two-dimensional array (columns x0, x1, …).
    channels
        The channels of the randomised columns, by name.
    rows
        How many rows there must be.
    """
    columns = _columns(X)
    missing = [name for name in channels if name not in columns]
    if missing:
        raise UnknownName.among("a name in covariate_channels", missing[0], columns)
    given, names = [np.ones(rows)], ["intercept"]
    randomised = []
    combinations = 1
    for name, values in columns.items():
        if len(values) != rows:
            raise SpaceMismatch(
                f"column {name!r} should have as many rows as the outcome, {rows}, not {len(values)}"
            )
        if name in channels:
            column = read_randomised(name, values, as_channel(channels[name]))
            combinations *= len(column.labels)
            randomised.append(column)
        else:
            given.append(read_numbers(values, f"column {name!r}"))
            names.append(name)
    if combinations > _MOST_COMBINATIONS:
        raise TooLarge(
            f"the randomised columns have {combinations:,} combinations of categories, more than "
            f"{_MOST_COMBINATIONS:,}; leave some out, or merge categories"
        )
    return Design(np.stack(given, axis=1), tuple(names), tuple(randomised))


def read_randomised(name: str, values: Any, channel: Channel) -> Randomised:
    """A randomised column; refused by counts where it holds labels that the channel does not give."""
    at = positions_of(values, channel.columns, f"column {name!r}")
    return Randomised(name, channel.rows, left_inverse(channel.matrix.floats)[at])


def read_numbers(values: Any, what: str) -> Floats:
    """A numeric column."""
    try:
        numbers: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise WrongKind(
            f"{what} should be numbers; a categorical column needs its channel in covariate_channels "
            "(the identity where it was not randomised)"
        ) from None
    if numbers.ndim != 1:
        raise WrongShape(f"{what} should have one dimension, not {numbers.ndim}")
    bad = int((~np.isfinite(numbers)).sum())
    if bad:
        raise BadNumber(
            f"{what}: {bad} of {len(numbers)} rows are NaN or infinite; drop them first"
        )
    return numbers


def _columns(X: Any) -> dict[str, Any]:
    names = X if isinstance(X, Mapping) else getattr(X, "column_names", getattr(X, "columns", None))
    if names is not None:
        return {str(name): read_column(X[name], f"column {name!r}") for name in names}
    array = np.asarray(X)
    if array.ndim != 2:
        raise WrongShape(
            "X should be a mapping from name to column, a data frame, or an array with two dimensions, "
            f"not {array.ndim}"
        )
    return {f"x{j}": array[:, j] for j in range(array.shape[1])}
