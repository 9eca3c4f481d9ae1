"""``dprivacy demo``: the whole story, and what it names runs."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from support.command_runs import command, good, refused


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


def test_the_demo_tells_the_whole_story(tmp_path: Path) -> None:
    done = command("demo", "-o", "d", folder=tmp_path)
    assert done.code == 0
    for step in ("1. Protect", "2. Publish", "3. Attack", "4. Estimate", "5. Query"):
        assert step in done.out
    assert "Probability of guessing a person's hobby" in done.out
    lines = done.out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("   $")) <= 80
    named = [line for line in lines if line.startswith("   $ dprivacy")]
    assert len(named) == 5
    for line in named:
        if "sanitise" not in line:  # what it writes is there by now
            assert command(*shlex.split(line)[2:], folder=tmp_path).code == 0, line


def test_without_the_engine_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = command("demo", "-o", "d", folder=tmp_path)
    assert done.code == 0, done.err
    assert "4. Estimate." in done.out
    assert "pip install 'dprivacy[query]'" in " ".join(done.out.split())
    told = json.loads(good("demo", "-o", "d", "--json", folder=tmp_path))
    assert list(told["query"]) == ["sql"]
    asked = refused("query", "d/released.csv", "SELECT count(*) FROM data", folder=tmp_path)
    assert "SQL on a table needs duckdb; install it with pip install 'dprivacy[query]'" in asked
