"""One count or share of a range: by the estimator that errs less, named, and overruled on request."""

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation import Survey
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel
from dprivacy.release import query
from dprivacy.spaces import discrete
from support.queried_tables import received_with

AGE = geometric(31, eps="1/5").channel
JOB = Channel(("a", "b"), ("a", "b"), randomised_response(discrete([0, 1]), eps="2").channel.matrix)
CHANNELS = {"age": AGE, "job": JOB}


def drawn(channel, codes, rng):
    cuts = np.cumsum(channel.matrix.floats, axis=1)[codes]
    at = np.minimum((rng.random(len(codes))[:, None] > cuts).sum(axis=1), len(channel.columns) - 1)
    return np.array(channel.columns)[at]


def law():
    """Ages around 12, three times as common on multiples of 5."""
    weights = np.exp(-0.5 * ((np.arange(31) - 12) / 5) ** 2)
    weights[::5] *= 3
    return weights / weights.sum()


def released(n=3000, seed=5):
    rng = np.random.default_rng(seed)
    ages = rng.choice(31, n, p=law())
    return pa.table({
        "age": drawn(AGE, ages, rng), "job": drawn(JOB, rng.integers(0, 2, n), rng),
        "w": rng.gamma(4, 0.25, n).round(2), "reg": rng.choice(["N", "S"], n),
    })  # fmt: skip


TABLE = received_with(released(), CHANNELS)
RANGE = "SELECT reg, count(*) AS n FROM data WHERE age BETWEEN 8 AND 14 GROUP BY reg ORDER BY reg"


@pytest.mark.parametrize(
    ("sql", "where", "ask", "options"),
    [
        (RANGE, "age=8..14", "total", {"by": ["reg"]}),
        (RANGE, "age=8..14", "total", {"by": ["reg"], "of": "population"}),
        ("SELECT count(*) FILTER (WHERE age >= 20) / count(*) FROM data", "age>=20", "share", {}),
        ("SELECT count_if(age >= 20) / count(*) FROM data", "age>=20", "share", {}),
        ("SELECT count(*) FROM data WHERE age >= 20", "age>=20", "total", {"weights": "w"}),
        ("SELECT sum(w) FROM data WHERE age < 7", "age<7", "total", {"weights": "w"}),
    ],
)
def test_it_is_what_estimate_gives(sql, where, ask, options):
    """The same layer, reached on another way: conditions by name, and rows gathered without DuckDB."""
    given = dict(options)
    survey = Survey(weights=given.pop("weights", ""))
    wanted = getattr(TABLE, ask)(where=[where], survey=survey, **given)
    summed = "sum(w)" in sql
    asked = {"of": given.get("of"), "survey": None if summed else survey}
    answer = query(TABLE, sql, **asked)
    for row, line, entry in zip(answer.rows, answer.spreads, wanted.entries, strict=True):
        assert line[-1].method == entry.method == "maximum likelihood"
        assert row[-1] == pytest.approx(entry.value, rel=1e-4)
        ends = (entry.standard_error, entry.low, entry.high)
        assert line[-1][:3] == pytest.approx(ends, rel=2e-2, abs=1e-6)
    assert "corrected by maximum likelihood" in answer.explain()
    assert "the unbiased score would have a standard error of" in answer.explain()


def test_the_choice_can_be_overruled():
    score = query(TABLE, RANGE, method="score")
    assert {line[1].method for line in score.spreads} == {"score"}
    likely = query(TABLE, RANGE, method="likelihood")
    assert {line[1].method for line in likely.spreads} == {"maximum likelihood"}
    for one, other in zip(score.spreads, likely.spreads, strict=True):
        assert other[1].error < one[1].error / 2
    with pytest.raises(UnknownName, match="method"):
        query(TABLE, RANGE, method="magic")


def test_a_share_in_per_cent():
    once = query(TABLE, "SELECT count_if(age >= 20) / count(*) FROM data")
    hundred = query(TABLE, "SELECT 100.0 * count_if(age >= 20) / count(*) FROM data")
    assert hundred.rows[0][0] == pytest.approx(100 * once.rows[0][0])
    assert hundred.spreads[0][0].high == pytest.approx(100 * once.spreads[0][0].high)


def test_two_protected_columns():
    answer = query(TABLE, "SELECT count(*) FROM data WHERE age BETWEEN 8 AND 14 AND job = 'a'")
    (spread,) = answer.spreads[0]
    assert spread.method == "maximum likelihood"
    assert spread.low <= answer.rows[0][0] <= spread.high


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM data WHERE job = 'a'",  # the score is quiet enough
        "SELECT avg(age) FROM data",
        "SELECT count(*), avg(age) FROM data WHERE age > 8",
        "SELECT job, count(*) FROM data WHERE age > 8 GROUP BY job",
        "SELECT sum(w - 5) FROM data WHERE age > 8",
        "SELECT count(*) FROM data WHERE age > 8 OR w > 1",
        "SELECT upper(reg) AS r, count(*) AS n FROM data WHERE age > 8 GROUP BY reg",
        "SELECT reg, count(*) AS n FROM data WHERE age > 8 GROUP BY reg ORDER BY n",
    ],
)
def test_other_questions_are_answered_by_the_score(sql):
    methods = {s.method for line in query(TABLE, sql).spreads for s in line if s is not None}
    assert methods == {"score"}


@pytest.mark.parametrize(
    "sql", ["SELECT avg(age) FROM data", RANGE.replace("reg ORDER", "reg, job ORDER")]
)
def test_a_likelihood_of_something_else_is_refused(sql):
    with pytest.raises(NotApplicable, match="the likelihood is climbed for one count or share"):
        query(TABLE, sql, method="likelihood")


@pytest.mark.slow
def test_intervals_of_ranges_hold_the_truth():
    """At least as often as they say, with people heaped on round numbers; 400 releases of 500."""
    rng = np.random.default_rng(6)
    runs, n = 400, 500
    ages = rng.choice(31, n, p=law())
    truth = ((ages >= 8) & (ages <= 14)).sum()
    held, near, far = 0, [], []
    for first in range(0, runs, 100):
        parts = [
            pa.table({"age": drawn(AGE, ages, rng), "run": np.full(n, first + k)})
            for k in range(100)
        ]
        sql = "SELECT run, count(*) FROM data WHERE age BETWEEN 8 AND 14 GROUP BY run"
        table = received_with(pa.concat_tables(parts), {"age": AGE})
        answer, plain = query(table, sql), query(table, sql, method="score")
        held += sum(line[1].low <= truth <= line[1].high for line in answer.spreads)
        near += [row[1] - truth for row in answer.rows]
        far += [row[1] - truth for row in plain.rows]
    assert held / runs >= 0.93
    assert np.sqrt(np.mean(np.square(near))) < np.sqrt(np.mean(np.square(far))) / 2
