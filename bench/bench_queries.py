"""SQL on a million released rows: the corrected answer beside DuckDB's raw one, in CPU seconds.

The raw answer is what the noisy rows say; it is wrong, and what correcting it costs is the ratio.

    python bench/bench_queries.py [rows]
"""

import sys
from importlib.metadata import version

import duckdb
import numpy as np
import pyarrow as pa
from timing import best_of_each

from dprivacy.release import Plan, Released, query, received
from dprivacy.release.plans.table_card import table_card

ROWS = 1_000_000
JOBS = list("abcdef")
PLAN = Plan.read({
    "columns": {
        "job": {"type": "categories", "values": JOBS, "epsilon": "3/2"},
        "age": {"type": "numbers", "low": 0, "high": 72, "grid": 1, "epsilon": "1/10"},
    },
    "pass_through": ["weight", "few", "reg"],
})  # fmt: skip
QUERIES = {
    "count by job": "SELECT job, count(*) FROM data GROUP BY job",
    "count by region and job, 300 groups": "SELECT reg, job, count(*) FROM data GROUP BY reg, job",
    "mean age by region of one job": "SELECT reg, avg(age) FROM data WHERE job = 'a' GROUP BY reg",
    "sum by job, three weights": "SELECT job, sum(few) FROM data GROUP BY job",
    "sum by job, every weight different": "SELECT job, sum(weight) FROM data GROUP BY job",
    "count, sum and mean by job": "SELECT job, count(*), sum(weight), avg(age) FROM data GROUP BY job",
    "weighted mean age of two jobs": (
        "SELECT sum(weight * age) / sum(weight) FROM data WHERE job IN ('a', 'b')"
    ),
    "sum and spread by sector, joined": (
        "SELECT sector, sum(weight), stddev(age) FROM data JOIN sectors USING (job) GROUP BY sector"
    ),
    "a summand of weight and age": "SELECT sum(weight + age) FROM data",
    "a range of ages": "SELECT count(*) FROM data WHERE age BETWEEN 40 AND 49",
}


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    rng = np.random.default_rng(2)
    table = pa.table({
        "job": np.array(JOBS)[rng.integers(0, 6, rows)],
        "age": rng.integers(0, 73, rows),
        "weight": rng.gamma(2, 1, rows),
        "few": rng.choice([1.0, 2.5, 4.0], rows),
        "reg": rng.integers(0, 50, rows),
    })  # fmt: skip
    sectors = pa.table({"job": JOBS, "sector": list("ppqqrr")})
    release = received(Released(table, table_card(PLAN, rows=rows, secure=True)))
    connection = duckdb.connect()
    connection.register("data", table)
    connection.register("sectors", sectors)
    print(f"duckdb {version('duckdb')}, {rows:,} rows")
    print("  raw s  corrected s   ratio")
    for name, sql in QUERIES.items():
        spent, _ = best_of_each({
            "raw": lambda sql=sql: connection.execute(sql).fetchall(),
            "ours": lambda sql=sql: query(release, sql, tables={"sectors": sectors}),
        })  # fmt: skip
        ratio = spent["raw"] / spent["ours"]
        print(f"{spent['raw']:7.3f}  {spent['ours']:11.3f}  {ratio:6.2f}  {name}")


if __name__ == "__main__":
    main()
