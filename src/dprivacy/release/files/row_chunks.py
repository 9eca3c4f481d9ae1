"""Tables cut by their number of rows alone, whatever pieces they are read or made in.

Readers of files cut by bytes, and how many rows fill a block depends on the cells: on a protected one
that is a letter longer, on a column that is dropped. A table that kept these cuts would tell them.
"""

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from dprivacy.errors import TooLarge
from dprivacy.extras import arrow, parquet

CHUNK = 1 << 16  # rows that are sanitised at a time, with one stream of noise
GROUP = 1 << 17  # rows of a row group of a Parquet file
_MOST = 1 << 31  # bytes that are held at a time
_STORED = "ARROW:schema"  # under which readers look for the types of columns


def recut(pieces: Iterable[Any], size: int | None = None) -> Iterator[Any]:
    """Tables of exactly `size` rows, 65,536 by default, but for the last one.

    Examples
    --------
    >>> import pyarrow
    >>> pieces = [pyarrow.table({"a": pyarrow.array(range(n), "int64")}) for n in (5, 0, 1, 4)]
    >>> [table.num_rows for table in recut(pieces, 4)]
    [4, 4, 2]
    """
    rows, held = CHUNK if size is None else size, Held()
    for piece in pieces:
        held.add(piece)
        if held.rows >= rows:
            whole = held.take(held.rows - held.rows % rows)
            yield from (whole.slice(start, rows) for start in range(0, whole.num_rows, rows))
    if held.rows:
        yield held.take(held.rows)


class Held:
    """Rows that wait until there are enough of them."""

    def __init__(self) -> None:
        self.rows, self._bytes, self._tables = 0, 0, list[Any]()

    def add(self, piece: Any) -> None:
        """Rows of a table or a record batch."""
        pa = arrow()
        self._tables.append(
            piece if isinstance(piece, pa.Table) else pa.Table.from_batches([piece])
        )
        self.rows, self._bytes = self.rows + piece.num_rows, self._bytes + piece.nbytes
        if self._bytes > _MOST:
            raise TooLarge(
                f"{self.rows:,} rows of the table take more than {_MOST >> 30} GiB, and {CHUNK:,} are "
                "held at a time; leave out its longest column before"
            )

    def take(self, rows: int) -> Any:
        """The first rows, this many, as one table; the others go on waiting."""
        table = arrow().concat_tables(self._tables)
        left = table.slice(rows)
        self.rows, self._bytes, self._tables = left.num_rows, left.nbytes, [left]
        return table.slice(0, rows)


class RowGroups:
    """Writes a Parquet file in row groups of exactly 131,072 rows, but for the last one.

    No statistics are stored: who reads the file can compute them from its cells. A column that comes
    as a dictionary of its declared outputs is stored so, with all of them in their order, and is read
    again as a column of plain values.

    Parameters
    ----------
    file, schema
        Where to, and what.
    coded
        The columns that come as dictionaries of their declared outputs.
    """

    def __init__(self, file: Any, schema: Any, *, coded: Collection[str] = ()) -> None:
        pa, stored = arrow(), schema
        for k, field in enumerate(schema):
            if field.name in coded and pa.types.is_dictionary(field.type):
                stored = stored.set(k, pa.field(field.name, field.type.value_type, field.nullable))
        self._writer = parquet().ParquetWriter(
            file, schema, write_statistics=False, store_schema=False
        )
        told = b64encode(stored.serialize().to_pybytes()).decode()
        self._writer.add_key_value_metadata({_STORED: told})
        self._held = Held()

    def write_table(self, table: Any) -> None:
        """Write some rows, or keep them until a row group is full."""
        self._held.add(table)
        if self._held.rows >= GROUP:
            self._put(self._held.rows - self._held.rows % GROUP)

    def close(self) -> None:
        """Write what is left, and the index of the file."""
        if self._held.rows:
            self._put(self._held.rows)
        self._writer.close()

    def _put(self, rows: int) -> None:
        # Pages end where pieces of a table do, so it is in one piece.
        self._writer.write_table(self._held.take(rows).combine_chunks(), row_group_size=GROUP)
