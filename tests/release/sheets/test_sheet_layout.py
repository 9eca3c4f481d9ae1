"""The sheet in a browser: exactly one printed page, whatever the plan; readable on a telephone."""

import re

import pytest

from dprivacy.release.sheets.board_sheet import report
from support.accessibility import violations
from support.board_plans import BLOCKS, MEANINGLESS, SOUND, wide
from support.page_clicks import context_of

pytestmark = pytest.mark.service("browser")

PLANS = {
    "sound": SOUND,
    "meaningless": MEANINGLESS,
    "blocks": BLOCKS,
    **{f"{k} columns": wide(k) for k in (1, 5, 6, 10, 11, 20, 35, 40)},
    **{f"{k} telling columns": wide(k, "20") for k in (4, 5, 10, 40, 200)},
}


@pytest.fixture
def window(chromium):
    context = context_of(chromium, bypass_csp=True)
    yield context.new_page()
    context.close()


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("name", PLANS)
def test_it_prints_on_one_page(window, name):
    window.set_content(report(PLANS[name], rows=4580).html)
    assert pages_of(window.pdf(prefer_css_page_size=True, print_background=True)) == 1


def test_an_archive_sheet_may_have_several(window):
    window.set_content(report(MEANINGLESS, archive=True).html)
    assert pages_of(window.pdf(prefer_css_page_size=True)) > 1


@pytest.mark.parametrize("archive", [False, True])
def test_a_telephone_needs_no_scrolling_sideways(window, archive):
    window.set_viewport_size({"width": 390, "height": 844})
    for plan in (SOUND, BLOCKS):
        window.set_content(report(plan, archive=archive).html)
        assert window.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.service("axe")
@pytest.mark.parametrize(("plan", "archive"), [(MEANINGLESS, False), (BLOCKS, True)])
def test_nobody_is_kept_out(window, plan, archive):
    window.set_content(report(plan, archive=archive).html)
    assert violations(window) == []


def test_a_hundred_dots_are_as_many_as_the_figure_says(window):
    window.set_content(report(SOUND, rows=4580).html)
    squares = window.locator("figure svg")
    filled = [squares.nth(k).locator("circle:not([fill=none])").count() for k in range(3)]
    assert filled == [50, 67, 100]
    window.set_content(report(MEANINGLESS, rows=4580).html)
    assert window.locator("figure svg").nth(1).locator("circle:not([fill=none])").count() == 99
