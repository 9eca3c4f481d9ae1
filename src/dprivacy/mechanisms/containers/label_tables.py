"""Labels ready to be looked up: numbers by subtraction, text by hashing, the rest by dictionary."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.containers.text_hashing import MOST_TEXTS, TextTable

Positions = NDArray[np.unsignedinteger]

_PIECE = 1 << 15  # rows at a time, which stay in the cache
_WIDEST_TABLE = 1 << 22
# no subtraction of such labels from 64-bit integers can leave the table wrongly
_FARTHEST = 1 << 53
_FEW = 256  # rows that the dictionary has found before a hash is made
_BOOLEANS = (bool, np.bool_)


class LabelTables:
    """Labels and their positions; a value that is none of them has the position `unknown`.

    No value is taken for a label that it does not equal. Numbers are equal across their types (1, 1.0
    and numpy.int8(1)), and booleans equal booleans alone: True is not 1.

    Parameters
    ----------
    labels
        Different labels, in the order of their positions.
    """

    def __init__(self, labels: Iterable[Any]) -> None:
        self.labels = tuple(labels)
        self.unknown = len(self.labels)
        self.dtype = np.min_scalar_type(self.unknown)
        self.index = {label: i for i, label in enumerate(self.labels)}
        self.missing = self.index.get(None, self.unknown)
        texts = [i for i, label in enumerate(self.labels) if type(label) is str]
        self.texts = tuple(self.labels[i] for i in texts)
        self.text_positions = np.array([*texts, self.unknown], dtype=self.dtype)
        self._boolean = any(isinstance(label, _BOOLEANS) for label in self.labels)
        self._low, self._table = self._integer_table()
        self._made: dict[Hashable, Any] = {}

    def _integer_table(self) -> tuple[int, Positions | None]:
        """A direct look-up of whole numbers in a narrow range, whose last entry is `unknown`."""
        whole = {int(x): i for i, x in enumerate(self.labels) if _is_whole(x)}
        low, high = min(whole, default=0), max(whole, default=0)
        if high - low >= _WIDEST_TABLE or max(-low, high) >= _FARTHEST:
            return 0, None
        table = np.full(high - low + 2, self.unknown, dtype=self.dtype)
        for number, position in whole.items():
            table[number - low] = position
        return low, table

    def kept(self, what: Hashable, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once."""
        if what not in self._made:
            self._made[what] = make()
        return self._made[what]

    def holds(self, value: Any) -> bool:
        """Whether a single value is one of the labels."""
        return self._position(value) < self.unknown

    def of_array(self, flat: NDArray[Any]) -> Positions:
        """The positions of a flat array's values."""
        kind = flat.dtype.kind
        if kind in "iu" and self._table is not None:
            return self._of_integers(flat, self._table)
        if kind == "U" and len(flat) >= _FEW and len(self.texts) <= MOST_TEXTS:
            return self._of_text(flat)
        if kind == "b":
            return self.of_entries([False, True]).take(flat.view(np.uint8))
        values = flat.tolist()
        # times in nanoseconds come out as bare integers, which are not labels
        if kind in "mM" and int in set(map(type, values)):
            return np.where(np.isnat(flat), self.missing, self.unknown).astype(self.dtype)
        return self.of_objects(values)

    def _of_integers(self, flat: NDArray[np.integer], table: Positions) -> Positions:
        """One subtraction, unsigned, so that numbers on both sides of the table are above it."""
        out = np.empty(flat.size, dtype=self.dtype)
        last = np.uint64(len(table) - 1)
        for start in range(0, flat.size, _PIECE):
            part = flat[start : start + _PIECE]
            # 2^63 and more do not fit an int64
            if part.dtype.itemsize == 8 and part.dtype.kind == "u":
                part = np.minimum(part, np.uint64(2 * _FARTHEST))
            away = np.subtract(part, self._low, dtype=np.int64, casting="unsafe").view(np.uint64)
            np.minimum(away, last, out=away)
            table.take(away.view(np.int64), out=out[start : start + _PIECE], mode="clip")
        return out

    def _of_text(self, flat: NDArray[np.str_]) -> Positions:
        width = flat.dtype.itemsize // 4
        table: TextTable | None = self.kept(("hash", width), lambda: self._text_table(width))
        if table is None:
            return self.of_objects(flat.tolist())
        native = np.ascontiguousarray(flat, dtype=flat.dtype.newbyteorder("="))
        return table.look_up(native, self.unknown)

    def _text_table(self, width: int) -> TextTable | None:
        """Labels wider than the array cannot occur in it; one that ends in NUL is cut off there."""
        if width == 0 or any(text.endswith("\0") for text in self.texts):
            return None
        fit = [i for i, text in enumerate(self.texts) if len(text) <= width]
        if not fit:
            return None
        made = TextTable([self.texts[i] for i in fit], self.text_positions[fit], width)
        return made if made.found else None

    def of_objects(self, values: Sequence[Any]) -> Positions:
        """The positions of any Python values, by the dictionary's own look-up."""
        try:
            if self._mixes_booleans(values):
                return self._one_by_one(values)
            found = map(self.index.get, values, repeat(self.unknown))
            if self.dtype == np.uint8:
                return np.frombuffer(bytearray(found), dtype=np.uint8)
            return np.fromiter(found, dtype=self.dtype, count=len(values))
        except TypeError:  # something cannot be hashed, and is certainly no label
            return self._one_by_one(values)

    def _mixes_booleans(self, values: Sequence[Any]) -> bool:
        """Whether the dictionary might take a boolean for a number, or a number for a boolean."""
        if 0 not in self.index and 1 not in self.index:
            return False
        kinds = set(map(type, values))
        booleans = kinds.intersection(_BOOLEANS)
        return bool(kinds - booleans) if self._boolean else bool(booleans)

    def _one_by_one(self, values: Sequence[Any]) -> Positions:
        return np.fromiter(map(self._position, values), dtype=self.dtype, count=len(values))

    def _position(self, value: Any) -> int:
        try:
            found = self.index.get(value, self.unknown)
        except TypeError:
            return self.unknown
        if found == self.unknown:
            return found
        same = isinstance(value, _BOOLEANS) == isinstance(self.labels[found], _BOOLEANS)
        return found if same else self.unknown

    def of_entries(self, entries: Sequence[Any]) -> Positions:
        """The positions of a dictionary's entries, and behind them that of a missing value."""
        return np.append(self.of_objects(list(entries)), self.dtype.type(self.missing))

    def label_array(self, like: np.dtype[Any]) -> NDArray[Any]:
        """The labels as an array: of the values' own type where they fit it, never changed to fit."""
        made: NDArray[Any] = self.kept(("array", like), lambda: self._label_array(like))
        return made

    def _label_array(self, like: np.dtype[Any]) -> NDArray[Any]:
        boxed = np.empty(len(self.labels), dtype=object)
        boxed[:] = self.labels
        if like.kind == "O":
            return boxed
        wider = [np.dtype(np.int64)] if like.kind in "iu" else []
        own = [] if like.kind in "USV" else [like]
        for dtype in (*own, *wider, None):
            try:
                made = np.array(self.labels, dtype=dtype)
            except (TypeError, ValueError, OverflowError):
                continue
            if made.shape != boxed.shape or not same_labels(made.tolist(), self.labels):
                continue
            if dtype is not None or type(made.tolist()[0]) is type(self.labels[0]):
                return made
        return boxed


def same_labels(made: Sequence[Any], labels: Sequence[Any]) -> bool:
    """Whether labels are still themselves after a change of type; numbers may change theirs."""
    return all(
        type(new) is type(old) or (_is_number(new) and _is_number(old))
        for new, old in zip(made, labels, strict=True)
    ) and list(made) == list(labels)


def taken(table: NDArray[Any], positions: NDArray[np.integer]) -> NDArray[Any]:
    """The table's entries at some positions, in pieces that stay in the cache."""
    if positions.size <= _PIECE:
        return table.take(positions)
    out = np.empty(positions.size, dtype=table.dtype)
    for start in range(0, positions.size, _PIECE):
        out[start : start + _PIECE] = table.take(positions[start : start + _PIECE])
    return out


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and value % 1 == 0
