"""Parquet files of strangers: what they would take is known before it is taken.

A file of 158 bytes can say that it holds sixty thousand texts of a hundred thousand letters, and the
library that reads it would believe it. So sizes are bounded by the headers of the pages, and where the
bound does not settle it the rows are measured a few at a time first.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from dprivacy.errors import TooLarge
from dprivacy.extras import arrow, compute, parquet
from dprivacy.model import open_regular
from dprivacy.release.files.parquet_pages import Chunk, Group, damaged, groups_in, pages_of

ROWS = 1 << 16  # of a batch
MOST = 1 << 29  # bytes of that many rows, 8 KiB each, or more where the file itself is large:
UNPACKING = 64  # times its size on disc
_PAGES = 1 << 26  # bytes of the pages that are open at a time
_SMALL = 1 << 22  # bytes of a batch that is only measured
_LARGEST_FOOTER = 1 << 24
_MOST_LISTED = 100_000  # columns, or groups of rows
_MOST_CELLS = 1 << 16  # for each byte on disc
_DELTA_LENGTHS, _DELTA_TEXTS = 6, 7  # encodings
_DICTIONARIES = (2, 8)
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
_BESIDE = 16  # bytes beside each value: where it begins, and whether it is missing
_FORGOTTEN = 100  # bytes of a header that some writers leave out of the size of a column


@contextmanager
def open_parquet(path: Path, coded: Collection[str] = ()) -> Iterator["ParquetTable"]:
    """A Parquet file, open for reading in batches.

    Parameters
    ----------
    path
        The file; a pipe or a device is refused.
    coded
        Columns that are read as dictionaries, where they hold texts.

    Raises
    ------
    BadFile
        When the footer contradicts itself.
    TooLarge
        When it lists more than is read.
    """
    with open_regular(path) as raw:
        size = os.fstat(raw.fileno()).st_size
        raw.seek(max(size - 8, 0))
        tail = raw.read(8)
        if len(tail) < 8 or tail[4:] != b"PAR1":
            raise damaged(str(path))
        length = int.from_bytes(tail[:4], "little")
        if length > _LARGEST_FOOTER:
            raise TooLarge(
                f"{path}: its list of columns is larger than {_LARGEST_FOOTER >> 20} MiB"
            )
        raw.seek(max(size - 8 - length, 0))
        groups = groups_in(raw.read(length), str(path))
        with ExitStack() as opened:
            file = parquet().ParquetFile(path, thrift_container_size_limit=_MOST_LISTED)
            about = opened.enter_context(file).metadata
            if about.num_rows * max(about.num_columns, 1) > _MOST_CELLS * size:
                raise TooLarge(
                    f"{path}: says that it holds {about.num_rows:,} rows, which is more than "
                    f"{_MOST_CELLS:,} cells for each of its bytes"
                )
            same = sum(group.rows for group in groups) == about.num_rows
            if not same or any(len(group.chunks) != about.num_columns for group in groups):
                raise damaged(str(path))
            if listed := [name for name in _flat_texts(file) if name in coded]:
                file = parquet().ParquetFile(path, metadata=about, read_dictionary=listed)
                opened.enter_context(file)
            yield ParquetTable(path, file, raw, size, groups)


def _flat_texts(file: Any) -> Iterator[str]:
    """The columns of texts that are not inside of others."""
    for k in range(file.metadata.num_columns):
        leaf = file.schema.column(k)
        flat = leaf.max_repetition_level == 0 and leaf.path == leaf.name
        if flat and leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type == "STRING":
            yield leaf.path


@dataclass(frozen=True)
class ParquetTable:
    """An open Parquet file; made by `open_parquet`.

    Parameters
    ----------
    path
        Where it lies.
    file
        As the library has it.
    raw, size
        Its bytes, and how many they are.
    groups
        The groups of its rows.
    """

    path: Path
    file: Any
    raw: IO[bytes]
    size: int
    groups: Sequence[Group]

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.file.schema_arrow.names)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return int(self.file.metadata.num_rows)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        most_rows: int = ROWS,
        threads: bool = True,
    ) -> Iterator[Any]:
        """Batches of its rows, each with no more than fits into memory.

        Parameters
        ----------
        columns
            Only these.
        most_rows
            Of a batch.
        threads
            Whether columns are unpacked at the same time, which costs more in all.

        Raises
        ------
        BadFile
            When its parts contradict each other.
        TooLarge
            Before the memory is taken.
        """
        for group in range(len(self.groups)):
            rows = min(most_rows, self._fitting(group, columns))
            yield from self._read(group, columns, rows, threads=threads)

    def require_fitting(self) -> None:
        """TooLarge or BadFile where `batches` would raise it, for readers of their own."""
        for group in range(len(self.groups)):
            self._fitting(group, None)

    def _fitting(self, group: int, columns: Sequence[str] | None) -> int:
        """How many rows of a group are read at a time; refused where they take too much."""
        chunks = self._chunks(group, columns)
        packed = UNPACKING * sum(chunk.packed for chunk in chunks)
        if sum(chunk.pages for chunk in chunks) > _PAGES + packed:
            raise self._too_large(_PAGES + packed)
        most, block = MOST + packed, min(ROWS, self.groups[group].rows)
        if _taken(chunks, block) > most:
            chunks = [self._with_longest(group, chunk) for chunk in chunks]
        if _taken(chunks, 0) > most:
            raise self._too_large(most)
        if _taken(chunks, block) <= most:
            return ROWS
        rows = max(1, int(_SMALL / (_taken(chunks, 1) - _taken(chunks, 0))))
        self._require_measured(self._read(group, columns, rows), most)
        return rows

    def _read(
        self, group: int, columns: Sequence[str] | None, rows: int, *, threads: bool = True
    ) -> Iterator[Any]:
        wanted = None if columns is None else list(columns)
        found: Iterator[Any] = self.file.iter_batches(
            batch_size=rows, row_groups=[group], columns=wanted, use_threads=threads
        )
        return found

    def _require_measured(self, batches: Iterator[Any], most: int) -> None:
        """TooLarge when any block of rows takes more than it may."""
        rows = held = 0
        for batch in batches:
            if rows + batch.num_rows > ROWS:
                rows = held = 0
            rows, held = rows + batch.num_rows, held + batch.nbytes
            if held > most:
                raise self._too_large(most)

    def _too_large(self, most: int) -> TooLarge:
        return TooLarge(
            f"{self.path}: unpacks to more than {most >> 20} MiB at a time, far beyond its size on "
            "disc; it may have been made to fill the memory. Write it again without its longest texts"
        )

    @cached_property
    def _leaves(self) -> list[Any]:
        return [self.file.schema.column(k) for k in range(self.file.metadata.num_columns)]

    def _chunks(self, group: int, columns: Sequence[str] | None) -> "list[_Chunk]":
        """What the columns of a group of rows say of themselves, page by page."""
        about = self.groups[group]
        wanted = None if columns is None else set(columns)
        return [
            self._chunk(chunk, leaf, about.rows)
            for chunk, leaf in zip(about.chunks, self._leaves, strict=True)
            if wanted is None or leaf.path.split(".")[0] in wanted
        ]

    def _chunk(self, about: Chunk, leaf: Any, rows: int) -> "_Chunk":
        start, values, end = about.start, about.values, about.start + about.size
        flat = leaf.max_repetition_level == 0
        if end > self.size or (flat and values != rows):
            raise damaged(str(self.path))
        fixed = leaf.physical_type == "FIXED_LEN_BYTE_ARRAY"
        width = leaf.length if fixed else _WIDTHS.get(leaf.physical_type, 0)
        largest = listed = entries = lengths = 0
        plain = float(width)
        end = min(end + _FORGOTTEN, self.size)
        for page in pages_of(self.raw, start, end, values, str(self.path)):
            if page.dictionary:
                if page.values * (width or 4) > page.size:  # they take that many bytes at least
                    raise damaged(str(self.path))
                listed, entries = max(listed, page.size), page.values
                continue
            largest = max(largest, page.size)
            if page.encoding in (_DELTA_LENGTHS, _DELTA_TEXTS):
                lengths = max(lengths, 8 * page.values)
            if width == 0 and page.encoding == _DELTA_TEXTS:  # each may begin with all of the last
                plain = max(plain, page.size)
            elif width == 0 and page.values and page.encoding not in _DICTIONARIES:
                plain = max(plain, page.size / page.values)
        return _Chunk(
            leaf.path,
            about.size,
            2 * largest + 5 * listed + lengths,
            plain,
            0 if width else listed,
            entries,
            0 if flat else values,
        )

    def _with_longest(self, group: int, chunk: "_Chunk") -> "_Chunk":
        """A column's bound by the longest text of its dictionary, which is read for that."""
        if chunk.longest * ROWS <= _SMALL or not self.groups[group].rows:
            return chunk
        name, about = chunk.name, self.file.metadata
        with parquet().ParquetFile(self.path, metadata=about, read_dictionary=[name]) as file:
            batch = next(file.iter_batches(batch_size=1, row_groups=[group], columns=[name]))
        found, kinds = batch.column(0), arrow().types
        while kinds.is_list(found.type) or (kinds.is_struct(found.type) and found.type.num_fields):
            found = found.values if kinds.is_list(found.type) else found.field(0)
        if not kinds.is_dictionary(found.type) or len(found.dictionary) != chunk.entries:
            return chunk  # nested in another way, or not yet used in the first row
        longest = compute().max(compute().binary_length(found.dictionary)).as_py()
        return replace(chunk, longest=longest or 0)


@dataclass(frozen=True)
class _Chunk:
    """A column in a group of rows: its size on disc, and what bounds its size in memory.

    Parameters
    ----------
    name
        The column, with its parts where it is nested.
    packed, pages
        Bytes on disc, and of the pages that are open at a time.
    plain, longest
        Bytes of a value in its page, on the mean, and of the longest one in its dictionary.
    entries
        How many values that dictionary has.
    listed
        How many values there are in lists, of which one row may have all; 0 in a plain column.
    """

    name: str
    packed: int
    pages: int
    plain: float
    longest: int
    entries: int
    listed: int


def _taken(chunks: Sequence[_Chunk], rows: int) -> float:
    """What this many rows take at most, in bytes."""
    return sum(
        chunk.pages + (chunk.listed or rows) * (max(chunk.plain, chunk.longest) + _BESIDE)
        for chunk in chunks
    )
