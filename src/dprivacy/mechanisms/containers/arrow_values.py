"""Arrow arrays, chunked arrays and scalars."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongKind
from dprivacy.extras import compute
from dprivacy.mechanisms.containers.label_tables import LabelTables, Positions, same_labels, taken
from dprivacy.mechanisms.containers.python_values import Cells


class ArrowValues:
    """An array, a chunked array or a scalar of pyarrow.

    A dictionary's entries are looked up among the labels, and a row's code in that small table; what
    comes out has a dictionary of all labels in their order, whatever occurred.
    """

    def __init__(self, values: Any) -> None:
        self.pa = sys.modules["pyarrow"]
        self.values = values
        self._scalar = isinstance(values, self.pa.Scalar)
        self._chunked = isinstance(values, self.pa.ChunkedArray)
        self.type = values.type
        if self._chunked:
            self.chunks = values.chunks
        else:
            one = self.pa.array([values.as_py()], type=values.type) if self._scalar else values
            self.chunks = [one]

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says."""
        found = [self._chunk_positions(chunk, labels) for chunk in self.chunks]
        if len(found) == 1:
            return found[0]
        return np.concatenate([np.empty(0, dtype=labels.dtype), *found])

    def _chunk_positions(self, array: Any, labels: LabelTables) -> Positions:
        types = self.pa.types
        if types.is_dictionary(self.type):
            entries = labels.of_entries(array.dictionary.to_pylist())
            codes = array.indices
            if codes.null_count:
                codes = codes.cast(self.pa.int64()).fill_null(len(entries) - 1)
            return taken(entries, codes.to_numpy(zero_copy_only=False))
        if _is_text(types, self.type):
            return self._text_positions(array, labels)
        if not types.is_integer(self.type):
            return labels.of_objects(array.to_pylist())
        gone = array.null_count
        found = labels.of_array((array.fill_null(0) if gone else array).to_numpy())
        if gone:
            found[array.is_null().to_numpy(zero_copy_only=False)] = labels.missing
        return found

    def _text_positions(self, array: Any, labels: LabelTables) -> Positions:
        if self.pa.types.is_string_view(self.type):
            array = array.cast(self.pa.large_string())
        known = labels.kept(
            ("texts", array.type), lambda: self.pa.array(labels.texts, type=array.type)
        )
        found = compute().index_in(array, value_set=known)
        if found.null_count:
            found = found.fill_null(len(labels.texts))
        codes = found.to_numpy(zero_copy_only=False)
        if len(labels.texts) < len(labels.labels):
            codes = taken(labels.text_positions, codes)
        positions: Positions = codes.astype(labels.dtype, copy=False)
        if array.null_count and labels.missing != labels.unknown:
            positions = positions.copy()
            positions[array.is_null().to_numpy(zero_copy_only=False)] = labels.missing
        return positions

    def plain(self) -> list[Any] | NDArray[Any]:
        """As Held says."""
        types = self.pa.types
        if types.is_integer(self.type) or types.is_floating(self.type):
            parts = [chunk.to_numpy(zero_copy_only=False) for chunk in self.chunks]
            return np.concatenate(parts or [np.empty(0)])
        return [value for chunk in self.chunks for value in chunk.to_pylist()]

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        types = self.pa.types
        if types.is_dictionary(self.type):
            made = self._dictionary(labels, positions)
        elif types.is_run_end_encoded(self.type):
            known = self._label_array(labels, self.type.value_type)
            made = compute().run_end_encode(
                known.take(self.pa.array(positions)), run_end_type=self.type.run_end_type
            )
        else:
            known = self._label_array(labels, self.type)
            made = known.take(self.pa.array(positions))
            if types.is_string_view(self.type) and types.is_large_string(made.type):
                made = made.cast(self.type)
        return self._in_kind(made)

    def _dictionary(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """Positions among all labels; a missing value has a missing position."""
        pa = self.pa
        known = self._label_array(labels, self.type.value_type)
        index = self.type.index_type
        if len(labels.labels) > np.iinfo(index.to_pandas_dtype()).max:
            index = pa.int32()
        gone = None if labels.missing == labels.unknown else positions == labels.missing
        codes = pa.array(positions.astype(index.to_pandas_dtype()), mask=gone)
        return pa.DictionaryArray.from_arrays(codes, known, ordered=self.type.ordered)

    def _label_array(self, labels: LabelTables, wanted: Any) -> Any:
        """The labels in the values' type if they fit it, or in the type that Arrow chooses."""
        return labels.kept(("arrow", wanted), lambda: self._made_labels(labels, wanted))

    def _made_labels(self, labels: LabelTables, wanted: Any) -> Any:
        pa = self.pa
        view = pa.types.is_string_view(wanted)
        wider = [pa.int64()] if pa.types.is_integer(wanted) else []
        for chosen in (pa.large_string() if view else wanted, *wider):
            try:
                made = pa.array(labels.labels, type=chosen)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                continue
            if same_labels(made.to_pylist(), labels.labels):
                return made
        try:
            return pa.array(labels.labels)
        except pa.ArrowException:
            kind = type(labels.labels[0]).__name__
            raise WrongKind(
                f"the noisy values are of a kind that Arrow has no type for ({kind}); pass a list"
            ) from None

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return self._in_kind(self.pa.array(cells))

    def _in_kind(self, made: Any) -> Any:
        if self._scalar:
            return made[0]
        return self.pa.chunked_array([made]) if self._chunked else made


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))
