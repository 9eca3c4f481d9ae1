"""The bytes of a text table as Arrow wants them: unpacked within bounds, and as UTF-8."""

import codecs
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from dprivacy.errors import BadFile, TooLarge
from dprivacy.extras import arrow
from dprivacy.model import open_regular

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_MOST_TIMES, _ALWAYS = (
    200,
    64 << 20,
)  # a table shrinks to a hundredth at most; small ones may do more


@contextmanager
def opened_bytes(path: Path) -> Iterator[Any]:
    """A stream of a file's bytes; what gzip packed, seen by its first bytes, is unpacked."""
    with open_regular(path) as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        if not packed:
            with closing(_Stream(file)) as plain:
                yield plain
            return
        most = _MOST_TIMES * path.stat().st_size + _ALWAYS
        with (
            arrow().CompressedInputStream(arrow().PythonFile(file, "r"), "gzip") as unpacked,
            closing(_Bounded(unpacked, path, most)) as bounded,
        ):
            yield bounded


@contextmanager
def opened_utf8(path: Path, encoding: str) -> Iterator[Any]:
    """A stream of the same text as UTF-8."""
    with opened_bytes(path) as raw:
        if encoding in ("utf-8", "utf-8-sig"):  # Arrow checks it, and skips a mark
            yield raw
            return
        with closing(_Decoded(raw, path, encoding)) as decoded:
            yield decoded


def beginning_of(path: Path, most: int) -> bytes:
    """The first bytes of a file, unpacked."""
    with opened_bytes(path) as raw:
        return bytes(raw.read(most))


def refuse_bad_bytes(path: Path, encoding: str) -> None:
    """BadFile with the first line that cannot be read, if there is one."""
    with opened_bytes(path) as raw:
        text = _Decoded(raw, path, encoding)
        while text.read(_CHUNK):
            pass


class _Stream:
    """What Arrow asks of a stream in Python, which may be closed while another thread reads it.

    Arrow reads ahead in threads of its own, and does not wait for them when a reader is closed. The
    number of a file that is closed is that of the next one to be opened: a late read from the file
    itself would take the beginning of another. So closing waits for a read, and later ones give none.
    """

    def __init__(self, raw: Any) -> None:
        self.raw, self.closed, self._reading = raw, False, Lock()

    def readable(self) -> bool:
        return True

    def read(self, size: int) -> bytes:
        with self._reading:
            return b"" if self.closed else self._next(size)

    def close(self) -> None:
        with self._reading:
            self.closed = True

    def _next(self, size: int) -> bytes:
        return bytes(self.raw.read(size))


class _Bounded(_Stream):
    """A stream that refuses to grow without end."""

    def __init__(self, raw: Any, path: Path, most: int) -> None:
        super().__init__(raw)
        self.path, self.left = path, most

    def _next(self, size: int) -> bytes:
        found = super()._next(size)
        self.left -= len(found)
        if self.left < 0:
            raise TooLarge(
                f"{self.path}: unpacks to more than {_MOST_TIMES} times its size, as no table does; "
                "unpack it yourself if it is one"
            )
        return found


class _Decoded(_Stream):
    """A stream of UTF-8 made from another encoding; bytes that are none are refused by their line."""

    def __init__(self, raw: Any, path: Path, encoding: str) -> None:
        super().__init__(raw)
        self.path, self.encoding = path, encoding
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.line = 1
        self.rest = b""

    def _next(self, size: int) -> bytes:
        while len(self.rest) < size:
            found = super()._next(_CHUNK)
            text = self._text(found)
            self.line += text.count("\n")
            self.rest += text.encode("utf-8")
            if not found:
                break
        given, self.rest = self.rest[:size], self.rest[size:]
        return given

    def _text(self, found: bytes) -> str:
        before, _ = self.decoder.getstate()
        try:
            return self.decoder.decode(found, final=not found)
        except UnicodeError as reason:
            at = reason.start if isinstance(reason, UnicodeDecodeError) else 0
            good = (before + found)[:at].decode(self.encoding, errors="ignore")
            raise BadFile(
                f"{self.path}: line {self.line + good.count(chr(10))} cannot be read as "
                f"{self.encoding}; save it as UTF-8, or pass its encoding as --encoding (encoding=)"
            ) from None
