"""Corrected statistics of a million rows beside DuckDB's raw answers to the same questions."""

import os
import sys
import warnings
from importlib.metadata import version

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would count as CPU time

import duckdb
import numpy as np
import pyarrow as pa
from timing import best_of

from dprivacy.estimation import Survey
from dprivacy.release import Plan, ReceivedTable, Released, received, sanitise

ROWS = 1_000_000
PLAN = Plan.read({
    "columns": {
        "job": {"type": "categories", "values": list("abcdef"), "epsilon": "3/2"},
        "age": {"type": "numbers", "low": 0, "high": 72, "grid": 1, "epsilon": "1/2"},
    },
    "pass_through": ["w", "x", "region", "cluster"],
})  # fmt: skip


def release() -> ReceivedTable:
    """A million rows of noise: their values do not matter here."""
    rng = np.random.default_rng(2)
    columns = {
        "job": pa.array(np.array(list("abcdef"))[rng.integers(0, 6, ROWS)]),
        "age": pa.array(rng.integers(0, 73, ROWS).astype(float)),
        "w": pa.array(rng.integers(1, 400, ROWS) / 100),
        "x": pa.array(rng.gamma(2, 1, ROWS)),
        "region": pa.array(rng.integers(0, 50, ROWS)),
        "cluster": pa.array(np.arange(ROWS) // 20),
    }
    table = pa.table(columns)
    return received(Released(table, sanitise(table.slice(0, 10), PLAN).card))


def main() -> None:
    """One line a question: our CPU seconds, DuckDB's for the raw answer, and how many times as many."""
    warnings.simplefilter("ignore")
    print(
        f"duckdb {version('duckdb')}, numpy {version('numpy')}, {ROWS:,} rows, best of 3, CPU seconds"
    )
    table = release()
    engine = duckdb.connect()
    engine.execute("SET threads = 1")
    engine.register("given", table.data)
    engine.execute("CREATE TABLE data AS SELECT * FROM given")
    clustered = Survey(weights="x", strata="region", clusters="cluster")
    cases = {
        "count by job": (
            lambda: table.total(by="job"),
            "SELECT job, count(*) FROM data GROUP BY job",
        ),
        "sum of few weights by job": (
            lambda: table.total(by="job", weights="w"),
            "SELECT job, sum(w) FROM data GROUP BY job",
        ),
        "sum of weights that all differ, by job": (
            lambda: table.total(by="job", weights="x"),
            "SELECT job, sum(x) FROM data GROUP BY job",
        ),
        "count by region and job": (
            lambda: table.total(by=["region", "job"]),
            "SELECT region, job, count(*) FROM data GROUP BY ALL",
        ),
        "mean age of one job, by region": (
            lambda: table.mean("age", where={"job": "a"}, by="region"),
            "SELECT region, avg(age) FROM data WHERE job = 'a' GROUP BY region",
        ),
        "weighted mean age of one job": (
            lambda: table.mean("age", where={"job": "a"}, weights="x"),
            "SELECT sum(x*age)/sum(x) FROM data WHERE job = 'a'",
        ),
        "the same with 50 strata and 50,000 clusters": (
            lambda: table.mean("age", where={"job": "a"}, survey=clustered),
            "SELECT sum(x*age)/sum(x) FROM data WHERE job = 'a'",
        ),
        "range of ages (maximum likelihood)": (
            lambda: table.total(where="age=30..39", method="likelihood"),
            "SELECT count(*) FROM data WHERE age BETWEEN 30 AND 39",
        ),
        "median age": (lambda: table.quantile("age"), "SELECT median(age) FROM data"),
    }
    for name, (ours, sql) in cases.items():
        mine, _ = best_of(ours, 3)
        raw, _ = best_of(lambda sql=sql: engine.execute(sql).fetchall(), 3)
        print(f"{name:45s} {mine:7.3f}   raw {raw:6.3f}   {mine / raw:6.1f} times", flush=True)


if __name__ == "__main__":
    sys.exit(main())
