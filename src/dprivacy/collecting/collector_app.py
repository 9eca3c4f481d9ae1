"""The collector as an ASGI application: takes reports, answers when they are on disk, serves its page.

Nothing of a request is kept but counters and ids: no address, no header, no time.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dprivacy.collecting.group_commit import GroupCommit
from dprivacy.collecting.live_estimates import findings
from dprivacy.collecting.question_page import File, page_files
from dprivacy.collecting.report_wire import LARGEST
from dprivacy.errors import DPrivacyError, NotApplicable, NotStored, UnknownCategory

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Why is said to whoever runs the collector, and not to everybody: it names files.
_NOT_STORED = (
    "the reports could not be stored; send the same ones again later, and each counts once"
)
_JSON = b"application/json"
_REPORTS = "/v1/reports"
_ESTIMATE = "/v1/estimate"
_OPEN = (b"access-control-allow-origin", b"*")  # pages of other sites may ask and send: no cookies
_FRESH = 1.0  # seconds that an estimate is good for, at least
_PATIENT = 10  # times as long as it took
_DRAINED = 16 * LARGEST  # bytes of too long a request that are read, so that its sender hears why
_COMMON = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"), _OPEN]
_GUARDED = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
]
_ASKED = [
    _OPEN,
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"content-type"),
    (b"access-control-max-age", b"86400"),
]


class Collector:
    """The application around a book.

    Parameters
    ----------
    commits
        What writes into the book.
    estimates
        Whether those who can reach the collector may see the estimates.
    """

    def __init__(self, commits: GroupCommit, *, estimates: bool = True) -> None:
        self._commits, self._wire = commits, commits.book.collection.wire
        self._files = page_files(commits.book.collection, estimates=estimates)
        self._estimates = estimates
        self._known, self._good_until = b"", 0.0
        self._working = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        method, path = scope["method"], scope["path"]
        if path == _REPORTS and method == "POST":
            await self._take(scope, receive, send)
        elif method == "OPTIONS":
            await _answer(send, 204, b"", _JSON, _ASKED)
        elif method not in ("GET", "HEAD"):
            await _say(
                send, 405, "reports are sent by POST to /v1/reports; everything else is read"
            )
        elif path == _ESTIMATE and self._estimates:
            await self._tell(send)
        elif path in self._files:
            file: File = self._files[path]
            await _answer(send, 200, file.body, file.kind, _GUARDED)
        else:
            await _say(send, 404, "there is nothing here; the question is at /")

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._commits.finish()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return  # whoever sent it has gone
        if len(body) > LARGEST:
            await _say(
                send,
                413,
                f"a request should be at most {LARGEST:,} bytes; send fewer reports at once",
            )
            return
        try:
            sent = self._wire.request(body)
            new = await self._commits.add(sent)
        except UnknownCategory as reason:
            await _say(send, 422, str(reason))
        except NotStored:
            await _say(send, 503, _NOT_STORED)
        except NotApplicable:
            await _say(send, 410, "this collection is closed and takes no more reports")
        else:
            told = b'{"counted":%d,"repeated":%d}' % (new, len(sent.ids) - new)
            await _answer(send, 200, told, _JSON, [])

    async def _tell(self, send: Send) -> None:
        """The estimates, made anew at most once a second."""
        async with self._working:
            if time.monotonic() >= self._good_until:
                try:
                    tally = await self._commits.ask(lambda book: book.tally())
                    began = time.monotonic()
                    found = await asyncio.to_thread(lambda: findings(tally).to_dict())
                except DPrivacyError:  # the disk refuses, or somebody changed the book
                    await _say(send, 503, "the estimates cannot be made now; ask again later")
                    return
                self._known = json.dumps(found, ensure_ascii=False).encode()
                took = time.monotonic() - began
                self._good_until = time.monotonic() + max(_FRESH, _PATIENT * took)
        await _answer(send, 200, self._known, _JSON, [])


async def _body(receive: Receive) -> bytes | None:
    """What was sent, as far as it is read; None when its sender has gone."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if message["type"] == "http.request" and not message.get("more_body"):
        return body  # nearly always
    pieces, size = [body], len(body)
    while message["type"] == "http.request" and message.get("more_body") and size <= _DRAINED:
        message = await receive()
        piece = message.get("body", b"")
        size += len(piece)
        if size <= LARGEST + len(piece):
            pieces.append(piece)
    return None if message["type"] == "http.disconnect" else b"".join(pieces)


async def _say(send: Send, status: int, words: str) -> None:
    body = json.dumps({"refused": words}, ensure_ascii=False).encode()
    await _answer(send, status, body, _JSON, [])


async def _answer(
    send: Send, status: int, body: bytes, kind: bytes, more: list[tuple[bytes, bytes]]
) -> None:
    headers = [
        (b"content-type", kind),
        (b"content-length", b"%d" % len(body)),
        *_COMMON,
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
