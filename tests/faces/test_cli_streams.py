"""Standard input and output in the place of files, and progress on the error stream."""

import json
from pathlib import Path

from support.command_runs import OLD, command


class TestStreams:
    def test_a_matrix_from_standard_input(self) -> None:
        done = command("verify", "-", "--space", "line", "--json", stdin=OLD)
        assert json.loads(done.out)["smallest"] == "ln(2)"
        done = command("verify", "-", "--json", stdin='[["3/4", "1/4"], ["1/4", "3/4"]]')
        assert json.loads(done.out)["smallest"] == "ln(3)"

    def test_errors_call_it_by_its_name(self) -> None:
        done = command("verify", "-", stdin="nothing")
        assert done.code == 1
        assert done.err.startswith("error: standard input: needs a line")

    def test_only_once(self) -> None:
        assert command("compare", "-", "-", stdin=OLD).code == 2

    def test_a_table_and_a_plan(self, tmp_path: Path) -> None:
        command("demo", "-o", tmp_path)
        table = (tmp_path / "survey.csv").read_text()
        plan = command("inspect", "-", stdin=table).out
        assert "[columns.hobby]" in plan
        assert command("plan", "-", stdin=(tmp_path / "plan.toml").read_text()).code == 0
        before = set(Path("/tmp").glob("dprivacy-*"))
        done = command(
            "sanitise", "-", "-p", tmp_path / "plan.toml", "-o", tmp_path / "out.csv", stdin=table
        )
        assert done.code == 0, done.err
        assert len((tmp_path / "out.csv").read_text().splitlines()) == 1201
        assert set(Path("/tmp").glob("dprivacy-*")) <= before  # nothing is left behind
        sql = "SELECT count(*) AS n FROM data"
        asked = command("query", tmp_path / "out.csv", "-", "--json", stdin=sql)
        assert json.loads(asked.out)["rows"] == [[1200]]

    def test_a_mechanism_to_standard_output(self) -> None:
        words = ("optimal", "--space", "line:3", "--epsilon", "ln 2", "-o", "-")
        done = command(*words)
        assert json.loads(done.out)
        assert "proved" in done.err
        assert command(*words, "--json").code == 2

    def test_matches_to_standard_output(self, tmp_path: Path) -> None:
        ratings = "user,item,rating\n" + "".join(f"p{k},a,{k}\np{k},b,1\n" for k in range(4))
        words = ("match", "-", "--epsilon", "1", "-k", "1", "-o", "-")
        done = command(*words, stdin=ratings)
        assert done.out.splitlines()[0] == "person,rank,match,bits_that_differ"
        assert len(done.out.splitlines()) == 5

    def test_progress_only_when_asked_for(self) -> None:
        words = ("kernels", "--space", "line:4", "--count")
        assert command(*words).err == ""
        assert "pairs" in command(*words, "--progress").err
