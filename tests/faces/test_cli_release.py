"""The commands of a release, as a person runs them: a process, its words, its exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = """
title = "Survey"
drop = ["name"]
pass_through = ["region"]

[columns.hobby]
type = "categories"
values = ["sports", "cars", "reading"]
epsilon = "ln 5"

[columns.age]
type = "ordered"
values = [1, 2, 3, 4]
epsilon = "ln 2"
"""
CANARY = "CANARY-7f3a"
GROUPED = "SELECT hobby, count(*) AS k FROM data GROUP BY hobby ORDER BY hobby"


def run(*arguments: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dprivacy", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, cwd=folder
    )


def good(*arguments: str | Path, folder: Path | None = None) -> str:
    done = run(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def refused(*arguments: str | Path, folder: Path | None = None, code: int = 1) -> str:
    """One line on stderr that begins with error:, nothing on stdout."""
    done = run(*arguments, folder=folder)
    assert done.returncode == code, done
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    assert CANARY not in done.stderr
    return lines[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hobbies, regions = ["sports", "sports", "cars", "reading"], ["north", "south"]
    rows = [f"p{k},{regions[k % 2]},{hobbies[k % 4]},{1 + k % 4}" for k in range(800)]
    (tmp_path / "survey.csv").write_text("name,region,hobby,age\n" + "\n".join(rows) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("released")
    hobbies, regions = ["sports", "sports", "cars", "reading"], ["north", "south"]
    rows = [f"p{k},{regions[k % 2]},{hobbies[k % 4]},{1 + k % 4}" for k in range(800)]
    (place / "survey.csv").write_text("name,region,hobby,age\n" + "\n".join(rows) + "\n")
    (place / "plan.toml").write_text(PLAN)
    good("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.parquet", folder=place)
    return place


class TestInspect:
    def test_a_plan_comes_out(self, folder: Path) -> None:
        text = good("inspect", "survey.csv", folder=folder)
        assert '[columns.hobby]\ntype = "categories"' in text
        assert 'drop = ["name"]' in text
        (folder / "first.toml").write_text(text)
        line = refused("sanitise", "survey.csv", "-p", "first.toml", "-o", "o.csv", folder=folder)
        assert "were read off the data" in line
        assert not (folder / "o.csv").exists()

    def test_another_level(self, folder: Path) -> None:
        assert 'epsilon = "ln 9"' in good(
            "inspect", "survey.csv", "--epsilon", "ln 9", folder=folder
        )

    def test_refusals(self, folder: Path) -> None:
        assert "no such file" in refused("inspect", "none.csv", folder=folder)
        assert "greater than 0" in refused("inspect", "survey.csv", "--epsilon", "0", folder=folder)


class TestPlan:
    def test_words(self, folder: Path) -> None:
        text = good("plan", "plan.toml", "--rows", "800", "--points", "3", folder=folder)
        assert "by at most 40" in text
        assert "With 800 rows:" in text
        assert "hobby: chance of each released value" in text
        assert "smallest ε for hobby is" in text

    def test_json(self, folder: Path) -> None:
        answer = json.loads(good("plan", "plan.toml", "--points", "3", "--json", folder=folder))
        assert answer["rows"] == 1000
        assert set(answer["smallest_epsilon"]) == {"hobby"}
        assert answer["guarantee"]["not_protected"] == ["region"]

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ("x = = 1", "not TOML"),
            ("[columns.h]\ntype = 'categories'\nvalues = ['a','b']", "epsilon is missing"),
            (PLAN.replace('"ln 5"', "nan"), "cannot read the level"),
            (PLAN + 'mechanism = "laplace"\n', "laplace does not fit a column of type ordered"),
        ],
    )
    def test_plans_that_are_none(self, folder: Path, text: str, part: str) -> None:
        (folder / "bad.toml").write_text(text)
        assert part in refused("plan", "bad.toml", folder=folder)

    def test_no_rows(self, folder: Path) -> None:
        assert "at least one row" in refused("plan", "plan.toml", "--rows", "0", folder=folder)

    def test_a_precision_that_cannot_be_had(self, folder: Path) -> None:
        refused("plan", "plan.toml", "--points", "0", folder=folder)


class TestSanitise:
    def test_words_and_files(self, folder: Path) -> None:
        text = good("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert text.startswith("Survey: 800 rows, 2 protected columns.")
        assert "not protected: region" in text
        assert "Wrote out.csv and out.csv.card.json." in text
        assert (folder / "out.csv").read_text().splitlines()[0] == '"region","hobby","age"'
        left = {"survey.csv", "plan.toml", "out.csv", "out.csv.card.json"}
        assert {path.name for path in folder.iterdir()} == left

    def test_json_is_the_card(self, folder: Path) -> None:
        text = good(
            "sanitise", "survey.csv", "-p", "plan.toml", "-o", "o.parquet", "--json", folder=folder
        )
        stored = json.loads((folder / "o.parquet.card.json").read_text())
        assert json.loads(text) == stored["body"]
        assert json.loads(text)["holds"] is True

    def test_an_output_that_exists(self, folder: Path) -> None:
        wanted = ["sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv"]
        good(*wanted, folder=folder)
        assert "already exists; choose another name, or pass --replace" in refused(
            *wanted, folder=folder
        )
        line = refused(*wanted, "--replace", folder=folder)
        assert "survey.csv was released before" in line
        good(*wanted, "--replace", "--again", "the first one was lost", folder=folder)

    @pytest.mark.parametrize(
        ("content", "part"),
        [
            (f"name,region,hobby,age\nx,n,{CANARY},1\n", "column 'hobby', row 0: holds a value"),
            (f"name,region,hobby,age\nx,n,cars,1\nx,n,cars,{CANARY}\n", "column 'age', row 1"),
            (f"name,region,hobby,age\n{CANARY}\n", "ragged rows"),
            ("name,region,hobby,age,more\nx,n,cars,1,2\n", "nothing of the column 'more'"),
        ],
    )
    def test_bad_tables(self, folder: Path, content: str, part: str) -> None:
        (folder / "survey.csv").write_text(content)
        line = refused("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert part in line
        assert {path.name for path in folder.iterdir()} == {"survey.csv", "plan.toml"}

    def test_other_refusals(self, folder: Path) -> None:
        wanted = ["sanitise", "survey.csv", "-p", "plan.toml", "-o"]
        assert "would replace the source" in refused(
            *wanted, "survey.csv", "--replace", folder=folder
        )
        assert "cannot be written to" in refused(*wanted, "none/out.csv", folder=folder)

    def test_wrong_usage(self, folder: Path) -> None:
        done = run("sanitise", "survey.csv", folder=folder)
        assert done.returncode == 2
        assert "--plan" in done.stderr

    def test_a_warning_is_one_line(self, folder: Path) -> None:
        blocks = '\nblocks = [["sports"], ["cars", "reading"]]\n'
        (folder / "plan.toml").write_text(PLAN.replace('"ln 5"', '"ln 5"' + blocks))
        done = run("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert done.returncode == 0
        assert done.stderr == (
            "warning: column 'hobby': which block a value is in is published as it is\n"
        )
        assert "the block of hobby" in done.stdout

    def test_an_acknowledged_domain_is_void(self, folder: Path) -> None:
        marked = PLAN.replace('"ln 5"', '"ln 5"\nsource = "data, acknowledged"')
        (folder / "plan.toml").write_text(marked)
        text = good("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert "NO GUARANTEE: the list of values for hobby was taken from the data." in text

    def test_there_is_no_seed(self, folder: Path) -> None:
        done = run(
            "sanitise", "survey.csv", "-p", "plan.toml", "-o", "o.csv", "--seed", "1", folder=folder
        )
        assert done.returncode == 2


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

    def test_refusals(self, released: Path) -> None:
        wanted = ["estimate", "out.parquet"]
        assert "no column 'q'" in refused(*wanted, "--column", "q", folder=released)
        assert "does not hold numbers" in refused(
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
        done = run("estimate", "out.parquet", "--estimator", "magic", folder=released)
        assert done.returncode == 2


class TestQuery:
    def test_words(self, released: Path) -> None:
        text = good("query", "out.parquet", GROUPED, folder=released)
        head, *rows = text.splitlines()
        assert head.split()[:3] == ["hobby", "k", "corrected"]
        assert len(rows) == 4

    def test_json(self, released: Path) -> None:
        answer = json.loads(good("query", "out.parquet", GROUPED, "--json", folder=released))
        assert answer["columns"] == ["hobby", "k"]
        assert sum(row[1] for row in answer["rows"]) == 800
        assert sum(count for count, _ in answer["corrected"]) == pytest.approx(800)

    def test_values_of_any_type_are_json(self, released: Path) -> None:
        sql = "SELECT DATE '2020-01-01' d, 1.5::DECIMAL(4, 2) x, NULL z, 'nan'::DOUBLE n, [1, 2] l"
        answer = json.loads(good("query", "out.parquet", sql, "--json", folder=released))
        assert len(answer["rows"][0]) == 5

    def test_refusals(self, released: Path) -> None:
        (released / "secret.csv").write_text(f"s\n{CANARY}\n")
        for sql in (
            "SELECT * FROM 'secret.csv'",
            "COPY data TO 'stolen.csv'",
        ):
            refused("query", "out.parquet", sql, folder=released)
        assert not (released / "stolen.csv").exists()
        done = run("query", "out.parquet", folder=released)
        assert done.returncode == 2


class TestDemo:
    def test_from_nothing_to_estimates(self, tmp_path: Path) -> None:
        text = good("demo", "-o", "d", folder=tmp_path)
        assert "Leisure survey (invented): 1,200 rows, 3 protected columns." in text
        assert "4. Estimate." in text
        names = {"survey.csv", "plan.toml", "released.csv", "released.csv.card.json"}
        assert {path.name for path in (tmp_path / "d").iterdir()} == names
        good("demo", "-o", "d", folder=tmp_path)
        good("estimate", "d/released.csv", folder=tmp_path)

    def test_somebodys_plan_is_kept(self, tmp_path: Path) -> None:
        (tmp_path / "plan.toml").write_text("mine")
        assert "is not the demo's" in refused("demo", "-o", ".", folder=tmp_path)
        assert (tmp_path / "plan.toml").read_text() == "mine"


def test_the_commands_are_listed() -> None:
    text = good("--help")
    for name in ("inspect", "plan", "sanitise", "estimate", "query", "demo"):
        assert name in text
    assert "Example" in good("sanitise", "--help")


def test_a_table_from_a_path_with_odd_letters(folder: Path) -> None:
    place = folder / "ordner mit ä ✓"
    place.mkdir()
    os.rename(folder / "survey.csv", place / "sürvey.csv")
    target = place / "aus gabe.parquet"
    good("sanitise", place / "sürvey.csv", "-p", folder / "plan.toml", "-o", target)
    assert "hobby" in good("estimate", target, "--column", "hobby")
    assert "hobby" in good("query", target, GROUPED)
