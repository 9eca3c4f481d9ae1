"""SQL on a released table: equal to DuckDB where nothing is noisy, right on average, or refused."""

import json
import math

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    TooLarge,
    UnknownCategory,
    UnknownName,
)
from dprivacy.estimation import Survey
from dprivacy.estimation.operators import report_operators
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel
from dprivacy.release import Plan, query, received, sanitise_file
from dprivacy.release.queries import released_cells
from dprivacy.spaces import discrete
from support.queried_tables import ACCEPTED, AGES, JOBS, dim, people, received_with, untouched
from support.release_tables import LETTERS, PLACE, plan_of, seeded_file
from support.report_tables import FAMILIES, every_release, report_plan

PEOPLE = people()
EXACT = {"dim": dim()}


@pytest.fixture(scope="module")
def clean():
    """A release whose channels change nothing: its estimates must be DuckDB's own answers."""
    return received_with(PEOPLE, {"job": untouched(JOBS), "age": untouched(AGES)})


def noisy(table=PEOPLE, **more):
    response = randomised_response(discrete(["a", "b", "c", "none"]), eps="ln 5").channel
    jobs = Channel(JOBS, JOBS, response.matrix)
    return received_with(table, {"job": jobs, "age": geometric(21, eps="1/2").channel}, **more)


def by_duckdb(sql, table=PEOPLE):
    connection = duckdb.connect()
    connection.register("data", table)
    connection.register("dim", dim())
    found = connection.execute(sql)
    return [entry[0] for entry in found.description], found.fetchall()


def sorted_rows(rows):
    def place(value):
        number = float(value) if isinstance(value, int | float) else 0.0
        return value is None, round(number, 6), str(value) if isinstance(value, str) else ""

    return sorted(rows, key=lambda row: tuple(map(place, row)))


def same(found, wanted):
    if isinstance(wanted, float) and not math.isfinite(wanted):
        wanted = None
    if found is None or wanted is None or isinstance(wanted, str | bool | list):
        return found == wanted
    return found == pytest.approx(float(wanted), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("sql", ACCEPTED)
def test_without_noise_it_is_what_duckdb_gives(clean, sql):
    answer = query(clean, sql, tables=EXACT)
    names, rows = by_duckdb(sql)
    assert answer.kind == "corrected"
    assert list(answer.columns) == names
    assert len(answer.rows) == len(rows)
    if "ORDER" not in sql.upper():
        rows = sorted_rows(rows)
        found = sorted_rows(answer.rows)
    else:
        found = answer.rows
    for one, other in zip(found, rows, strict=True):
        assert all(map(same, one, other)), (one, other)
    errors = {spread.error for line in answer.spreads for spread in line if spread is not None}
    assert errors <= {0.0, None}
    assert json.dumps(answer.to_dict(), allow_nan=False)
    assert answer.explain()


@pytest.mark.parametrize("sql", ACCEPTED)
def test_with_noise_every_form_has_errors_and_is_never_raw(sql):
    answer = query(noisy(), sql, tables=EXACT)
    assert answer.kind == "corrected"
    for row, line in zip(answer.rows, answer.spreads, strict=True):
        assert any(spread is not None for spread in line)
        for value, spread in zip(row, line, strict=True):
            if spread is not None and value is not None and spread.low is not None:
                assert spread.error is not None
                assert spread.low <= spread.high
    assert json.dumps(answer.to_dict(), allow_nan=False)


REFUSED = {
    "SELECT median(age) FROM data": "estimate --quantile",
    "SELECT quantile_cont(age, 0.5) FROM data": "estimate --quantile",
    "SELECT max(age), min(job) FROM data": "max is not a sum over rows",
    "SELECT mode(job) FROM data": "not a sum over rows",
    "SELECT any_value(job) FROM data": "not a sum over rows",
    "SELECT string_agg(job, ',') FROM data": "not a sum over rows",
    "SELECT geometric_mean(age + 1) FROM data": "not a sum over rows",
    "SELECT * FROM data": "lists single noisy rows",
    "FROM data": "lists single noisy rows",
    "SELECT count(COLUMNS('age')) FROM data": "lists single noisy rows",
    "SELECT job FROM data": "lists noisy values",
    "SELECT age FROM data GROUP BY age": "lists noisy values",
    "SELECT 1 FROM data WHERE job = 'a'": "lists noisy values",
    "SELECT DISTINCT job FROM data": "DISTINCT lists which noisy values occur",
    "SELECT count(DISTINCT job) FROM data": "counts different noisy values, not people",
    "SELECT job, sum(DISTINCT w) FROM data GROUP BY job": "different noisy values",
    "SELECT sum(age ORDER BY w) FROM data": "a sum has no order",
    "SELECT job, row_number() OVER () FROM data": "window function",
    "SELECT sum(w) OVER (PARTITION BY job) FROM data": "window function",
    "SELECT job, count(*), rank() OVER () r FROM data GROUP BY job QUALIFY r = 1": "QUALIFY",
    "SELECT job, count(*) FROM data TABLESAMPLE 50% GROUP BY job": "a sample",
    "SELECT job, count(*) FROM data GROUP BY job USING SAMPLE 2": "a sample",
    "SELECT job, count(*) FROM data GROUP BY job LIMIT 10%": "LIMIT is not a number",
    "SELECT job, count(*) FROM data GROUP BY ROLLUP (job)": "several queries in one",
    "SELECT grouping(job), count(*) FROM data GROUP BY job": "not on the list",
    "SELECT a.job, count(*) FROM data a JOIN data b ON a.reg = b.reg GROUP BY ALL": "with itself",
    "SELECT count(*) FROM data NATURAL JOIN dim": "NATURAL JOIN",
    "SELECT count(*) FROM dim LEFT JOIN data ON dim.job = data.job": "put data on the left",
    "SELECT count(*) FROM data RIGHT JOIN dim ON dim.job = data.job": "RIGHT JOIN",
    "SELECT count(*) FROM data SEMI JOIN dim USING (job)": "SEMI JOIN",
    "SELECT count(*) FROM data, range(3) t(x) WHERE job = 'a'": "table function",
    "SELECT count(*) FROM data d(one, two) WHERE one = 'a'": "column_name_alias",
    "SELECT sum(two) FROM data d(one, two)": "column_name_alias",
    "SELECT count(data) FROM data": "data is not a column",
    "SELECT count(*) FROM data WHERE age > (SELECT avg(age) FROM data)": "sub-query inside",
    "SELECT count(*) FROM data WHERE job IN (SELECT job FROM dim)": "sub-query inside",
    "SELECT count(*) FROM data WHERE job = 'a' UNION SELECT 1": "UNION",
    "SELECT count(*) FROM (SELECT job FROM data LIMIT 3)": "does more than choose",
    "SELECT count(*) FROM (SELECT job, count(*) FROM data GROUP BY job)": "does more than choose",
    "SELECT sum(x) FROM (SELECT count(*) AS x FROM data WHERE job = 'a')": "does more than choose",
    "WITH data AS (SELECT 1 AS job) SELECT job, count(*) FROM data GROUP BY job": "twice",
    "WITH RECURSIVE t AS (SELECT age FROM data UNION ALL SELECT age + 1 FROM t WHERE age < 3) "
    "SELECT count(*) FROM t": "WITH RECURSIVE",
    "SELECT job, count(*) // 2 FROM data GROUP BY job": "what // makes of an estimate",
    "SELECT count(*) > 5 FROM data WHERE job = 'a'": "what > makes of an estimate",
    "SELECT CASE WHEN count(*) > 5 THEN 1.0 END FROM data WHERE job = 'a'": "what CASE makes",
    "SELECT greatest(sum(age), 0) FROM data": "what greatest makes",
    "SELECT count(*)::INT FROM data WHERE job = 'a'": "what INTEGER makes|what INT makes",
    "SELECT round(avg(age)) + 1 FROM data": "what round makes",
    "SELECT hash(job), count(*) FROM data GROUP BY 1": "the function hash",
    "SELECT count(*) FROM data WHERE age > random() * 20": "the function random",
    "SELECT count(*) FROM data WHERE random() < 0.5": "the function random",
    "SELECT count(*) FROM data USING SAMPLE 10": "a sample",
    "SELECT count(*) FROM data JOIN (SELECT random() AS r) ON r < 1 AND job = 'a'": "reads a function",
    "SELECT job AS k, reg AS k, count(*) FROM data GROUP BY job, reg ORDER BY k": "two columns of",
    "SELECT count(*) FROM data WHERE now() > '2020-01-01' AND job = 'a'": "the function now",
    "SELECT job COLLATE NOCASE, count(*) FROM data GROUP BY 1": "collate is not on the list",
    "SELECT #1, count(*) FROM data GROUP BY 1": "positional reference",
    "SELECT job, count(*) FROM data GROUP BY job HAVING max(age) > 3": "max is not a sum",
    "SELECT job, count(*) FROM data GROUP BY job ORDER BY max(age)": "max is not a sum",
}  # fmt: skip


@pytest.mark.parametrize(("sql", "reason"), REFUSED.items())
def test_what_cannot_be_corrected_is_refused_with_the_reason_and_the_way_out(clean, sql, reason):
    with pytest.raises(NotApplicable, match=reason) as refusal:
        query(clean, sql, tables=EXACT)
    assert str(refusal.value).endswith("or pass --raw (raw=True) for what the noisy rows say")


@pytest.mark.parametrize("sql", REFUSED)
def test_raw_gives_what_the_noisy_rows_say_and_says_so_in_every_row(clean, sql):
    if any(word in sql for word in ("random", "now()", "SAMPLE", "AS k, ")):
        answer = query(clean, sql, tables=EXACT, raw=True)
    else:
        names, rows = by_duckdb(sql)
        answer = query(clean, sql, tables=EXACT, raw=True)
        assert answer.columns == (*names, "answer")
        wanted = sorted_rows([(*row, "raw") for row in rows])
        for one, other in zip(sorted_rows(answer.rows), wanted, strict=True):
            assert all(map(same, one, other)), (one, other)
    assert answer.kind == "raw"
    assert all(row[-1] == "raw" for row in answer.rows)
    printed = answer.explain().splitlines()[1 : 1 + len(answer.rows)]
    assert all(line.endswith("raw") for line in printed)
    assert all(row[-1] == "raw" for row in answer.long_form().rows)


EXACTLY = [
    "SELECT count(*) FROM data",
    "SELECT reg, median(w), max(year) FROM data GROUP BY reg ORDER BY reg",
    "SELECT DISTINCT reg FROM data ORDER BY 1",
    "SELECT reg, row_number() OVER (ORDER BY w, year) AS r FROM data ORDER BY r LIMIT 3",
    "SELECT count(*) FROM data WHERE w > (SELECT avg(w) FROM data)",
    "SELECT reg, count(*) FROM data GROUP BY reg UNION ALL SELECT 'z', 1 ORDER BY 1",
    "SELECT count(*) FROM dim",
    "WITH t AS (SELECT * FROM data) SELECT reg, count(*) FROM t GROUP BY reg ORDER BY reg",
    "SELECT count(*) FROM data JOIN dim ON data.year = 2015 + dim.age",
]


@pytest.mark.parametrize("sql", EXACTLY)
def test_without_protected_columns_the_answer_is_exact(sql):
    answer = query(noisy(), sql, tables=EXACT)
    _, rows = by_duckdb(sql)
    assert answer.kind == "exact"
    assert answer.exact
    assert list(answer.rows) == rows
    assert "hold no noise" in answer.explain()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT reg AS job, count(*) FROM data GROUP BY job, reg",
        "SELECT year AS age, count(*) FROM data WHERE age < 3 GROUP BY ALL",
        "SELECT count(*) FROM data JOIN dim ON data.age = dim.age",
    ],
)
def test_names_that_could_be_a_protected_column_are_not_taken_for_public(sql):
    """Where `job` is a column and a name given by AS, GROUP BY and WHERE mean the column."""
    assert query(noisy(), sql, tables=EXACT).kind == "corrected"


def test_a_name_of_which_versions_of_duckdb_think_differently(clean):
    with pytest.raises(
        NotApplicable, match=r"both a column and a name|must appear in the GROUP BY"
    ):
        query(clean, "SELECT job, sum(w) AS age FROM data GROUP BY job HAVING age > 5")


def test_sorting_by_estimates_is_noted():
    answer = query(noisy(), "SELECT job, count(*) n FROM data GROUP BY job ORDER BY n DESC LIMIT 2")
    assert len(answer.rows) == 2
    assert "the largest of them are over-stated" in answer.explain()
    plain = query(noisy(), "SELECT job, count(*) n FROM data GROUP BY job ORDER BY job")
    assert not plain.notes


def test_a_group_that_may_be_empty_has_no_interval():
    table = PEOPLE.slice(0, 40)
    answer = query(noisy(table), "SELECT age, avg(year) FROM data GROUP BY age")
    unsure = [line[1] for line in answer.spreads if line[1].low is None]
    assert unsure
    assert "may be empty at this noise" in answer.explain()


def test_zero_without_any_row_near_is_not_taken_for_sure():
    table = PEOPLE.filter(pa.compute.less(PEOPLE["age"], 10))
    answer = query(noisy(table), "SELECT count(*) FROM data WHERE age > 15")
    assert answer.rows == ((0.0,),)
    assert "its error is not known" in answer.explain()


def test_permanent_answers_are_noted():
    sql = "SELECT job, count(*) FROM data GROUP BY job"
    assert "assumes one row a person" in query(noisy(permanent=True), sql).explain()


class TestRefusedTables:
    def test_a_column_without_a_channel_is_named(self):
        table = received_with(PEOPLE, {"job": untouched(JOBS)}, unknown=["age"])
        with pytest.raises(
            NotApplicable, match=r"the column age is asked for \(column 'age' has no channel"
        ):
            query(table, "SELECT job, avg(age) FROM data GROUP BY job")

    def test_a_channel_that_does_not_determine_the_truth(self):
        half = Channel(JOBS, JOBS, [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        table = received_with(PEOPLE.slice(0, 0), {"job": half})
        with pytest.raises(NotApplicable, match="job do not determine the true ones"):
            query(table, "SELECT count(*) FROM data WHERE job = 'a'")

    def test_a_value_that_the_card_does_not_list(self):
        table = received_with(PEOPLE, {"age": untouched(AGES[:5])})
        with pytest.raises(UnknownCategory, match="is this the card of this table"):
            query(table, "SELECT avg(age) FROM data")

    def test_too_many_pseudo_rows(self, monkeypatch):
        monkeypatch.setattr(released_cells, "MOST_PSEUDO_ROWS", 100)
        with pytest.raises(TooLarge, match="leave out the column job"):
            query(noisy(), "SELECT job, age, count(*) FROM data GROUP BY ALL")


class TestSurvey:
    SQL = "SELECT job, count(*), avg(age) FROM data GROUP BY job ORDER BY job"

    @pytest.mark.parametrize(
        ("survey", "reason"),
        [
            (Survey(weights="age"), "is protected"),
            (Survey(strata="nowhere"), "no column 'nowhere'"),
            (Survey(weights="reg"), "weights should be numbers"),
            (Survey(weights="w"), "rows have none"),
            (Survey(weights="less"), "1 row is negative"),
            (Survey(weights="zero"), "should not all be 0"),
            (Survey(strata="lonely"), "a single cluster"),
            (Survey(strata="reg", fraction={"N": 0.1}), "'S' has none"),
            (Survey(replicates=("age",), scale=1.0), "is protected"),
        ],
    )
    def test_bad_designs(self, survey, reason):
        n = PEOPLE.num_rows
        table = PEOPLE.append_column("less", pa.array([-1.0, *[1.0] * (n - 1)]))
        table = table.append_column("zero", pa.array([0.0] * n))
        table = table.append_column("lonely", pa.array(["x", *["y"] * (n - 1)]))
        with pytest.raises((BadNumber, NotApplicable), match=reason):
            query(noisy(table), self.SQL, survey=survey)

    def test_weights_multiply_every_row(self, clean):
        table = PEOPLE.append_column("two", pa.array([2.0] * PEOPLE.num_rows))
        double = received_with(table, {"job": untouched(JOBS), "age": untouched(AGES)})
        once = query(clean, self.SQL).rows
        twice = query(double, self.SQL, survey=Survey(weights="two")).rows
        for one, other in zip(once, twice, strict=True):
            assert other[1:] == pytest.approx((2 * one[1], one[2]))


def test_wrong_settings(clean):
    with pytest.raises(UnknownName, match="of should be one of 'table', 'population'"):
        query(clean, "SELECT 1", of="world")
    with pytest.raises(BadNumber, match="confidence should be a number between 0 and 1"):
        query(clean, "SELECT 1", confidence=2)


def test_intervals_widen_with_confidence():
    sql = "SELECT count(*) FROM data WHERE job = 'a'"
    narrow, wide = (query(noisy(), sql, confidence=c).spreads[0][0] for c in (0.5, 0.99))
    assert narrow.error == wide.error
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_outputs_that_are_no_inputs(tmp_path):
    spec = {
        "type": "distances",
        "values": ["a", "b"],
        "distances": [[0, 1], [1, 0]],
        "epsilon": "ln 2",
        "mechanism": "any_metric",
    }
    (tmp_path / "in.csv").write_text("h\n" + "a\nb\n" * 200)
    sanitise_file(tmp_path / "in.csv", plan_of(spec), tmp_path / "out.csv")
    answer = query(received(tmp_path / "out.csv"), "SELECT h, count(*) FROM data GROUP BY h")
    assert {row[0] for row in answer.rows} == {"a", "b"}
    assert sum(row[1] for row in answer.rows) == pytest.approx(400)


def test_a_column_under_another_name(tmp_path):
    plan = Plan.read({"columns": {"hobby": {**LETTERS, "columns": ["Q17"]}, "home": PLACE}})
    rows = "".join(f"{h},1,2\n" for h in "abc" * 200)
    (tmp_path / "in.csv").write_text("Q17,x,y\n" + rows)
    seeded_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    release = received(tmp_path / "out.csv")
    answer = query(release, "SELECT Q17, count(*) FROM data WHERE Q17 <> 'a' GROUP BY Q17")
    assert {row[0] for row in answer.rows} == {"b", "c"}
    with pytest.raises(NotApplicable, match="the column x is asked for"):
        query(release, "SELECT Q17, count(*) FROM data WHERE x > 1 GROUP BY 1")


@pytest.mark.statement("C", "Thm 1")
@pytest.mark.statement("M", "Thm 4")
def test_any_query_is_a_function_of_the_released_table(tmp_path):
    """Post-processing: an answer depends on the released rows alone, so it is private as they are."""
    (tmp_path / "in.csv").write_text("h,region\n" + "a,n\nb,s\nc,n\n" * 100)
    plan = Plan.read({"columns": {"h": LETTERS}, "pass_through": ["region"]})
    seeded_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    questions = [
        "SELECT count(*) FROM data",
        "SELECT h, count(*) FROM data GROUP BY h ORDER BY h",
        "SELECT region, sum(CASE WHEN h = 'a' THEN 1 ELSE 0 END) FROM data GROUP BY 1 ORDER BY 1",
    ]
    release = received(tmp_path / "out.csv")
    once = [query(release, question).to_dict() for question in questions]
    (tmp_path / "in.csv").unlink()
    assert [query(release, question).to_dict() for question in questions] == once


def test_seeded_noise_is_near_the_truth():
    rng = np.random.default_rng(3)
    n = 20_000
    truth = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    channel = randomised_response(discrete(["a", "b", "c"]), eps="ln 8").channel
    cuts = np.cumsum(channel.matrix.floats, axis=1)
    drawn = (rng.random(n)[:, None] > cuts[np.searchsorted(["a", "b", "c"], truth)]).sum(axis=1)
    table = pa.table({"h": np.array(["a", "b", "c"])[drawn], "w": rng.gamma(2, 1, n)})
    answer = query(received_with(table, {"h": channel}), "SELECT h, sum(w) FROM data GROUP BY h")
    weights = table["w"].to_numpy()
    for row, line in zip(answer.rows, answer.spreads, strict=True):
        assert abs(row[1] - weights[truth == row[0]].sum()) < 4 * line[1].error


ABOUT_REPORTS = {
    "SELECT count(*) FROM data WHERE drink = 'rum'": 1.0,
    "SELECT sum(CASE WHEN drink IN ('rum', 'milk') THEN 1 ELSE 0 END) / count(*) FROM data": 0.5,
    "SELECT count(*) FROM data WHERE town = 'north' AND upper(drink) <> 'TEA'": 1.0,
}


class TestReports:
    """Columns of reports: true values are asked about, whatever the cells look like."""

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("sql", ABOUT_REPORTS)
    def test_answers_are_right_on_average_with_their_variances(self, family, sql):
        mean = second = told = 0.0
        for chance, table in every_release(report_plan(family), ["rum", "tea"], ["north", "south"]):
            found = query(table, sql, method="score")
            ((value,),) = found.rows
            ((spread,),) = found.spreads
            mean += float(chance) * value
            second += float(chance) * value**2
            told += float(chance) * ((spread.error if spread else 0.0) or 0.0) ** 2
        assert mean == pytest.approx(ABOUT_REPORTS[sql], abs=1e-9)
        assert told >= second - mean**2 - 1e-9

    @pytest.mark.parametrize("family", FAMILIES)
    def test_true_values_may_be_numbers(self, family):
        plan = report_plan(family, values=[10, 20, 40])
        asked = "SELECT sum(drink), var_pop(drink) FROM data WHERE drink >= 10"
        mean = sum(
            float(chance) * query(table, asked, method="score").rows[0][0]
            for chance, table in every_release(plan, [40, 10], ["north", "south"])
        )
        assert mean == pytest.approx(50)

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_files_are_asked_like_tables(self, family, ending, tmp_path):
        source, path = tmp_path / "in.csv", tmp_path / f"out.{ending}"
        source.write_text("drink,town\n" + "tea,n\nrum,s\nrum,n\n" * 100)
        seeded_file(source, report_plan(family), path)
        found = query(path, "SELECT drink, count(*) AS n FROM data GROUP BY drink ORDER BY drink")
        counted = received(path).total(by="drink", method="score").entries
        assert [row[0] for row in found.rows] == ["milk", "rum", "tea"]
        for row, entry in zip(found.rows, counted, strict=True):
            assert (row[0], row[1]) == (entry.keys[0], pytest.approx(entry.value))

    def test_too_many_different_sets_are_refused_in_words(self, monkeypatch, tmp_path):
        source, path = tmp_path / "in.csv", tmp_path / "out.csv"
        source.write_text("drink,town\n" + "tea,n\nrum,s\nrum,n\n" * 100)
        seeded_file(source, report_plan("unary"), path)
        monkeypatch.setattr(report_operators, "_WRITTEN", 10)
        with pytest.raises(TooLarge, match="ask `dprivacy estimate` for counts"):
            query(path, "SELECT drink, count(*) FROM data GROUP BY drink")
