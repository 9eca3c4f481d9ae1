"""HTTP with bounds that uvicorn lacks: on what comes before a body, and on how long all of it takes."""

import asyncio
from functools import cache
from typing import Any

from dprivacy.extras import uvicorn

LONGEST_HEAD = 32 << 10  # bytes of a request's first line and headers
SLOWEST = 30.0  # seconds until a request should have arrived whole


@cache
def bounded_protocol() -> Any:
    """The class of connections: one with a longer head, or that takes longer to ask, is closed.

    Otherwise a few thousand connections that say nothing would keep everybody else out.
    """
    usual: Any = uvicorn("protocols.http.httptools_impl").HttpToolsProtocol

    class BoundedProtocol(usual):  # type: ignore[misc]
        head = 0  # bytes of the head that is arriving; −1 while a body does
        late: asyncio.TimerHandle | None = None  # closes a connection whose request does not end

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.late = self.loop.call_later(SLOWEST, transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self._in_time()
            super().connection_lost(exc)

        def _in_time(self) -> None:
            if self.late is not None:
                self.late.cancel()
                self.late = None

        def data_received(self, data: bytes) -> None:
            if self.head >= 0:
                self.head += len(data)
            super().data_received(data)
            if self.head > LONGEST_HEAD:
                self.transport.abort()

        def on_message_begin(self) -> None:
            if self.late is None:
                self.late = self.loop.call_later(SLOWEST, self.transport.abort)
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self.head = -1
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self.head = 0
            self._in_time()
            super().on_message_complete()

    return BoundedProtocol
