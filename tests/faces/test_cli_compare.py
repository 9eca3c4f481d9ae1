"""``dprivacy compare``: its words, its data, its exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.compare import compare
from dprivacy.errors import DPrivacyError

OLD = "x,a,b,c\n0,2/3,1/6,1/6\n1,1/3,1/3,1/3\n2,1/6,1/6,2/3\n"
NEW = "x,a,b,c\n0,0.6,0.2,0.2\n1,0.2,0.6,0.2\n2,0.2,0.2,0.6\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "old.csv").write_text(OLD)
    (tmp_path / "new.csv").write_text(NEW)
    return str(tmp_path / "old.csv"), str(tmp_path / "new.csv")


def run(*arguments: str):
    return CliRunner().invoke(compare, list(arguments))


def test_all_orders_at_once(files) -> None:
    done = run(*files, "--space", "discrete")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "space: discrete, any two at distance 1"
    assert lines[2] == "on average, against every adversary: neither is as safe as the other"
    assert "for privacy on this space: new is the safer" in lines
    assert "0 and 1 are told apart to ln(3)" in done.output


def test_as_data(files) -> None:
    answer = json.loads(run(*files, "--space", "line", "--json").output)
    forth, back = answer["first_refined_by_second"], answer["second_refined_by_first"]
    assert forth["space"]["holds"] is False
    assert back["space"]["holds"] is True
    assert forth["average"]["gain"]["exact"] is True


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--require", "average"], 3),
        (["--require", "private"], 3),
        (["--space", "discrete", "--require", "space"], 0),
        (["--space", "line", "--require", "space"], 3),
        (["--require", "space"], 2),
    ],
)
def test_exit_codes(files, arguments, code) -> None:
    assert run(*files, *arguments).exit_code == code


def test_the_same_file_twice(files) -> None:
    done = run(files[0], files[0], "--require", "average")
    assert done.exit_code == 0
    assert "A and B are equally safe" in done.output


def test_a_table_of_distances(files, tmp_path) -> None:
    (tmp_path / "d.csv").write_text("x,0,1,2\n0,0,1,2\n1,1,0,1\n2,2,1,0\n")
    assert run(*files, "--space", str(tmp_path / "d.csv")).exit_code == 0


def test_other_inputs_are_refused(files, tmp_path) -> None:
    (tmp_path / "other.csv").write_text("x,a,b\n7,1/2,1/2\n8,1/2,1/2\n")
    done = run(files[0], str(tmp_path / "other.csv"))
    assert isinstance(done.exception, DPrivacyError)
    assert "inputs" in str(done.exception)
