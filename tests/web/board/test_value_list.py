"""Lists of possible answers: what was compared stays compared, whatever happens to the others."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.web.board.value_list import Listed

LIST = Listed.of("bad\nfair\ngood", compared=["fair"])


def test_what_was_compared_follows_its_value():
    assert LIST.left == 2
    assert LIST.removed(0).sure == ("fair",)
    assert LIST.raised(1).values == ("fair", "bad", "good")
    assert LIST.raised(1).sure == ("fair",)
    assert LIST.ticked(1, compared=False).sure == ()
    assert LIST.taken().left == 0


def test_what_a_person_writes_is_compared():
    assert LIST.changed(0, " awful ").sure == ("awful", "fair")
    assert LIST.added("great").sure == ("fair", "great")


@pytest.mark.parametrize("value", ["", "  ", "bad", " bad "])
def test_nothing_is_listed_twice_or_empty(value):
    assert LIST.added(value) == LIST


def test_values_on_one_line_are_separated_by_commas():
    assert Listed.of("a, b ,c", compared=[]).values == ("a", "b", "c")
    assert Listed.of("1,5\n2,5", compared=[]).values == ("1,5", "2,5")
