"""Every room with axe-core: light and dark, at the width of a telephone and of a desk."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from dprivacy.web.shell.page_frame import ROOMS
from support.accessibility import violations
from support.page_clicks import choose, context_of, headline

pytestmark = [pytest.mark.service("browser"), pytest.mark.service("axe")]


@pytest.fixture
def look(served, chromium):
    """Opens a window of a width and a theme; says which errors it logged."""
    made = []

    def opened(theme, width):
        context = context_of(
            chromium, viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True
        )
        made.append(context)
        page = context.new_page()
        page.goto(served.address)
        return page

    yield opened
    for context in made:
        context.close()


def require_open(page, room):
    page.locator("h1").wait_for()
    if room not in ("", "receive", "collect"):
        headline(page).wait_for()
        page.locator(".q-linear-progress").first.wait_for(state="hidden")


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_protect_and_receive_on_a_telephone_in_the_dark(served, look, tmp_path):
    page = look("dark", 390)
    page.goto(f"{served.base}/protect")
    require_open(page, "protect")
    table = tmp_path / "survey.csv"
    table.write_text("sex,age\n" + "f,31\nm,42\n" * 30)
    choose(page, "Choose a table", table)
    page.get_by_text("sex: categories, 2 values, to be confirmed").click()
    expect(page.get_by_role("checkbox", name="f is in the questionnaire")).to_be_visible()
    page.get_by_role("button", name="Protect it").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert violations(page) == []
    assert fits(page)
    page.goto(f"{served.base}/receive")
    page.get_by_role("button", name="Try an invented survey").click()
    expect(page.get_by_role("row", name="sports", exact=False).first).to_be_visible()
    assert violations(page) == []
    assert fits(page)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("room", ["", *ROOMS])
def test_every_room_in_both_themes(served, look, room, theme):
    page = look(theme, 390)
    page.goto(f"{served.base}/{room}")
    require_open(page, room)
    assert violations(page) == []
    assert fits(page)


def test_no_bar_without_a_name_is_shown_for_a_request(served, look):
    page = look("light", 1280)
    page.goto(f"{served.base}/protect")
    require_open(page, "protect")
    page.route("**/slow", lambda route: None)  # which is never answered
    with page.expect_request("**/slow"):
        page.evaluate(
            """() => {
                const asked = new XMLHttpRequest();
                asked.open("GET", "/slow");
                asked.send();
            }"""
        )
    page.wait_for_timeout(1000)
    assert violations(page) == []
    assert page.locator(".q-loading-bar:not([aria-hidden=true])").count() == 0
