"""A server and a window for the tests of the page; without what they need, those tests are skipped."""

import pytest

from support.page_clicks import context_of


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    pytest.importorskip("nicegui", reason="the page needs the extra [web]")
    from support.web_server import Served

    server = Served(tmp_path_factory.mktemp("page"))
    yield server
    server.stop()
    assert server.desks() == []
    assert server.errors() == ""


@pytest.fixture
def window(served, chromium):
    """A window that has the key; it must ask no other host, and must log no error."""
    context = context_of(chromium, viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    asked, complaints = set(), []
    page.on("request", lambda request: asked.add(request.url))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served.address)
    yield page
    context.close()
    outside = {url for url in asked if not url.startswith((served.origin, "data:", "blob:"))}
    assert outside == set()
    # Plotly says so when a picture is taken away while the window settles; nothing is lost by it.
    harmless = "Resize must be passed a displayed plot div element."
    assert [said for said in complaints if said != harmless] == []
