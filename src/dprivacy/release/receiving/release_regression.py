"""A regression from a sanitised table and its card alone."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.estimation import Regression, regress
from dprivacy.model import Channel
from dprivacy.release.files.released_data import Released
from dprivacy.release.receiving.label_positions import positions_of
from dprivacy.release.receiving.table_receiver import (
    Axis,
    ReceivedTable,
    as_is,
    column_list,
    received,
)
from dprivacy.typing import PathArg


def regress_release(
    release: Released[Any] | ReceivedTable | PathArg,
    outcome: str,
    covariates: Sequence[str],
    *,
    family: Literal["logistic", "linear"] = "logistic",
    confidence: float = 0.95,
) -> Regression:
    """Coefficients that the true table would give, with errors that count the noise in.

    Parameters
    ----------
    release
        A protected table: its path, what `sanitise` gave, or what `received` gave.
    outcome
        A column: for "logistic" one of two categories, for "linear" one of numbers.
    covariates
        Columns. Protected ones and those of words are categories, the first of which is the reference;
        columns that were passed through and hold numbers are numbers.
    family
        "logistic" or "linear".
    confidence
        Of the intervals.

    Notes
    -----
    1. How often each combination of released values occurs, read in batches.
    2. Protected columns go with the channel of the card; of words that were passed through, each but
       the first is a column of 0 and 1.
    3. `dprivacy.estimation.regress` on as many rows.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = {"columns": {"tea": tea}, "pass_through": ["age"]}
    >>> table = pandas.DataFrame({"tea": ["yes", "no", "no", "yes"] * 50, "age": [30, 40, 50, 60] * 50})
    >>> fitted = regress_release(sanitise(table, plan), "tea", ["age"])
    >>> fitted.n
    200
    """
    table, names = received(release), [outcome, *column_list(covariates, "covariates")]
    if len(names) < 2:
        raise WrongShape(f"a regression of {outcome!r} needs at least one covariate, not 0")
    found = table.counts(names)
    axes = [table.axis(name, k, found) for k, name in enumerate(names)]
    y, *rest = (_column(axis, k, found) for k, axis in enumerate(axes))
    design: dict[str, Any] = {}
    for axis, values in zip(axes[1:], rest, strict=True):
        design |= (
            {axis.name: values} if axis.channel is not None else _indicators(axis.name, values)
        )
    return regress(
        y,
        design,
        outcome_channel=axes[0].channel or _as_is(y),
        covariate_channels={a.name: a.channel for a in axes[1:] if a.channel is not None},
        family=family,
        confidence=confidence,
    )


def _column(axis: Axis, k: int, found: Mapping[tuple[Any, ...], int]) -> list[Any]:
    """The values of one column, row by row."""
    if axis.channel is not None:
        places = positions_of([(key[k],) for key in found], [axis.labels])
        values = [axis.labels[at] for (at,) in places]
    else:
        values = _read(axis.name, [key[k] for key in found])
    return [v for v, count in zip(values, found.values(), strict=True) for _ in range(count)]


def _read(name: str, values: list[Any]) -> list[Any]:
    """A column that was passed through: numbers, also where a CSV file holds them as text, or words."""
    if any(value is None for value in values):
        raise NotApplicable(f"column {name!r} has missing values, which a regression cannot take")
    try:
        return [float(value) for value in values]
    except (TypeError, ValueError):
        return [str(value) for value in values]


def _indicators(name: str, values: list[Any]) -> dict[str, list[Any]]:
    """Numbers as they are; of words, a column for every one but the first."""
    if not any(isinstance(value, str) for value in values):
        return {name: values}
    _, *others = sorted(set(values))
    return {f"{name}={word}": [float(value == word) for value in values] for word in others}


def _as_is(outcome: list[Any]) -> Channel | None:
    """The channel of an outcome in words that was passed through: none of it is noise."""
    if not any(isinstance(value, str) for value in outcome):
        return None
    return as_is(sorted(set(outcome)))
