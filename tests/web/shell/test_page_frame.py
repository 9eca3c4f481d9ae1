"""Links: settings written into an address, and read back within their limits."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.web.pages.space_choice import KINDS
from dprivacy.web.shell.page_frame import LONGEST, choice, link, read_state, whole


def test_a_link_is_read_back_and_strangers_are_passed_over():
    usual = {"space": "line", "n": "3", "eps": "ln 2"}
    state = {"space": "cube", "n": "2", "eps": "ln(3/2)"}
    from urllib.parse import parse_qsl

    address = link("/explore", state)
    asked = dict(parse_qsl(address.partition("?")[2]))
    assert read_state({**asked, "evil": "x"}, usual) == state
    assert read_state({"eps": "9" * 30_000}, usual) == usual


def test_a_link_that_would_be_cut_is_none():
    assert link("/verify", {"matrix": "1" * LONGEST}) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("4", 4), ("-4", 3), ("4e9", 3), ("99", 9), ("", 3), ("٣", 3), ("9" * 40, 3)],
)
def test_numbers_of_an_address_stay_in_their_limits(text, number):
    assert whole(text, 2, 9, 3) == number


def test_choices_of_an_address():
    assert choice("cube", KINDS, "line") == "cube"
    assert choice("__class__", KINDS, "line") == "line"
