"""Who else may reach the page: other users, other ports, odd addresses, in a headless Chromium."""

import http.client
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import cycle

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.page_clicks import context_of
from support.patience import PATIENCE
from support.web_server import Served

STRANGER = "This page belongs to whoever started it."
ROOMS = ("protect", "receive", "collect", "verify", "compare", "explore", "design")
LEVELLED = ("protect", "places", "texts", "verify", "explore", "design")
ODD = [
    "eps=1e400", "eps=nan", "eps=-1", "eps=0", "eps=" + "9" * 5000, "eps=ln(1e400)", "eps=%00%ff",
    "eps=1/0", "n=-1", "n=" + "9" * 400, "rows=-1&rows=2&rows=nan", "eps=ln+2&eps=1e400",
    "space=line:-1", "space=grid:99999x99999", "space=%E2%88%9E", "space=discrete:1e400", "matrix=%00",
    "matrix=" + ",".join("1" * 900), "seconds=1e400", "kernel=-1", "kernel=99999999999", "a=1&b=2",
    "loss=%F0%9F%98%80", "prior=nan", "metric=<script>", "left=1&right=2",
]  # fmt: skip


@pytest.fixture
def stranger(chromium):
    """A window that has opened nothing before, such as another user's."""
    context = context_of(chromium)
    yield context.new_page()
    context.close()


@pytest.fixture
def other_port():
    """What somebody else runs on another port of this machine: it keeps what browsers send it."""
    heard = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<p>hello</p>")

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", heard
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["/", "/verify?eps=1", "/wrong-key/", "/wrong-key/verify"])
def test_another_user_gets_a_sentence(served, stranger, path):
    answer = stranger.goto(served.origin + path)
    assert answer.status == 401
    expect(stranger.locator("p")).to_contain_text(STRANGER)
    assert served.key not in stranger.content()


def test_another_port_is_sent_nothing(served, stranger, other_port):
    address, heard = other_port
    stranger.goto(served.address)
    expect(stranger.locator("h1")).to_contain_text("Privacy that can be proved")
    assert stranger.context.cookies() == []
    stranger.evaluate(f"location.href = '{address}'")
    expect(stranger.locator("p")).to_have_text("hello")
    assert heard
    assert served.key not in repr(heard)
    assert not any("cookie" in name.lower() for _, headers in heard for name in headers)
    assert stranger.evaluate("localStorage.length") == 0


def test_a_link_without_the_key_finds_its_way_where_the_page_is_open(served, chromium):
    context = context_of(chromium)
    page = context.new_page()
    page.goto(served.address)
    expect(page.locator("h1")).to_be_visible()
    other = context.new_page()
    other.goto(served.origin + "/explore?space=line:3")
    expect(other.locator("h1")).to_be_visible()
    assert other.url.startswith(served.base + "/explore")
    other.get_by_role("link", name="Verify").first.click()
    expect(other.locator("h1")).to_be_visible()
    assert other.url.startswith(served.base + "/verify")
    context.close()


def test_a_key_of_yesterday_leads_to_the_sentence(served, stranger):
    stranger.goto(served.origin)
    stranger.evaluate("localStorage.setItem('dprivacy-key', 'yesterday')")
    stranger.goto(served.origin + "/verify")
    expect(stranger.locator("p")).to_contain_text(STRANGER)
    stranger.wait_for_function("localStorage.length === 0")
    assert stranger.url == served.origin + "/yesterday/verify"


def test_odd_addresses_are_answered(served):
    rooms = [
        (room, odd, 400 if room in LEVELLED and odd.startswith("eps=") else 200)
        for room, odd in zip(cycle((*ROOMS, "")), ODD, strict=False)
    ]
    nowhere = ("nowhere", "%00", "%ff/..%2f", "_nicegui/client/x/nothing")
    for room, odd, status in (*rooms, *((path, "eps=1e400", 404) for path in nowhere)):
        asked = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
        asked.request("GET", f"/{served.key}/{room}?{odd}")
        assert asked.getresponse().status == status, (room, odd)
        asked.close()


def answered(window, address):
    """The words of a room once it has answered: a result, or the reason why there is none."""
    window.goto(address)
    expect(window.locator("[role=alert]:not(:empty), .dp-headline").first).to_be_visible()
    words = window.locator("body").inner_text()
    assert "Something unexpected" not in words
    return words


def test_a_level_beyond_all_numbers(served, stranger):
    for room in LEVELLED:
        assert "ε should be at most 700" in answered(stranger, f"{served.base}/{room}?eps=1e400")
        stranger.get_by_label("ε").first.fill("ln 2")
        if room == "design":  # there a button asks
            stranger.get_by_role("button", name="Find the best").click()
        expect(stranger.locator("[role=alert]:not(:empty)")).to_have_count(0)
        expect(stranger.locator(".dp-headline").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_odd_addresses_are_answered_in_words(served, stranger, room):
    for odd in ODD:
        stranger.goto(f"{served.base}/{room}?{odd}")
        expect(stranger.locator("h1")).to_be_visible()
        stranger.wait_for_timeout(500)
        assert "Something unexpected" not in stranger.locator("body").inner_text(), odd


@pytest.mark.slow
def test_seven_hundred_mebibytes_in_chunks(tmp_path):
    served = Served(tmp_path / "run", largest=512 << 20)
    asked = http.client.HTTPConnection("127.0.0.1", served.port, timeout=600)
    try:
        asked.request("GET", f"/{served.key}/protect")
        words = asked.getresponse().read().decode()
        upload = re.search(r"/_nicegui/client/[^\"\\]+/upload/\d+", words)[0]

        def form():
            yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
            yield from [bytes(1 << 20)] * 700
            yield b"\r\n--b--\r\n"

        kind = {"Origin": served.origin, "Content-Type": "multipart/form-data; boundary=b"}
        asked.request(
            "POST", f"/{served.key}{upload}", body=form(), headers=kind, encode_chunked=True
        )
        answer = asked.getresponse()
        assert answer.status == 413
        assert "too large for the page" in answer.read().decode()
    finally:
        asked.close()
        served.stop()
    assert served.errors() == ""
    assert served.desks() == []
