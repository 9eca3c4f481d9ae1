"""``dprivacy verify`` as a person runs it: its words, its exit code."""

import json
from pathlib import Path

import pytest

from support.command_runs import Run, command

GEOMETRIC = "x,a,b,c\n0,2/3,1/6,1/6\n1,1/3,1/3,1/3\n2,1/6,1/6,2/3\n"


def run(*arguments: str | Path) -> Run:
    return command("verify", *arguments)


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    file = tmp_path / "matrix.csv"
    file.write_text(GEOMETRIC)
    return file


@pytest.mark.parametrize(
    ("example", "code", "words"),
    [
        ("geometric", 0, ["ln(2)", "proved"]),
        # An infinite ε comes with the δ that would do.
        ("broken", 3, ["can follow 'refused' but never 'yes'", "the smallest possible δ is 9/10"]),
    ],
)
def test_the_built_in_examples_are_settled(example: str, code: int, words: list[str]) -> None:
    done = run("--example", example)
    assert done.code == code
    for word in words:
        assert word in done.out


@pytest.mark.parametrize(
    ("metric", "smallest"), [("discrete", "ln(4)"), ("line", "ln(2)"), ("order", "ln(2)")]
)
def test_smallest_eps_depends_on_the_metric(matrix: Path, metric: str, smallest: str) -> None:
    done = run(matrix, "--space", metric, "--json")
    assert done.code == 0
    answer = json.loads(done.out)
    assert answer["smallest"] == smallest
    assert answer["worst"]["x"] in {"0", "1", "2"}


@pytest.mark.parametrize(("eps", "code"), [("ln 2", 0), ("0.7", 0), ("0.69", 3), ("ln(3/2)", 3)])
def test_exit_code_says_whether_it_holds(matrix: Path, eps: str, code: int) -> None:
    assert run(matrix, "--space", "line", "--epsilon", eps).code == code


def test_with_delta(matrix: Path) -> None:
    # On the discrete metric at ε = ln 2 the pair (0, 2) needs 2/3 − 2·1/6 = 1/3.
    for delta, code in [("1/3", 0), ("0.33", 3)]:
        done = run(matrix, "--epsilon", "ln 2", "--delta", delta, "--json")
        assert done.code == code
        assert json.loads(done.out)["delta_needed"] == "1/3"


def test_distances_from_a_file(matrix: Path, tmp_path: Path) -> None:
    distances = tmp_path / "d.csv"
    distances.write_text("d,0,1,2\n0,0,1,ln 4\n1,1,0,1\n2,ln 4,1,0\n")
    done = run(matrix, "--space", distances, "--json")
    # The pair (0, 2) needs ln 4 / ln 4 = 1, the neighbours ln 2 / 1 < 1.
    assert done.code == 0
    assert json.loads(done.out)["smallest"] == "1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,a,b\n0,1/2,1/3\n1,1/2,1/2\n", ["'0'", "less than 1 by 1/6"]),
        ("x,a,b\n0,1,0\n1,1\n", ["ragged", "'1'"]),
        ("x,a,b\n0,-1,2\n1,1,0\n", ["'0'", "'a'", "-1"]),
        ("x,a,b\n0,nan,1\n1,1,0\n", ["'0'", "'a'"]),
        ("x,a,a\n0,1/2,1/2\n1,1,0\n", ["'a'", "twice"]),
        ("x,a,b\n0,1,0\n0,1,0\n", ["'0'", "twice"]),
        ("x,a,b\n0,one,0\n1,1,0\n", ["'one'", "'0'"]),
        ("", ["output labels"]),
        ("\x00\x01", ["output labels"]),
    ],
)
def test_bad_files_are_one_clear_line(tmp_path: Path, text: str, words: list[str]) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    done = run(file)
    assert done.code == 1
    assert done.out == ""
    assert done.err.count("\n") == 1
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("eps", ["0", "-1", "nan", "inf", "ln", "two", "ln 16/7"])
def test_bad_levels_are_refused(matrix: Path, eps: str) -> None:
    done = run(matrix, "--epsilon", eps)
    assert done.code == 1
    assert "ε" in done.err or "level" in done.err


@pytest.mark.parametrize("metric", ["nonsense", "grid:2x2", "hamming:3", "nofile.csv"])
def test_bad_metrics_are_refused(matrix: Path, metric: str) -> None:
    assert run(matrix, "--space", metric).code == 1


def test_wrong_usage_is_code_2(matrix: Path) -> None:
    assert run().code == 2
    assert run(matrix, "--example", "geometric").code == 2
    assert run("--example", "nothing").code == 2


def test_json_files_are_read_exactly(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    # 0.1 is one tenth here, not the nearest double: the row sums are exact.
    file.write_text(
        '{"rows": ["p", "q"], "columns": [1, 2], "matrix": [[0.1, 0.9], ["9/10", 0.1]]}'
    )
    done = run(file, "--json")
    assert done.code == 0
    assert json.loads(done.out)["smallest"] == "ln(9)"


def test_a_matrix_as_r_writes_it_is_read_and_what_was_moved_is_said(tmp_path: Path) -> None:
    file = tmp_path / "pram.csv"
    third = "0.333333333333333"
    file.write_text(
        f'"","a","b","c"\n"a",{third},{third},{third}\n"b",.25,.5,.25\n"c",.25,.25,.5\n'
    )
    done = run(file, "--json")
    assert done.code == 0
    assert json.loads(done.out)["smallest"] == "ln(2)"
    assert "moved by up to" in done.err
    file.write_text('"";"a";"b"\n"a";0,7;0,25\n"b";0,25;0,75\n')  # no rounding explains 0.95
    assert run(file).code == 1
