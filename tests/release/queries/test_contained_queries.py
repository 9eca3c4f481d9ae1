"""A query reads the released table and exact tables, and nothing else, and writes nothing at all."""

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import Malformed, NotApplicable
from dprivacy.release import Plan, query
from support.release_tables import LETTERS

PLAN = Plan.read({"columns": {"h": LETTERS}, "pass_through": ["region", "zip"]})
SECRET = "CANARY-7f3a"

ESCAPES = [
    "SELECT * FROM read_csv('{folder}/secret.csv')",
    "SELECT * FROM '{folder}/secret.csv'",
    "SELECT * FROM read_text('{folder}/secret.csv')",
    "SELECT * FROM read_blob('{folder}/secret.csv')",
    "SELECT * FROM read_parquet('{folder}/in.parquet')",
    "SELECT * FROM sniff_csv('{folder}/secret.csv')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM parquet_metadata('{folder}/in.parquet')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('data')",
    "SELECT * FROM json_execute_serialized_sql('{{}}')",
    "COPY data TO '{folder}/stolen.csv'",
    "COPY (SELECT 1) TO '{folder}/stolen.csv'",
    "WITH t AS (COPY (SELECT 1) TO '{folder}/stolen.csv') SELECT * FROM t",
    "WITH t AS (COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)) SELECT * FROM t",
    "ATTACH '{folder}/stolen.db'",
    "EXPORT DATABASE '{folder}/stolen'",
    "CREATE TABLE stolen AS SELECT * FROM data",
    "CREATE VIEW stolen AS SELECT 1",
    "DROP VIEW data",
    "DROP TABLE data",
    "INSERT INTO data SELECT * FROM data",
    "DELETE FROM data",
    "UPDATE data SET h = 'a'",
    "SET enable_external_access = true",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CHECKPOINT",
    "BEGIN",
    "EXPLAIN SELECT 1",
    "DESCRIBE data",
    "SUMMARIZE data",
    "SHOW TABLES",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY data TO '{folder}/stolen.csv'",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM sqlite_master",
    'SELECT * FROM "released rows"',
    "SELECT * FROM temp.data",
    "SELECT current_setting('home_directory')",
    "SELECT getvariable('x')",
    "SELECT getenv('HOME')",
    "SELECT version()",
    "SELECT current_query()",
    "SELECT count(*) FROM data WHERE h = current_setting('threads')",
    "SELECT h, count(*) FROM data GROUP BY h HAVING count(*) > (SELECT 1 FROM duckdb_settings())",
    "SELECT h, count(*) FROM data JOIN (SELECT * FROM duckdb_settings()) s ON true GROUP BY h",
    "WITH s AS (SELECT * FROM duckdb_settings()) SELECT h, count(*) FROM data, s GROUP BY h",
    "SELECT pg_sleep(5)",
    "SELECT error('x')",
    "",
    ";",
    "-- nothing",
]


def people():
    rng = np.random.default_rng(4)
    n = 300
    return pa.table({
        "h": rng.choice(["a", "b", "c"], n),
        "region": rng.choice(["north", "south"], n),
        "zip": rng.choice(["01", "1"], n),
    })  # fmt: skip


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("sql", ESCAPES)
def test_refused(release, sql, raw):
    folder = release.data.parent
    (folder / "secret.csv").write_text(f"s\n{SECRET}\n")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(Malformed) as refusal:
        query(release, sql.format(folder=folder, path=release.data), raw=raw)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert SECRET not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("raw", [False, True])
def test_variables_of_the_program_are_out_of_reach(release, raw):
    import pandas

    secret = pandas.DataFrame({"s": [SECRET]})
    assert len(secret) == 1
    with pytest.raises(Malformed, match="does not exist"):
        query(release, "SELECT * FROM secret", raw=raw)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT nothing FROM data", "nothing"),
        ("SELECT * FROM nowhere", "nowhere does not exist"),
        ("SELECT count(*) FROM survey", "the released table is called data"),
        ("SELECT cast('x' AS INT)", "Could not convert"),
        ("SELECT sum(h) FROM data", "sum"),
        ("SELECT h, avg(CAST(h AS INT)) FROM data GROUP BY h", "Could not convert"),
    ],
)
def test_errors_in_words(release, sql, text):
    with pytest.raises(NotApplicable, match="the query cannot be answered: ") as refusal:
        query(release, sql)
    assert text in str(refusal.value)


def test_deep_queries_are_refused(release):
    sums = " + ".join(["1"] * 950)
    with pytest.raises(NotApplicable, match="nested too deeply"):
        query(release, f"SELECT count(*) + {sums} FROM data WHERE h = 'a'")
    brackets = f"{'(' * 200}region = 'north'{')' * 200}"
    answer = query(release, f"SELECT count(*) FROM data WHERE h = 'a' AND {brackets}")
    assert answer.kind == "corrected"
