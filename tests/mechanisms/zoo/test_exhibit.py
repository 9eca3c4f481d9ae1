"""Every broken twin is caught, and no healthy one is."""

import json
import subprocess
import sys

import pytest

from dprivacy.mechanisms import Exhibit, exhibits


@pytest.mark.parametrize("exhibit", exhibits(), ids=lambda exhibit: exhibit.name)
def test_the_broken_twin_is_caught_and_the_healthy_one_is_not(exhibit: Exhibit) -> None:
    broken, healthy = exhibit.inspect(True), exhibit.inspect(False)
    assert broken.caught, broken.evidence
    assert not healthy.caught, healthy.evidence


def test_the_zoo_is_large_and_its_names_are_distinct() -> None:
    names = [exhibit.name for exhibit in exhibits()]
    assert len(names) >= 20
    assert len(set(names)) == len(names)
    assert {exhibit.detector for exhibit in exhibits()} >= {
        "verifier",
        "auditor",
        "law of all words",
        "two runs compared",
        "precision attack",
    }


def test_the_command_shows_each_being_caught() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dprivacy", "zoo", "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert len(found) == len(exhibits())
    assert all(item["caught"] and not item["false_alarm"] for item in found)
