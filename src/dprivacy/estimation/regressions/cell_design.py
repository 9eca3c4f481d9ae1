"""Rows that are alike taken together: the cells of a model, and their design."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation.counts.standard_errors import OF, Of
from dprivacy.estimation.regressions.model_columns import (
    ModelColumn,
)
from dprivacy.estimation.regressions.pseudo_rows import distinct_rows
from dprivacy.estimation.scores.survey_design import Records, Survey, read_weights, records
from dprivacy.numbers import Floats


def model_cells(
    columns: dict[str, ModelColumn], survey: Survey, beside: Mapping[str, NDArray[Any]], of: Of
) -> tuple[dict[str, ModelColumn], Records]:
    """Rows that are alike taken together: columns of distinct rows, and their design.

    `beside` holds the columns of the survey.
    """
    n = len(next(iter(columns.values())).codes)
    kinds = [column.codes for column in columns.values()]
    for name in (survey.strata, survey.clusters):
        if name:
            kinds.append(
                np.unique(beside[name].astype(str), return_inverse=True)[1].astype(np.intp)
            )
    first, number = distinct_rows(kinds)

    def summed(values: Floats) -> Floats:
        return np.bincount(number, values, minlength=len(first)).astype(np.float64)

    weights = _numbers(beside[survey.weights], survey.weights) if survey.weights else np.ones(n)
    again = [summed(_numbers(beside[name], name)) for name in survey.replicates]
    design = records(
        summed(weights),
        strata=beside[survey.strata][first] if survey.strata else None,
        clusters=beside[survey.clusters][first] if survey.clusters else None,
        fraction=survey.fraction if (share := sampled_share(survey, of)) is None else share,
        replicates=np.stack(again, axis=1) if again else None,
        scale=survey.scale,
        rows=summed(np.ones(n)),
        squares=summed(weights**2),
    )
    return {name: replace(c, codes=c.codes[first]) for name, c in columns.items()}, design


def sampled_share(survey: Survey, of: Of) -> float | None:
    """1 for the table itself; None for a population, of which the survey says the share."""
    UnknownName.require("of", of, OF)
    if of == "table" and survey.replicates:
        raise NotApplicable(
            "replicate weights say how rows were drawn, which is left out where of is 'table'"
        )
    return 1.0 if of == "table" else None


def _numbers(values: NDArray[Any], name: str) -> Floats:
    return read_weights(values, f"the weights {name!r}")
