"""Releasing a table: inspect, plan, sanitise."""

import json
import os
from pathlib import Path

import pytest

from dprivacy.cli import progress_line
from dprivacy.release import Plan
from dprivacy.store import save
from support.command_runs import CANARY, GROUPED, SURVEY_PLAN, command, good, refused, small_survey


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_survey(tmp_path)


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
        assert "does not exist" in refused("inspect", "none.csv", folder=folder)
        assert "greater than 0" in refused("inspect", "survey.csv", "--epsilon", "0", folder=folder)


class TestPlan:
    def test_words(self, folder: Path) -> None:
        text = good("plan", "plan.toml", "--rows", "800", "--points", "3", folder=folder)
        assert "by at most 40, whatever they know already" in text.splitlines()[1]
        assert "with 800 rows, of a corrected proportion in percentage points" in text
        assert "need an ε of at least: hobby 2.533." in text
        assert "probability of each released value" not in text

    def test_changes_of_a_column_are_shown_when_asked_for(self, folder: Path) -> None:
        text = good("plan", "plan.toml", "--transitions", "hobby", folder=folder)
        assert "hobby: probability of each released value" in text
        strange = refused("plan", "plan.toml", "--transitions", "tea", folder=folder)
        assert "does not protect a column 'tea'" in strange

    def test_json(self, folder: Path) -> None:
        answer = json.loads(good("plan", "plan.toml", "--points", "3", "--json", folder=folder))
        assert answer["rows"] == 1000
        assert set(answer["smallest_epsilon"]) == {"hobby"}
        assert answer["guarantee"]["not_protected"] == ["region"]

    def test_a_stored_plan_is_a_plan(self, folder: Path) -> None:
        save(Plan.read(folder / "plan.toml"), folder / "plan.json")
        stored = (folder / "plan.json").read_text()
        words = good("plan", "plan.toml", folder=folder)
        assert good("plan", "plan.json", folder=folder) == words
        assert command("plan", "-", stdin=stored, folder=folder).out == words
        told = good("sanitise", "survey.csv", "-p", "plan.json", "-o", "out.csv", folder=folder)
        assert told.startswith("Survey: 800 rows, 2 protected columns.")

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ("x = = 1", "not TOML"),
            ('{"columns": {}}', "not a file of dprivacy"),
            ("[columns.h]\ntype = 'categories'\nvalues = ['a','b']", "epsilon is missing"),
            (SURVEY_PLAN.replace('"ln 5"', "nan"), "cannot read the level"),
            (
                SURVEY_PLAN + 'mechanism = "laplace"\n',
                "laplace does not fit a column of type ordered",
            ),
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
        done = command("sanitise", "survey.csv", folder=folder)
        assert done.code == 2
        assert "--plan" in done.err

    def test_a_warning_is_one_line(self, folder: Path) -> None:
        blocks = '\nblocks = [["sports"], ["cars", "reading"]]\n'
        (folder / "plan.toml").write_text(SURVEY_PLAN.replace('"ln 5"', '"ln 5"' + blocks))
        done = command("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert done.code == 0
        assert done.err == (
            "warning: column 'hobby': which block a value is in is published as it is\n"
        )
        assert "the block of hobby" in done.out

    def test_an_acknowledged_domain_is_void(self, folder: Path) -> None:
        marked = SURVEY_PLAN.replace('"ln 5"', '"ln 5"\nsource = "data, acknowledged"')
        (folder / "plan.toml").write_text(marked)
        text = good("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
        assert "NO GUARANTEE: the list of values for hobby was taken from the data." in text

    def test_there_is_no_seed(self, folder: Path) -> None:
        done = command(
            "sanitise", "survey.csv", "-p", "plan.toml", "-o", "o.csv", "--seed", "1", folder=folder
        )
        assert done.code == 2


def test_a_table_from_a_path_with_odd_letters(folder: Path) -> None:
    place = folder / "ordner mit ä ✓"
    place.mkdir()
    os.rename(folder / "survey.csv", place / "sürvey.csv")
    target = place / "aus gabe.parquet"
    good("sanitise", place / "sürvey.csv", "-p", folder / "plan.toml", "-o", target)
    assert "hobby" in good("estimate", target, "--column", "hobby")
    assert "hobby" in good("query", target, GROUPED)


class TestShuffle:
    """From a plan to a proved file, as a person would do it."""

    HOW = ("sanitise", "survey.csv", "-p", "plan.toml", "-o", "out.csv", "--shuffle")

    def test_the_way_to_a_proved_file(self, folder: Path) -> None:
        told = good(*self.HOW, "--delta", "1e-6", folder=folder)
        assert "Whoever sees only this table:" in told
        assert "Rows hide among rows with the same region" in told
        proved = good("verify", "out.csv.card.json", "out.csv", folder=folder)
        assert "that its rows are sorted, without names" in proved
        lines = (folder / "out.csv").read_text().splitlines()
        (folder / "out.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
        assert command("verify", "out.csv.card.json", "out.csv", folder=folder).code == 3

    def test_without_a_delta(self, folder: Path) -> None:
        line = refused(*self.HOW, folder=folder)
        assert "pass delta= (--delta), for n rows at most 1/n²" in line
        line = refused(*self.HOW[:-1], "--delta", "1e-6", folder=folder)
        assert "pass shuffle=True (--shuffle) as well" in line

    def test_a_plan_shows_both(self, folder: Path) -> None:
        how = ("plan", "plan.toml", "--rows", "800", "--shuffle", "--delta", "1e-6")
        assert "(group=, --group)" in refused(*how, folder=folder)
        text = good(*how, "--group", "200", folder=folder)
        assert "by at most 40, whatever they know already" in text.splitlines()[1]
        assert "Released sorted, without order and names:" in text
        assert "pass delta=" in refused("plan", "plan.toml", "--shuffle", folder=folder)


class TestInterrupted:
    def test_ctrl_c_leaves_a_job_that_goes_on(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = ("sanitise", "survey.csv", "-p", "plan.toml", "-o", "o.csv")

        def pressed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(progress_line.Counter, "__call__", pressed)
            done = command(*words, folder=folder)
        assert (done.code, done.out) == (130, "")
        assert "o.csv: the job was interrupted; pass --resume to go on with the noise" in done.err
        assert not (folder / "o.csv").exists()
        assert "a job for it stopped before it was done" in refused(*words, folder=folder)
        good(*words, "--resume", folder=folder)
        assert (folder / "o.csv").exists()
        assert not list(folder.glob(".o.csv*"))

    def test_lines_of_progress_where_they_are_asked_for(self, folder: Path) -> None:
        words = ("sanitise", "survey.csv", "-p", "plan.toml", "-o", "o.csv", "--progress")
        rows = len((folder / "survey.csv").read_text().splitlines()) - 1
        assert f"{rows:,} rows" in command(*words, folder=folder).err
