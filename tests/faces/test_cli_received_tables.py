"""Reading a released table: estimate, regress, query."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from dprivacy.release import sanitise
from support.command_runs import CANARY, GROUPED, command, good, refused, small_survey


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = small_survey(tmp_path_factory.mktemp("released"))
    good("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.parquet", folder=place)
    return place


class TestEstimate:
    def test_words(self, released: Path) -> None:
        text = good("estimate", "out.parquet", folder=released)
        assert "hobby" in text
        assert "sports" in text
        assert "age" in text

    @pytest.mark.parametrize("estimator", ["ibu", "inverse"])
    def test_json(self, released: Path, estimator: str) -> None:
        text = good(
            "estimate", "out.parquet", "--column", "hobby", "--estimator", estimator, "--json",
            folder=released,
        )  # fmt: skip
        answer = json.loads(text)
        assert set(answer) == {"hobby"}

    def test_against_other_columns(self, released: Path) -> None:
        wanted = ["estimate", "out.parquet", "--column", "hobby", "--by", "region, age", "--json"]
        answer = json.loads(good(*wanted, folder=released))
        assert answer["hobby"]["labels"][1] == ["north", "south"]
        cells = [n for plane in answer["hobby"]["counts"] for row in plane for n in row]
        assert sum(cells) == pytest.approx(800)

    def test_means(self, released: Path) -> None:
        wanted = ["estimate", "out.parquet", "--column", "age", "--mean", "--json"]
        assert "age" in json.loads(good(*wanted, folder=released))

    def test_means_of_what_has_one(self, released: Path) -> None:
        text = good("estimate", "out.parquet", "--mean", folder=released)
        assert "mean of age, of the table (800 rows)" in text
        assert "Not numbers, and left out: hobby" in text

    def test_conditions_shares_and_quantiles(self, released: Path) -> None:
        wanted = ["estimate", "out.parquet"]
        text = good(*wanted, "--where", "age>=40", "--by", "region", folder=released)
        assert "count of rows, where age>=40, of the table (800 rows)" in text
        assert "north" in text
        text = good(*wanted, "--where", "hobby=sports", "--share", folder=released)
        assert "share of rows, where hobby=sports" in text
        text = good(*wanted, "--column", "age", "--quantile", "0.5", folder=released)
        assert "0.5 quantile of age" in text
        text = good(*wanted, "--column", "hobby", "--of", "population", folder=released)
        assert "of the population" in text

    @pytest.mark.parametrize("ending", ["csv", "parquet", "json", "tex", "svg"])
    def test_files(self, released: Path, ending: str) -> None:
        for name, more in (
            ("one", ["--column", "hobby"]),
            ("two", ["--column", "hobby", "--by", "region,age"]),
            ("mean", ["--mean", "--by", "region"]),
            ("all", []),
        ):
            output = released / f"{name}.{ending}"
            text = good("estimate", "out.parquet", *more, "-o", output.name, folder=released)
            assert f"Wrote {output.name}." in text
            assert output.stat().st_size > 50
        again = ["estimate", "out.parquet", "-o", f"one.{ending}"]
        assert "already exists" in refused(*again, folder=released)
        good(*again, "--replace", folder=released)

    def test_a_file_of_several_columns_says_which(self, released: Path) -> None:
        good("estimate", "out.parquet", "-o", "several.csv", folder=released)
        head, *rows = (released / "several.csv").read_text().splitlines()
        assert head.split(",")[:3] == ["column", "label", "estimate"]
        assert {row.split(",")[0] for row in rows} == {"hobby", "age"}

    def test_refusals(self, released: Path) -> None:
        wanted = ["estimate", "out.parquet"]
        assert "'age' is protected" in refused(
            *wanted, "--where", "hobby=sports", "--weights", "age", folder=released
        )
        assert "ending of a file of estimates" in refused(*wanted, "-o", "x.doc", folder=released)
        assert "no column 'q'" in refused(*wanted, "--column", "q", folder=released)
        assert "holds words, which have no size" in refused(
            *wanted, "--column", "hobby", "--mean", folder=released
        )
        assert "against itself" in refused(
            *wanted, "--column", "hobby", "--by", "hobby", folder=released
        )
        refused(*wanted, "--confidence", "2", folder=released)
        assert "card of the release is missing" in refused(
            "estimate", "survey.csv", folder=released
        )
        assert "plan.toml: not JSON" in refused(*wanted, "--card", "plan.toml", folder=released)

    def test_wrong_usage(self, released: Path) -> None:
        for more in (
            ["--estimator", "magic"],
            ["--mean", "--total"],
            ["--share"],
        ):
            assert command("estimate", "out.parquet", *more, folder=released).code == 2


class TestQuery:
    def test_words(self, released: Path) -> None:
        text = good("query", "out.parquet", GROUPED, folder=released)
        head, *rows = text.splitlines()
        assert head.split()[:4] == ["hobby", "k", "±", "s.e."]
        assert len(rows) == 4
        assert rows[-1].startswith("corrected by score")

    def test_json(self, released: Path) -> None:
        answer = json.loads(good("query", "out.parquet", GROUPED, "--json", folder=released))
        assert answer["columns"] == ["hobby", "k"]
        assert sum(row[1] for row in answer["rows"]) == pytest.approx(800)
        assert all(line[1]["error"] > 0 for line in answer["spreads"])

    def test_values_of_any_type_are_json(self, released: Path) -> None:
        sql = "SELECT DATE '2020-01-01' d, 1.5::DECIMAL(4, 2) x, NULL z, 'nan'::DOUBLE n, [1, 2] l"
        answer = json.loads(good("query", "out.parquet", sql, "--json", folder=released))
        assert len(answer["rows"][0]) == 5

    def test_raw(self, released: Path) -> None:
        text = good("query", "out.parquet", "SELECT * FROM data LIMIT 2", "--raw", folder=released)
        assert [line.split()[-1] for line in text.splitlines()[:3]] == ["answer", "raw", "raw"]

    def test_exact_tables_are_joined(self, released: Path) -> None:
        (released / "kinds.csv").write_text("hobby,kind\nsports,out\ncars,out\n")
        sql = "SELECT kind, count(*) AS n FROM data JOIN kinds USING (hobby) GROUP BY kind"
        words = ("query", "out.parquet", sql, "--with", "kinds=kinds.csv", "--of", "population")
        assert "true population" in good(*words, folder=released)
        done = command("query", "out.parquet", sql, "--with", "kinds.csv", folder=released)
        assert done.code == 2
        assert "--with should be NAME=FILE" in done.err

    def test_refusals(self, released: Path) -> None:
        (released / "secret.csv").write_text(f"s\n{CANARY}\n")
        for sql in (
            "SELECT * FROM 'secret.csv'",
            "COPY data TO 'stolen.csv'",
            "SELECT max(hobby) FROM data",
        ):
            refused("query", "out.parquet", sql, folder=released)
        assert not (released / "stolen.csv").exists()
        done = command("query", "out.parquet", folder=released)
        assert done.code == 2


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 people: half of the north smokes, a tenth of the south; incomes 1 + 2 of smokers."""
    place = tmp_path_factory.mktemp("regress")
    rows = []
    for k in range(4000):
        north = k % 2
        smokes = (k // 2) % 10 < (5 if north else 1)
        rows.append(f"{'north' if north else 'south'},{'yes' if smokes else 'no'},{1 + 2 * smokes}")
    (place / "t.csv").write_text("region,smokes,income\n" + "\n".join(rows) + "\n")
    (place / "plan.toml").write_text(
        'pass_through = ["region", "income"]\n[columns.smokes]\ntype = "categories"\n'
        'values = ["no", "yes"]\nepsilon = "ln 9"\n'
    )
    assert command("sanitise", "t.csv", "-p", "plan.toml", "-o", "r.csv", folder=place).code == 0
    return place


class TestRegression:
    def test_a_protected_outcome(self, people: Path) -> None:
        words = ("regress", "r.csv", "smokes ~ region", "--json")
        found = json.loads(command(*words, folder=people).out)
        south = found["coefficients"]["region=south"]
        # The true log odds: ln(1/9) − ln(1) = −2.197; the band is more than six errors wide.
        assert found["standard_errors"]["region=south"] < 0.17
        assert abs(south + 2.197) < 1.1

    def test_a_protected_covariate(self, people: Path) -> None:
        words = ("regress", "r.csv", "income ~ smokes", "--family", "linear", "--json")
        found = json.loads(command(*words, folder=people).out)["coefficients"]
        # Uncorrected, the slope would be nearer to 1.
        assert found["intercept"] == pytest.approx(1, abs=0.15)
        assert found["smokes=yes"] == pytest.approx(2, abs=0.3)

    def test_refusals(self, people: Path) -> None:
        for model, words in (
            ("smokes ~ q", "not 'q'"),
            ("smokes ~ smokes", "is the outcome"),
            ("smokes", "ends early"),
        ):
            assert words in refused("regress", "r.csv", model, folder=people)
        asked = ("regress", "r.csv", "income ~ region", "--weights", "smokes")
        assert "is protected" in refused(*asked, folder=people)

    def test_words_survey_and_picture(self, people: Path) -> None:
        asked = ("regress", "r.csv", "smokes ~ region", "--order", "yes,no", "--clusters", "region")
        assert "2 coefficients need more than 2 clusters" in refused(*asked, folder=people)
        asked = ("regress", "r.csv", "income ~ smokes", "--weights", "income", "--of", "table")
        text = good(*asked, "-o", "c.svg", folder=people)
        assert "Regression(linear, n = 4,000)" in text
        assert "about the true table" in text
        assert "Wrote c.svg" in text
        assert "<svg" in (people / "c.svg").read_text()
        good(*asked, "-o", "c.csv", folder=people)
        head, *rows = (people / "c.csv").read_text().splitlines()
        assert head == "term,estimate,standard_error,low,high,of,method"
        assert [row.split(",")[0] for row in rows] == ["intercept", "smokes=yes"]
        assert "already exists" in refused(*asked, "-o", "c.csv", folder=people)
        assert ".txt" in refused(*asked, "-o", "c.txt", folder=people)


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_names_in_a_card_do_not_steer_the_terminal(tmp_path, how):
    """ESC ] 0 ; sets a window's title, and the single character U+009B does what ESC [ does."""
    column, values = "te\x1b]0;owned\x07a", ["yes\x9b2J", "no\x1b]52;c;x\x07"]
    plan = {"columns": {column: {"type": "categories", "values": values, "epsilon": "ln 3"}}}
    sanitise(pa.table({column: values * 50}), plan).save(tmp_path / "out.csv")
    for asked in (["estimate", "out.csv"], ["verify", "out.csv.card.json"]):
        done = command(*asked, *how, folder=tmp_path)
        assert done.code == 0, done
        assert not {*"\x1b\x07\x9b"} & {*done.out, *done.err}
        if how:
            json.loads(done.out)
