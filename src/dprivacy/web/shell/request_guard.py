"""Who may talk to the page, and what the server may log of it."""

import hmac
import logging
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_READING = ("GET", "HEAD")
_STRANGER = (
    "This page belongs to whoever started it. Open the address that the command dprivacy app printed; "
    "it holds a key that is new with every run."
)
_ELSEWHERE = "This page answers only to itself, on this machine."


class _Overflow(Exception):
    """A body that is longer than is read."""


class Guard:
    """An ASGI application around another: it lets through what comes from the page's own browser.

    Parameters
    ----------
    app
        What is guarded.
    port
        The port that the page is served on.
    key
        The secret of this run. The address with ``?key=`` sets a cookie, and only who has it is served:
        every user of a machine can reach its loopback ports.
    largest
        The longest body that is read, in bytes.

    Notes
    -----
    1. The Host must name this machine, or a name that was bound to it anew (DNS rebinding) would do.
    2. What changes anything, and every websocket, must come from this origin.
    3. The key, as a cookie that scripts cannot read and other sites cannot send along.
    4. Bodies are counted while they are read, whatever length they declare.
    5. Answers forbid the browser to ask any other host, to be framed, and to be kept.
    """

    def __init__(self, app: App, *, port: int, key: str, largest: int) -> None:
        self.app = app
        self.key, self.largest = key, largest
        self.cookie = f"dprivacy_{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}
        sockets = " ".join(f"ws://{host}" for host in sorted(self.hosts))
        # Vue compiles templates in the browser, so that scripts in the page cannot be forbidden.
        policy = (
            "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
            "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
            f"connect-src 'self' {sockets}; worker-src 'self' blob:; object-src 'none'; "
            "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
        )
        self.headers = [
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            await self._answer(scope, receive, send, *refused)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self._bounded(scope, receive, send)

    def _refused(
        self, scope: Scope, headers: dict[bytes, str]
    ) -> tuple[int, str, list[tuple[bytes, bytes]]] | None:
        """Status, words and headers of a refusal (or of the way in); None for who is welcome."""
        if headers.get(b"host", "").lower() not in self.hosts:
            return 403, _ELSEWHERE, []
        origin = headers.get(b"origin")
        acts = scope["type"] == "websocket" or scope["method"] not in _READING
        if (origin is None and acts) or (origin is not None and origin not in self.origins):
            return 403, _ELSEWHERE, []
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("key")
        if given is not None and not acts:
            if not self._is_key(given):
                return 401, _STRANGER, []
            rest = urlencode([(name, value) for name, value in asked if name != "key"])
            where = quote("/" + scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
            cookie = f"{self.cookie}={self.key}; Path=/; HttpOnly; SameSite=Lax"
            return 303, "", [(b"location", where.encode()), (b"set-cookie", cookie.encode())]
        if not self._is_key(self._cookie_in(headers)):
            return 401, _STRANGER, []
        declared = headers.get(b"content-length", "0")
        if not declared.isdecimal() or int(declared) > self.largest:
            return 413, self.too_large, []
        return None

    @property
    def too_large(self) -> str:
        """What is said of a body that is too long."""
        return (
            f"More than {self.largest >> 20} MiB: too large for the page. "
            "The command dprivacy sanitise takes tables of any size."
        )

    def _is_key(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.key.encode())

    def _cookie_in(self, headers: dict[bytes, str]) -> str:
        try:
            found = SimpleCookie(headers.get(b"cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return "" if found is None else found.value

    async def _answer(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        status: int,
        words: str,
        more: list[tuple[bytes, bytes]],
    ) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        body = words.encode()
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            *self.headers,
            *more,
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body and adding headers to the answer."""
        seen, more, begun = 0, True, False

        async def counted() -> MutableMapping[str, Any]:
            nonlocal seen, more
            message = await receive()
            seen += len(message.get("body", b""))
            more = bool(message.get("more_body"))
            if seen > self.largest:
                raise _Overflow
            return message

        async def dressed(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if seen > self.largest and not begun:
                return  # what the application makes of the overflow; the refusal below says it
            if message["type"] == "http.response.start":
                begun = True
                known = {name.lower() for name, _ in message["headers"]}
                extra = [*self.headers]
                if b"cache-control" not in known:
                    extra.append((b"cache-control", b"no-store"))
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        try:
            await self.app(scope, counted, dressed)
        except Exception:
            if seen <= self.largest:
                raise
        if seen > self.largest and not begun:
            while more and seen <= 2 * self.largest:  # browsers read an answer when all is sent
                with suppress(_Overflow):
                    await counted()
            await self._answer(scope, receive, send, 413, self.too_large, [])


_LOGGERS = ("nicegui", "uvicorn.error", "asyncio")


class _WithoutText(logging.Filter):
    """Keeps the lines of code of a traceback; an error's own text may quote what was being read."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the text off a record that carries an error."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is None and isinstance(record.msg, BaseException):
            error = record.msg
        if error is not None:
            lines = "".join(traceback.format_tb(error.__traceback__))
            record.msg = (
                f"{type(error).__name__} (its text is left out: it may quote data)\n{lines}"
            )
            record.args, record.exc_info, record.exc_text = (), None, None
        return True


def keep_data_out_of_logs() -> None:
    """Let the server's own logs say where an error happened, and not what it says."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, _WithoutText) for known in logger.filters):
            logger.addFilter(_WithoutText())
