"""``dprivacy app``, and the server as a process: loopback alone, nothing left, strangers refused."""

import json
import os
import re
import signal
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.cli.verbs.begin import app
from dprivacy.errors import Malformed, MissingExtra
from dprivacy.web import serving
from support.patience import PATIENCE
from support.web_server import Served


def test_the_command_hands_its_options_on(monkeypatch):
    seen = {}
    monkeypatch.setattr("dprivacy.web.serve", lambda **options: seen.update(options))
    done = CliRunner().invoke(app, ["--port", "9000", "--no-browser"])
    assert done.exit_code == 0
    assert (seen["port"], seen["browser"]) == (9000, False)
    assert CliRunner().invoke(app, ["--port", "70000"]).exit_code == 2


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'dprivacy\[web\]'"):
        serving.serve(browser=False)


def test_a_port_that_is_taken_is_refused_and_the_usual_one_replaced(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Malformed, match=f"port {port} of this machine is taken"):
            serving.serve(port=port, browser=False)
        monkeypatch.setattr(serving, "USUAL_PORT", port)
        with serving._bound(None) as other:
            assert other.getsockname()[0] == "127.0.0.1"
            assert other.getsockname()[1] != port


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_server_is_for_this_machine_and_this_run_alone(tmp_path):
    served = Served(tmp_path / "run")
    try:
        _only_loopback(served)
        for path, headers, status in (
            ("/verify", {}, 401),
            ("/wrong/verify", {}, 401),
            (f"/{served.key}/verify", {"Host": "evil.example"}, 403),
            (f"/{served.key}/verify", {"Origin": "http://evil.example"}, 403),
        ):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(
                    urllib.request.Request(served.origin + path, headers=headers)
                )
            assert refused.value.code == status
            refused.value.close()
        with urlopen(served.base + "/verify", timeout=PATIENCE) as page:
            assert page.status == 200
            assert page.headers["Cache-Control"] == "no-store"
            assert page.headers["Set-Cookie"] is None
            assert b"transition matrix" in page.read()
        post = urllib.request.Request(served.base + "/_nicegui/client/x/upload/1", data=b"x")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urlopen(post)
        assert refused.value.code == 403
        refused.value.close()
        large = urllib.request.Request(
            served.base + "/x", data=b"x" * (3 << 20), headers={"Origin": served.origin}
        )
        # the answer, or a connection that was closed before all of it was sent
        with pytest.raises((urllib.error.URLError, ConnectionError)) as refused:
            urlopen(large)
        if isinstance(refused.value, urllib.error.HTTPError):
            assert refused.value.code == 413
            refused.value.close()
        urlopen(served.base + "/verify", timeout=PATIENCE).close()
        (desk,) = served.desks()
        assert desk.stat().st_mode & 0o077 == 0
    finally:
        served.stop()
    assert served.desks() == []
    assert served.errors() == ""
    assert {entry.name for entry in served.folder.iterdir()} == {"errors.txt"}


def test_what_is_too_large_or_too_high_is_refused_in_words(tmp_path):
    served = Served(tmp_path / "run")

    def form():
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        yield from [b"x" * (1 << 17)] * 30
        yield b"\r\n--b--\r\n"

    try:
        for room in ("protect", "verify", "explore", "design"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urlopen(f"{served.base}/{room}?eps=1e400", timeout=PATIENCE)
            assert refused.value.code == 400
            assert b" should be at most 700, not 1e400" in refused.value.read()
        with urlopen(f"{served.base}/protect", timeout=PATIENCE) as page:
            words = page.read().decode()
        upload = re.search(r"/_nicegui/client/[^\"\\]+/upload/\d+", words)
        kind = {"Origin": served.origin, "Content-Type": "multipart/form-data; boundary=b"}
        chunked = urllib.request.Request(served.base + upload[0], data=form(), headers=kind)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urlopen(chunked, timeout=PATIENCE)
        assert refused.value.code == 413
        assert b"too large for the page" in refused.value.read()
    finally:
        served.stop()
    assert served.errors() == ""


def test_the_key_is_on_no_command_line(monkeypatch, tmp_path):
    opened, told = [], []

    class Stopped(BaseException):
        pass

    def open_browser(address):
        opened.append((address, Path(urllib.parse.urlparse(address).path).stat().st_mode & 0o777))
        opened.append(Path(urllib.parse.urlparse(address).path).read_text())
        raise Stopped

    monkeypatch.setattr(serving.webbrowser, "open", open_browser)
    monkeypatch.setattr(serving, "_guarded", lambda port, desk, largest: (None, "http://x:1/KEY/"))
    with pytest.raises(Stopped):
        serving.serve(port=0, ready=told.append)
    (address, mode), page = opened
    assert address.startswith("file:///")
    assert "KEY" not in address
    assert mode == 0o600
    assert 'location.replace("http://x:1/KEY/")' in page
    assert told == ["http://x:1/KEY/"]


def _only_loopback(served):
    listening = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if Path(table).exists():
            for line in Path(table).read_text().splitlines()[1:]:
                local, _, state = line.split()[1:4]
                if state == "0A" and int(local.rpartition(":")[2], 16) == served.port:
                    listening.append(local.rpartition(":")[0])
    assert listening == ["0100007F"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path):
    first = Served(tmp_path / "run")
    first.stop(signal.SIGKILL)
    (left,) = first.desks()
    second = Served(tmp_path / "run")
    try:
        assert left not in second.desks()
        assert len(second.desks()) == 1
    finally:
        second.stop(signal.SIGINT)
    assert second.desks() == []


def test_the_help_has_an_example():
    done = CliRunner().invoke(app, ["--help"])
    assert done.exit_code == 0
    assert "dprivacy app --port 9000 --no-browser" in done.output
    assert json.dumps("127.0.0.1").strip('"') in done.output
