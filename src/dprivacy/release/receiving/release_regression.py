"""A regression from a sanitised table and its card alone."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.estimation import (
    FamilyName,
    Method,
    ModelColumn,
    Of,
    Records,
    Regression,
    Survey,
    clean_codes,
    fitted,
    missing_values,
    noisy_codes,
    read_formula,
    sampled_share,
)
from dprivacy.release.files.released_data import Released
from dprivacy.release.receiving.gathered_rows import gathered, protected_scores
from dprivacy.release.receiving.question_desk import PERSON
from dprivacy.release.receiving.table_receiver import ReceivedTable, received
from dprivacy.typing import NumberLike, PathArg

_CODES = (
    "categories",
    "tree",
    "graph",
    "distances",
    "bits",
    "place",
    "dates",
)  # not numbers, however written


def regress_release(
    release: Released[Any] | ReceivedTable | PathArg,
    formula: str,
    *,
    family: FamilyName | None = None,
    order: Sequence[Any] | None = None,
    survey: Survey | None = None,
    of: Of = "population",
    method: Method = "auto",
    confidence: NumberLike = 0.95,
) -> Regression:
    """Coefficients that the true table would give, with errors that count the noise in.

    Parameters
    ----------
    release
        A protected table: its path, what `sanitise` gave, or what `received` gave.
    formula
        "outcome ~ column + C(column) + column:column"; see `dprivacy.estimation.regress`. Protected
        numbers and ordered classes enter as numbers, all other protected columns as categories, and so
        do numbers with codes beside them.
    family, order, survey, of, method, confidence
        See `dprivacy.estimation.regress`. Columns of a survey's design must have been passed through.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = {"columns": {"tea": tea}, "pass_through": ["age"]}
    >>> table = pandas.DataFrame({"tea": ["yes", "no"] * 4000, "age": [30, 40, 50, 60] * 2000})
    >>> fit = regress_release(sanitise(table, plan), "tea ~ age")
    >>> fit.n, fit.family, fit.method
    (8000, 'logistic', 'maximum likelihood')
    """
    table, wanted, drawn = received(release), read_formula(formula), survey or Survey()
    places = {name: table.table_name(name) for name in wanted.columns}
    noise = {
        places[name]: protected_scores(table, table.entry_of(name))
        for name in wanted.columns
        if table.entry_of(name) in table.card.mechanisms
    }
    read = gathered(table, list(places.values()), noise, drawn, sampled_share(drawn, of))
    cells = {}
    for name, place in places.items():
        if place in noise:
            kind = table.card.mechanisms[table.entry_of(name)]["type"]
            cells[name] = noisy_codes(
                name, read.codes[place], noise[place], are_codes=kind in _CODES
            )
        else:
            cells[name] = _clean(name, read.values[place], read.codes[place], read.design)
    alone = (PERSON,) if table.card.permanent and not drawn.clusters else ()
    return fitted(
        wanted, cells, read.design, family=family, order=order, method=method,
        confidence=confidence, text=formula, assumed=alone,
    )  # fmt: skip


def _clean(
    name: str, values: tuple[Any, ...], codes: NDArray[np.intp], design: Records
) -> ModelColumn:
    """A column that was passed through: numbers, also where a CSV file holds them as text, or words."""
    empty = [value is None or (isinstance(value, float) and math.isnan(value)) for value in values]
    gaps = np.array(empty, dtype=bool)[codes]
    if gaps.any():
        raise missing_values(name, int(design.rows[gaps].sum()), int(design.rows.sum()))
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        return clean_codes(name, [str(value) for value in values], codes)
    return clean_codes(name, numbers, codes)
