"""The pages of a Parquet file, from their headers alone: what they would unpack to, before they do.

A file's footer says how large its columns are, and may lie; a page's header is what the library obeys.
Both are written in Thrift's compact protocol, and read here by hand: asked for the details of a damaged
footer, the library may end the whole process.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from dprivacy.errors import BadFile

_LONGEST_HEADER = 1 << 20  # bytes: statistics may quote a long value
_USUAL_HEADER = 1 << 8
_DEEPEST = 12
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3  # kinds of pages
_HEADERS = {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}
_ENCODING = {_DATA: 2, _DICTIONARY: 2, _DATA_2: 4}


class _Ended(Exception):
    """The bytes end within a header."""


@dataclass(frozen=True)
class Page:
    """What a page's header says.

    Parameters
    ----------
    values, size
        How many values it holds, and how many bytes it unpacks to.
    encoding
        Its number in the format.
    dictionary
        Whether it lists the values of the pages after it.
    """

    values: int
    size: int
    encoding: int
    dictionary: bool


@dataclass(frozen=True)
class Chunk:
    """Where the pages of a column lie in a group of rows.

    Parameters
    ----------
    values
        How many values there are, missing ones and those in lists included.
    start, size
        Where the first page begins, and how many bytes they take on disc.
    """

    values: int
    start: int
    size: int


@dataclass(frozen=True)
class Group:
    """A group of rows: how many they are, and where its columns lie."""

    rows: int
    chunks: tuple[Chunk, ...]


def groups_in(footer: bytes, name: str) -> list[Group]:
    """The groups of rows that a footer lists.

    Parameters
    ----------
    footer
        Its bytes.
    name
        The file, for messages.
    """
    try:
        found, _ = _struct(footer, 0, 0)
        groups = [
            Group(group[3], tuple(_chunk(chunk[3]) for chunk in group[1])) for group in found[4]
        ]
        if any(group.rows < 0 for group in groups):
            raise ValueError
        return groups
    except (_Ended, ValueError, LookupError, TypeError, AttributeError):
        raise damaged(name) from None


def _chunk(told: dict[int, Any]) -> Chunk:
    values, size, start, first = told[5], told[7], told[9], told.get(11)
    if first is not None and 0 < first < start:
        start = first
    if min(values, size, start) < 0:
        raise ValueError
    return Chunk(values, start, size)


def pages_of(file: IO[bytes], start: int, end: int, values: int, name: str) -> Iterator[Page]:
    """The pages between two places of a file, until they hold as many values as they should.

    Parameters
    ----------
    file
        Opened for reading.
    start, end
        Where the first page begins, and where the last must have ended.
    values
        How many values there are in all.
    name
        The file, for messages.
    """
    seen = 0
    while seen < values:
        page, start = _page_at(file, start, name)
        if start > end:
            raise damaged(name)
        if page is None:
            continue
        seen += 0 if page.dictionary else page.values
        yield page
    if seen > values:
        raise damaged(name)


def damaged(name: str) -> BadFile:
    """What is said of a file whose parts contradict each other."""
    return BadFile(f"{name}: cannot be read; it is damaged, or not what its name says")


def _page_at(file: IO[bytes], start: int, name: str) -> tuple[Page | None, int]:
    """The page at a place (None for one that holds no values), and where the next one begins."""
    length = _USUAL_HEADER
    while True:
        file.seek(start)
        data = file.read(length)
        try:
            header, used = _struct(data, 0, 0)
            break
        except _Ended:
            if len(data) < length or length >= _LONGEST_HEADER:
                raise damaged(name) from None
            length *= 16
        except ValueError:
            raise damaged(name) from None
    kind, size, packed = (header.get(key) for key in (1, 2, 3))
    if type(kind) is not int or type(size) is not int or type(packed) is not int:
        raise damaged(name)
    if size < 0 or packed < 0:
        raise damaged(name)
    after = start + used + packed
    if kind not in _HEADERS:
        return None, after
    inner = header.get(_HEADERS[kind])
    values, encoding = (
        (inner.get(1), inner.get(_ENCODING[kind])) if isinstance(inner, dict) else (None, None)
    )
    if type(values) is not int or type(encoding) is not int or values < 0:
        raise damaged(name)
    return Page(values, size, encoding, kind == _DICTIONARY), after


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """A structure of whole numbers, structures and lists of them, by number; texts are None."""
    if depth > _DEEPEST:
        raise ValueError
    found: dict[int, Any] = {}
    number = 0
    while True:
        head, at = _byte(data, at)
        if head == 0:
            return found, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _whole(data, at)
        if number in found:  # which of two would count is not for a file to leave open
            raise ValueError
        found[number], at = _field(data, at, head & 15, depth)


def _field(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):  # true and false
        return None, at
    if kind in (4, 5, 6):
        return _whole(data, at)
    if kind == 12:
        return _struct(data, at, depth + 1)
    if kind == 8:
        length, at = _varint(data, at)
    elif kind in (3, 7):
        length = 1 if kind == 3 else 8
    elif kind == 9:
        return _list(data, at, depth)
    else:  # sets and maps: the format has none
        raise ValueError
    if at + length > len(data):
        raise _Ended
    return None, at + length


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    if depth > _DEEPEST:
        raise ValueError
    head, at = _byte(data, at)
    length, kind = head >> 4, head & 15
    if length == 15:
        length, at = _varint(data, at)
    if length > len(data) - at:  # each takes a byte at least
        raise _Ended
    found = []
    for _ in range(length):
        item, at = (None, at + 1) if kind in (1, 2) else _field(data, at, kind, depth + 1)
        found.append(item)
    return found, at


def _byte(data: bytes, at: int) -> tuple[int, int]:
    if at >= len(data):
        raise _Ended
    return data[at], at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = _byte(data, at)
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError


def _whole(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at
