"""The correction itself: right on average over every outcome of the noise, and its error likewise."""

import itertools
import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import NotApplicable
from dprivacy.estimation import Survey
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel
from dprivacy.release import query
from dprivacy.spaces import discrete
from support.queried_tables import received_with

JOBS, AGES = ("a", "b", None), (0, 1, 2)
RESPONSE = Channel(JOBS, JOBS, randomised_response(discrete([0, 1, 2]), eps="ln 4").channel.matrix)
LINE = geometric(3, eps="ln 2").channel
CHANNELS = {"job": RESPONSE, "age": LINE}
TRUTH = pa.table({
    "job": ["a", "b", None], "age": [0, 2, 1], "w": [1.5, None, 2.0], "reg": ["N", "N", "S"],
})  # fmt: skip
DIM = pa.table({"job": ["a", "a", "b"], "sector": ["p", "q", "p"], "u": [1.0, 2.0, 5.0]})


def outcomes(table, channels=CHANNELS):
    """All that the noise can make of a true table, one below the other, and their probabilities."""
    columns = []
    for name, channel in channels.items():
        rows = [channel.rows.index(value) for value in table[name].to_pylist()]
        laws = [list(zip(channel.columns, channel.matrix.rows()[x], strict=True)) for x in rows]
        columns.append(list(itertools.product(*laws)))
    made, chances = [], []
    for number, picked in enumerate(itertools.product(*columns)):
        released = table.append_column("outcome", pa.array([number] * table.num_rows))
        for name, cells in zip(channels, picked, strict=True):
            at = table.schema.get_field_index(name)
            values = pa.array([y for y, _ in cells], table.schema.field(name).type)
            released = released.set_column(at, name, values)
        made.append(released)
        chances.append(float(math.prod(p for cells in picked for _, p in cells)))
    return pa.concat_tables(made), np.array(chances)


def truth_of(sql, table=TRUTH):
    connection = duckdb.connect()
    connection.register("data", table)
    connection.register("dim", DIM)
    return connection.execute(sql).fetchall()


def statement(summed, source="data", key="", where="", *, grouped=""):
    keys = [part for part in (grouped, f"{key} AS k" if key else "") if part]
    sql = f"SELECT {', '.join([*keys, summed])} FROM {source}" + (
        f" WHERE {where}" if where else ""
    )
    return sql + (" GROUP BY ALL" if keys else "")


def expectation(table, *asked):
    """By group: the mean of an estimate over the noise, its variance, and the mean of that told.

    All outcomes are asked for at once, as groups of one table; a group that an outcome lacks is 0.
    """
    released, chances = outcomes(table)
    sql = statement(*asked, grouped="outcome")
    answer = query(received_with(released, CHANNELS), sql, tables={"dim": DIM})
    assert answer.kind == "corrected"
    sums = {}
    for row, line in zip(answer.rows, answer.spreads, strict=True):
        value = row[-1] or 0.0
        moments = np.array([value, value**2, (line[-1].error or 0.0) ** 2])
        sums[row[1:-1]] = sums.get(row[1:-1], 0) + chances[row[0]] * moments
    return {key: (m, q - m * m, v) for key, (m, q, v) in sums.items()}


def true_groups(table, *asked):
    return {row[:-1]: float(row[-1] or 0) for row in truth_of(statement(*asked), table)}


LINEAR = [
    ("count(*)", "data", "", "job = 'a' AND age >= 1"),
    ("sum(w * age)", "data", "job"),
    ("sum(age * age) FILTER (WHERE age > 0)",),
    ("sum(u * age)", "data LEFT JOIN dim USING (job)", "sector"),
    ("2 * sum(CASE WHEN job IS NULL THEN w ELSE 0 END) - count(*)", "data", "reg"),
]


@pytest.mark.parametrize("asked", LINEAR)
def test_totals_are_unbiased_over_every_outcome(asked):
    """729 released tables, each with its exact probability."""
    truth = true_groups(TRUTH, *asked)
    found = expectation(TRUTH, *asked)
    for key, (mean, _, _) in found.items():
        assert mean == pytest.approx(truth.get(key, 0.0), abs=1e-9), key
    assert set(truth) <= set(found)


@pytest.mark.parametrize(
    "asked",
    [
        ("sum(CASE WHEN job = 'a' THEN 1 ELSE 0 END)", "data", "reg"),
        ("count(*) FILTER (WHERE job = 'b')",),
        ("sum(u)", "data JOIN dim USING (job)"),
    ],
)
def test_the_variance_is_unbiased_where_it_is_not_cut_at_0(asked):
    for key, (_, true, told) in expectation(TRUTH, *asked).items():
        assert true - 1e-9 <= told <= 1.3 * true + 0.05, key


WHERE = [
    "", "job = 'a'", "job IS NULL", "age > 0", "age BETWEEN 1 AND 2", "w > 1.6", "reg = 'N'",
    "job <> 'b' OR age = 2", "NOT (job = 'a' AND reg = 'N')", "coalesce(data.job, 'z') < 'b'",
]  # fmt: skip
SUMMED = [
    "count(*)", "count(job)", "count(w)", "sum(age)", "sum(w)", "sum(w * age)", "count_if(job = 'a')",
    "sum(CASE WHEN job = 'a' THEN age END)", "sum(age + length(reg))", "sum(age) - 2 * sum(w)",
    "sum(age * age) FILTER (WHERE job = 'b')", "max(age)", "median(w)", "count(DISTINCT job)",
]  # fmt: skip
KEYS = ["", "reg", "job", "age // 2", "job IS NULL", "w", "upper(reg)"]
SOURCES = [
    "data", "data JOIN dim USING (job)", "data LEFT JOIN dim ON data.job = dim.job",
    "(SELECT * FROM data WHERE age < 2) AS data", "data AS a, data AS b",
]  # fmt: skip
PAIR = pa.table({"job": ["a", None], "age": [2, 0], "w": [2.0, None], "reg": ["N", "S"]})


def right_or_refused(asked):
    """Over all 81 outcomes of the noise on two people, against DuckDB's answer on the truth."""
    sql = statement(*asked)
    try:
        truth = true_groups(PAIR, *asked)
        answer = query(received_with(PAIR, CHANNELS), sql, tables={"dim": DIM})
    except duckdb.Error:
        with pytest.raises(NotApplicable):
            query(received_with(PAIR, CHANNELS), sql, tables={"dim": DIM})
        return
    except NotApplicable:
        return
    if answer.kind == "exact":
        public = "".join(asked).replace("count(*)", "")
        assert not any(word in public for word in ("job", "age", "*"))
        assert {row[:-1]: float(row[-1] or 0) for row in answer.rows} == truth
        return
    assert answer.kind == "corrected"
    found = {key: mean for key, (mean, _, _) in expectation(PAIR, *asked).items()}
    assert found == pytest.approx({key: truth.get(key, 0.0) for key in found}, abs=1e-9)
    assert set(truth) <= {*found, ()}


@pytest.mark.parametrize("seed", range(8))
def test_a_query_is_right_on_average_or_refused(seed):
    rng = np.random.default_rng(seed)
    right_or_refused(tuple(str(rng.choice(listed)) for listed in (SUMMED, SOURCES, KEYS, WHERE)))


@pytest.mark.slow
@given(st.tuples(*map(st.sampled_from, (SUMMED, SOURCES, KEYS, WHERE))))
def test_queries_of_every_make_are_right_on_average_or_refused(asked):
    right_or_refused(asked)


class Simulated:
    """Releases of one true table, by seed, and how often intervals hold the truth."""

    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        rng = self.rng
        self.channels = {
            "job": randomised_response(discrete(["a", "b", "c", "d"]), eps="3/2").channel,
            "age": geometric(21, eps="1/2").channel,
        }
        self.codes = {
            "job": rng.choice(4, n, p=[0.5, 0.25, 0.15, 0.1]),
            "age": np.clip(rng.normal(9, 4, n), 0, 20).astype(int),
        }
        public = {"w": rng.gamma(4, 0.25, n).round(2), "reg": rng.choice(["N", "S"], n)}
        self.public = {**public, "psu": rng.integers(0, max(n // 10, 1), n)}

    def releases(self, runs, rows=None):
        """Many releases, one below the other, as groups of one table."""
        made = []
        for run in range(runs):
            at = slice(None) if rows is None else rows(self.rng)
            drawn = {}
            for name, channel in self.channels.items():
                cuts = np.cumsum(channel.matrix.floats, axis=1)[self.codes[name][at]]
                found = (self.rng.random(len(cuts))[:, None] > cuts).sum(axis=1)
                drawn[name] = np.array(channel.columns)[np.minimum(found, len(channel.columns) - 1)]
            public = {name: values[at] for name, values in self.public.items()}
            made.append(pa.table({**drawn, **public, "run": np.full(len(drawn["job"]), run)}))
        return made

    def truth(self):
        true = {n: np.array(c.rows)[self.codes[n]] for n, c in self.channels.items()}
        return pa.table({**true, **self.public})


STATISTICS = [
    ("count(*) FILTER (WHERE job = 'd' AND age >= 12)",),
    ("sum(w) FILTER (WHERE job <> 'a')",),
    ("avg(CASE WHEN job = 'b' THEN age END)",),
    ("100.0 * sum(w * age) / sum(w)", "data", "", "age < 15"),
    ("var_samp(age)",),
    ("corr(age, w + age)",),
    ("sum(u * age)", "data JOIN dim USING (job)"),
]


def covered(asked, runs, seed, n=1500):
    """The share of intervals that hold the truth, and the bias in standard errors."""
    made = Simulated(n, seed)
    ((truth,),) = truth_of(statement(*asked), made.truth())
    table = received_with(pa.concat_tables(made.releases(runs)), made.channels)
    answer = query(table, statement(*asked, grouped="run"), tables={"dim": DIM})
    spreads = [line[1] for line in answer.spreads]
    assert len(spreads) == runs
    held = np.mean([spread.low <= truth <= spread.high for spread in spreads])
    off = [(row[1] - truth) / s.error for row, s in zip(answer.rows, spreads, strict=True)]
    return float(held), float(np.mean(off))


@pytest.mark.parametrize("asked", STATISTICS)
def test_intervals_hold_the_truth_about_as_often_as_they_say(asked):
    share, bias = covered(asked, 60, seed=11)
    assert share >= 0.86
    assert abs(bias) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("asked", STATISTICS)
def test_coverage_of_intervals(asked):
    share, bias = covered(asked, 600, seed=12)
    assert 0.925 <= share <= 0.975
    assert abs(bias) < 0.25


def _rows(whole, survey, n):
    """Draws rows, rows in strata, or whole clusters."""
    sides = [np.flatnonzero(whole.public["reg"] == name) for name in "NS"]
    order = np.argsort(whole.public["psu"], kind="stable")
    starts = np.searchsorted(whole.public["psu"][order], np.arange(4001))

    def draw(rng):
        if survey.clusters:
            psus = rng.choice(4000, n // 10, replace=False)
            return np.concatenate([order[starts[p] : starts[p + 1]] for p in psus])
        if survey.strata:
            return np.concatenate([rng.choice(side, n // 2, replace=False) for side in sides])
        return rng.choice(40_000, n, replace=False)

    return draw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("summed", "true", "survey"),
    [
        ("avg(age)", "sum(w * age) / sum(w)", Survey(weights="w", strata="reg")),
        ("avg(age)", "sum(w * age) / sum(w)", Survey(weights="w", clusters="psu")),
        ("avg(age)", "avg(age)", Survey()),
    ],
)
def test_coverage_of_the_population(summed, true, survey):
    """Rows, or whole clusters, are drawn from a large population; intervals are for that one."""
    whole = Simulated(40_000, seed=13)
    ((truth,),) = truth_of(statement(true, "data", "", "job = 'a'"), whole.truth())
    held = []
    for table in whole.releases(400, _rows(whole, survey, 1500)):
        release = received_with(table, whole.channels)
        sql = statement(summed, "data", "", "job = 'a'")
        spread = query(release, sql, of="population", survey=survey).spreads[0][0]
        held.append(spread.low <= truth <= spread.high)
    assert 0.925 <= np.mean(held) <= 0.975
