"""Released cells as digits that sort as the cells do, and cells again from their digits."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownCategory, WrongKind
from dprivacy.extras import arrow, compute
from dprivacy.release.columns.sanitiser import one_chunk
from dprivacy.release.domains.published_values import in_dictionary

Digits = NDArray[np.uint64]
WORD = 1 << 64
_BYTES = 8  # of a text, in one digit
_SIGN = np.uint64(1 << 63)


class CellDigits(ABC):
    """The cells of one released column as one digit or several, each below its radix."""

    radixes: tuple[int, ...]

    @abstractmethod
    def digits(self, cells: Any) -> list[Digits]:
        """The digits of an Arrow array, the most significant first."""

    @abstractmethod
    def cells(self, digits: list[Digits]) -> Any:
        """The Arrow array with these digits."""


@dataclass(frozen=True, eq=False)
class Listed(CellDigits):
    """Cells from a list: a cell is its position in it.

    Parameters
    ----------
    values
        An Arrow array in which nothing is twice; a missing value may be in it.
    coded
        Whether cells come back as a dictionary of these values.
    """

    values: Any
    coded: bool = False

    @cached_property
    def radixes(self) -> tuple[int, ...]:  # type: ignore[override]
        """How many values there are."""
        return (max(len(self.values), 1),)

    def digits(self, cells: Any) -> list[Digits]:
        """Positions in the list."""
        found = one_chunk(cells)
        if not arrow().types.is_dictionary(found.type):
            return [self._known(self._positions(plain_cells(found)))]
        entries, places = found.dictionary, found.indices
        if places.null_count:
            entries = arrow().concat_arrays([entries, arrow().nulls(1, entries.type)])
            places = places.cast(arrow().int64()).fill_null(len(entries) - 1)
        return [self._known(self._positions(plain_cells(entries)).take(np.asarray(places)))]

    def _positions(self, cells: Any) -> NDArray[np.int64]:
        """Positions in the list, −1 for what is not in it."""
        found = compute().index_in(
            cells.cast(self.values.type), value_set=self.values, skip_nulls=False
        )
        return np.asarray(found.fill_null(-1), dtype=np.int64)

    @staticmethod
    def _known(positions: NDArray[np.int64]) -> Digits:
        if positions.min(initial=0) < 0:
            raise UnknownCategory("a released value is not among those that the plan declares")
        return positions.view(np.uint64)

    def cells(self, digits: list[Digits]) -> Any:
        """The values at these positions."""
        if self.coded:
            small = np.uint8 if len(self.values) <= 1 << 8 else np.uint16
            return in_dictionary(digits[0].astype(small), self.values)
        return self.values.take(arrow().array(digits[0].astype(np.int64)))


class Whole(CellDigits):
    """Whole numbers of 64 bits."""

    radixes = (WORD,)

    def digits(self, cells: Any) -> list[Digits]:
        """Shifted so that the smallest one is 0."""
        numbers = plain_cells(cells).cast(arrow().int64())
        return [np.asarray(numbers).view(np.uint64) ^ _SIGN]

    def cells(self, digits: list[Digits]) -> Any:
        """The numbers."""
        return arrow().array((digits[0] ^ _SIGN).view(np.int64))


class Doubles(CellDigits):
    """Doubles, every pattern of bits by itself: −0 comes before 0, and NaN at an end."""

    radixes = (WORD,)

    def digits(self, cells: Any) -> list[Digits]:
        """Their bits, in the order of the numbers."""
        bits = np.asarray(plain_cells(cells).cast(arrow().float64())).view(np.uint64)
        return [np.where(bits >> np.uint64(63), ~bits, bits | _SIGN)]

    def cells(self, digits: list[Digits]) -> Any:
        """The doubles."""
        (found,) = digits
        bits = np.where(found >> np.uint64(63), found ^ _SIGN, ~found)
        return arrow().array(bits.view(np.float64), from_pandas=False)


@dataclass(frozen=True, eq=False)
class Texts(CellDigits):
    """Texts in ASCII of at most this many characters, as they sort; a digit for every eight of them."""

    length: int

    @cached_property
    def radixes(self) -> tuple[int, ...]:  # type: ignore[override]
        """As many as their bytes can tell apart."""
        full, rest = divmod(self.length, _BYTES)
        return (WORD,) * full + ((256**rest,) if rest else ())

    def digits(self, cells: Any) -> list[Digits]:
        """Their bytes, eight at a time, as numbers; nothing where a text has ended."""
        wide = _BYTES * len(self.radixes)
        texts = plain_cells(cells).to_numpy(zero_copy_only=False).astype(f"S{self.length}")
        words = texts.astype(f"S{wide}").view(">u8").reshape(-1, len(self.radixes))
        found = [word.astype(np.uint64) for word in words.T]
        found[-1] >>= np.uint64(8 * (wide - self.length))
        return found

    def cells(self, digits: list[Digits]) -> Any:
        """The texts."""
        wide = _BYTES * len(self.radixes)
        words = np.stack([*digits[:-1], digits[-1] << np.uint64(8 * (wide - self.length))], axis=1)
        texts = words.astype(">u8").view(f"S{wide}").ravel().astype(f"U{self.length}")
        return arrow().array(texts, type=arrow().string())


@dataclass(frozen=True, eq=False)
class Ranked(CellDigits):
    """Cells of a column that is published as it is: the rank among its different values, as texts.

    Texts, since a .csv file holds nothing else: whoever has the file can check the order.

    Parameters
    ----------
    ranks
        The different values as `comparable` gives them, sorted; a missing one comes first.
    kind
        The type that the column has.
    """

    ranks: Any
    kind: Any

    @cached_property
    def _listed(self) -> Listed:
        return Listed(self.ranks)

    @cached_property
    def radixes(self) -> tuple[int, ...]:  # type: ignore[override]
        """How many different values there are."""
        return self._listed.radixes

    def digits(self, cells: Any) -> list[Digits]:
        """Ranks."""
        return self._listed.digits(comparable(cells, ""))

    def cells(self, digits: list[Digits]) -> Any:
        """The values with these ranks."""
        return restored(self._listed.cells(digits), self.kind)


def comparable(cells: Any, name: str) -> Any:
    """An Arrow array in which equal means the same: doubles by their bits, and one NaN.

    Parameters
    ----------
    cells
        An Arrow array or chunked array.
    name
        Its column, for a refusal.
    """
    pa = arrow()
    found = plain_cells(cells)
    if pa.types.is_nested(found.type) or isinstance(found.type, pa.BaseExtensionType):
        raise _unsorted(name, found.type)
    if not pa.types.is_floating(found.type):
        return found
    missing = np.asarray(found.is_null())
    doubles = np.asarray(found.cast(pa.float64()).fill_null(0.0))
    (bits,) = Doubles().digits(pa.array(np.where(np.isnan(doubles), np.nan, doubles)))
    return pa.array(bits, mask=missing)


def restored(cells: Any, kind: Any) -> Any:
    """What `comparable` was given, in its own type."""
    pa = arrow()
    if not pa.types.is_floating(kind):
        return cells.cast(kind)
    missing = np.asarray(cells.is_null())
    doubles = Doubles().cells([np.asarray(cells.fill_null(0)).astype(np.uint64)])
    return pa.array(np.asarray(doubles), mask=missing, from_pandas=False).cast(kind)


def as_texts(cells: Any, kind: Any, name: str) -> Any:
    """What `comparable` gave, as a .csv file would show it."""
    pa = arrow()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return cells
    try:
        return restored(cells, kind).cast(pa.large_string())
    except pa.ArrowException:
        raise _unsorted(name, kind) from None


def _unsorted(name: str, kind: Any) -> WrongKind:
    return WrongKind(
        f"column {name!r} has the type {kind}, by which rows cannot be sorted; cast it to text or "
        "numbers, or leave it out (drop)"
    )


def plain_cells(cells: Any) -> Any:
    """An array in one piece, without a dictionary or views."""
    pa, found = arrow(), one_chunk(cells)
    if pa.types.is_dictionary(found.type):
        found = found.dictionary_decode()
    if pa.types.is_string_view(found.type):
        return found.cast(pa.large_string())
    return found.cast(pa.large_binary()) if pa.types.is_binary_view(found.type) else found
