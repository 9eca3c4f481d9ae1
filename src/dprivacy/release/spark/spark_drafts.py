"""Rows on their way through Spark: written down once, unreadable without the key of the run."""

import hmac
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow
from dprivacy.release.spark.spark_store import Store
from dprivacy.sampling import CtrWords, chunk_stream

BLOCKS = 256  # of a spill, each of which can be read by itself
SPILL = 1 << 20  # rows
_SHIFT = np.uint64(56)  # the highest bits of a place are its block

Spill: TypeAlias = tuple[str, int, int]  # its name, its rows, and the bytes before its blocks


def derived(key: bytes, purpose: str) -> bytes:
    """A key for one purpose alone."""
    return hmac.digest(key, purpose.encode(), "sha256")


@dataclass(frozen=True)
class Drafts:
    """Spills in a folder of the store: rows as they were drawn, in 256 blocks.

    Parameters
    ----------
    store, room
        Where they lie.
    key, stream
        What makes them unreadable: each spill has a stream of its own, under a name that no other
        attempt of a task has. Whatever a broken run leaves behind says nothing once its key is gone.

    Notes
    -----
    A spill is the blocks' schema, where each block begins (numbers of 64 bits, little-endian), and the
    blocks: record batches of Arrow, hidden. AES in counter mode can be entered at any word, so that one
    stream hides all blocks; of SHAKE each block has a part of its own.
    """

    store: Store
    room: str
    key: bytes = field(repr=False)
    stream: str

    def write(self, label: str, blocks: Sequence[Any]) -> Spill:
        """Write blocks, which are record batches of one schema; dictionaries are those of the first."""
        name = self._name(label)
        plain = [_coded(block).serialize() for block in blocks]
        starts = np.cumsum([0, *map(len, plain)])
        hidden = self._turned(name, b"".join(plain), starts, 0)
        out = arrow().BufferOutputStream()
        with arrow().ipc.new_stream(out, blocks[0].schema) as writer:
            writer.write_batch(blocks[0].slice(0, 0))
        head = out.getvalue().to_pybytes() + starts.astype("<u8").tobytes()
        self.store.put(name, b"".join((head, hidden)), lasting=False)
        return name, sum(block.num_rows for block in blocks), len(head)

    def read(self, spill: Spill, first: int, last: int) -> Any:
        """The rows of some blocks, as a table."""
        pa = arrow()
        name, _, length = spill
        empty, starts = self._head(spill)
        data = self.store.read(name, length + int(starts[first]), length + int(starts[last]))
        shown = pa.py_buffer(self._turned(name, data, starts[first : last + 1], first))
        cuts, schema = (starts[first : last + 1] - starts[first]).tolist(), _coded(empty).schema
        batches = [
            pa.ipc.read_record_batch(shown.slice(a, b - a), schema) for a, b in pairwise(cuts)
        ]
        return _named(pa.Table.from_batches(batches, schema).combine_chunks(), empty)

    def without_rows(self, spill: Spill) -> Any:
        """A record batch like those of a spill, with its dictionaries and no rows."""
        return self._head(spill)[0]

    def hide(self, label: str, data: bytes) -> str:
        """Write whole words; the name under which `show` finds them."""
        name = self._name(label)
        ends = np.array([0, len(data)])
        self.store.put(name, self._turned(name, data, ends, 0), lasting=False)
        return name

    def show(self, name: str) -> bytes:
        """What was hidden under a name."""
        data = self.store.read(name)
        return self._turned(name, data, np.array([0, len(data)]), 0)

    def _name(self, label: str) -> str:
        """A name that no other attempt of a task has."""
        return f"{self.room}/{label}-{secrets.token_hex(8)}"

    def _head(self, spill: Spill) -> tuple[Any, NDArray[np.int64]]:
        """A record batch without rows, and where each block of a spill begins, after its head."""
        pa, (name, _, length) = arrow(), spill
        head = self.store.read(name, 0, length)
        (empty,) = pa.ipc.open_stream(pa.py_buffer(head))
        return empty, np.frombuffer(head[-8 * (BLOCKS + 1) :], "<u8").astype(np.int64)

    def _turned(self, name: str, data: bytes, starts: NDArray[np.int64], first: int) -> bytes:
        """Readable bytes of blocks from `first` on into unreadable ones, and back.

        `starts` says where each block begins, and the last one ends, after the head of the spill.
        """
        key, words = derived(self.key, f"spark draft {name}"), np.frombuffer(data, "<u8")
        if isinstance(chunk_stream(self.stream, key, 0), CtrWords):
            # Arrow fills up to whole words.
            pad = CtrWords(key, 0, word=int(starts[0]) // 8).words(len(words))
        else:
            sizes = (np.diff(starts) // 8).tolist()
            parts = [chunk_stream(self.stream, key, k).words(n) for k, n in enumerate(sizes, first)]
            pad = np.concatenate([*parts, np.empty(0, np.uint64)])
        np.bitwise_xor(words, pad, out=pad)
        return bytes(pad.astype("<u8", copy=False).data)


def _coded(batch: Any) -> Any:
    """A record batch with the positions of its dictionaries' entries in place of them."""
    pa = arrow()
    columns = [
        column.indices if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.record_batch(columns, names=batch.schema.names)


def _named(table: Any, like: Any) -> Any:
    """The dictionaries again, as another record batch has them."""
    pa, columns = arrow(), []
    for column, wanted in zip(table.columns, like.columns, strict=True):
        if not pa.types.is_dictionary(wanted.type):
            columns.append(column)
            continue
        parts = [pa.DictionaryArray.from_arrays(part, wanted.dictionary) for part in column.chunks]
        columns.append(pa.chunked_array(parts, wanted.type))
    return pa.table(columns, names=table.column_names)


def by_place(table: Any, places: NDArray[np.uint64], name: str) -> list[Any]:
    """A table in blocks by the highest bits of its rows' places, which are kept under a name."""
    blocks = (places >> _SHIFT).astype(np.uint8)
    order = arrow().array(np.argsort(blocks, kind="stable"))
    (batch,) = (
        table.append_column(name, arrow().array(places)).take(order).combine_chunks().to_batches()
    )
    ends = np.cumsum(np.bincount(blocks, minlength=BLOCKS))
    return [batch.slice(b - a, a) for a, b in zip(np.diff(ends, prepend=0), ends, strict=True)]


def order_of(places: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order of rows by their places; of equal ones, in which they came.

    NumPy sorts fastest where it need not keep the order of equal ones, which are very few.

    Examples
    --------
    >>> order_of(np.array([5, 1 << 60, 3, 5], np.uint64)).tolist()
    [2, 0, 3, 1]
    """
    order = np.argsort(places)
    found = places[order]
    if (found[1:] == found[:-1]).any():
        order = np.argsort(places, kind="stable")
    return order


def in_order(table: Any) -> list[Any]:
    """A table in blocks of so many rows each, until there are none left."""
    (batch,) = table.combine_chunks().to_batches()
    size = SPILL // BLOCKS
    return [batch.slice(k * size, size) for k in range(BLOCKS)]


def rows_between(drafts: Drafts, spills: Sequence[Spill], start: int, end: int) -> Iterator[Any]:
    """Rows by their number over all spills that were written `in_order`."""
    size = SPILL // BLOCKS
    for spill in spills:
        low, high = max(start, 0), min(end, spill[1])
        if low < high:
            first, last = low // size, -(-high // size)
            yield drafts.read(spill, first, last).slice(low - first * size, high - low)
        start, end = start - spill[1], end - spill[1]
