"""The room Collect, in a headless Chromium, beside a collector that runs."""

import itertools
import secrets

import pytest

from dprivacy.collecting import Collection, new_book
from dprivacy.mechanisms import randomised_response
from dprivacy.release import card_path, prove_card, received
from dprivacy.store import stored_text
from support.collector_process import CollectorProcess, body, posted

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.page_clicks import downloaded, headline

MARKUP = '<img src=x onerror="document.title=1">'
DRINKS = ["tea", "coffee", MARKUP]


@pytest.fixture
def collector(tmp_path):
    asked = Collection.of(
        stored_text(randomised_response(DRINKS, eps="ln 3")),
        question=f"Which {MARKUP}?",
        name="drink",
    )
    place = tmp_path / "drinks.db"
    new_book(str(place), asked).release()
    server = CollectorProcess(place)
    server.place, server.wire = place, asked.wire
    yield server
    server.stop()


def send(collector, *reports):
    return posted(
        collector.host, body(collector.wire, [[secrets.token_hex(16), y] for y in reports])
    )


def look(window, served, place):
    window.goto(served.base + "/collect")
    window.get_by_label("Its book").fill(str(place))
    window.get_by_role("button", name="Look into it").click()


def test_a_collection_from_its_first_report_to_its_release(served, window, collector, tmp_path):
    look(window, served, collector.place)
    expect(headline(window)).to_have_text("There are no reports yet")
    assert send(collector, *[0] * 50, *[1] * 30, *[2] * 20) == (
        200,
        {"counted": 100, "repeated": 0},
    )
    # Nobody clicks: the page sees by itself what arrives.
    expect(headline(window)).to_have_text("100 reports; the collection is open")
    # Counts (s − n·q)/(p − q) with p = 3/5, q = 1/5: 75, 25 and 0.
    expect(window.get_by_role("row", name="tea")).to_contain_text("75")
    expect(window.get_by_text("ahead of “coffee” by 50: as few as 20 fake reports")).to_be_visible()
    expect(window.get_by_text("One fake report adds up to 2 to an estimated count")).to_be_visible()
    expect(window.get_by_text("No sign of manipulation")).to_be_visible()
    expect(window.locator(".dp-plot .barlayer path").first).to_be_attached()
    assert str(collector.place) not in window.url

    send(collector, *[2] * 900)
    expect(window.get_by_role("alert")).to_contain_text("Reports were invented")

    window.get_by_role("button", name="Close the collection").click()
    window.get_by_role("button", name="No, go on").click()
    window.get_by_role("button", name="Close the collection").click()
    assert send(collector, 0)[0] == 200  # which does not take the question away
    expect(headline(window)).to_have_text("1,001 reports; the collection is open")
    window.get_by_role("button", name="Yes, close it").click()
    expect(window.get_by_text("Done: 1,001 noisy answers are released.")).to_be_visible()
    expect(window.locator("p", has_text="1,001 reports; the collection is closed")).to_be_visible()
    assert send(collector, 0)[0] == 410

    clean = downloaded(window, "Download the table", tmp_path)
    card = downloaded(window, "Download its card", tmp_path)
    assert (clean.name, card) == ("drink.csv", card_path(clean))
    assert prove_card(card, file=clean)
    release = received(clean)
    assert release.counts(["drink"]) == {("tea",): 51, ("coffee",): 30, (MARKUP,): 920}
    assert release.estimate("drink", estimator="inverse").n == 1001

    # Closing again gives the same, and asks no question. What was there goes first.
    done = window.get_by_text("Done: 1,001 noisy answers are released.")
    before = done.element_handle()
    window.get_by_role("button", name="Make the table and its card").click()
    before.wait_for_element_state("hidden")
    expect(done).to_be_visible()
    again = downloaded(window, "Download the table", tmp_path / "again")
    assert again.read_bytes() == clean.read_bytes()
    assert window.title() == "Collect · dprivacy"  # no label was read as markup
    expect(window.get_by_role("heading", name=f"Which {MARKUP}?")).to_be_visible()


def test_a_book_that_cannot_be_read_is_said_and_looked_at_again(
    served, window, collector, tmp_path
):
    look(window, served, tmp_path / "nowhere.db")
    expect(window.get_by_role("alert")).to_contain_text("no book is here")
    expect(window.get_by_role("button", name="Close the collection")).to_be_hidden()
    (tmp_path / "other.db").write_text("no database")
    look(window, served, tmp_path / "other.db")
    expect(window.get_by_role("alert")).to_contain_text("is not the book of a collection")
    window.get_by_label("Its book").fill(str(collector.place))
    window.get_by_role("button", name="Look into it").click()
    expect(headline(window)).to_have_text("There are no reports yet")
    expect(window.get_by_role("alert")).to_have_count(0)


def test_the_invented_collection_fits(served, window):
    window.set_viewport_size({"width": 390, "height": 844})
    window.goto(served.base + "/collect")
    window.get_by_role("button", name="Try an invented collection").click()
    expect(headline(window)).to_have_text("2,000 reports; the collection is open")
    table = window.locator(".dp-scroll").first
    for width, scheme in itertools.product((390, 1280), ("light", "dark")):
        window.set_viewport_size({"width": width, "height": 844})
        window.emulate_media(color_scheme=scheme)
        assert window.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
