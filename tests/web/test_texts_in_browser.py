"""The room Texts in a headless Chromium: pasted texts, a table, topics, and a release."""

import csv
import re

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.page_clicks import choose, downloaded, headline


def test_pasted_texts_are_tried_read_back_and_released(served, window, tmp_path):
    window.goto(served.base + "/texts")
    expect(headline(window)).to_have_text(re.compile(r"^Any two texts of up to 12 words: × 10\^"))
    expect(window.get_by_text("«Maria Oliveira» says the bank")).to_be_visible()
    expect(window.get_by_role("listitem")).to_have_count(10)
    expect(window.get_by_role("heading", name="What can be read back")).to_be_visible()
    expect(window.get_by_role("row", name=re.compile("^× 1,000"))).to_be_visible()
    slider = window.get_by_role("slider", name="How much may one word tell?")
    slider.focus()
    for stop in ("8", "10", "12", "15"):
        window.keyboard.press("ArrowRight")
        expect(window.get_by_label("Level ε")).to_have_value(stop)
    expect(window.get_by_text('--epsilon "15"')).to_be_visible()  # what is shown is of this level
    expect(window.get_by_text("this hides no content")).to_be_visible()
    window.get_by_role("button", name="Protect these texts").click()
    expect(window.get_by_role("alert")).to_contain_text("accept_readable")
    window.get_by_label("Level ε").fill("6")
    expect(window.get_by_text('--epsilon "6"')).to_be_visible()
    expect(window.get_by_text("this hides no content")).to_have_count(0)
    window.get_by_role("button", name="Protect these texts").click()
    expect(window.get_by_text("Done: 12 texts are protected.")).to_be_visible()
    path = downloaded(window, "Download the table", tmp_path)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert [len(row[0].split()) for row in rows[1:]] == [12] * 12
    assert "Maria" not in window.url


def test_topics_of_a_table_and_what_is_left_out(served, window, tmp_path):
    window.goto(served.base + "/texts")
    expect(headline(window)).to_be_visible()
    source = tmp_path / "tickets.csv"
    source.write_text("id,who,message\n1,ann,the bank wants money\n2,ben,a letter in the box\n")
    choose(window, "Choose a table of texts", source)
    expect(window.get_by_role("alert")).to_contain_text("it may be a person's record")
    window.get_by_label("The first line holds").select_option("names")
    window.get_by_role("button", name="Read the table so").click()
    expect(window.get_by_label("Which column holds the texts?")).to_have_value("message")
    window.get_by_label("What comes out?").select_option("topic")
    expect(headline(window)).to_have_text("Any two texts, however long: × 20")
    window.get_by_label("Columns to publish as they are").fill("id")
    window.get_by_role("button", name="Protect these texts").click()
    expect(window.get_by_text("Done: 2 texts are protected.")).to_be_visible()
    path = downloaded(window, "Download the table", tmp_path)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows[0] == ["id", "message"]
    assert {row[1] for row in rows[1:]} <= {"money", "post"}
    window.get_by_role("button", name="Forget it").click()
    expect(window.get_by_label("Texts, one on each line")).to_be_visible()


def test_a_narrow_screen_is_not_wider_than_it_is(served, window):
    window.set_viewport_size({"width": 390, "height": 800})
    window.goto(served.base + "/texts")
    expect(headline(window)).to_be_visible()
    expect(window.get_by_role("row", name=re.compile("^× 1,000"))).to_be_visible()
    assert window.evaluate("document.documentElement.scrollWidth") <= 390
