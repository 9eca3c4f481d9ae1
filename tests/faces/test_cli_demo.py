"""``dprivacy demo``: the whole story, and what it names runs."""

import shlex
from pathlib import Path

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
