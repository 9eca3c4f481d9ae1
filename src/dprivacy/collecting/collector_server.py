"""Serving a collection: uvicorn on loopback, or on every address where a proxy stands in front."""

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from dprivacy.collecting.books.collection_book import Book
from dprivacy.collecting.bounded_protocol import bounded_protocol
from dprivacy.collecting.collector_app import Collector
from dprivacy.collecting.group_commit import GroupCommit
from dprivacy.errors import NotApplicable
from dprivacy.extras import uvicorn

USUAL_PORT = 8460
_MOST_CONNECTIONS = 4096


def serve_collection(
    book: Book,
    *,
    port: int = USUAL_PORT,
    behind_proxy: bool = False,
    estimates: bool = True,
    ready: Callable[[str], object] = print,
) -> None:
    """Take reports for a book until it is interrupted.

    Parameters
    ----------
    book
        What `new_book` or `open_book` gave; it is closed at the end.
    port
        The port; 0 for any that is free.
    behind_proxy
        Listen on every address instead of this machine's own. The proxy in front speaks https, which
        browsers need to give a page Web Crypto, and keeps no log of addresses.
    estimates
        Whether everybody who can reach the collector may see the estimates.
    ready
        Called with the address of the question's page.

    Raises
    ------
    MissingExtra
        Without uvicorn (extra ``[collect]``).
    NotApplicable
        When the port is taken, or the collection is closed.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.collecting import Collection, new_book
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = new_book(f"{folder}/b.db", Collection.of(stored_text(coin), question="Smoke?"))
    ...     book.close_collection()
    ...     serve_collection(book)
    Traceback (most recent call last):
    dprivacy.errors.NotApplicable: ...b.db: the collection is closed and takes no more reports
    >>> book.release()
    """
    library = uvicorn()
    if book.is_closed():
        raise NotApplicable(f"{book.name}: the collection is closed and takes no more reports")
    host = "0.0.0.0" if behind_proxy else "127.0.0.1"
    listening = _bound(host, port)
    app = Collector(GroupCommit(book), estimates=estimates)
    config = library.Config(
        app,
        http=bounded_protocol(),
        ws="none",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        ready(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        with suppress(KeyboardInterrupt):  # which is how it is stopped
            library.Server(config).run(sockets=[listening])
    finally:
        signal.signal(signal.SIGTERM, before)
        listening.close()


def _bound(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except (OSError, OverflowError):
        listening.close()
        raise NotApplicable(
            f"port {port} of this machine is taken or not allowed; choose another, or 0 for any "
            "that is free"
        ) from None
    return listening


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
