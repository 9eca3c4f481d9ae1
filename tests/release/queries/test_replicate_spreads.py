"""Replicate weights: the same numbers as by hand, from the same scores."""

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.estimation import Survey, column_scores
from dprivacy.mechanisms import geometric
from dprivacy.release import query
from support.queried_tables import received_with

N, PARTS = 200, 8
RNG = np.random.default_rng(9)
AGE = geometric(11, eps="1/2").channel
PART = RNG.integers(0, PARTS, N)
WEIGHT = RNG.gamma(3, 1, N)
# A jackknife that leaves out one part at a time, and weighs the others up.
AGAIN = {f"w{r}": np.where(r == PART, 0.0, WEIGHT * PARTS / (PARTS - 1)) for r in range(PARTS)}
TABLE = pa.table({
    "age": RNG.integers(0, 11, N), "side": RNG.choice(["N", "S"], N), "w": WEIGHT, **AGAIN,
})  # fmt: skip
SURVEY = Survey(weights="w", replicates=tuple(AGAIN), scale=(PARTS - 1) / PARTS)


def test_it_is_the_jackknife_of_corrected_means():
    sql = "SELECT side, avg(age) AS mean FROM data WHERE age > 2 GROUP BY side HAVING mean > 0 LIMIT 1"
    answer = query(received_with(TABLE, {"age": AGE}), sql, survey=SURVEY)
    scores, rows = column_scores(AGE), TABLE["age"].to_numpy()
    held = np.arange(11.0) > 2
    top, bottom = scores.apply(np.arange(11.0) * held)[rows], scores.apply(1.0 * held)[rows]
    here = TABLE["side"].to_numpy(zero_copy_only=False) == "N"

    def mean(weights):
        return float((weights * top)[here].sum() / (weights * bottom)[here].sum())

    value, others = mean(WEIGHT), [mean(AGAIN[name]) for name in AGAIN]
    error = float(np.sqrt(SURVEY.scale * sum((one - value) ** 2 for one in others)))
    assert answer.rows == (("N", pytest.approx(value)),)
    spread = answer.spreads[0][1]
    assert spread.error == pytest.approx(error)
    assert spread.high - value == pytest.approx(2.36462 * error, rel=1e-4)  # Student, 7 degrees
    assert answer.of == "population"


def test_a_group_that_a_replicate_lacks_has_no_error():
    lonely = TABLE.set_column(1, "side", pa.array(["x" if p == 0 else "y" for p in PART]))
    release = received_with(lonely, {"age": AGE})
    answer = query(release, "SELECT side, avg(age) FROM data GROUP BY side", survey=SURVEY)
    told = {row[0]: line[1].error for row, line in zip(answer.rows, answer.spreads, strict=True)}
    assert told["x"] is None
    assert told["y"] > 0
