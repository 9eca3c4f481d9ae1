"""One batch of one column: Arrow in, Arrow out, nothing but declared values in between."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import (
    BadNumber,
    DPrivacyError,
    NotApplicable,
    UnknownCategory,
    WrongKind,
)
from dprivacy.extras import arrow, compute
from dprivacy.mechanisms import LocalMechanism, cells_of
from dprivacy.release.columns.permanent_answers import PermanentAnswers
from dprivacy.release.columns.permanent_reports import PermanentReports
from dprivacy.release.columns.row_facts import RowOrder
from dprivacy.release.columns.tagged_people import TaggedPeople
from dprivacy.release.columns.value_codes import MOST_LISTED, ValueCodes
from dprivacy.release.domains.cell_points import days_in, placed
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.published_values import (
    as_array,
    declared_outputs,
    grid_points,
    in_dictionary,
    published_type,
)
from dprivacy.release.intake.decimal_commas import DECIMAL_COMMAS
from dprivacy.release.texts.texts_in_columns import noisy_texts, topic_codes
from dprivacy.sampling import CategoricalSampler, Source

MISSING = ("NA", "NaN", "null", "None")  # cells of a CSV file that say so, unless they are declared
_NO_DOUBLE = "is not a number that a double can hold"
_STRANGE = "holds a value outside the declared values; declare it, or drop or map such rows"


class ColumnProtector:
    """Applies one column's mechanism to Arrow arrays.

    Values are looked up in the declared domain, never in a batch's own dictionary, and what comes out
    is built from the declared outputs alone, in a type that the plan decides: neither an original
    category travels along, nor a type that was chosen because a value was missing.

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
    dictionaries
        Whether listed values and points of a grid come out as a dictionary of all declared outputs, in
        declared order, for a file; otherwise only where the column came as one.
    """

    def __init__(
        self,
        column: ColumnPlan,
        source: Source,
        *,
        texts: bool = False,
        permanent: PermanentAnswers | PermanentReports | None = None,
        dictionaries: bool = False,
    ) -> None:
        self.permanent, self.dictionaries = permanent, dictionaries
        self.column, self.source, self.texts = column, source, texts
        self.mechanism = replace(column.mechanism, source=source)
        self.row = 0  # rows seen so far, for error messages
        ordered = column.kind != "bits" and (column.kind != "text" or column.listed)
        self.orders = [RowOrder() for _ in column.columns if ordered]
        self.type = published_type(column)
        if column.listed or (column.kind == "numbers" and column.mechanism.inner is not None):
            # What short words give depends on where batches are cut, and jobs cut them by rows alone.
            self.sampler = (
                column.short_sampler
                if dictionaries
                else CategoricalSampler(column.mechanism.channel.matrix.entries.tolist())
            )
        self.coded = column.listed or column.local is not None
        if column.listed:
            self.named = declared_outputs(column)
        if self.coded:
            self.inputs = tuple(column.values)
            own = column.points is not None
            self.known = self.named if own else as_array(self.inputs)
            self.wanted = self.known.type

    def apply(self, arrays: Sequence[Any], people: TaggedPeople | None = None) -> list[Any]:
        """Noisy arrays for true ones (two of each for a place), of the published type.

        `people` says whose each row is, for permanent answers.
        """
        true = self.look(arrays)
        if self.column.local is not None:
            return [self._reported(self.column.local, true.astype(np.intp), people)]
        if self.column.listed or self.points is not None:
            return self.cells_at(self._drawn(true, people), [arrays[0].type])
        if self.column.kind == "numbers":
            return [self._back(self.mechanism.randomise(true))]
        if self.column.kind == "text":
            return [self._worded(true)]
        noisy = self.mechanism.randomise(true)
        return [self._bits(noisy)] if self.column.kind == "bits" else [*map(self._back, noisy.T)]

    def look(self, arrays: Sequence[Any]) -> NDArray[Any]:
        """The true values, whose order is noted: doubles, rows of bits, or positions.

        Positions are those of listed values among the declared ones, and of numbers on a listed grid.
        """
        if any(isinstance(array.type, arrow().BaseExtensionType) for array in arrays):
            raise WrongKind(
                f"column {self.column.name!r} has an extension type, which may carry anything; cast it"
            )
        try:
            if self.column.kind == "text":
                return self._looked_at_texts(arrays[0])
            found = None if self._quick is None else self._quick.of(arrays[0])
            if found is not None:
                true: NDArray[Any] = found
            elif self.coded:
                true = self._codes(arrays[0])
            elif self.points is not None:
                true = self._floats(arrays[0])
            elif self.column.kind == "bits":
                true = self._rows_of_bits(arrays[0])
            else:
                true = np.stack([self._floats(array) for array in arrays], axis=1)
        except DPrivacyError:
            raise
        except (arrow().ArrowException, ValueError, TypeError, OverflowError):
            raise self._misfit() from None
        self.row += len(true)
        seen = true if found is None or self.points is None else self._exact(arrays[0], found)
        for order, side in zip(self.orders, np.atleast_2d(seen.T), strict=False):  # not of bits
            order.see(side)
        if found is None and self.points is not None:
            return np.asarray(self.mechanism.snapped(true))
        plain = self.column.kind == "numbers" and not self.coded
        return true[:, 0] if plain and found is None else true

    def _exact(self, array: Any, codes: NDArray[Any]) -> NDArray[Any]:
        """The numbers behind positions on the grid: of whole ones some may lie beside its points."""
        if arrow().types.is_integer(array.type):
            return np.asarray(array)
        return self._numbers.take(codes)

    @cached_property
    def _numbers(self) -> NDArray[Any]:
        """The points of the grid in a small type, if one holds them."""
        points = np.asarray(self.points)
        small = points.astype(np.int16) if abs(points).max() < 1 << 15 else points
        return small if (small == points).all() else points

    @cached_property
    def _quick(self) -> ValueCodes | None:
        """Positions by tables, where what is declared is listed and not too long."""
        values = self.known if self.coded else self.points
        if values is None or len(values) > MOST_LISTED:
            return None
        points = self.column.points
        written = points is None or points.layout is None or points.layout.format is None
        if not written or (self.coded and arrow().types.is_floating(values.type)):
            return None  # cells are not written as the declared values are
        slow = (
            self._codes if self.coded else lambda array: self.mechanism.snapped(self._floats(array))
        )
        missing = MISSING if self.texts else ()
        return ValueCodes(slow, values, missing=missing, clamped=not self.coded)

    def _drawn(self, codes: NDArray[Any], people: TaggedPeople | None) -> NDArray[Any]:
        if self.permanent is not None:
            assert people is not None
            return self.permanent.draw(codes.astype(np.intp), people)
        return np.asarray(self.sampler.draw(codes, self.source))

    def _reported(
        self, mechanism: LocalMechanism, codes: NDArray[np.intp], people: TaggedPeople | None
    ) -> Any:
        """A report about each true value, as a cell."""
        if self.permanent is not None:
            assert people is not None
            drawn = self.permanent.draw(codes, people)
        else:
            drawn = mechanism.reports.draw(codes, self.source)
        return arrow().array(cells_of(mechanism, drawn), type=self.type)

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
        words = [w for w in MISSING if not self.coded or w not in self.inputs]
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
            elif pa.types.is_integer(array.type) and not float(value).is_integer():
                array = self._cast(array, pa.float64(), _NO_DOUBLE, BadNumber)
            elif pa.types.is_integer(array.type) and array.type.bit_width < 64:
                array = array.cast(pa.int64())  # a narrower one may not hold the declared value
            return array.fill_null(pa.scalar(value, type=array.type))
        at = int(np.flatnonzero(np.asarray(array.is_null()))[0])
        advice = '"empty"' if self.column.kind == "text" else '"category" or { replace = … }'
        raise self._at(at, f"is missing; set nulls = {advice} in the plan", NotApplicable)

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

    def _codes(self, array: Any) -> NDArray[np.intp]:
        values = self._plain(array)
        points = self.column.points
        if points is not None:
            refused = self.column.nulls == "refuse"
            values = self._without_nulls(values) if refused else values
            missing = None if refused else points.place_of(self.column.null_value)
            read = self._doubles if points.layout is None else self._days
            return placed(points, values, missing, read)
        if self.column.nulls != "category":
            values = self._without_nulls(values)
        values = self._cast(values, self.wanted, _STRANGE, UnknownCategory)
        codes = compute().index_in(values, value_set=self.known, skip_nulls=False)
        if codes.null_count:
            at = int(np.flatnonzero(np.asarray(codes.is_null()))[0])
            raise self._at(at, _STRANGE, UnknownCategory)
        return np.asarray(codes).astype(np.intp)

    def _looked_at_texts(self, array: Any) -> NDArray[Any]:
        """Texts as they are, or the positions of their topics."""
        pa = arrow()
        values = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
        if self.column.nulls == "empty" and values.null_count:
            values = values.cast(pa.large_string()).fill_null("")
        values = self._without_nulls(values)
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            raise self._misfit()
        texts = values.to_pylist()
        if self.column.listed:
            codes = topic_codes(self.column, texts, self.row)
            for order in self.orders:
                order.see(codes)
        else:
            codes = np.array(texts, dtype=object)
        self.row += len(texts)
        return codes

    def _worded(self, texts: NDArray[np.object_]) -> Any:
        """Noisy words for texts."""
        first = self.row - len(texts)
        return arrow().array(noisy_texts(self.mechanism, self.column, texts, first), type=self.type)

    def _days(self, array: Any) -> NDArray[np.float64]:
        """Dates as days; 0 where one is missing."""
        assert self.column.points is not None
        assert self.column.points.layout is not None
        days, bad, why = days_in(array, self.column.points.layout)
        if days is None:
            raise self._misfit() if bad is None else self._at(bad, why, BadNumber)
        return days

    def _floats(self, array: Any) -> NDArray[np.float64]:
        return self._doubles(self._without_nulls(self._plain(array)))

    def _doubles(self, values: Any) -> NDArray[np.float64]:
        """Numbers; 0 where one is missing."""
        pa = arrow()
        if pa.types.is_boolean(values.type) or pa.types.is_temporal(values.type):
            raise self._misfit()
        if pa.types.is_decimal(values.type):
            values = values.cast(pa.string())  # Arrow rounds decimals to doubles wrongly
        commas = f" ({DECIMAL_COMMAS})" if pa.types.is_string(values.type) else ""
        doubles = self._cast(values, pa.float64(), f"{_NO_DOUBLE}{commas}", BadNumber)
        filled = doubles.fill_null(0.0) if doubles.null_count else doubles
        numbers = np.asarray(filled, dtype=np.float64)
        broken = np.flatnonzero(~np.isfinite(numbers))
        if len(broken):
            raise self._at(int(broken[0]), "is not a finite number", BadNumber)
        return numbers

    def cells_at(self, drawn: NDArray[Any], kinds: Sequence[Any]) -> list[Any]:
        """What is released for positions that were drawn, for arrays that had these types."""
        if self.column.listed:
            return [self.labelled(drawn, kinds[0])]
        return [self._listed(drawn, self.points, coded=self.dictionaries)]

    def labelled(self, codes: NDArray[Any], original: Any) -> Any:
        """Declared outputs by position, in a dictionary where the column had one."""
        had = arrow().types.is_dictionary(original)
        coded = self.dictionaries or had
        ordered = had and original.ordered and not self.dictionaries
        return self._listed(codes, self.named, coded=coded, ordered=ordered)

    def _listed(
        self, codes: NDArray[Any], outputs: Any, *, coded: bool, ordered: bool = False
    ) -> Any:
        if not coded or (self.dictionaries and len(outputs) > MOST_LISTED):
            return outputs.take(arrow().array(codes.astype(np.int32)))
        places = codes if self.dictionaries else codes.astype(np.int32)
        return in_dictionary(places, outputs, ordered=ordered)

    @cached_property
    def points(self) -> Any:
        """The points of the grid (None where they are too many to list)."""
        return grid_points(self.column)

    def _back(self, noisy: NDArray[np.float64]) -> Any:
        """Noisy numbers in the published type."""
        return arrow().array(noisy).cast(self.type)

    def _rows_of_bits(self, array: Any) -> NDArray[np.int64]:
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
        return np.frombuffer(data, dtype=np.uint8).reshape(-1, length).astype(np.int64) - ord("0")

    def _bits(self, noisy: NDArray[np.int64]) -> Any:
        cells = np.ascontiguousarray((noisy + ord("0")).astype(np.uint8))
        texts = cells.view(f"S{noisy.shape[1]}").ravel().astype(str)
        return arrow().array(texts, type=self.type)


def _as_list(array: Any) -> Any:
    """One list that holds the whole array."""
    pa = arrow()
    return pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array.cast(pa.string()))
