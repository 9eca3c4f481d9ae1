"""`serve`: the page on loopback, for one person, until it is stopped."""

import os
import secrets
import signal
import socket
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

from dprivacy.errors import BadNumber, MissingExtra, NotApplicable
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.request_guard import Guard, keep_data_out_of_logs

USUAL_PORT = 8450
LARGEST = 512 << 20  # bytes of an upload; the command line takes tables of any size
_HOST = "127.0.0.1"
_FORGET_AFTER = 60.0  # seconds after a page was closed until what it was given is removed


def serve(
    *,
    port: int | None = None,
    browser: bool = True,
    largest: int = LARGEST,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve the page on this machine until it is interrupted.

    Parameters
    ----------
    port
        A port of the loopback address; 0 for any that is free. By default 8450, or another where that
        one is taken.
    browser
        Whether to open the page in a browser.
    largest
        The largest file that the page takes, in bytes.
    ready
        Called with the address, which holds the key of this run.

    Raises
    ------
    MissingExtra
        Without NiceGUI (extra ``[web]``).
    NotApplicable
        When the port is taken or not allowed.
    BadNumber
        When the largest file has no byte.

    Notes
    -----
    1. Only 127.0.0.1 is listened on, and a key that is new with every run keeps out other users of the
       machine; see `dprivacy.web.shell.request_guard.Guard`. It is on no command line: a browser is
       opened with a file that leads to the address.
    2. Files go into a folder of mode 0700 that is removed at the end.
    3. Nothing is logged but where an error of the server happened, and no other host is asked.

    Examples
    --------
    >>> serve(port=0, browser=False, largest=0)
    Traceback (most recent call last):
    dprivacy.errors.BadNumber: largest should be at least 1 byte, not 0
    """
    if largest < 1:
        raise BadNumber(f"largest should be at least 1 byte, not {largest}")
    if find_spec("nicegui") is None:
        raise MissingExtra("the page needs nicegui; install it with pip install 'dprivacy[web]'")
    listening = _bound(port)
    desk = Desk()
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        server, address = _guarded(int(listening.getsockname()[1]), desk, largest)
        ready(address)
        if browser:
            # It waits in the socket's queue until the server takes it. The address itself would be on
            # the browser's command line, where every user of the machine can read it.
            webbrowser.open(_leading_to(address, desk.folder).as_uri())
        server.run(sockets=[listening])
    finally:
        signal.signal(signal.SIGTERM, before)
        desk.close()
        listening.close()


def _guarded(port: int, desk: Desk, largest: int) -> tuple[Any, str]:
    """The server, behind its guard, and the address with the key of this run."""
    # Where NiceGUI would keep storage, if anything used it: nothing is left in the working folder.
    os.environ["NICEGUI_STORAGE_PATH"] = str(desk.folder / "storage")
    import uvicorn

    from dprivacy.web.page_routes import application

    keep_data_out_of_logs()
    key = secrets.token_urlsafe(24)
    guarded = Guard(
        application(desk, largest=largest, forget_after=_FORGET_AFTER),
        port=port,
        key=key,
        largest=largest + (1 << 20),  # a form around the file
    )
    config = uvicorn.Config(
        guarded,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config), f"http://{_HOST}:{port}/{key}/"


def _leading_to(address: str, folder: Path) -> Path:
    """A file for this user alone that takes a browser to an address."""
    file = folder / "open.html"
    file.touch(mode=0o600)
    file.write_text(
        f'<!doctype html><meta name="referrer" content="no-referrer"><title>dprivacy</title>'
        f'<script>location.replace("{address}")</script>',
        encoding="utf-8",
    )
    return file


def _bound(port: int | None) -> socket.socket:
    """A socket that listens on loopback; another port where the usual one is taken."""
    wanted = [USUAL_PORT, 0] if port is None else [port]
    for number in wanted:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name != "nt":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, number))
            listening.listen(64)
        except (OSError, OverflowError):
            listening.close()
            continue
        return listening
    raise NotApplicable(
        f"port {port} of this machine is taken or not allowed; choose another, or 0 for any free one"
    )


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
