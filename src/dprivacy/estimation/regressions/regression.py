"""Regression when the outcome, or some covariates, are noisy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.estimation.counts.standard_errors import Of
from dprivacy.estimation.regressions.cell_design import model_cells
from dprivacy.estimation.regressions.model_columns import (
    given_column,
    named_columns,
    read_model_columns,
)
from dprivacy.estimation.regressions.model_fit import fitted
from dprivacy.estimation.regressions.model_formula import read_formula
from dprivacy.estimation.regressions.outcome_families import FamilyName
from dprivacy.estimation.regressions.regression_result import Regression
from dprivacy.estimation.scores.estimator_choice import Method
from dprivacy.estimation.scores.survey_design import Survey
from dprivacy.typing import ChannelLike, NumberLike


def regress(
    formula: str,
    data: Any,  # a mapping from names to columns, a data frame, an Arrow table
    *,
    channels: Mapping[str, ChannelLike] | None = None,
    family: FamilyName | None = None,
    order: Sequence[Any] | None = None,
    survey: Survey | None = None,
    of: Of = "population",
    method: Method = "auto",
    confidence: NumberLike = 0.95,
) -> Regression:
    """A regression that knows which of its columns went through which channel.

    Parameters
    ----------
    formula
        "outcome ~ column + C(column) + column:column". Numbers enter as numbers, words and C(column) as
        categories, the first of which is the reference; a*b stands for a + b + a:b.
    data
        The columns by name.
    channels
        The channels (or mechanisms) that columns went through, by name: of the outcome, of covariates.
    family
        "linear", "logistic", "multinomial", "ordinal" or "poisson"; by default logistic for an outcome
        of two classes, and linear for one of numbers.
    order
        The classes of the outcome: the first is the reference, and in an ordinal model they ascend. By
        default in the order of its channel, or sorted.
    survey
        Weights, strata, clusters or replicate weights, by the names of their columns.
    of
        "population" for errors that count the drawing of the rows as well as the noise; "table" for the
        noise alone, about the coefficients that the true table would give.
    method
        "score" or "likelihood", to overrule the choice.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Regression
        Consistent for the coefficients that the true columns would give, provided that each column was
        randomised independently of everything else. Nothing is assumed of the covariates' law.

    Notes
    -----
    1. Noise in covariates: every row is replaced by the true rows that may stand behind it, with the
       signed weights of the inverse channel, so that the model's equations have the expectation they
       would have on the true table (corrected scores). A number costs three rows whatever its grid.
    2. Noise in an outcome of classes alone: maximum likelihood of the released classes.
    3. Where corrected scores have no solution and all columns are categories with at most 200 true
       combinations: maximum likelihood over those, with any law of the noisy covariates in each
       combination of the clean ones.
    4. Newton's method until no coefficient would change by 10⁻⁶ of its standard error; errors from the
       sandwich, by rows or clusters.

    Raises
    ------
    Unidentified
        A column that is constant or a combination of others, separation, or noise that outweighs the
        signal; with the name of the column.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response([0, 1], eps="ln 9")
    >>> x, y = [0] * 10 + [1] * 10, [0] * 8 + [1] * 2 + [0] * 3 + [1] * 7
    >>> fit = regress("y ~ x", {"x": x, "y": y}, channels={"y": coin})
    >>> {name: round(value, 2) for name, value in fit.coefficients.items()}
    {'intercept': -1.95, 'x': 3.04}
    """
    wanted, table = read_formula(formula), named_columns(data)
    columns = read_model_columns(wanted.columns, table, channels or {})
    drawn = survey or Survey()
    for name in drawn.columns:
        if name in (channels or {}):
            raise NotApplicable(
                f"{name!r} is noisy, and a design of a survey needs columns that are as they were"
            )
    rows = len(columns[wanted.outcome].codes)
    beside = {name: np.asarray(given_column(table, name, rows)) for name in drawn.columns}
    cells, design = model_cells(columns, drawn, beside, of)
    return fitted(
        wanted, cells, design,
        family=family, order=order, method=method, confidence=confidence, text=formula,
    )  # fmt: skip
