"""Parquet files of a few hundred bytes, written by hand, that say they hold gigabytes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
INT64, BYTE_ARRAY, FIXED = 2, 6, 7  # physical types
PLAIN, DELTA_LENGTHS, DELTA_TEXTS, DICTIONARY, RLE = 0, 6, 7, 8, 3
CODECS = {"none": 0, "snappy": 1, "zstd": 6}


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value: int) -> bytes:
    return varint(value * 2 if value >= 0 else -2 * value - 1)


def struct(*fields: tuple[int, int, Any]) -> bytes:
    """A Thrift structure in the compact protocol: (number, type, value) in rising order."""
    out, last = b"", 0
    for number, kind, value in fields:
        out += bytes([(number - last) << 4 | kind]) + _value(kind, value)
        last = number
    return out + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (I32, I64):
        return zigzag(value)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind == LIST:
        of, items = value
        head = (
            bytes([len(items) << 4 | of])
            if len(items) < 15
            else bytes([0xF0 | of]) + varint(len(items))
        )
        return head + b"".join(_value(of, item) for item in items)
    assert kind == STRUCT
    return value


def run(value: int, times: int, width: int = 1) -> bytes:
    """The same value many times, in the hybrid of run lengths and packed bits."""
    return varint(times << 1) + value.to_bytes((width + 7) // 8, "little")


@dataclass
class Page:
    """One page of a column."""

    content: bytes
    values: int
    encoding: int
    dictionary: bool = False
    claimed: int | None = None  # bytes that it says it unpacks to

    def written(self, codec: str) -> bytes:
        packed = (
            self.content
            if codec == "none"
            else pa.Codec(codec).compress(self.content, asbytes=True)
        )
        size = len(self.content) if self.claimed is None else self.claimed
        if self.dictionary:
            kind, own = 2, (7, STRUCT, struct((1, I32, self.values), (2, I32, self.encoding)))
        else:
            inner = struct(
                (1, I32, self.values), (2, I32, self.encoding), (3, I32, RLE), (4, I32, RLE)
            )
            kind, own = 0, (5, STRUCT, inner)
        return struct((1, I32, kind), (2, I32, size), (3, I32, len(packed)), own) + packed


def file_of(
    pages: list[Page],
    *,
    rows: int,
    physical: int = INT64,
    width: int = 0,
    codec: str = "none",
    repeated: bool = False,
    chunk_bytes: int | None = None,
) -> bytes:
    """A file of one required (or repeated) column `x` in one row group."""
    values = sum(page.values for page in pages if not page.dictionary)
    body, offsets = b"PAR1", []
    for page in pages:
        offsets.append(len(body))
        body += page.written(codec)
    size = len(body) - 4 if chunk_bytes is None else chunk_bytes
    first = [(11, I64, offsets[0])] if pages[0].dictionary else []
    column = struct(
        (1, I32, physical), (2, LIST, (I32, sorted({page.encoding for page in pages}))),
        (3, LIST, (BINARY, [b"x"])), (4, I32, CODECS[codec]), (5, I64, values),
        (6, I64, sum(len(page.content) for page in pages)), (7, I64, size),
        (9, I64, offsets[1] if first else offsets[0]), *first,
    )  # fmt: skip
    chunk = struct((2, I64, 4), (3, STRUCT, column))
    group = struct((1, LIST, (STRUCT, [chunk])), (2, I64, size), (3, I64, rows))
    root = struct((4, BINARY, b"schema"), (5, I32, 1))
    sized = [(2, I32, width)] if width else []
    leaf = struct((1, I32, physical), *sized, (3, I32, 2 if repeated else 0), (4, BINARY, b"x"))
    footer = struct(
        (1, I32, 1), (2, LIST, (STRUCT, [root, leaf])), (3, I64, rows), (4, LIST, (STRUCT, [group]))
    )
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def text(value: bytes) -> bytes:
    return len(value).to_bytes(4, "little") + value


def repeated_text(length: int = 100_000, rows: int = 60_000) -> bytes:
    """One long text in the dictionary, and a run of its number."""
    pages = [
        Page(text(b"a" * length), 1, PLAIN, dictionary=True),
        Page(b"\1" + run(0, rows), rows, DICTIONARY),
    ]
    return file_of(pages, rows=rows, physical=BYTE_ARRAY, codec="zstd")


def repeated_fixed(width: int = 100_000, rows: int = 60_000) -> bytes:
    """The same with texts of a length that the schema says."""
    pages = [
        Page(b"a" * width, 1, PLAIN, dictionary=True),
        Page(b"\1" + run(0, rows), rows, DICTIONARY),
    ]
    return file_of(pages, rows=rows, physical=FIXED, width=width, codec="zstd")


def claimed_dictionary(values: int = 2**31 - 1) -> bytes:
    """A dictionary that says it has two thousand million values."""
    pages = [Page(bytes(8), values, PLAIN, dictionary=True), Page(b"\1" + run(0, 4), 4, DICTIONARY)]
    return file_of(pages, rows=4)


def claimed_page(size: int = 2**31 - 1) -> bytes:
    """A page that says it unpacks to two gigabytes."""
    return file_of([Page(bytes(32), 4, PLAIN, claimed=size)], rows=4, codec="snappy")


def unpacked_page(size: int = 1 << 28) -> bytes:
    """A page that does unpack to a quarter of a gigabyte."""
    page = Page(text(b"a" * (size - 4)), 1, PLAIN)
    return file_of([page], rows=1, physical=BYTE_ARRAY, codec="zstd")


def many_pages(size: int = 1 << 24, pages: int = 60) -> bytes:
    """Pages of 16 MiB, each of one value, that one batch would hold all."""
    page = Page(text(b"a" * (size - 4)), 1, PLAIN)
    return file_of([page] * pages, rows=pages, physical=BYTE_ARRAY, codec="zstd")


def shared_beginnings(length: int = 100_000, rows: int = 60_000) -> bytes:
    """Texts that each begin as the one before: all of it."""
    prefixes = varint(128) + varint(4) + varint(rows) + zigzag(0)
    blocks = -(-(rows - 1) // 128)
    # the first difference raises the prefix to the whole length, then it stays
    first = zigzag(0) + bytes([0x1F & 17, 0, 0, 0]) + (length).to_bytes(17 * 4, "little")
    prefixes += first + (zigzag(0) + bytes(4)) * (blocks - 1)
    second = zigzag(-length) + bytes([17, 17, 17, 17])
    lengths = varint(128) + varint(4) + varint(rows) + zigzag(length)
    packed = sum(length << (17 * k) for k in range(1, 32)).to_bytes(17 * 4, "little")
    rest = sum(length << (17 * k) for k in range(32)).to_bytes(17 * 4, "little")
    lengths += second + packed + rest * 3 + (zigzag(0) + bytes(4)) * (blocks - 1)
    page = Page(prefixes + lengths + b"a" * length, rows, DELTA_TEXTS)
    return file_of([page], rows=rows, physical=BYTE_ARRAY, codec="zstd")


def claimed_lengths(values: int = 2**31 - 1) -> bytes:
    """A page of two thousand million texts of no length."""
    page = Page(varint(128) + varint(4) + varint(values) + zigzag(0), values, DELTA_LENGTHS)
    return file_of([page], rows=values, physical=BYTE_ARRAY)


def long_list(values: int = 600_000_000) -> bytes:
    """One row, whose list repeats a number."""
    levels = run(0, 1) + run(1, values - 1)
    levels = len(levels).to_bytes(4, "little") + levels
    defined = run(1, values)
    defined = len(defined).to_bytes(4, "little") + defined
    pages = [
        Page(bytes(8), 1, PLAIN, dictionary=True),
        Page(levels + defined + b"\1" + run(0, values), values, DICTIONARY),
    ]
    return file_of(pages, rows=1, repeated=True)


def many_rows(rows: int = 2**31 - 1) -> bytes:
    """Two thousand million rows of one number."""
    pages = [
        Page(bytes(8), 1, PLAIN, dictionary=True),
        Page(b"\1" + run(0, rows), rows, DICTIONARY),
    ]
    return file_of(pages, rows=rows)


def claimed_chunk(size: int = 1 << 40) -> bytes:
    """A column that says it takes a terabyte of the file."""
    return file_of([Page(bytes(32), 4, PLAIN)], rows=4, chunk_bytes=size)


BOMBS: dict[str, Callable[[], bytes]] = {
    one.__name__: one
    for one in (
        repeated_text, repeated_fixed, claimed_dictionary, claimed_page, unpacked_page, many_pages,
        shared_beginnings, claimed_lengths, long_list, many_rows, claimed_chunk,
    )
}  # fmt: skip


def harmless() -> bytes:
    """What the bombs are made of, small: eight rows of a text."""
    return repeated_text(length=20, rows=8)
