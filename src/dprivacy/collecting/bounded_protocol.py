"""HTTP with a bound on what comes before a request's body: uvicorn has none on its quick parser."""

from functools import cache
from typing import Any

from dprivacy.extras import uvicorn

LONGEST_HEAD = 32 << 10  # bytes of a request's first line and headers


@cache
def bounded_protocol() -> Any:
    """The class of connections: one that sends a longer head is closed, and nothing of it is kept."""
    usual: Any = uvicorn("protocols.http.httptools_impl").HttpToolsProtocol

    class BoundedProtocol(usual):  # type: ignore[misc]
        head = 0  # bytes of the head that is arriving; −1 while a body does

        def data_received(self, data: bytes) -> None:
            if self.head >= 0:
                self.head += len(data)
            super().data_received(data)
            if self.head > LONGEST_HEAD:
                self.transport.abort()

        def on_headers_complete(self) -> None:
            self.head = -1
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self.head = 0
            super().on_message_complete()

    return BoundedProtocol
