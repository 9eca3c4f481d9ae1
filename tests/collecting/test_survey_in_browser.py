"""End to end in Chromium: question, noise in the browser, collector, estimate; and what crossed."""

import itertools
import json
import re

import pytest

from dprivacy.collecting import Collection, new_book, open_book
from dprivacy.mechanisms import projective_response, randomised_response
from dprivacy.store import stored_text
from support.collector_process import CollectorProcess
from support.page_clicks import context_of

pytest.importorskip("uvicorn", reason="a collector needs the extra [collect]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

pytestmark = pytest.mark.service("browser")

# Words that are on nobody's wire unless an answer is.
TRUE = "canary answer 4711"
DRINKS = ["tea", "coffee", TRUE]
MANY = [f"page {at:04}" for at in range(1023)] + [TRUE]


class Survey:
    """A collector with its book, and every byte that the browser sent."""

    def __init__(self, folder, mechanism):
        self.place = str(folder / "book.db")
        asked = Collection.of(stored_text(mechanism), question="Which one do you take?")
        self.wire = asked.wire
        new_book(self.place, asked).release()
        self.server = CollectorProcess(self.place)
        self.sent, self.complaints, self.operator_hears = [], [], ""

    def window(self, chromium, **options):
        context = context_of(chromium, **{"viewport": {"width": 1280, "height": 800}, **options})
        page = context.new_page()
        context.on("request", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.server.address)
        return page

    def _heard(self, request):
        self.sent.append((request.method, request.url, request.all_headers(), request.post_data))

    def tally(self):
        book = open_book(self.place, reading=True)
        try:
            return book.tally()
        finally:
            book.release()

    def bodies(self):
        return [body for method, _, _, body in self.sent if method == "POST"]


@pytest.fixture
def survey(tmp_path, request):
    made = Survey(tmp_path, request.param)
    yield made
    assert re.fullmatch(made.operator_hears, made.server.stop())
    assert made.complaints == []
    assert {url for _, url, _, _ in made.sent if not url.startswith(made.server.address)} == set()


def few(test):
    return pytest.mark.parametrize(
        "survey", [randomised_response(DRINKS, eps="ln 3")], indirect=True, ids=["response"]
    )(test)


def many(test):
    return pytest.mark.parametrize(
        "survey", [projective_response(MANY, eps=1, q=4)], indirect=True, ids=["projective"]
    )(test)


def drawn_on(page):
    """The bytes that the page says it sends."""
    expect(page.locator("#bytes")).to_be_visible()
    return page.locator("#bytes").inner_text()


def answered(page, answer):
    """Choose an answer and add noise; the bytes that the page says it sends."""
    page.get_by_label(answer).check()
    page.get_by_role("button", name="Add noise").click()
    return drawn_on(page)


def require_sent(survey, page, shown):
    """What was shown is what arrived, and it counts once."""
    expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
    assert set(survey.bodies()) == {shown}
    assert survey.tally().n == 1


@few
def test_from_the_question_to_the_estimate(survey, chromium):
    page = survey.window(chromium)
    page.get_by_label(TRUE).check()
    page.get_by_role("button", name="Add noise").click()
    expect(page.get_by_role("heading", name="This is what we send")).to_be_visible()
    assert survey.bodies() == []  # nothing has left yet
    shown = drawn_on(page)
    expect(page.locator("#odds")).to_contain_text("no report is more than 3 times as likely")
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
    assert survey.bodies() == [shown]  # what was shown, byte for byte
    told = json.loads(shown)
    assert (told["mechanism"], len(told["reports"])) == (survey.wire.hash, 1)
    assert survey.tally().counters == {told["reports"][0][1]: 1}
    page.goto(survey.server.address + "estimates")
    expect(page.locator("#count")).to_contain_text("1 report, 3 answers.")
    expect(page.locator("#rows tr")).to_have_count(3)
    expect(page.locator("#fake")).to_contain_text("One fake report adds up to 2")
    page.context.close()


@few
def test_what_was_chosen_never_crosses_the_wire(survey, chromium):
    """Twenty people who all choose the same; requests are the same but for id and drawn number."""
    drawn = set()
    page = survey.window(chromium)
    devtools = page.context.new_cdp_session(page)
    stored = {
        "origin": survey.server.address.rstrip("/"),
        "storageTypes": "indexeddb,local_storage",
    }
    for _ in range(20):
        page.get_by_label(TRUE).check()
        page.get_by_role("button", name="Add noise").click()
        page.get_by_role("button", name="Send it").click()
        expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
        devtools.send("Storage.clearDataForOrigin", stored)  # but for cookies, which would be seen
        page.reload()
    page.context.close()
    for method, url, headers, body in survey.sent:
        crossed = f"{method} {url} {json.dumps(headers)} {body or ''}"
        assert "canary" not in crossed
        assert "cookie" not in headers
        if method == "POST":
            found = re.fullmatch(
                r'\{"mechanism":"([0-9a-f]{64})","reports":\[\["[0-9a-f]{32}",([0-2])\]\]\}', body
            )
            assert found[1] == survey.wire.hash
            drawn.add(found[2])
    assert len(drawn) > 1  # the noise is there
    assert survey.tally().n == 20


@few
def test_with_the_keyboard_alone(survey, chromium):
    page = survey.window(chromium)
    expect(page.get_by_role("button", name="Add noise")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.value") == "1"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "draw"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"  # focus can be seen
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="This is what we send")).to_be_visible()
    expect(page.locator("#drawn")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "send":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
    page.context.close()


@few
def test_nothing_is_drawn_without_an_answer(survey, chromium):
    page = survey.window(chromium)
    page.get_by_role("button", name="Add noise").click()
    expect(page.locator("#drawn")).to_be_hidden()
    page.context.close()


@few
def test_offline_and_sent_again_the_very_same_bytes(survey, chromium):
    page = survey.window(chromium)
    shown = answered(page, "tea")
    page.context.set_offline(True)
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_contain_text("The report is kept on this device")
    page.context.set_offline(False)  # the page hears of it and sends by itself
    require_sent(survey, page, shown)
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("You have answered this question")
    expect(page.get_by_role("button", name="Add noise")).to_be_hidden()
    page.context.close()


@few
def test_a_collector_that_is_down_hears_the_same_report_later(survey, chromium):
    page = survey.window(chromium)
    shown = answered(page, "coffee")
    page.route("**/v1/reports", lambda route: route.fulfill(status=503, body="{}"))
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_contain_text("could not be sent yet")
    page.unroute("**/v1/reports")
    page.reload()  # later: what was drawn is kept, and is sent by itself
    require_sent(survey, page, shown)
    assert drawn_on(page) == shown
    page.context.close()


@few
def test_two_tabs_have_one_report(survey, chromium):
    """Both were open before anything was chosen; what the first drew is what the second sends."""
    first = survey.window(chromium)
    second = first.context.new_page()
    second.goto(survey.server.address)
    expect(second.get_by_role("button", name="Add noise")).to_be_visible()
    shown = answered(first, "tea")
    assert answered(second, "coffee") == shown
    for page in (second, first):
        page.get_by_role("button", name="Send it").click()
        expect(page.get_by_role("status")).to_have_text(
            re.compile("^(Sent, and stored|You have answered)")
        )
    assert set(survey.bodies()) == {shown}
    assert survey.tally().n == 1
    first.context.close()


@few
def test_a_collection_that_was_closed_meanwhile_says_so(survey, chromium):
    page = survey.window(chromium)
    shown = answered(page, "tea")
    book = open_book(survey.place, reading=True)
    book.close_collection()
    book.release()
    survey.operator_hears = r".*: the collection is closed and takes no more reports\n"
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_contain_text("it may be closed")
    page.reload()
    assert drawn_on(page) == shown
    expect(page.get_by_role("button", name="Send it")).to_be_hidden()
    assert survey.tally().n == 0
    page.context.close()


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "toString",
    '"',
    "</script>",
    "",
    " ",
    "\u202eevil",
]


@pytest.mark.parametrize(
    "survey", [randomised_response(HOSTILE, eps="ln 3")], indirect=True, ids=["hostile"]
)
def test_hostile_labels_are_text(survey, chromium):
    page = survey.window(chromium)
    expect(page.locator("#few label")).to_have_count(len(HOSTILE))
    assert page.locator("#few label").all_text_contents() == HOSTILE
    page.get_by_label("__proto__").check()
    page.get_by_role("button", name="Add noise").click()
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
    page.goto(survey.server.address + "estimates")
    expect(page.locator("#rows tr")).to_have_count(len(HOSTILE))
    assert set(page.locator("#rows th").all_text_contents()) == set(HOSTILE)
    assert page.locator("img").count() == 0
    page.context.close()


@few
def test_a_report_that_was_drawn_and_not_sent_waits_for_its_person(survey, chromium):
    page = survey.window(chromium)
    shown = answered(page, "coffee")
    page.reload()
    assert drawn_on(page) == shown
    expect(page.get_by_role("button", name="Send it")).to_be_visible()
    assert survey.bodies() == []
    page.context.close()


@few
def test_a_page_that_is_given_another_mechanism_refuses_it(survey, chromium):
    other = stored_text(randomised_response(DRINKS, eps="ln 9"))
    context = context_of(chromium)
    page = context.new_page()
    page.route("**/v1/mechanism", lambda route: route.fulfill(status=200, body=other))
    page.goto(survey.server.address)
    expect(page.get_by_role("status")).to_contain_text("does not accept the collection's mechanism")
    expect(page.get_by_role("button", name="Add noise")).to_be_hidden()
    context.close()


@many
def test_many_answers_are_searched(survey, chromium):
    page = survey.window(chromium)
    page.get_by_label("Find your answer").fill("canary")
    expect(page.locator("#listed option")).to_have_count(1)
    page.get_by_role("button", name="Add noise").click()
    expect(page.locator("#words")).to_contain_text(re.compile(r"stands for \d+ of 1024 answers"))
    shown = drawn_on(page)
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("status")).to_have_text("Sent, and stored. Thank you.")
    assert all("canary" not in (body or "") for *_, body in survey.sent)
    number = json.loads(shown)["reports"][0][1]
    assert survey.tally().counters == {number: 1}
    page.context.close()


@many
def test_it_fits_and_can_be_read(survey, chromium):
    for scheme, width in itertools.product(("light", "dark"), (1280, 360)):
        size = {"width": width, "height": 740}
        page = survey.window(chromium, viewport=size, color_scheme=scheme)
        for path in ("", "estimates"):
            page.goto(survey.server.address + path)
            expect(page.locator("h1")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(CONTRAST) >= 4.5
        page.context.close()


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => {
      const v = part / 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.querySelector("main")).backgroundColor);
  const least = ["main", ".lead", "footer", "a"].map((name) => {
    const ink = light(getComputedStyle(document.querySelector(name)).color);
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  });
  return Math.min(...least);
}"""
