"""``dprivacy optimal``: from a space and a prior file to a mechanism that protects values."""

import json

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.optimal import optimal
from dprivacy.errors import Malformed
from dprivacy.spaces import grid
from dprivacy.store import load
from dprivacy.verify import privacy


def run(*arguments):
    return CliRunner().invoke(optimal, list(arguments), catch_exceptions=False)


def test_a_mechanism_file_that_can_be_used_at_once(tmp_path):
    prior = tmp_path / "prior.csv"
    lines = [f"{row},{column},{1 + row + column}" for row in range(3) for column in range(3)]
    prior.write_text("\n".join(["row,column,weight", *lines]))
    output = tmp_path / "mechanism.json"
    done = run(
        "--space", "grid:3x3", "--epsilon", "0.5", "--prior", str(prior), "--loss", "euclidean",
        "-o", str(output),
    )  # fmt: skip
    assert done.exit_code == 0
    assert "proved" in done.output
    mechanism = load(output)
    assert privacy(mechanism.channel, grid(3, 3, metric="manhattan"), eps="0.5")
    noisy = mechanism.randomise([(0, 0), (2, 2)] * 10)
    assert set(noisy) <= set(grid(3, 3).labels)


def test_json():
    done = run("--space", "line:3", "--epsilon", "ln 2", "--json")
    answer = json.loads(done.output)
    assert (answer["loss"], answer["bound"], answer["gap"]) == ("5/9", "5/9", "0")
    assert answer["output"] is None


def test_files_of_distances_and_losses(tmp_path):
    space, table = tmp_path / "space.csv", tmp_path / "loss.csv"
    space.write_text(",a,b,c\na,0,1,2\nb,1,0,1\nc,2,1,0\n")
    table.write_text(",a,b,c\nlow,0,0,1\nhigh,1,1/2,0\n")
    done = run("--space", str(space), "--epsilon", "ln 2", "--loss", str(table), "--json")
    answer = json.loads(done.output)
    assert answer["outputs"] == 2
    assert answer["exact"]


def test_secrets_that_are_numbers_in_a_file_of_losses(tmp_path):
    table = tmp_path / "loss.csv"
    table.write_text(",0,1,2\n0,0,1,2\n1,1,0,1\n2,2,1,0\n")
    done = run("--space", "line:3", "--epsilon", "ln 2", "--loss", str(table), "--json")
    assert json.loads(done.output)["loss"] == "5/9"


def test_an_existing_file_is_kept(tmp_path):
    output = tmp_path / "mechanism.json"
    output.write_text("mine")
    with pytest.raises(Malformed, match="--replace"):
        run("--space", "line:3", "--epsilon", "1", "-o", str(output))
    assert output.read_text() == "mine"
    assert run("--space", "line:3", "--epsilon", "1", "-o", str(output), "--replace").exit_code == 0
    assert load(output)


def test_delta_seconds_and_spanner_are_passed_on():
    done = run("--space", "discrete:4", "--epsilon", "ln 5", "--loss", "bayes", "--delta", "1/10",
               "--json")  # fmt: skip
    assert json.loads(done.output)["loss"] == "27/80"
    done = run("--space", "grid:4x4:euclidean", "--epsilon", "1", "--seconds", "0", "--json")
    stopped = json.loads(done.output)
    assert stopped["private"]
    assert not stopped["finished"]
    done = run("--space", "line:4", "--epsilon", "1", "--spanner", "1.5", "--json")
    assert json.loads(done.output)["spanner"] == "3/2"
