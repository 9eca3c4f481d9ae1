"""Positions of a column's values, looked up in tables that are made once, before any row is read."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import DPrivacyError
from dprivacy.extras import arrow, compute

MOST_LISTED = 1 << 16  # values that are listed in a table, or in a dictionary

_SHORT = 2  # bytes of texts that are numbers of a table themselves
DOUBLES = 1 << 53  # up to which doubles hold every whole number
_NO_LETTER = 255  # a byte that no text in UTF-8 has, and nor is the one before

Positions = NDArray[np.signedinteger[Any]]


class ValueCodes:
    """Positions of values that are written as they are declared; of others it says nothing.

    The tables are filled by the slow way itself, so that they cannot disagree with it: the quick way
    answers for a whole array or not at all, and then the slow way answers or says which row is wrong.

    Parameters
    ----------
    slow
        The position of every value of an Arrow array, by all rules; it raises where one has none.
    values
        The declared values, an Arrow array of texts or numbers; a missing value may be among them.
    missing
        Words that stand for a missing value in the cells of a CSV file, which are of the type string.
    clamped
        Whether whole numbers beyond the declared ones have the position of the nearest.

    Examples
    --------
    >>> import pyarrow
    >>> place = {"a": 0, "b": 1, None: 0}
    >>> slow = lambda array: np.array([place[text] for text in array.to_pylist()])
    >>> codes = ValueCodes(slow, pyarrow.array(["a", "b"]))
    >>> codes.of(pyarrow.array(["b", "a", "b"])).tolist(), codes.of(pyarrow.array(["?"]))
    ([1, 0, 1], None)
    """

    def __init__(
        self,
        slow: Callable[[Any], NDArray[Any]],
        values: Any,
        *,
        missing: Sequence[str] = (),
        clamped: bool = False,
    ) -> None:
        pa = arrow()
        declared = values.drop_null()
        self._kind: Any = np.int8 if len(values) < 1 << 7 else np.int32
        self._clamped, self._from_csv = clamped, bool(missing)
        texts = declared.cast(pa.string())
        lost = [w for w in missing if w not in set(texts.to_pylist())]
        self._words = {pa.string(): pa.concat_arrays([texts, pa.array([*lost, None], pa.string())])}
        none = self._one(slow, pa.nulls(1, pa.string()))
        # Behind the last word is the place of what is none of them.
        places = [*slow(texts).tolist(), *[none] * (len(lost) + 1), -1]
        self._by_word: Positions = np.array(places, dtype=self._kind)
        self._by_letters = _lettered(texts, self._by_word)
        self._low, self._by_number = self._numbered(slow, declared)
        self._seen: tuple[Any, Positions] | None = None

    @staticmethod
    def _one(slow: Callable[[Any], NDArray[Any]], array: Any) -> int:
        with suppress(DPrivacyError, arrow().ArrowException):
            return int(slow(array)[0])
        return -1

    def _numbered(
        self, slow: Callable[[Any], NDArray[Any]], declared: Any
    ) -> tuple[int, Positions | None]:
        """The least whole number in question, and the positions from there on."""
        pa = arrow()
        if not len(declared) or not (
            pa.types.is_integer(declared.type) or pa.types.is_floating(declared.type)
        ):
            return 0, None
        numbers = np.asarray(declared)
        low, high = int(np.floor(numbers.min())), int(np.ceil(numbers.max()))
        most = DOUBLES if self._clamped else 1 << 62  # beyond, the slow way reads no whole numbers
        if high - low >= MOST_LISTED or max(-low, high) > most:
            return 0, None
        if self._clamped:
            inside = np.arange(low, high + 1)
            return low, slow(pa.array(inside)).astype(self._kind)
        table = np.full(high - low + 2, -1, self._kind)
        table[numbers - low] = slow(declared)
        return low, table

    def of(self, array: Any) -> Positions | None:
        """The position of every value of an Arrow array; None where one is not in the tables."""
        found = self._found(array)
        return None if found is None or found.min(initial=0) < 0 else found

    def _found(self, array: Any) -> Positions | None:
        """The same with −1 for what is not in the tables; None for a type that has no table."""
        pa, kind = arrow(), array.type
        if pa.types.is_dictionary(kind):
            return self._through(array)
        if pa.types.is_string(kind) or (pa.types.is_large_string(kind) and not self._from_csv):
            if kind not in self._words:
                self._words[kind] = self._words[pa.string()].cast(kind)
            if (short := self._short(array)) is not None:
                return short
            words = self._words[kind]
            found = compute().index_in(array, value_set=words, skip_nulls=False)
            places = np.asarray(found.fill_null(len(words)) if found.null_count else found)
            return self._by_word.take(places, mode="clip")
        whole = pa.types.is_integer(kind) and kind != pa.uint64()
        if not whole or array.null_count or self._by_number is None:
            return None
        numbers = np.asarray(array).astype(np.int64, copy=False)
        last = len(self._by_number) - 1
        if self._clamped and len(numbers):
            least, most = int(numbers.min()), int(numbers.max())
            if max(-least, most) > DOUBLES:
                return None
            if least < self._low or most > self._low + last:
                numbers = np.clip(numbers, self._low, self._low + last)
        # One comparison for both sides: what is too small is huge without a sign.
        away = (numbers - self._low).view(np.uint64)
        places = away if self._clamped else np.minimum(away, np.uint64(last))
        places = places.view(np.int64)
        return self._by_number.take(places, mode="clip")

    def _short(self, array: Any) -> Positions | None:
        """Where every declared text and every text of the array has one or two bytes."""
        if self._by_letters is None or array.null_count or not arrow().types.is_string(array.type):
            return None
        _, ends, data = array.buffers()
        starts = np.frombuffer(ends, np.int32)[array.offset : array.offset + len(array) + 1]
        lengths = np.diff(starts)
        if not len(lengths) or lengths.min() < 1 or lengths.max() > _SHORT:
            return None
        letters, place = np.frombuffer(data, np.uint8), starts[:-1].astype(np.intp)
        first = letters.take(place, mode="clip")
        place += 1
        second = letters.take(place, mode="clip")
        # A cell need not be UTF-8 for that; what is a letter there must not look like none.
        np.minimum(second, np.uint8(_NO_LETTER - 1), out=second)
        second |= (lengths < _SHORT).view(np.uint8) * np.uint8(_NO_LETTER)
        both = second.astype(np.uint16)
        both <<= np.uint16(8)
        both |= first
        return self._by_letters.take(both, mode="clip")

    def _through(self, array: Any) -> Positions | None:
        """By the entries of a dictionary, of which those that no row uses do not matter."""
        entries = array.dictionary
        if self._seen is None or not self._seen[0].equals(entries):
            found = self._found(entries)
            if found is None:
                return None
            none = self._by_word[-2:-1]  # of a missing value, which comes last among the words
            self._seen = entries, np.concatenate([found, none])
        places = array.indices
        if places.null_count:
            places = places.cast(arrow().int64()).fill_null(len(entries))
        return self._seen[1].take(np.asarray(places), mode="clip")


def _lettered(texts: Any, codes: Positions) -> Positions | None:
    """The positions of texts of one or two bytes, by these; None where one is longer or empty."""
    words = [text.encode() for text in texts.to_pylist()]
    if not words or not all(1 <= len(word) <= _SHORT for word in words):
        return None
    table = np.full(1 << 16, -1, codes.dtype)
    for word, code in zip(words, codes.tolist(), strict=False):
        table[int.from_bytes(word.ljust(_SHORT, bytes([_NO_LETTER])), "little")] = code
    return table
