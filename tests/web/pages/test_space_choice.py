"""Spaces of the page: those of the grammar."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import TooLarge
from dprivacy.web.pages.space_choice import KINDS, chosen_space, settled_space


def test_spaces_are_those_of_the_grammar():
    for text, points in (("line:9", 9), ("discrete:3", 3), ("cube:3", 8), ("grid:3x4", 12)):
        assert len(chosen_space(text, most=100)) == points
    assert chosen_space("grid:2x2", most=9).distance((0, 0), (1, 1)) ** 2 == 2
    assert chosen_space("grid:2x2:manhattan", most=9).distance((0, 0), (1, 1)) == 2
    with pytest.raises(TooLarge, match="this space has 400 points"):
        chosen_space("grid:20x20", most=225)


def test_a_space_from_an_address_is_of_a_kind_that_is_offered():
    assert settled_space("grid:3x4:manhattan", KINDS, "line:3") == "grid:3x4:manhattan"
    for stranger in ("torus:3", "", "line", "grid:2x2:taxicab", "/etc/passwd"):
        assert settled_space(stranger, KINDS, "line:3") == "line:3"
