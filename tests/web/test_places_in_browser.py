"""The room Places in a headless Chromium: slider, map, file, attack, and both themes."""

import re

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.page_clicks import choose, headline


def test_a_radius_by_keyboard_and_a_place_by_a_click(served, window):
    window.goto(served.base + "/places")
    expect(headline(window)).to_have_text(re.compile(r"^Reports of this place lie 26\d m from it"))
    expect(window.get_by_text("Within 200 m, the odds between two true places")).to_be_visible()
    expect(window.get_by_role("row", name=re.compile("^noise alone"))).to_contain_text("289")
    expect(window.get_by_role("row", name=re.compile("^1,000"))).to_contain_text("any factor")
    slider = window.get_by_role("slider", name="Within which distance shall places be hidden?")
    slider.focus()
    window.keyboard.press("ArrowRight")
    expect(window.get_by_text("Within 500 m, the odds between two true places")).to_be_visible()
    expect(window.get_by_label("Radius", exact=True)).to_have_value("500 m")
    assert slider.get_attribute("aria-valuetext") == "500 m"
    expect(window).to_have_url(re.compile(r"radius=500\+m"))
    shown = window.locator(".dp-map svg")
    box = shown.bounding_box()
    shown.click(position={"x": box["width"] * 0.4, "y": box["height"] * 0.5})
    home = window.get_by_label("A place: latitude, longitude")
    expect(home).to_have_value(re.compile(r"^52\.003\d\d, 4\.9\d+$"))
    home.fill("10, 10")
    expect(window.get_by_role("alert")).to_contain_text(
        "should lie in the region that everyone knows"
    )
    home.fill("52, 5")
    window.get_by_label("Radius", exact=True).fill("a mile")
    expect(window.get_by_role("alert")).to_contain_text("he radius should be a length such as")


def test_public_places_of_a_file_stay_out_of_the_link(served, window, tmp_path):
    window.goto(served.base + "/places")
    expect(headline(window)).to_be_visible()
    window.get_by_label("What does everyone know?").select_option("file")
    expect(window.get_by_text("Choose a file of public places.")).to_be_visible()
    shops = tmp_path / "shops.gpx"
    shops.write_text(
        "<gpx>" + "".join(f'<wpt lat="48.85{k}" lon="2.35{k}"/>' for k in range(9)) + "</gpx>"
    )
    choose(window, "Choose public places", shops)
    expect(window.get_by_label("A place: latitude, longitude")).to_have_value(
        re.compile(r"^48\.85")
    )
    expect(headline(window)).to_have_text(re.compile("^Reports of this place lie"))
    assert "48.85" not in window.url
    shops.write_text('<!DOCTYPE gpx [<!ENTITY a "b">]><gpx>&a;</gpx>')
    choose(window, "Choose public places", shops)
    expect(window.get_by_role("alert")).to_contain_text("it declares a document type")


def test_both_themes(served, window):
    window.goto(served.base + "/places")
    expect(headline(window)).to_be_visible()
    for theme, paper in (("light", r"rgb\(255.*"), ("dark", r"rgb\(27, 34, 42\)")):
        window.emulate_media(color_scheme=theme)
        panel = window.locator(".dp-panel").first
        expect(panel).to_have_css("background-color", re.compile(paper))
        assert _contrast(window.locator(".dp-panel p").first) > 4.5
        assert _contrast(window.locator(".dp-headline").first) > 4.5


def _contrast(element):
    """Of a text with the panel behind it, as WCAG counts it."""
    ink, paper = element.evaluate(
        "e => [e, e.closest('.dp-panel')].map((x, k) => "
        "getComputedStyle(x)[k ? 'backgroundColor' : 'color'])"
    )
    shades = [_light([int(n) for n in re.findall(r"\d+", colour)[:3]]) for colour in (ink, paper)]
    return (max(shades) + 0.05) / (min(shades) + 0.05)


def _light(rgb):
    parts = [n / 255 for n in rgb]
    linear = [n / 12.92 if n <= 0.04045 else ((n + 0.055) / 1.055) ** 2.4 for n in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
