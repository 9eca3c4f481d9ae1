"""Every example of every help page runs as it is printed, and says the same as JSON."""

import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from dprivacy.cli.verb_table import VERBS
from support.command_runs import command, prepare

# These serve until they are stopped, or write something that is no answer.
SERVING = {"app"}


def pages() -> list[tuple[str, ...]]:
    """The verbs, and the verbs of verbs."""
    return [
        *((name,) for name in VERBS),
        *(("ledger", name) for name in ("budget", "parts", "show", "verify")),
        *(("collect", name) for name in ("plan", "new", "estimate", "close")),
    ]


def printed(words: tuple[str, ...]) -> list[str]:
    """The lines of the help page that are command lines, at 80 columns."""
    help_page = command(*words, "--help")
    assert help_page.code == 0
    lines = [line.strip() for line in click.unstyle(help_page.out).splitlines()]
    begin = max(k for k, line in enumerate(lines) if line in ("Example:", "Examples:"))
    return [line for line in lines[begin + 1 :] if line]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    os.environ["COLUMNS"] = "80"
    return prepare(tmp_path_factory.mktemp("examples"))


def words_of(line: str, folder: Path) -> list[str]:
    """As a shell reads the line: patterns become names; where output goes is not the command's."""
    words = shlex.split(line.partition(" > ")[0])
    found: list[str] = []
    for word in words:
        found += sorted(glob.glob(word, root_dir=folder)) if "*." in word else [word]
    return found[1:]


@pytest.mark.parametrize("page", pages(), ids=" ".join)
def test_examples_run_as_printed(page: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    prepared, lines, releases = folder, printed(page), has("--again", page)
    assert lines
    for k, line in enumerate(lines):
        if releases:  # what was not released before
            unmarked = shutil.ignore_patterns("*.card.json")
            folder = shutil.copytree(prepared, tmp_path / str(k), ignore=unmarked)
        assert line.startswith(f"dprivacy {page[0]}"), line  # and so no line was broken
        if page[0] in SERVING:
            continue
        done = command(*words_of(line, folder), folder=folder)
        honest = ("the noise outweighs the signal", "no finite coefficients fit best")
        if page[0] == "regress" and any(words in done.err for words in honest):
            continue  # the release is small and its noise is fresh: an honest answer now and then
        assert done.code == 0, (line, done)
        words = [word for word in words_of(line, folder) if word != "--json"]
        if "--" in words:
            words.insert(words.index("--"), "--json")
        else:
            words += ["--json", *(["--replace"] if has("--replace", page) else [])]
        if releases:
            words += ["--again", "as JSON"]
        same = command(*words, folder=folder)
        assert same.code == 0, (words, same)
        json.loads(same.out)


def has(option: str, page: tuple[str, ...]) -> bool:
    return option in command(*page, "--help").out


@pytest.mark.parametrize("page", pages(), ids=" ".join)
def test_every_verb_has_the_shared_words(page: tuple[str, ...]) -> None:
    text = command(*page, "--help").out
    if page not in (("ledger",), ("collect",)):
        assert "--json" in text
    assert "seed" not in text


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(VERBS) - SERVING))
def test_examples_run_in_a_shell(name: str, tmp_path: Path) -> None:
    prepare(tmp_path)
    if name == "sanitise":
        for old in (*tmp_path.glob("released.*"), *tmp_path.glob("released/*")):
            old.unlink()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in printed((name,)):
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (line, done.stderr)
