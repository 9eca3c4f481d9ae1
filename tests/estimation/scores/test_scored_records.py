"""Records with scores: functions of several columns, groups, and what is too large."""

import numpy as np
import pytest

from dprivacy.errors import TooLarge
from dprivacy.estimation.scores.scored_records import ScoredRecords
from dprivacy.estimation.scores.signed_rows import column_scores
from dprivacy.estimation.scores.survey_design import records
from dprivacy.mechanisms import geometric, laplace, randomised_response

JOB, AGE = randomised_response(["a", "b", "c"], eps=1), geometric(5, eps="ln 2")


def made(n=200, groups=2, seed=1):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, 3, n), rng.integers(0, 5, n)], axis=1)
    return ScoredRecords(
        (column_scores(JOB), column_scores(AGE)),
        codes,
        rng.integers(0, 2, n),
        2,
        records(rng.gamma(2, 1, n), fraction=1.0),
        rng.integers(0, groups, n),
        groups,
    )


def test_scores_depend_on_the_public_combination():
    rows = made()
    f = np.random.default_rng(2).normal(size=rows.shape)
    B = [np.linalg.inv(m.channel.matrix.floats) for m in (JOB, AGE)]
    expected = [
        B[0][job] @ f[public] @ B[1][age]
        for (job, age), public in zip(rows.codes.tolist(), rows.public.tolist(), strict=True)
    ]
    assert rows.scores(f) == pytest.approx(expected)


def test_the_same_column_twice_is_multiplied_before_it_is_scored():
    rows = made(groups=1)
    age = np.ones((2, 3, 1)) * np.arange(5.0)
    old = (age > 2) * 1.0
    found = rows.totals([age * old, old])
    g = rows.scores(age * old)
    assert found.values[0, 0] == pytest.approx(rows.design.weights @ g)
    product = rows.scores(age) * rows.scores(old)
    assert found.values[0, 0] != pytest.approx(rows.design.weights @ product, rel=0.01)
    noise = rows.design.squares @ (g * rows.scores(old) - rows.scores(age * old * old))
    assert found.covariance[0, 0, 1] == pytest.approx(noise)


def test_shares_within_a_group():
    rows = made()
    shares, total, size = rows.within(1)
    inside = rows.groups == 1
    assert shares.sum() == pytest.approx(1)
    assert total == pytest.approx(rows.design.weights[inside].sum())
    assert size == pytest.approx(total**2 / (rows.design.weights[inside] ** 2).sum())
    assert len(shares) == 15


def test_too_many_cells_name_the_widest_column():
    wide = column_scores(laplace(0, 9_999, eps="1/10", grid=1))
    rows = ScoredRecords(
        (wide, wide),
        np.zeros((3, 2), dtype=np.intp),
        np.zeros(3, dtype=np.intp),
        1,
        records([1, 1, 1]),
        np.zeros(3, dtype=np.intp),
        1,
    )
    with pytest.raises(TooLarge, match="column with 10,000 values"):
        rows.totals([np.zeros((1, 1, 1))])
