"""Regression when the outcome, or some covariates, were randomised."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dprivacy.errors import BadNumber, NotInvertible, UnknownName, WrongShape
from dprivacy.estimation.counts.mean_estimate import read_values
from dprivacy.estimation.counts.observed_counts import positions_of, read_column
from dprivacy.estimation.counts.standard_errors import read_chance
from dprivacy.estimation.operators.channel_operator import left_inverse
from dprivacy.estimation.regressions.design_matrix import read_design, read_numbers
from dprivacy.estimation.regressions.regression_fits import corrected, likeliest
from dprivacy.estimation.regressions.regression_result import Regression
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Floats
from dprivacy.typing import ChannelLike, Label, NumberLike


def regress(
    y: Any,  # a column: a list, an array or a series of labels or numbers
    X: Any,  # a mapping, a data frame or an array
    *,
    outcome_channel: ChannelLike | None = None,
    covariate_channels: Mapping[str, ChannelLike] | None = None,
    family: Literal["logistic", "linear"] = "logistic",
    values: Mapping[Label, NumberLike] | Sequence[NumberLike] | None = None,
    confidence: NumberLike = 0.95,
) -> Regression:
    """A regression that knows which of its columns went through which channel.

    Parameters
    ----------
    y
        The outcome: for "logistic" 0 and 1 (or labels of `outcome_channel`, whose second input is the
        one that the probability is of), for "linear" numbers (or labels of `outcome_channel`).
    X
        Covariates: a mapping from name to column, a data frame, or an array. An intercept is added.
    outcome_channel
        The channel (or mechanism) that the outcome went through: 2 inputs for "logistic".
    covariate_channels
        The channels of randomised categorical columns, by name. A categorical column that was not
        randomised goes with the identity.
    family
        "logistic" or "linear".
    values
        For "linear" with an outcome channel: what its inputs are worth, where their labels are
        not numbers.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Regression
        Consistent for the coefficients that the true columns would give, provided that each column was
        randomised independently of everything else.

    Notes
    -----
    1. Logistic, outcome alone randomised: maximum likelihood of P(y* = 1) = c₀ + (c₁ − c₀)·σ(xβ),
       where c_j is the chance that outcome j is reported as 1; Fisher scoring with halved steps,
       errors from the Fisher information.
    2. Anything else: the estimating equations of the model, averaged over the possible true categories
       with the signed weights of the inverse channel, so that their expectation is that of the true
       data (corrected scores). Newton's method; errors from the sandwich, row by row.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response([0, 1], eps="ln 9")
    >>> x, y = [0] * 10 + [1] * 10, [0] * 8 + [1] * 2 + [0] * 3 + [1] * 7
    >>> fit = regress(y, {"x": x}, outcome_channel=coin)
    >>> {name: round(value, 2) for name, value in fit.coefficients.items()}
    {'intercept': -1.95, 'x': 3.04}
    """
    UnknownName.require("family", family, ("logistic", "linear"))
    sure = read_chance(confidence)
    channels = dict(covariate_channels or {})
    outcome = None if outcome_channel is None else as_channel(outcome_channel)
    column = read_column(y, "the outcome")
    if not len(column):
        raise WrongShape(f"a regression needs rows to fit, and the outcome has {len(column)}")
    design = read_design(X, channels, len(column))
    if family == "logistic":
        reported, rates = _binary(column, outcome)
        if not channels:
            return likeliest(design, reported, rates, sure)
        kept = rates[1] - rates[0]
        expected = (reported - rates[0]) / kept  # its expectation is the true outcome
        return corrected(design, expected, "logistic", sure)
    target = _numeric(column, outcome, values)
    return corrected(design, target, "linear", sure)


def _binary(column: Any, channel: Channel | None) -> tuple[Floats, tuple[float, float]]:
    """The reported outcomes as 0 and 1, and P(1 is reported) for true 0 and true 1."""
    if channel is None:
        numbers = read_numbers(column, "the outcome")
        if not np.isin(numbers, (0.0, 1.0)).all():
            raise BadNumber(
                f"outcomes of a logistic regression should be 0 and 1, and "
                f"{int((~np.isin(numbers, (0.0, 1.0))).sum()):,} of {len(numbers):,} are not; labels "
                "need an outcome_channel"
            )
        return numbers, (0.0, 1.0)
    if (len(channel.rows), len(channel.columns)) != (2, 2):
        raise WrongShape(
            "the outcome channel of a logistic regression should have 2 inputs and 2 outputs, not "
            f"{len(channel.rows)} and {len(channel.columns)}"
        )
    floats = channel.matrix.floats
    if floats[0, 1] == floats[1, 1]:
        raise NotInvertible(
            f"the outcome channel answers {channel.columns[1]!r} with probability {floats[0, 1]:.6g} "
            "whatever is true, so nothing can be learnt from it"
        )
    one = 1
    if set(channel.rows) == set(channel.columns):  # the same labels, perhaps in another order
        one = channel.columns.index(channel.rows[1])
    at = positions_of(column, channel.columns, "the outcome")
    return (at == one).astype(np.float64), (float(floats[0, one]), float(floats[1, one]))


def _numeric(
    column: Any,
    channel: Channel | None,
    values: Mapping[Label, NumberLike] | Sequence[NumberLike] | None,
) -> Floats:
    if channel is None:
        return read_numbers(column, "the outcome")
    worth = np.array([float(value) for value in read_values(channel.rows, values)])
    scores = left_inverse(channel.matrix.floats) @ worth
    return np.asarray(scores[positions_of(column, channel.columns, "the outcome")])
