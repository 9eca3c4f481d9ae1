"""One batch of one column: Arrow in, Arrow out, nothing but declared values in between."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import (
    BadNumber,
    BadPlan,
    DPrivacyError,
    NotApplicable,
    UnknownCategory,
    WrongKind,
)
from dprivacy.extras import arrow, compute
from dprivacy.release.columns.permanent_answers import PermanentAnswers
from dprivacy.release.columns.row_facts import RowOrder
from dprivacy.release.plans.table_plan import ColumnPlan
from dprivacy.sampling import CategoricalSampler, Source

MISSING = ("NA", "NaN", "null", "None")  # cells of a CSV file that say so, unless they are declared
_STRANGE = "holds a value outside the declared values; declare it, or drop or map such rows"


class ColumnProtector:
    """Applies one column's mechanism to Arrow arrays.

    Values are looked up in the declared domain, never in a batch's own dictionary, and what comes out
    is built from the declared outputs alone, so that no original category travels along.

    Parameters
    ----------
    column
        What happens to the column.
    source
        Where random words come from.
    texts
        Whether the arrays are the cells of a CSV file, where a missing value may be a word.
    permanent
        The permanent answers to give instead of fresh noise (for listed values).
    """

    def __init__(
        self,
        column: ColumnPlan,
        source: Source,
        *,
        texts: bool = False,
        permanent: PermanentAnswers | None = None,
    ) -> None:
        self.permanent = permanent
        self.people: Sequence[Any] = ()
        self.column, self.source, self.texts = column, source, texts
        self.mechanism = replace(column.mechanism, source=source)
        self.row = 0  # rows seen so far, for error messages
        self.orders = [RowOrder() for _ in column.columns] if column.kind != "bits" else []
        self._typed: dict[Any, Any] = {}  # declared outputs in the types that columns have
        if column.listed or (column.kind == "numbers" and column.mechanism.inner is not None):
            channel = column.mechanism.channel
            self.sampler = CategoricalSampler(channel.matrix.entries.tolist())
        if column.listed:
            self.inputs, self.outputs = channel.rows, channel.columns
            self.wanted = _type_of(self.inputs)
            self.known = arrow().array(list(self.inputs), type=self.wanted)

    def apply(self, arrays: Sequence[Any], people: Sequence[Any] = ()) -> list[Any]:
        """Noisy arrays for true ones (two of each for a place), of the same types.

        `people` says whose each row is, for permanent answers.
        """
        self.people = people
        if any(isinstance(array.type, arrow().BaseExtensionType) for array in arrays):
            raise WrongKind(
                f"column {self.column.name!r} has an extension type, which may carry anything; cast it"
            )
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
            raise self._misfit() from None
        self.row += len(arrays[0])
        return noisy

    def _drawn(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        if self.permanent is not None:
            return self.permanent.draw(codes, self.people)
        return self.sampler.draw(codes, self.source)

    def _misfit(self) -> DPrivacyError:
        return WrongKind(
            f"column {self.column.name!r}, from row {self.row} on: its type cannot hold what the plan "
            f"declares ({self.column.kind}); convert it first"
        )

    def _at(self, position: int, what: str, kind: type[DPrivacyError]) -> DPrivacyError:
        return kind(f"column {self.column.name!r}, row {self.row + position}: {what}")

    def _plain(self, array: Any) -> Any:
        """The values themselves: no dictionary, and words for missing values as missing."""
        pa, pc = arrow(), compute()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if not self.texts or not pa.types.is_string(array.type):
            return array
        words = [w for w in MISSING if not self.column.listed or w not in self.inputs]
        missing = pc.is_in(array, value_set=pa.array(words, type=pa.string()))
        if not pc.any(missing).as_py():
            return array
        return pc.if_else(missing, pa.scalar(None, pa.string()), array)

    def _without_nulls(self, array: Any) -> Any:
        """The array with its policy for nulls applied, or a refusal that names the first row."""
        if not array.null_count:
            return array
        pa = arrow()
        if self.column.nulls == "replace":
            value = self.column.null_value
            if pa.types.is_null(array.type):
                return pa.array([value] * len(array))
            if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
                value = str(value)
            return array.fill_null(pa.scalar(value, type=array.type))
        at = int(np.flatnonzero(np.asarray(array.is_null()))[0])
        raise self._at(
            at, 'is missing; set nulls = "category" or { replace = … } in the plan', NotApplicable
        )

    def _cast(self, array: Any, wanted: Any, what: str, kind: type[DPrivacyError]) -> Any:
        """The array in another type; a refusal names the first row that has no place in it."""
        if array.type == wanted:
            return array
        try:
            return array.cast(wanted)
        except arrow().ArrowException:
            pass
        array.slice(0, 0).cast(wanted)  # raises for types that have nothing to do with each other
        good, bad = 0, len(array)
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                array.slice(good, middle - good).cast(wanted)
                good = middle
            except arrow().ArrowException:
                bad = middle
        raise self._at(good, what, kind)

    def _listed(self, array: Any) -> Any:
        values = self._plain(array)
        if self.column.nulls != "category":
            values = self._without_nulls(values)
        values = self._cast(values, self.wanted, _STRANGE, UnknownCategory)
        codes = compute().index_in(values, value_set=self.known, skip_nulls=False)
        if codes.null_count:
            at = int(np.flatnonzero(np.asarray(codes.is_null()))[0])
            raise self._at(at, _STRANGE, UnknownCategory)
        named = self._named(array.type)
        positions = np.asarray(codes).astype(np.intp)
        self.orders[0].see(positions)
        drawn = self._drawn(positions)
        return _labelled(np.asarray(drawn), named, array.type)

    def _named(self, original: Any) -> Any:
        """The declared outputs in a column's own type, whatever the data hold."""
        pa = arrow()
        if original not in self._typed:
            inner = original.value_type if pa.types.is_dictionary(original) else original
            if pa.types.is_null(inner):
                inner = self.wanted
            outputs: list[Any] = list(self.outputs)
            if len({type(y) for y in outputs if y is not None}) > 1:  # ⊥ among whole numbers
                outputs = [None if y is None else str(y) for y in outputs]
            if pa.types.is_decimal(inner):
                self._typed[original] = pa.array(outputs, type=inner)
            else:
                self._typed[original] = pa.array(outputs, type=_type_of(outputs)).cast(inner)
        return self._typed[original]

    def _floats(self, array: Any) -> NDArray[np.float64]:
        pa = arrow()
        values = self._without_nulls(self._plain(array))
        if pa.types.is_boolean(values.type) or pa.types.is_temporal(values.type):
            raise self._misfit()
        if pa.types.is_decimal(values.type):
            values = values.cast(pa.string())  # Arrow rounds decimals to doubles wrongly
        doubles = self._cast(
            values, pa.float64(), "is not a number that a double can hold", BadNumber
        )
        numbers = np.asarray(doubles, dtype=np.float64)
        broken = np.flatnonzero(~np.isfinite(numbers))
        if len(broken):
            raise self._at(int(broken[0]), "is not a finite number", BadNumber)
        return numbers

    def _numbers(self, array: Any) -> Any:
        pa = arrow()
        values = self._floats(array)
        self.orders[0].see(values)
        points = self._points(array.type)
        if points is None:
            return _back(pa.array(self.mechanism.randomise(values)), array.type)
        drawn = self.sampler.draw(self.mechanism.snapped(values), self.source)
        return points.take(pa.array(np.asarray(drawn).astype(np.int32)))

    def _points(self, original: Any) -> Any:
        """The grid's points in a column's own type (None where they are too many to list).

        They must fit the type and stay apart in it.
        """
        pa = arrow()
        if original in self._typed:
            return self._typed[original]
        mechanism = self.column.mechanism
        grid = mechanism.grid
        whole = all(Fraction(v).denominator == 1 for v in (grid.low, grid.step))
        if pa.types.is_integer(_value_type(original)) and not whole:
            raise BadPlan(
                f"column {self.column.name!r} holds whole numbers; low and grid must be whole too"
            )
        steps = int((grid.high - grid.low) / grid.step)
        listed = mechanism.inner is not None
        chosen = range(steps + 1) if listed else sorted({0, 1, steps // 2, steps - 1, steps})
        exact = np.array([float(grid.low + k * grid.step) for k in chosen])
        points = _back(pa.array(exact), original)
        kept = points.cast(pa.float64()).to_numpy(zero_copy_only=False)
        if not np.array_equal(kept.astype(np.float32), exact.astype(np.float32)):
            raise self._misfit()
        self._typed[original] = points if listed else None
        return self._typed[original]

    def _place(self, arrays: Sequence[Any]) -> list[Any]:
        places = np.stack([self._floats(array) for array in arrays], axis=1)
        for order, side in zip(self.orders, places.T, strict=True):
            order.see(side)
        noisy = self.mechanism.randomise(places)
        return [_back(arrow().array(noisy[:, k]), a.type) for k, a in enumerate(arrays)]

    def _bits(self, array: Any) -> Any:
        pa, pc = arrow(), compute()
        length = self.column.mechanism.bits
        texts = self._without_nulls(self._plain(array))
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            raise self._misfit()
        good = pc.match_substring_regex(texts, f"^[01]{{{length}}}$") if length <= 1000 else None
        if good is None:
            good = pa.array([set(t) <= {"0", "1"} and len(t) == length for t in texts.to_pylist()])
        bad = np.flatnonzero(~np.asarray(good))
        if len(bad):
            raise self._at(
                int(bad[0]), f"is not a text of {length} zeros and ones", UnknownCategory
            )
        data = pc.binary_join(_as_list(texts), "").to_pylist()[0].encode()
        table = np.frombuffer(data, dtype=np.uint8).reshape(-1, length).astype(np.int64) - ord("0")
        noisy = (self.mechanism.randomise(table) + ord("0")).astype(np.uint8)
        cells = np.ascontiguousarray(noisy).view(f"S{length}").ravel()
        return pa.array(cells.astype(str)).cast(_value_type(array.type))


def _type_of(labels: Sequence[Any]) -> Any:
    pa = arrow()
    return pa.string() if all(isinstance(v, str | None) for v in labels) else pa.int64()


def _as_list(array: Any) -> Any:
    """One list that holds the whole array."""
    pa = arrow()
    return pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array.cast(pa.string()))


def _value_type(original: Any) -> Any:
    return original.value_type if arrow().types.is_dictionary(original) else original


def _labelled(codes: NDArray[Any], named: Any, original: Any) -> Any:
    """Declared outputs by position, in a dictionary of their own where the column had one."""
    pa = arrow()
    positions = pa.array(codes.astype(np.int32))
    if not pa.types.is_dictionary(original):
        view = pa.types.is_string_view(original) or pa.types.is_binary_view(original)
        return (
            named.cast(pa.string()).take(positions).cast(original)
            if view
            else named.take(positions)
        )
    values, mask = named, None
    if named.null_count:  # a missing value is no entry of a dictionary
        values = named.drop_null()
        mask = codes == len(values)
        positions = pa.array(codes.astype(np.int32), mask=mask)
    index = original.index_type
    fits = len(values) <= np.iinfo(index.to_pandas_dtype()).max
    return pa.DictionaryArray.from_arrays(
        positions.cast(index) if fits else positions, values, ordered=original.ordered
    )


def _back(noisy: Any, original: Any) -> Any:
    """Noisy numbers in the type they came in; rounded only where that type holds whole numbers."""
    pa = arrow()
    original = _value_type(original)
    if pa.types.is_null(original):
        return noisy
    if pa.types.is_integer(original):
        return compute().round(noisy).cast(original)
    return noisy.cast(original)
