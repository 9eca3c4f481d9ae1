"""Who may talk to the page, and what the server may log of it."""

import hmac
import logging
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_READING = ("GET", "HEAD")
_STRANGER = (
    "This page belongs to whoever started it. Open the address that the command dprivacy app printed; "
    "it holds a key that is new with every run."
)
# A link without the key finds its way in where this browser has opened the page before. What an origin
# stores is its own, port included, unlike cookies, which every port of a machine is sent.
STORED = "dprivacy-key"
_WAY_IN = f"""<!doctype html><meta charset="utf-8"><title>dprivacy</title>
<style>p {{ font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }}</style>
<p>{_STRANGER}</p>
<script>
const key = localStorage.getItem("{STORED}");
if (key && (location.pathname + "/").startsWith("/" + key + "/")) localStorage.removeItem("{STORED}");
else if (key) location.replace("/" + key + location.pathname + location.search);
</script>"""
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
        The secret of this run. Every address begins with it, and only who has it is served: every user
        of a machine can reach its loopback ports.
    largest
        The longest body that is read, in bytes.

    Notes
    -----
    1. The Host must name this machine, or a name that was bound to it anew (DNS rebinding) would do.
    2. What changes anything, and every websocket, must come from this origin.
    3. The key is part of the path, and so of pages, files and websockets alike. It is in no cookie,
       which a browser would send to whatever another user runs on another port.
    4. Bodies are counted while they are read, whatever length they declare.
    5. Answers forbid the browser to ask any other host, to be framed, and to be kept.
    """

    def __init__(self, app: App, *, port: int, key: str, largest: int) -> None:
        self.app = app
        self.key, self.largest = key, largest
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
        within = self._within(scope)
        if scope["type"] == "websocket":
            await self.app(within, receive, send)
            return
        await self._bounded(within, receive, send)

    def _within(self, scope: Scope) -> Scope:
        """A request as the application behind the key sees it."""
        prefix = f"/{self.key}"
        headers = [
            (name, value)
            for name, value in scope["headers"]
            if name.lower() != b"x-forwarded-prefix"
        ]
        return {
            **scope,
            "path": scope["path"].removeprefix(prefix),
            "raw_path": scope.get("raw_path", b"").removeprefix(prefix.encode()),
            "headers": [*headers, (b"x-forwarded-prefix", prefix.encode())],
        }

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        """Status and words of a refusal; None for who is welcome."""
        if headers.get(b"host", "").lower() not in self.hosts:
            return 403, _ELSEWHERE
        origin = headers.get(b"origin")
        acts = scope["type"] == "websocket" or scope["method"] not in _READING
        if (origin is None and acts) or (origin is not None and origin not in self.origins):
            return 403, _ELSEWHERE
        given, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(given.encode(), self.key.encode()):
            return (401, _STRANGER) if acts else (401, _WAY_IN)
        declared = headers.get(b"content-length", "0")
        if not declared.isdecimal() or int(declared) > self.largest:
            return 413, self.too_large
        return None

    @property
    def too_large(self) -> str:
        """What is said of a body that is too long."""
        return (
            f"More than {self.largest >> 20} MiB: too large for the page. "
            "The command dprivacy sanitise takes tables of any size."
        )

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, status: int, words: str
    ) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        body = words.encode()
        kind = b"html" if words.startswith("<") else b"plain"
        headers = [
            (b"content-type", b"text/" + kind + b"; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            *self.headers,
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
            await self._answer(scope, receive, send, 413, self.too_large)


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
    """Let the server's own logs say where an error happened, and not what it says.

    Warnings would quote addresses, and with them what somebody typed.
    """
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.ERROR)
        if not any(isinstance(known, _WithoutText) for known in logger.filters):
            logger.addFilter(_WithoutText())
