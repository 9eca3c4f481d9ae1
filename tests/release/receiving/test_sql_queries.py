"""SQL on a released table: any question, raw and corrected, and no way out of the table."""

import json
from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import Malformed
from dprivacy.release import Plan, query, received, sanitise_file
from support.release_tables import LETTERS, NUMBERS, PLACE, plan_of, seeded_file, weak_rows

N = 5000
SPECS = {
    "h": {**LETTERS, "epsilon": "ln 8"},
    "n": {**NUMBERS, "high": 4, "epsilon": "2"},
    "home": PLACE,
    "Q 7": {**LETTERS, "values": ["01", "02"], "epsilon": "ln 9"},
}
PLAN = Plan.read({"columns": SPECS, "pass_through": ["region", "zip", "year"]})
SECRET = "CANARY-7f3a"


def people():
    rng = np.random.default_rng(4)
    return pa.table({
        "h": rng.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1]),
        "n": rng.integers(0, 5, N),
        "x": rng.normal(size=N),
        "y": rng.normal(size=N),
        "Q 7": rng.choice(["01", "02"], N, p=[0.8, 0.2]),
        "region": rng.choice(["north", "south"], N),
        "zip": rng.choice(["01", "1"], N),
        "year": rng.integers(2019, 2022, N),
    })  # fmt: skip


def close(answer, true):
    """Every corrected count near the true one of its group."""
    assert answer.corrected is not None
    assert len(answer.corrected) == len(answer.rows)
    for row, (count, error) in zip(answer.rows, answer.corrected, strict=True):
        assert abs(count - true(*row)) <= 4.5 * error + 1, row


@pytest.mark.statement("C", "Thm 1")
@pytest.mark.statement("M", "Thm 4")
def test_any_query_is_a_function_of_the_released_table(release):
    """Post-processing: an answer depends on the released rows alone, so it is private as they are."""
    questions = [
        "SELECT count(*) FROM data",
        "SELECT h, avg(n), max(x) FROM data GROUP BY h ORDER BY h",
        "SELECT h, count(*) FROM data GROUP BY h ORDER BY h",
        "SELECT region, corr(n, year) FROM data GROUP BY region ORDER BY region",
        "SELECT h, rank() OVER (ORDER BY n, x) r FROM data ORDER BY x LIMIT 5",
    ]
    once = [query(release, question).to_dict() for question in questions]
    moved = release.data.parent / "moved.parquet"
    (release.data.parent / "in.parquet").rename(moved)
    try:
        assert [query(release, question).to_dict() for question in questions] == once
    finally:
        moved.rename(release.data.parent / "in.parquet")


class TestCorrected:
    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT h, count(*) FROM data GROUP BY h",
            "select H, COUNT(*) from DATA group by H",
            "SELECT h, count(*) AS k FROM data GROUP BY h ORDER BY k DESC",
            "SELECT h, count(*) AS k FROM data GROUP BY h ORDER BY k DESC LIMIT 2",
            "SELECT h, count() FROM data GROUP BY 1",
            "SELECT h, count(*) FROM data GROUP BY ALL",
            "SELECT d.h, count(*) FROM data AS d GROUP BY d.h",
            "FROM data SELECT h, count(*) GROUP BY h",
            "SELECT h AS hobby, count(*) FROM data GROUP BY hobby",
            "SELECT h, count(*) FROM main.data GROUP BY h",
        ],
    )
    def test_counts_by_a_protected_column(self, release, truth, sql):
        answer = query(release, sql)
        close(answer, lambda h, _: (truth["h"] == h).sum())
        assert "corrected" in answer.explain().splitlines()[0]

    def test_the_count_may_stand_first(self, release, truth):
        close(
            query(release, "SELECT count(*) AS k, h FROM data GROUP BY h"),
            lambda _, h: (truth["h"] == h).sum(),
        )

    def test_with_what_passes_through(self, release, truth):
        answer = query(
            release,
            "SELECT h, region, count(*) FROM data WHERE year >= 2020 AND zip = '01' "
            "GROUP BY region, h",
        )
        chosen = truth[(truth["year"] >= 2020) & (truth["zip"] == "01")]
        close(answer, lambda h, r, _: ((chosen["h"] == h) & (chosen["region"] == r)).sum())
        assert len(answer.rows) == 6

    def test_two_protected_columns(self, release, truth):
        answer = query(release, 'SELECT h, "Q 7", count(*) FROM data GROUP BY h, "Q 7"')
        close(answer, lambda h, q, _: ((truth["h"] == h) & (truth["Q 7"] == q)).sum())

    def test_numbers(self, release, truth):
        answer = query(release, "SELECT n, count(*) FROM data GROUP BY n ORDER BY n")
        close(answer, lambda n, _: (truth["n"] == n).sum())

    def test_no_rows(self, release):
        answer = query(release, "SELECT h, count(*) FROM data WHERE year = 1 GROUP BY h")
        assert answer.rows == ()
        assert answer.corrected is None

    def test_it_is_plain_data(self, release):
        answer = query(release, "SELECT h, count(*) AS k FROM data GROUP BY h")
        data = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
        assert data["columns"] == ["h", "k"]
        assert len(data["corrected"]) == 3


class TestConditions:
    """Counts of those who meet a condition on protected columns."""

    @pytest.mark.parametrize(
        ("where", "true"),
        [
            ("h = 'a'", "h == 'a'"),
            ("h <> 'a' AND n > 2", "h != 'a' and n > 2"),
            ("h IN ('a', 'c') OR region = 'north'", "h in ('a', 'c') or region == 'north'"),
            ("upper(H) = 'B' AND year BETWEEN 2020 AND 2021", "h == 'b' and year >= 2020"),
            ("NOT (\"Q 7\" = '01')", "`Q 7` != '01'"),
            ("n % 2 = 0 AND zip = '01'", "n % 2 == 0 and zip == '01'"),
            ("h = 'nobody'", "h == 'nobody'"),
        ],
    )
    def test_near_the_truth(self, release, truth, where, true):
        answer = query(release, f"SELECT count(*) FROM data WHERE {where}")
        ((count, error),) = answer.corrected
        assert abs(count - len(truth.query(true))) <= 4.5 * error + 1e-6
        assert "corrected" in answer.explain()
        assert json.dumps(answer.to_dict(), allow_nan=False)

    def test_all_and_nothing_are_known(self, release):
        for where, count in (("h IN ('a', 'b', 'c')", N), ("h = 'a' AND h = 'b'", 0)):
            answer = query(release, f"SELECT count(*) FROM data WHERE {where}")
            assert answer.corrected[0] == pytest.approx((count, 0), abs=1e-6)

    def test_it_agrees_with_the_table_of_groups(self, release):
        """By inversion both are the same sum of signed weights."""
        table = release.cross_table(["h", "n"], estimator="inverse")
        answer = query(release, "SELECT count(*) FROM data WHERE h = 'b' AND n = 3")
        assert answer.corrected[0] == pytest.approx(table.cell("b", 3), rel=1e-9)

    @weak_rows
    @pytest.mark.parametrize(
        ("releases", "near"), [(25, 0.4), pytest.param(400, 0.15, marks=pytest.mark.slow)]
    )
    def test_no_bias_over_many_releases(self, tmp_path, releases, near):
        pq.write_table(people().slice(0, 120).select(["h", "n"]), tmp_path / "in.parquet")
        plan = Plan.read({"columns": {name: SPECS[name] for name in ("h", "n")}})
        true = people().slice(0, 120).to_pandas().query("h == 'a' and n >= 2")
        found = []
        for seed in range(releases):
            output = tmp_path / f"{seed}.parquet"
            seeded_file(tmp_path / "in.parquet", plan, output, seed=seed, again="a test")
            sql = "SELECT count(*) FROM data WHERE h = 'a' AND n >= 2"
            found.append(query(received(output), sql).corrected[0])
        counts, errors = np.array(found).T
        spread = float(np.sqrt((errors**2).mean()))
        assert abs(counts.mean() - len(true)) < 4 * spread / np.sqrt(releases)
        assert 1 - near < counts.std() / spread < 1 / (1 - near)


class TestRaw:
    """What cannot be corrected is given as it is, and says so."""

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT count(*) FROM data",
            "SELECT count(*) FROM data WHERE region = 'north'",
            "SELECT count(*) FROM data WHERE x > 0 AND h = 'a'",
            "SELECT count(*) FROM data WHERE h = 'a' AND random() < 0.5",
            "SELECT count(*) FROM data WHERE h IN (SELECT 'a')",
            "SELECT count(*) FROM data WHERE h = 'a' LIMIT 1",
            "SELECT count(*) + 1 FROM data WHERE h = 'a'",
            "SELECT count(*) FROM data WHERE h = 'a' GROUP BY region",
            "SELECT region, count(*) FROM data GROUP BY region",
            "SELECT h, avg(n) FROM data GROUP BY h",
            "SELECT h, count(*) FROM data WHERE n > 3 GROUP BY h",
            "SELECT h, count(*) FROM data WHERE h <> 'a' GROUP BY h",
            "SELECT h, count(*) FROM data WHERE x > 0 GROUP BY h",
            "SELECT x, h, count(*) FROM data GROUP BY x, h",
            "SELECT h, count(*) FROM data GROUP BY h HAVING count(*) > 50",
            "SELECT h, count(*) FILTER (WHERE n > 3) FROM data GROUP BY h",
            "SELECT h, count(DISTINCT n) FROM data GROUP BY h",
            "SELECT h, count(*) * 2 FROM data GROUP BY h",
            "SELECT h, count(*) FROM data TABLESAMPLE 50% GROUP BY h",
            "SELECT h, count(*) FROM data GROUP BY ROLLUP (h)",
            "SELECT h, region, count(*) FROM data GROUP BY h, region, n",
            "SELECT count(*) FROM data GROUP BY h",
            "SELECT h, h, count(*) FROM data GROUP BY h",
            "SELECT h, count(*), count(*) FROM data GROUP BY h",
            "SELECT h, count(*) FROM data GROUP BY h QUALIFY row_number() OVER () = 1",
            "WITH data AS (SELECT * FROM data WHERE h = 'a') "
            "SELECT h, count(*) FROM data GROUP BY h",
            "SELECT h, count(*) FROM data, (VALUES (1), (2)) v GROUP BY h",
            "SELECT h, count(*) FROM data WHERE random() < 0.5 GROUP BY h",
            "SELECT h, count(*) FROM data WHERE region IN (SELECT 'north') GROUP BY h",
            "SELECT upper(h), count(*) FROM data GROUP BY upper(h)",
            "SELECT h, count(*) FROM data GROUP BY h UNION ALL SELECT 'z', 1",
            "SELECT * FROM data LIMIT 3",
            "DESCRIBE data",
            "EXPLAIN SELECT 1",
        ],
    )
    def test_uncorrected(self, release, sql):
        answer = query(release, sql)
        assert answer.corrected is None
        assert answer.note.startswith("raw answers")
        assert json.dumps(answer.to_dict(), allow_nan=False)
        assert answer.explain()

    def test_types(self, release):
        (row,) = query(
            release, 'SELECT typeof(h), typeof("Q 7"), typeof(zip) FROM data LIMIT 1'
        ).rows
        assert set(row) == {"VARCHAR"}


class TestNoWayOut:
    """A query reads the released table and nothing else, and writes nothing at all."""

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT * FROM read_csv('{folder}/secret.csv')",
            "SELECT * FROM '{folder}/secret.csv'",
            "SELECT * FROM read_text('{folder}/secret.csv')",
            "SELECT * FROM read_blob('{folder}/secret.csv')",
            "SELECT * FROM read_parquet('{folder}/in.parquet')",
            "SELECT * FROM sniff_csv('{folder}/secret.csv')",
            "SELECT * FROM glob('{folder}/*')",
            "SELECT * FROM parquet_metadata('{folder}/in.parquet')",
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
            "SELECT 1; SELECT 2",
            "SELECT 1; COPY data TO '{folder}/stolen.csv'",
            "",
            ";",
            "-- nothing",
        ],
    )
    def test_refused(self, release, sql):
        folder = release.data.parent
        (folder / "secret.csv").write_text(f"s\n{SECRET}\n")
        before = {path: path.read_bytes() for path in folder.iterdir()}
        with pytest.raises(Malformed) as refusal:
            query(release, sql.format(folder=folder, path=release.data))
        assert {path: path.read_bytes() for path in folder.iterdir()} == before
        assert SECRET not in str(refusal.value)
        assert "\n" not in str(refusal.value)

    def test_variables_of_the_program_are_out_of_reach(self, release):
        import pandas

        secret = pandas.DataFrame({"s": [SECRET]})
        assert len(secret) == 1
        with pytest.raises(Malformed, match="does not exist"):
            query(release, "SELECT * FROM secret")

    @pytest.mark.parametrize(
        ("sql", "text"),
        [
            ("SELEC 1", "syntax error"),
            ("SELECT nothing FROM data", "nothing"),
            ("SELECT * FROM nowhere", "nowhere does not exist"),
            ("SELECT cast('x' AS INT)", "Could not convert"),
        ],
    )
    def test_errors_in_words(self, release, sql, text):
        with pytest.raises(Malformed, match="the query cannot be answered: ") as refusal:
            query(release, sql)
        assert text in str(refusal.value)


def test_whole_numbers_stay_whole_in_csv(tmp_path):
    spec = {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 9"}
    (tmp_path / "in.csv").write_text("code\n" + "1\n2\n3\n" * 50)
    seeded_file(tmp_path / "in.csv", Plan.read({"columns": {"code": spec}}), tmp_path / "out.csv")
    found = query(received(tmp_path / "out.csv"), "SELECT code, count(*) FROM data GROUP BY code")
    assert sorted(row[0] for row in found.rows) == [1, 2, 3]
    assert all(type(row[0]) is int for row in found.rows)
    assert "1.0" not in found.explain().splitlines()[1].split()[0]


def test_the_name_of_the_table_is_told(release):
    with pytest.raises(Malformed, match="the released table is called data"):
        query(release, "SELECT count(*) FROM survey")


def test_outputs_that_are_no_inputs_have_no_corrected_count(tmp_path):
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
    pairs = dict(zip((row[0] for row in answer.rows), answer.corrected, strict=True))
    assert np.isnan(pairs["⊥"]).all()
    assert pairs["a"][0] + pairs["b"][0] == pytest.approx(400)
    assert json.loads(json.dumps(answer.to_dict(), allow_nan=False))


def test_too_many_groups(release, monkeypatch):
    monkeypatch.setattr(import_module("dprivacy.release.receiving.sql_queries"), "MOST_CELLS", 2)
    answer = query(release, "SELECT h, count(*) FROM data GROUP BY h")
    assert answer.corrected is None
    assert "too many groups" in answer.note


def test_a_column_under_another_name(tmp_path):
    plan = Plan.read({"columns": {"hobby": {**LETTERS, "columns": ["Q17"]}, "home": PLACE}})
    rows = "".join(f"{h},1,2\n" for h in "abc" * 200)
    (tmp_path / "in.csv").write_text("Q17,x,y\n" + rows)
    sanitise_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    release = received(tmp_path / "out.csv")
    assert query(release, "SELECT Q17, count(*) FROM data GROUP BY Q17").corrected is not None
    answer = query(release, "SELECT Q17, count(*) FROM data WHERE Q17 <> 'a' GROUP BY Q17")
    assert answer.corrected is None
    assert query(release, "SELECT Q17, count(*) FROM data WHERE x > 1 GROUP BY 1").corrected is None
