"""The bytes of a text table as Arrow wants them: unpacked within bounds, and as UTF-8."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    with arrow().OSFile(str(path)) as raw:
        if not packed:
            yield raw
            return
        with arrow().CompressedInputStream(raw, "gzip") as unpacked:
            yield _Bounded(unpacked, path, _MOST_TIMES * raw.size() + _ALWAYS)


@contextmanager
def opened_utf8(path: Path, encoding: str) -> Iterator[Any]:
    """A stream of the same text as UTF-8."""
    with opened_bytes(path) as raw:
        same = encoding in ("utf-8", "utf-8-sig")  # Arrow checks it, and skips a mark
        yield raw if same else _Decoded(raw, path, encoding)


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
    """What Arrow asks of a stream in Python."""

    closed = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True


class _Bounded(_Stream):
    """A stream that refuses to grow without end."""

    def __init__(self, raw: Any, path: Path, most: int) -> None:
        self.raw, self.path, self.left = raw, path, most

    def read(self, size: int) -> bytes:
        found = bytes(self.raw.read(size))
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
        self.raw, self.path, self.encoding = raw, path, encoding
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.line = 1
        self.rest = b""

    def read(self, size: int) -> bytes:
        while len(self.rest) < size:
            found = bytes(self.raw.read(_CHUNK))
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
