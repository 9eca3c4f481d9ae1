"""Cells that were read as bytes, as texts: all at once where they are plain ASCII."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dprivacy.extras import arrow

_ASCII = 128


def as_texts(batches: Iterable[Any]) -> Iterator[Any]:
    """The same batches with columns of strings instead of bytes; ArrowInvalid where one is not UTF-8.

    Arrow looks at each cell by itself when it reads texts. Here a column of bytes is looked at as a
    whole, and its cells by Arrow only where one byte is beyond ASCII.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = pa.array([b"a", None, b"bc"], pa.binary())
    >>> (texts,) = as_texts([pa.record_batch({"x": cells})])
    >>> texts.column(0).to_pylist()
    ['a', None, 'bc']
    """
    for batch in batches:
        texts = [_text(column) for column in batch.columns]
        yield arrow().RecordBatch.from_arrays(texts, names=batch.schema.names)


def _text(cells: Any) -> Any:
    pa = arrow()
    valid, ends, data = cells.buffers()
    if data is not None and np.frombuffer(data, np.uint8).max(initial=0) >= _ASCII:
        return cells.cast(pa.string())
    return pa.StringArray.from_buffers(
        len(cells), ends, data, valid, cells.null_count, cells.offset
    )
