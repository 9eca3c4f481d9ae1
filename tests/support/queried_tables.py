"""Tables as a receiver has them, with any channels on their cards, and queries of every form."""

import numpy as np
import pyarrow as pa

from dprivacy.model import Channel, channel_body
from dprivacy.release import Card, ReceivedTable, StatedGuarantee

JOBS = ("a", "b", "c", None)
AGES = tuple(range(21))


def received_with(table, channels, *, permanent=False, unknown=()):
    """A table whose columns went through these channels; `unknown` ones have none on the card."""
    mechanisms = {
        name: {
            "type": "categories", "family": "any", "columns": [name], "eps": "1", "delta": "0",
            "most": "", "nulls": "category", "channel": channel and channel_body(channel),
        }
        for name, channel in {**channels, **dict.fromkeys(unknown)}.items()
    }  # fmt: skip
    public = tuple(name for name in table.schema.names if name not in mechanisms)
    card = Card.of(
        "table", StatedGuarantee("1"), count=table.num_rows, secure=True, mechanisms=mechanisms,
        pass_through=public, permanent=permanent,
    )  # fmt: skip
    return ReceivedTable(table, card)


def untouched(labels):
    """The channel that changes nothing."""
    n = len(labels)
    return Channel(labels, labels, [[int(i == j) for j in range(n)] for i in range(n)])


def people(n=400, seed=6):
    """A table with missing values in public and protected columns."""
    rng = np.random.default_rng(seed)
    draw = rng.random(n)
    return pa.table({
        "job": [None if u < 0.1 else "abc"[int(u * 97) % 3] for u in draw],
        "age": rng.integers(0, 21, n),
        "w": [None if u < 0.05 else round(float(u) * 3, 2) for u in rng.random(n)],
        "reg": rng.choice(["N", "S"], n),
        "year": rng.integers(2018, 2022, n),
        "Été": rng.integers(0, 3, n),
    })  # fmt: skip


def dim():
    """An exact table in which one job occurs twice and one not at all."""
    return pa.table({
        "job": ["a", "a", "b"], "sector": ["p", "q", "p"], "u": [1.0, 2.0, None], "age": [3, 4, 5],
    })  # fmt: skip


ACCEPTED = [
    "SELECT count(*) FROM data WHERE job IS NULL",
    "SELECT count(*), count(job), count(1), count(NULL), count(w) FROM data WHERE age < 5",
    "SELECT job, count(*), count(w), sum(w), avg(w), var_samp(age), stddev_pop(age) FROM "
    "data GROUP BY job",
    "select JOB, COUNT() from DATA group by Job order by 2 desc, 1 nulls first limit 2",
    "SELECT reg, age // 7 AS k, sum(w) FILTER (WHERE job = 'b' OR age < 5) FROM data "
    "WHERE job IS NOT NULL GROUP BY reg, k",
    "SELECT reg, 100.0 * sum(w*age) / sum(w) AS m FROM data GROUP BY 1",
    "SELECT reg, avg(CASE WHEN job = 'c' THEN age END) FROM data GROUP BY reg HAVING count(*) > 180",
    "SELECT sum(CASE WHEN job = 'a' THEN w ELSE 0 END), sum(CASE WHEN job = 'a' THEN 0 "
    "ELSE w END) FROM data",
    "SELECT sum(CASE WHEN job IN ('a', 'b') THEN 1 ELSE 0 END) / count(*) FROM data",
    "SELECT year, corr(age, w), covar_pop(age, w), covar_samp(w, age) FROM data GROUP BY year",
    "SELECT regr_slope(w, age), regr_intercept(w, age), regr_r2(w, age), regr_count(w, age), "
    "regr_avgx(w, age), regr_avgy(w, age), regr_sxx(w, age), regr_syy(w, age), regr_sxy(w, "
    "age) FROM data",
    "SELECT variance(year + age), stddev(1000 * year + age) FROM data WHERE job = 'a'",
    "SELECT job, round(100 * avg(age), 1) FROM data GROUP BY job",
    "SELECT count_if(age > 3 AND job = 'a') FROM data",
    "SELECT age % 2 = 0 AS even, count(*) n FROM data GROUP BY even ORDER BY n",
    "SELECT upper(job) || '!' AS j, count(*) FROM data GROUP BY ALL ORDER BY ALL",
    "SELECT d.sector, sum(d.u), count(*) FROM data JOIN dim d ON data.job = d.job GROUP BY ALL",
    "SELECT d.sector, count(*), avg(data.age), sum(u) FROM data LEFT JOIN dim d ON "
    "data.job = d.job GROUP BY ALL",
    "SELECT sector, count(*), sum(w * u) FROM data JOIN dim USING (job) GROUP BY sector",
    "SELECT sector, sum(data.age * u) FROM data, dim WHERE data.job = dim.job AND dim.age "
    "> 3 GROUP BY sector",
    "SELECT sector, count(*) FROM dim JOIN data ON dim.job = data.job AND dim.age <= "
    "data.age GROUP BY 1",
    "SELECT count(*), avg(w) FROM (SELECT * FROM data WHERE reg = 'N') t WHERE t.job = 'a'",
    "SELECT decade, count(*) FROM (SELECT age // 10 AS decade, job FROM data WHERE year > 2018) "
    "WHERE job <> 'b' GROUP BY decade",
    "WITH t AS (SELECT *, age * 2 AS twice FROM data), u AS (SELECT twice, w FROM t WHERE job = 'a') "
    "SELECT avg(twice), sum(w) FROM u",
    "WITH d AS (SELECT job, count(*) AS k FROM dim GROUP BY job) "
    "SELECT d.k, count(*) FROM data LEFT JOIN d ON d.job = data.job GROUP BY d.k",
    "SELECT q.z, count(*) FROM data JOIN (SELECT job AS z FROM dim WHERE u IS NOT NULL) q "
    "ON z = job GROUP BY z",
    "SELECT job AS j, count(*) AS n, 2 * n AS twice FROM data WHERE j = 'a' GROUP BY j",
    "SELECT avg(age) AS age FROM data WHERE age > 3",
    "SELECT -w AS w, count(*) FROM data WHERE job = 'a' GROUP BY w ORDER BY w DESC NULLS "
    "LAST LIMIT 3 OFFSET 1",
    'SELECT "Été", sum(year) FROM data WHERE NOT (age BETWEEN 3 AND 5) GROUP BY "Été"',
    "SELECT sum(w) + 2 * count(*) - 1, -sum(age), sum(age) ** 2, sqrt(sum(age)), ln(count(*)) "
    "FROM data WHERE job = 'b'",
    "SELECT coalesce(sum(w), 0), sum(w) / nullif(count(job), 0) FROM data WHERE age = 4",
    "SELECT sum(w) FROM data WHERE job = 'nobody'",
    "SELECT job, sum(w), avg(age) FROM data WHERE year = 1 GROUP BY job",
    "SELECT count(*), sum(age), avg(w) FROM data WHERE year = 1 AND job = 'a'",
    "SELECT reg, count(*) FILTER (WHERE job = 'a') * 100.0 / count(*) FROM data GROUP BY reg",
    "SELECT sum(w * w * age), sum(age * age), sum(w + age), count_if((w > 1) AND job = 'a') FROM data",
    "SELECT job, sum(w) FROM data WHERE job LIKE '%a' OR job SIMILAR TO 'b|c' GROUP BY job",
    "SELECT CAST(age AS VARCHAR) AS t, count(*)::DOUBLE FROM data WHERE age::INT IN (1, 2, "
    "3) GROUP BY t",
    "SELECT job IS DISTINCT FROM 'a' AS other, count(*) FROM data GROUP BY other",
    "SELECT job, year, count(*) FROM main.data AS d WHERE d.age >= 2 AND d.w IS NOT NULL "
    "GROUP BY d.job, year",
    "SELECT CASE age WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'more' END AS name, count(*) "
    "FROM data GROUP BY name",
    "SELECT greatest(age, 5) AS g, count(*) FROM data WHERE if(age > 3, reg = 'N', true) GROUP BY g",
    "SELECT 5 AS five, count(*) FROM data WHERE job = 'a' GROUP BY 1",
    "SELECT job, reg, count(*) FROM data GROUP BY job, reg ORDER BY count(*) DESC, job, reg",
]  # fmt: skip
