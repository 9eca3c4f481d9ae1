"""The files of a release of Spark: made from what tasks wrote down, the same bytes at every attempt."""

import hashlib
from collections.abc import Sequence
from typing import Any

from dprivacy.errors import WrongShape
from dprivacy.extras import arrow, compute
from dprivacy.release.files.row_chunks import RowGroups
from dprivacy.release.plans.listed_files import ListedFile
from dprivacy.release.spark.spark_drafts import (
    BLOCKS,
    Drafts,
    Spill,
    derived,
    order_of,
    rows_between,
)
from dprivacy.release.spark.spark_task import place_name

ROWS = 1 << 20  # of a file, about


def number_of_files(rows: int) -> int:
    """How many files this many rows are spread over: of a million each, and at most 256."""
    return min(-(-rows // ROWS), BLOCKS)


def run_word(key: bytes) -> str:
    """A word that the names of a run hold, and those of no other."""
    return derived(key, "spark names").hex()[:16]


def file_name(key: bytes, number: int) -> str:
    """The name of a file of a run."""
    return f"part-{number:05d}-{run_word(key)}.parquet"


def spread_file(drafts: Drafts, spills: Sequence[Spill], number: int, files: int) -> ListedFile:
    """Write one of the files of a release in random order.

    It has the rows whose places lie in its part of all numbers of 64 bits, by their places: nothing in
    it depends on which task drew a row, and when.
    """
    first, last = (k * BLOCKS // files for k in (number, number + 1))
    rows = arrow().concat_tables(drafts.read(spill, first, last) for spill in spills)
    place = place_name(name for name in rows.column_names[:-1])
    order = order_of(rows.column(place).to_numpy())
    return put_file(drafts, number, rows.drop_columns(place).take(arrow().array(order)))


def sorted_file(drafts: Drafts, spills: Sequence[Spill], number: int, size: int) -> ListedFile:
    """Write one of the files of a release whose rows are sorted: this many rows by their number."""
    pieces = rows_between(drafts, spills, number * size, (number + 1) * size)
    return put_file(drafts, number, arrow().concat_tables(pieces))


def put_file(drafts: Drafts, number: int, table: Any) -> ListedFile:
    """Write a table as the file with a number; its dictionaries are those of declared outputs."""
    out = arrow().BufferOutputStream()
    writer = RowGroups(out, table.schema, coded=table.column_names)
    writer.write_table(table)
    writer.close()
    data = out.getvalue().to_pybytes()
    name = file_name(drafts.key, number)
    drafts.store.put(name, data)
    return ListedFile(name, table.num_rows, len(data), hashlib.sha256(data).hexdigest())


def with_dictionaries(table: Any, like: Any) -> Any:
    """A table with the dictionaries that another has for columns of the same names."""
    pa, index_in = arrow(), compute().index_in
    for k, name in enumerate(table.column_names):
        kind = like.schema.field(name).type
        if pa.types.is_dictionary(kind):
            known = like.column(name).dictionary
            values = table.column(name).combine_chunks().cast(known.type)
            at = index_in(values, value_set=known)
            if at.null_count != values.null_count:
                raise WrongShape(f"column {name!r} holds a value that the plan does not declare")
            coded = pa.DictionaryArray.from_arrays(at.cast(kind.index_type), known)
            table = table.set_column(k, name, coded)
    return table


def without_dictionaries(table: Any) -> Any:
    """A table with the values themselves."""
    pa = arrow()
    kinds = [f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in table.schema]
    return table.cast(pa.schema(zip(table.column_names, kinds, strict=True)))
