"""``dprivacy kernels`` and ``dprivacy extreme``: words, JSON, refusals."""

import json

from click.testing import CliRunner

from dprivacy.cli.verbs.kernels import extreme, kernels
from dprivacy.errors import TooLarge, Uncertified


def run(command, *arguments):
    return CliRunner().invoke(command, list(arguments), catch_exceptions=True)


def test_kernels_are_counted():
    done = run(kernels, "--space", "line:5", "--count")
    assert done.exit_code == 0
    assert "187 kernels on 5 points at ε = ln(2)" in done.output


def test_kernels_are_counted_in_json():
    done = run(kernels, "--space", "discrete:4", "--epsilon", "1", "--count", "--json")
    answer = json.loads(done.output)
    assert (answer["space"], answer["kernels"], answer["classes"]) == ("discrete:4", 41, 9)


def test_break_points_are_told_and_written():
    done = run(kernels, "--space", "line:5", "--breaks")
    assert "1.618034 (x² − x − 1): 222 before, 210 at, 218 after" in done.output
    answer = json.loads(run(kernels, "--space", "line:5", "--breaks", "--json").output)
    assert [found["polynomial"] for found in answer["breaks"]][-1] == [-2, 1]
    assert answer["breaks"][-1]["at"] == {"2": 1, "3": 5, "4": 24, "5": 157}
    done = run(kernels, "--space", "line:5", "--breaks", "--count")
    assert done.exit_code == 2


def test_kernels_are_listed():
    done = run(kernels, "--space", "line:3", "--epsilon", "ln 2")
    assert done.output.count("Channel(") == 2
    assert "2/3" in done.output


def test_kernels_are_listed_in_json_one_a_line():
    done = run(kernels, "--space", "discrete:4", "--json", "--classes")
    listed = json.loads(done.output)
    assert len(listed) == len(done.output.splitlines()) == 9
    assert all(kernel["exact"] for kernel in listed)
    few = run(kernels, "--space", "cube:3", "--limit", "2", "--json")
    assert len(json.loads(few.output)) == 2


def test_extreme_points_are_counted():
    assert "33 extreme points of the 3×3" in run(extreme, "--n", "3", "--count").output
    answer = json.loads(run(extreme, "--n", "4", "--count", "--json").output)
    assert answer["by_columns"] == {"1": 4, "2": 84, "3": 288, "4": 528}
    answer = json.loads(run(extreme, "--n", "4", "--outputs", "3", "--count", "--json").output)
    assert answer["extreme_points"] == 117


def test_extreme_points_are_listed():
    assert run(extreme, "--n", "2").output.count("Channel(") == 4
    assert len(json.loads(run(extreme, "--n", "3", "--classes", "--json").output)) == 4


def test_refusals_reach_the_command_line():
    assert isinstance(run(kernels, "--space", "line:3", "--epsilon", "1").exception, Uncertified)
    assert isinstance(run(kernels, "--space", "discrete:20", "--count").exception, TooLarge)
    assert run(extreme, "--n", "0").exit_code == 2


def test_extreme_points_with_a_slack():
    done = run(extreme, "--n", "3", "--delta", "1/10", "--count")
    assert "393 extreme points of the 3×3" in done.output
    listed = json.loads(run(extreme, "--n", "2", "--delta", "1/10", "--classes", "--json").output)
    assert len(listed) == 3


def test_break_points_are_told():
    assert "285 at δ = a/(2a + 1), 393 above" in run(extreme, "--n", "3", "--breaks").output
    told = run(extreme, "--n", "3", "--breaks", "--epsilon", "ln 2", "--json").output
    assert json.loads(told)["cells"][0]["levels"] == ["0", "2/5", "1/2", "1"]
    assert run(extreme, "--n", "3", "--breaks", "--delta", "1/10").exit_code == 2
