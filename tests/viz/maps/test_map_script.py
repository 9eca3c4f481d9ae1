"""The map in a browser: counts stay right when it is zoomed, by the wheel, the buttons and the keys."""

import numpy as np
import pytest

from dprivacy.geo import metres, protect_places
from dprivacy.viz import save_map
from support.page_clicks import context_of

pytest.importorskip("playwright", reason="playwright is not installed")

RNG = np.random.default_rng(5)
COUNTED = """() => [...document.querySelectorAll("g.said circle")].map(
    c => c.nextSibling && c.nextSibling.tagName === "text" ? Number(c.nextSibling.textContent) : 1)"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    lat, lon = 40.7 + RNG.normal(0, 0.01, 400), -74.0 + RNG.normal(0, 0.01, 400)
    path = tmp_path_factory.mktemp("map") / "map.html"
    return save_map(path, protect_places(lat, lon, region="40.7, -74.0, 50 km"))


@pytest.mark.service("browser")
@pytest.mark.parametrize(("width", "theme"), [(1100, "light"), (390, "dark")])
def test_a_map_is_zoomed_and_moved(file, chromium, width, theme):
    context = context_of(chromium, viewport={"width": width, "height": 800}, color_scheme=theme)
    page = context.new_page()
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(file.as_uri())
    assert sum(page.evaluate(COUNTED)) == 400
    before = metres(page.locator(".bar").inner_text())
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 25, 29)"
    assert dark == (theme == "dark")
    page.locator("svg").focus()
    for _ in range(6):
        page.keyboard.press("+")
    near = page.evaluate(COUNTED)
    assert 0 < sum(near) < 400
    assert metres(page.locator(".bar").inner_text()) < before
    left = page.evaluate("document.querySelector('svg').viewBox.baseVal.x")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('svg').viewBox.baseVal.x") > left
    page.get_by_role("button", name="show everything").click()
    assert sum(page.evaluate(COUNTED)) == 400
    assert said == [file.as_uri()]
    context.close()
