"""One batch of one column: Arrow in, Arrow out, nothing but declared values in between."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import DPrivacyError, Malformed, UnknownCategory
from dprivacy.release.extras import arrow, compute
from dprivacy.release.plan import ColumnPlan
from dprivacy.sampling import CategoricalSampler, Source


class ColumnProtector:
    """Applies one column's mechanism to Arrow arrays.

    Values are looked up in the declared domain, never in a batch's own dictionary, and what comes out
    is built from the declared outputs alone, so that no original category travels along.
    """

    def __init__(self, column: ColumnPlan, source: Source) -> None:
        self.column, self.source = column, source
        self.mechanism = replace(column.mechanism, source=source)
        self.row = 0  # rows seen so far, for error messages
        if column.listed:
            channel = column.mechanism.channel
            self.sampler = CategoricalSampler(channel.matrix.entries.tolist())
            self.inputs, self.outputs = channel.rows, channel.columns
            self.kind = str if all(isinstance(v, str | None) for v in self.inputs) else int

    def apply(self, arrays: Sequence[Any]) -> list[Any]:
        """Noisy arrays for true ones (two of each for a place), of the same types."""
        try:
            if self.column.listed:
                noisy = [self._listed(arrays[0])]
            elif self.column.kind == "numbers":
                noisy = [self._numbers(arrays[0])]
            elif self.column.kind == "bits":
                noisy = [self._bits(arrays[0])]
            else:
                noisy = self._place(arrays)
        except DPrivacyError:
            raise
        except (arrow().ArrowException, ValueError, TypeError, OverflowError):
            raise self._refusal("holds something that its declared type does not allow") from None
        self.row += len(arrays[0])
        return noisy

    def _refusal(self, what: str, kind: type[DPrivacyError] = Malformed) -> DPrivacyError:
        return kind(f"column {self.column.name!r}, rows {self.row} to …: {what}")

    def _at(self, position: int, what: str, kind: type[DPrivacyError]) -> DPrivacyError:
        return kind(f"column {self.column.name!r}, row {self.row + position}: {what}")

    def _check_nulls(self, array: Any) -> Any:
        """The array without nulls, or a refusal that names the first row with one."""
        if not array.null_count:
            return array
        if self.column.nulls == "replace":
            return array.fill_null(arrow().scalar(self.column.null_value, type=_plain_type(array)))
        at = int(np.flatnonzero(np.asarray(array.is_null()))[0])
        raise self._at(
            at, 'is missing; set nulls = "category" or { replace = … } in the plan', Malformed
        )

    def _listed(self, array: Any) -> Any:
        pa, pc = arrow(), compute()
        original = array.type
        array = _decoded(array)
        missing = self.column.nulls == "category"
        if not missing:
            array = self._check_nulls(array)
        wanted = pa.string() if self.kind is str else pa.int64()
        known = pa.array(list(self.inputs), type=wanted)
        codes = pc.index_in(_as_type(array, wanted), value_set=known, skip_nulls=False)
        if codes.null_count:
            at = int(np.flatnonzero(np.asarray(codes.is_null()))[0])
            raise self._at(
                at,
                "holds a value outside the declared values; declare it, or drop or map such rows",
                UnknownCategory,
            )
        drawn = self.sampler.draw(np.asarray(codes).astype(np.intp), self.source)
        return self._labels(np.asarray(drawn), original)

    def _labels(self, codes: NDArray[Any], original: Any) -> Any:
        pa = arrow()
        wanted = pa.string() if all(isinstance(v, str | None) for v in self.outputs) else pa.int64()
        named = pa.array(list(self.outputs), type=wanted)
        if pa.types.is_dictionary(original):
            if named.null_count:
                kept = [v for v in self.outputs if v is not None]
                mask = codes == list(self.outputs).index(None)
                indices = pa.array(codes.astype(np.int32), mask=mask)
                return pa.DictionaryArray.from_arrays(indices, pa.array(kept, type=wanted))
            return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), named)
        taken = named.take(pa.array(codes.astype(np.int32)))
        return taken if taken.type == original else taken.cast(original)

    def _floats(self, array: Any) -> NDArray[np.float64]:
        pa = arrow()
        array = self._check_nulls(_decoded(array))
        values = np.asarray(_as_type(array, pa.float64()), dtype=np.float64)
        broken = np.flatnonzero(~np.isfinite(values))
        if len(broken):
            raise self._at(int(broken[0]), "is not a finite number", Malformed)
        return values

    def _numbers(self, array: Any) -> Any:
        pa = arrow()
        noisy = self.mechanism.randomise(self._floats(array))
        return _back(pa.array(noisy), array.type)

    def _place(self, arrays: Sequence[Any]) -> list[Any]:
        pa = arrow()
        places = np.stack([self._floats(array) for array in arrays], axis=1)
        noisy = self.mechanism.randomise(places)
        return [_back(pa.array(noisy[:, k]), array.type) for k, array in enumerate(arrays)]

    def _bits(self, array: Any) -> Any:
        pa = arrow()
        length = self.column.mechanism.bits
        texts = self._check_nulls(_decoded(array)).cast(pa.string()).to_pylist()
        for at, text in enumerate(texts):
            if len(text) != length or set(text) - {"0", "1"}:
                raise self._at(at, f"is not a text of {length} zeros and ones", UnknownCategory)
        table = np.array([[int(bit) for bit in text] for text in texts], dtype=np.int64)
        noisy = self.mechanism.randomise(table.reshape(-1, length))
        return pa.array(["".join(map(str, row)) for row in noisy.tolist()]).cast(array.type)


def _decoded(array: Any) -> Any:
    return array.dictionary_decode() if arrow().types.is_dictionary(array.type) else array


def _plain_type(array: Any) -> Any:
    return array.type.value_type if arrow().types.is_dictionary(array.type) else array.type


def _as_type(array: Any, wanted: Any) -> Any:
    pa = arrow()
    if array.type == wanted:
        return array
    if pa.types.is_floating(array.type) and wanted == pa.int64():
        return array.cast(wanted, safe=True)
    return array.cast(wanted)


def _back(noisy: Any, original: Any) -> Any:
    """Noisy numbers in the type they came in; rounded only where that type holds whole numbers."""
    pa = arrow()
    if pa.types.is_dictionary(original):
        original = original.value_type
    if pa.types.is_integer(original):
        return compute().round(noisy).cast(original)
    return noisy.cast(original)
