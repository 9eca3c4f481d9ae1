"""Covariances of totals: the same as the estimation room's own formula, row by row."""

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.estimation import Survey, column_scores, records, score_totals
from dprivacy.mechanisms import geometric
from dprivacy.release import query
from support.queried_tables import received_with

N = 300
RNG = np.random.default_rng(8)
AGE = geometric(11, eps="1/2").channel
TABLE = pa.table({
    "age": RNG.integers(0, 11, N),
    "w": RNG.gamma(2, 1, N),
    "side": RNG.choice(["N", "S", "W"], N),
    "psu": RNG.integers(0, 40, N),
})  # fmt: skip


@pytest.mark.parametrize(
    "survey",
    [
        Survey(),
        Survey(weights="w"),
        Survey(weights="w", strata="side"),
        Survey(weights="w", clusters="psu"),
        Survey(weights="w", strata="side", clusters="psu", fraction=0.3),
        Survey(strata="side", fraction={"N": 1.0, "S": 0.5, "W": 0.0}),
    ],
)
@pytest.mark.parametrize("of", ["table", "population"])
def test_it_is_the_formula_of_the_estimation_room(survey, of):
    sql = "SELECT sum(age * age), avg(age) FROM data WHERE age > 3"
    answer = query(received_with(TABLE, {"age": AGE}), sql, of=of, survey=survey)
    held = np.arange(11.0) > 3
    f = np.stack([np.arange(11.0) ** 2 * held, np.arange(11.0) * held, 1.0 * held], axis=1)
    scores, rows = column_scores(AGE), TABLE["age"].to_numpy()
    g = scores.apply(f)[rows]
    h = scores.apply(f[:, :, None] * f[:, None, :])[rows]
    given = {name: TABLE[getattr(survey, name)].to_pylist()
             for name in ("strata", "clusters") if getattr(survey, name)}  # fmt: skip
    weights = TABLE["w"].to_numpy() if survey.weights else np.ones(N)
    share = 1.0 if of == "table" else survey.fraction
    totals = score_totals(g, h, records(weights, fraction=share, **given))
    value, covariance = totals.values[0], totals.covariance[0]
    assert answer.rows[0] == pytest.approx((value[0], value[1] / value[2]))
    slope = np.array([0, 1 / value[2], -value[1] / value[2] ** 2])
    wanted = [covariance[0, 0] ** 0.5, max(slope @ covariance @ slope, 0.0) ** 0.5]
    assert [spread.error for spread in answer.spreads[0]] == pytest.approx(wanted)
    assert answer.of == of
