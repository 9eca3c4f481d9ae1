"""Every room comes back as it was left: on reload, on the way back, and in a second tab."""

import re

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from dprivacy.web.pages.pasted_matrices import EXAMPLES
from dprivacy.web.shell.page_frame import ROOMS

# What somebody has set in each room: the end of its address, a field, and what stands in it.
LEFT = {
    "protect": ("?eps=ln+4&rows=77", "Rows you expect", "77"),
    "receive": ("?sql=SELECT+1", "", ""),  # its fields wait for a table
    "collect": ("", "Schema", "dprivacy_collection"),
    "places": ("?radius=300+m", "Radius", "300 m"),
    "texts": ("?length=9", "Number of words of every text", "9"),
    "verify": ("?eps=ln+7", "Does this ε hold?", "ln 7"),
    "compare": ("?space=discrete", "How far apart are the values?", "discrete"),
    "explore": ("?space=line%3A4", "Its size", "4"),
    "design": ("?space=line%3A3&loss=bayes", "What does an error cost?", "bayes"),
}


def there(page, title, field, value):
    """The room is open, and says what was left in it."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    if field:
        expect(page.get_by_label(field).first).to_have_value(value)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_every_room_survives_reload_back_and_a_second_tab(served, window):
    assert set(LEFT) == set(ROOMS)
    titles = {}
    for room, (end, field, value) in LEFT.items():
        window.goto(f"{served.base}/{room}{end}")
        title = titles[room] = window.get_by_role("heading", level=1).inner_text()
        there(window, title, field, value)
        window.reload()
        there(window, title, field, value)
        other = window.context.new_page()
        other.goto(window.url)
        there(other, title, field, value)
        other.close()
        there(window, title, field, value)
    assert len(set(titles.values())) == len(LEFT)
    for room in [*LEFT][-2::-1]:  # all the way back
        window.go_back()
        _, field, value = LEFT[room]
        there(window, titles[room], field, value)


def test_an_example_that_was_chosen_is_still_named_after_a_reload(served, window):
    for room, example, word in (("verify", "broken", "refused"), ("compare", "response", "unsure")):
        window.goto(f"{served.base}/{room}")
        begin = window.get_by_label("Begin with an example").first
        begin.select_option(example)
        matrix = window.get_by_role("textbox", name="true values down").first
        expect(matrix).to_have_value(EXAMPLES[example][2])
        expect(window).to_have_url(re.compile(word))
        window.reload()
        expect(begin).to_have_value(example)
        matrix.fill("0.5 0.5\n0.25 0.75")
        expect(begin).to_have_value("")  # somebody's own
