"""``dprivacy verify`` as a person runs it: its words, its exit code."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dprivacy.numbers import as_level as level, ln
from support.command_runs import Run, command
from support.written_tables import WAYS

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
        ("x,a,b\n0,1,0\n1,1\n", ["ragged", "row 2"]),
        ("x,a,b\n0,-1,2\n1,1,0\n", ["row 1, column 1 is not between 0 and 1"]),
        ("x,a,b\n0,nan,1\n1,1,0\n", ["row 1, column 1 is not a number"]),
        ("x,a,a\n0,1/2,1/2\n1,1,0\n", ["column 1 and column 2 have the same label"]),
        ("x,a,b\n0,1,0\n0,1,0\n", ["row 1 and row 2 have the same label"]),
        ("x,a,b\n0,one,0\n1,1,0\n", ["row 1, column 1 is not a number"]),
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


def test_a_matrix_as_r_writes_it_is_a_print_of_fifteen_decimals(tmp_path: Path) -> None:
    file = tmp_path / "pram.csv"
    third = "0.333333333333333"
    file.write_text(
        f'"","a","b","c"\n"a",{third},{third},{third}\n"b",.25,.5,.25\n"c",.25,.25,.5\n'
    )
    done = run(file, "--json")
    assert done.code == 0
    found = json.loads(done.out)
    low, high = (level(found[key]) for key in ("at_least", "smallest"))
    assert low < ln(2) < high
    assert float(high - low) < 1e-14
    assert run(file, "--epsilon", "0.6931471805600").code == 0
    assert run(file, "--epsilon", "0.6931471805599").code == 3
    file.write_text('"";"a";"b"\n"a";0,7;0,25\n"b";0,25;0,75\n')  # no rounding explains 0.95
    assert run(file).code == 1


def test_three_decimals_are_exact_until_they_are_said_to_be_a_print(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(",a,b\na,0.990,0.010\nb,0.001,0.999\n")
    exact = run(file)
    assert "The smallest ε is exactly ln(990)" in exact.out
    assert "--printed bounds what that hides" in exact.out
    rounded = run(file, "--printed")
    # 0.9905/0.0005 = 1981 and 0.9895/0.0015 = 1979/3, by hand
    assert "at least ln(1979/3) ≈ 6.492 and could be as high as ln(1981) ≈ 7.591" in rounded.out
    assert "--printed" not in rounded.out
    answers = {eps: run(file, "--printed", "--epsilon", eps) for eps in ("8", "7", "6")}
    assert [answers[eps].code for eps in ("8", "7", "6")] == [0, 3, 3]
    assert answers["8"].out.splitlines()[3].startswith("Yes: every matrix that prints so is")
    assert "Undecided: the bounds of the print leave open whether" in answers["7"].out
    assert "No: no matrix that prints so is" in answers["6"].out


def test_rows_that_miss_1_by_a_rounding_are_a_print_and_others_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(",a,b,c\na,0.333,0.333,0.333\nb,0.200,0.300,0.500\n")
    assert "could be as high as" in run(file).out
    for verb in ("leakage", "compare"):
        files = [str(file)] * (2 if verb == "compare" else 1)
        line = command(verb, *files).err
        assert "--normalise" in line
        done = command(verb, *files, "--normalise")
        assert done.code == 0
        assert "rows divided by their sums" in done.err
    file.write_text(",a,b,c\na,0.333,0.333,0.332\nb,0.200,0.300,0.500\n")
    assert "its probabilities sum to 499/500" in run(file).err


STORED = {
    "json": '{"rows": ["a", "b c"], "columns": ["a", "b c"], "matrix": [[0.75, 0.25], [0.125, "7/8"]]}',
    "nested lists": "[[0.75, 0.25], [0.125, 0.875]]",
}


@pytest.mark.parametrize("way", [*WAYS, *STORED, "npy"])
def test_what_verify_takes_leakage_and_compare_take(way: str, tmp_path: Path) -> None:
    """Whatever the file is called: its beginning says what it is."""
    file = tmp_path / "matrix"
    if way == "npy":
        with file.open("wb") as opened:
            np.save(opened, np.array([[0.75, 0.25], [0.125, 0.875]]))
    else:
        file.write_text({**WAYS, **STORED}[way])
    found = json.loads(run(file, "--json").out)
    assert found["smallest_float"] == pytest.approx(math.log(6))  # 0.75/0.125
    leaks = json.loads(command("leakage", file, "--json").out)
    assert leaks["capacity"] in ("13/8", 1.625)
    assert leaks["gains"]["identity"]["after"] in ("13/16", 0.8125)
    assert command("compare", file, file).code == 0
    if way != "npy":
        assert json.loads(command("verify", "-", "--json", stdin=file.read_text()).out) == found
