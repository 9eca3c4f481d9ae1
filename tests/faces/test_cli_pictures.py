"""``--picture`` of ``dprivacy kernels`` and ``dprivacy extreme``."""

import re

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.kernels import extreme, kernels
from dprivacy.errors import Malformed, TooLarge


def run(command, *arguments):
    return CliRunner().invoke(command, list(arguments))


@pytest.mark.parametrize(
    ("command", "arguments", "panels"),
    [
        (kernels, ["--space", "line:3"], 2),
        (kernels, ["--space", "line:5", "--corners", "0,2,4", "--limit", "3"], 3),
        (
            kernels,
            ["--space", "cube:3", "--corners", "(0,0,0),(1, 1,0),(1,1,1)", "--limit", "1"],
            1,
        ),
        (extreme, ["--n", "3", "--classes"], 4),
    ],
)
def test_pictures_of_kernels_and_extreme_points(tmp_path, command, arguments, panels):
    target = tmp_path / "picture.svg"
    done = run(command, *arguments, "--epsilon", "ln 2", "--picture", str(target))
    assert done.exit_code == 0, done.output
    assert done.output == f"Wrote {target}.\n"
    axes = re.findall(r'<g id="axes_\d+">', target.read_text(encoding="utf-8"))
    assert len(axes) == panels


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--space", "line:5"], r'up to 4 inputs, not 5.* --corners "0,1,2"'),
        (["--space", "line:5", "--corners", "0,7"], "--corners should be one of"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_written(tmp_path, arguments, words):
    done = run(kernels, *arguments, "--picture", str(tmp_path / "picture.png"))
    assert isinstance(done.exception, Malformed | TooLarge)
    assert re.search(words, str(done.exception))
    assert not list(tmp_path.iterdir())


def test_wrong_usage_is_named(tmp_path):
    target = str(tmp_path / "picture.png")
    done = run(kernels, "--space", "line:3", "--count", "--picture", target)
    assert done.exit_code == 2
    assert "--count" in done.output
    done = run(kernels, "--space", "line:3", "--corners", "0,1")
    assert done.exit_code == 2
    assert "--picture" in done.output
    done = run(extreme, "--n", "3", "--picture", "picture.gif")
    assert "not '.gif'" in str(done.exception)
