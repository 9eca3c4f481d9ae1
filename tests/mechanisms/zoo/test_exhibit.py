"""Every broken twin is caught, and no healthy one is."""

import json

import pytest

from dprivacy.mechanisms import Exhibit, exhibits
from support.command_runs import command


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
    done = command("zoo", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert len(found) == len(exhibits())
    assert all(item["caught"] and not item["false_alarm"] for item in found)
