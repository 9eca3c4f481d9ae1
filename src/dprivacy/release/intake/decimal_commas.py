"""Numbers with decimal commas: the same cells with points, where somebody has said so."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.extras import arrow, compute

DECIMAL_COMMAS = "decimal commas are read with --decimal , (decimal=)"
_DECIMAL = r"^(\s*[-+]?\d*),(\d+(?:[eE][-+]?\d+)?\s*)$"
_GROUPED = r"^\s*[-+]?\d{1,3}(?:\.\d{3})+(?:,\d*)?\s*$"


def with_points(batches: Iterable[Any], path: Path) -> Iterator[Any]:
    """Batches of texts in which 12,5 is 12.5.

    What could be a thousand or a fraction, 1.234, is refused by its row. Other cells stay as they are.
    """
    pa, pc, begin = arrow(), compute(), 0
    for batch in batches:
        columns = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            unclear = pc.index(pc.match_substring_regex(column, _GROUPED), value=True).as_py()
            if unclear >= 0:
                raise BadFile(
                    f"{path}: column {name!r}, row {begin + unclear}: a point between groups of three "
                    "digits; write numbers without such points, as decimals have commas here"
                )
            columns.append(pc.replace_substring_regex(column, _DECIMAL, r"\1.\2"))
        yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)
        begin += batch.num_rows
