"""Lines of a CSV file from cells that were formatted once, when the job began."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow, compute

_MOST = 1 << 16  # combinations of cells that are listed


class CellLines:
    """Writes tables as CSV: commas, a header, texts in quotes, and nothing for a missing value.

    Columns that come as dictionaries of their declared outputs are never text on the way: neighbours
    are written by one look-up among all combinations of their cells. The dictionaries must be those of
    the first table in every table.

    Parameters
    ----------
    file
        Where to.
    schema
        The columns, of types for which `can_hold` says yes.
    header
        Whether the names of the columns come first.
    """

    def __init__(self, file: Any, schema: Any, *, header: bool) -> None:
        self._file, self._names = file, schema.names
        self._runs: list[_Run | str] | None = None
        if header:
            names = arrow().array(self._names, arrow().string())
            file.write((",".join(_texts(names).to_pylist()) + "\n").encode())

    @staticmethod
    def can_hold(schema: Any) -> bool:
        """Whether every column is one of texts, numbers or truth values, listed or not."""
        return bool(len(schema)) and all(_plain(field.type) for field in schema)

    def write_table(self, table: Any) -> None:
        """Write the rows of a table, of one piece or several."""
        for batch in table.to_batches():
            self._write(batch)

    def _write(self, batch: Any) -> None:
        pa = arrow()
        if self._runs is None:
            self._runs = list(_runs(batch))
        lines = [
            _texts(batch.column(run)) if isinstance(run, str) else run.of(batch)
            for run in self._runs
        ]
        if len(lines) == 1:
            (whole,) = lines
        else:
            large = any(pa.types.is_large_string(piece.type) for piece in lines)
            if large or sum(piece.nbytes for piece in lines) >= 1 << 31:
                lines = [piece.cast(pa.large_string()) for piece in lines]
            whole = compute().binary_join_element_wise(*lines, pa.scalar(",", lines[0].type))
        if isinstance(self._runs[-1], str):
            end = pa.scalar("\n", whole.type)
            whole = compute().binary_join_element_wise(whole, end, pa.scalar("", whole.type))
        wide = np.int64 if pa.types.is_large_string(whole.type) else np.int32
        _, ends, data = whole.buffers()
        first, last = np.frombuffer(ends, wide)[[whole.offset, whole.offset + len(whole)]]
        self._file.write(memoryview(data)[first:last])

    def close(self) -> None:
        """Nothing is held back here."""


class _Run:
    """Neighbouring columns, and the cells of every combination of their values."""

    def __init__(self, columns: Sequence[tuple[str, Any]], *, ends: bool) -> None:
        self.names = [name for name, _ in columns]
        self.radixes = [len(values) + 1 for _, values in columns]  # with one for a missing value
        lines = [""]
        for k, (_, values) in enumerate(columns):
            cells = [*_texts(values).to_pylist(), ""]
            comma = "," if k else ""
            lines = [line + comma + cell for line in lines for cell in cells]
        self.lines = arrow().array([line + "\n" for line in lines] if ends else lines)

    def of(self, batch: Any) -> Any:
        """The text of these columns in every row."""
        joint: NDArray[np.int32] | None = None
        for name, radix in zip(self.names, self.radixes, strict=True):
            places = batch.column(name).indices
            if places.null_count:
                places = places.cast(arrow().int32()).fill_null(radix - 1)
            digits = np.asarray(places)
            if joint is None:
                joint = digits.astype(np.int32)
            else:
                joint *= np.int32(radix)
                joint += digits
        return self.lines.take(arrow().array(joint))


def _runs(batch: Any) -> "list[_Run | str]":
    """The columns of a batch, those that are listed together as far as their combinations are."""
    runs: list[_Run | str] = []
    held: list[tuple[str, Any]] = []

    def close(*, ends: bool) -> None:
        if held:
            runs.append(_Run(held, ends=ends))
        held.clear()

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if not arrow().types.is_dictionary(column.type):
            close(ends=False)
            runs.append(name)
            continue
        sizes = [len(values) + 1 for _, values in held]
        if float(np.prod([*sizes, len(column.dictionary) + 1], dtype=float)) > _MOST:
            close(ends=False)
        held.append((name, column.dictionary))
    close(ends=True)
    return runs


def _plain(kind: Any) -> bool:
    types = arrow().types
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    known = types.is_string, types.is_large_string, types.is_integer, types.is_floating
    return types.is_boolean(kind) or any(of(kind) for of in known)


def _texts(values: Any) -> Any:
    """The cells of an array: texts in quotes, their own quotes doubled; empty where one is missing."""
    pa, pc = arrow(), compute()
    quoted = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if not quoted:
        return values.cast(pa.string()).fill_null("")
    if values.buffers()[2] is not None and b'"' in bytes(values.buffers()[2]):
        values = pc.replace_substring(values, '"', '""')
    quote, nothing = (pa.scalar(text, values.type) for text in ('"', ""))
    return pc.binary_join_element_wise(quote, values, quote, nothing).fill_null(nothing)
