"""From labels to positions and back, without ever showing a value that does not belong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, UnknownCategory, WrongKind, WrongShape
from dprivacy.numbers import as_rational, read_whole
from dprivacy.typing import NumberLike

Codes = NDArray[np.intp]
whole = read_whole  # counts are read in one way everywhere
_WIDEST_TABLE = 1 << 22
FINEST = Fraction(1, 10**290)  # the smallest step of a grid; its inverse is the largest number
FARTHEST = 1 << 53  # labels up to here compare exactly with arrays of any integer type


class Coder:
    """Positions of labels, vectorised; values outside the labels are refused by row number."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.labels = tuple(labels)
        self._index: Mapping[Any, int] = {label: i for i, label in enumerate(self.labels)}
        self._low, self._table = self._integer_table()

    def _integer_table(self) -> tuple[int, Codes | None]:
        """A direct look-up for whole-number labels in a narrow range."""
        if not all(type(label) is int for label in self.labels):
            return 0, None
        low, high = min(self.labels), max(self.labels)
        if high - low >= _WIDEST_TABLE or max(-low, high) >= FARTHEST:
            return 0, None
        table = np.full(high - low + 1, -1, dtype=np.intp)
        table[np.array(self.labels) - low] = np.arange(len(self.labels))
        return low, table

    def __contains__(self, value: Any) -> bool:
        return self._position(value) >= 0

    def encode(self, values: Any) -> Codes:
        """The position of every value; UnknownCategory names the first row that has none."""
        refuse_masked(values)
        if isinstance(values, np.ndarray):
            flat = np.asarray(values).ravel()
            if self._table is not None and flat.dtype.kind in "iu":
                codes = self._looked_up(flat, self._table)
            else:
                codes = self._positions(flat.tolist())
        else:
            codes = self._positions(listed(values))
        strange = np.flatnonzero(codes < 0)
        if len(strange):
            raise UnknownCategory(
                f"row {int(strange[0])} holds a value outside the declared labels; declare it, drop it "
                "or map it first"
            )
        return codes

    def _looked_up(self, flat: NDArray[Any], table: Codes) -> Codes:
        inside = (flat >= self._low) & (flat < self._low + len(table))  # before any cast can wrap
        codes = np.full(flat.size, -1, dtype=np.intp)
        codes[inside] = table[flat[inside].astype(np.int64) - self._low]
        return codes

    def _positions(self, values: list[Any]) -> Codes:
        found = (self._position(value) for value in values)
        return np.fromiter(found, dtype=np.intp, count=len(values))

    def _position(self, value: Any) -> int:
        try:
            return self._index.get(value, -1)
        except TypeError:  # not hashable, so certainly no label
            return -1

    def decode(self, codes: NDArray[Any], like: Any) -> Any:
        """The labels at some positions: an array when the values came as one, a list otherwise."""
        if not isinstance(like, np.ndarray):
            labels = self.labels
            return [labels[code] for code in codes.tolist()]
        return self._label_array(like.dtype)[codes].reshape(like.shape)

    def _label_array(self, like: np.dtype[Any]) -> NDArray[Any]:
        """The labels as an array: of the values' own type where they fit it, never changed to fit."""
        boxed = np.empty(len(self.labels), dtype=object)
        boxed[:] = self.labels
        kinds = {type(label) for label in self.labels}
        if like.kind == "O" or kinds not in ({int}, {str}, {float}, {bool}):
            return boxed
        if kinds == {int}:
            for dtype in (like, np.dtype(np.int64)):
                if dtype.kind in "iu" and all(_fits(label, dtype) for label in self.labels):
                    return boxed.astype(dtype)
            return boxed
        if any(isinstance(label, str) and label.endswith("\0") for label in self.labels):
            return boxed  # an array of text would cut it off
        return np.array(self.labels)


def _fits(label: int, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return int(limits.min) <= label <= int(limits.max)


def listed(values: Any) -> list[Any]:
    """Values as a list; WrongKind for what has no list of values, or more than one."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        kind = "text" if isinstance(values, str | bytes) else type(values).__name__
        way = f"not a single {kind}; put it in a list"
    elif isinstance(values, Mapping):
        way = "not a mapping; pass list(mapping.values()) or list(mapping)"
    elif isinstance(values, Set):
        way = "not a set, which has no order; pass sorted(values)"
    elif hasattr(values, "columns"):
        names = getattr(values, "column_names", values.columns)  # Arrow's columns are the data
        way = f"not a whole frame; pass one column, such as frame[{next(iter(names), 'name')!r}]"
    else:
        return list(values)
    raise WrongKind(f"values should be a list or an array, {way}")


def refuse_masked(values: Any) -> None:
    """WrongKind, by row number, if an array says that some of its values are missing."""
    if np.ma.is_masked(values):
        masked = np.atleast_1d(np.ma.getmaskarray(values))
        row = int(np.flatnonzero(masked.reshape(len(masked), -1).any(axis=1))[0])
        raise WrongKind(
            f"row {row} is masked, that is missing; fill such rows in or leave them out"
        )


def read_doubles(values: Any, what: str) -> NDArray[np.float64]:
    """Values as doubles; WrongKind if they are not numbers, or too large for doubles.

    Infinities and NaN pass: which row has them is for the caller to say.
    """
    refuse_masked(values)
    try:
        array = np.asarray(list(values) if isinstance(values, Iterator) else values)
        kind = array.dtype.name
        if array.dtype.kind in "US" or (
            array.dtype.kind == "O" and any(isinstance(v, str | bytes) for v in array.flat)
        ):
            kind = "text"
        elif array.dtype.kind not in "cmM":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise WrongKind(f"{what} should be numbers that fit a double; some are not") from None
    raise WrongKind(f"{what} should be numbers, not {kind}; turn them into numbers first")


def read_vectors(values: Any, what: str, width: int) -> NDArray[np.float64]:
    """Rows of `width` finite doubles; the first row that is not is named by its number."""
    array = read_doubles(values, what)
    if array.ndim != 2 or array.shape[1] != width:
        raise WrongShape(f"{what} should be rows of {width} numbers, not of shape {array.shape}")
    require_finite(array)
    return array


def require_finite(array: NDArray[np.float64]) -> None:
    """BadNumber, by row number, for infinities and NaN."""
    broken = np.flatnonzero(~np.isfinite(array).all(axis=tuple(range(1, array.ndim))))
    if len(broken):
        raise BadNumber(
            f"row {int(broken[0])} holds a number that is not finite; fill such rows in or leave them "
            "out"
        )


def nearest_steps(
    array: NDArray[np.float64], step: Fraction, low: Fraction = Fraction(0)
) -> NDArray[np.int64]:
    """The k for which low + k·step is nearest to every number; halfway, the even one.

    Doubles decide where they are far from halfway, and fractions elsewhere, so that it is the nearest
    indeed: two numbers are moved apart by one step at most.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        first, side = np.float64(float(low)), np.float64(float(step))
        near = (array - first) / side
        steps = np.rint(near)
        from_half = 0.5 - np.abs(near - steps)
        unsure = ~(from_half > (np.abs(near) + np.abs(first / side) + 1) * 2.0**-48)
    if not (np.abs(steps) <= FARTHEST).all():
        raise BadNumber(f"some values are too far away for a grid of {step}; take a coarser one")
    whole_steps = steps.astype(np.int64)
    if unsure.any():
        distinct, where = np.unique(array[unsure], return_inverse=True)
        exact = [round((Fraction(number) - low) / step) for number in distinct.tolist()]
        whole_steps[unsure] = np.array(exact, dtype=np.int64)[where.ravel()]
    return whole_steps


def read_step(grid: NumberLike) -> Fraction:
    """The step of a public grid: a rational number above 0 that doubles can express."""
    step = as_rational(grid, "grid")
    if step <= 0:
        raise BadNumber(f"grid should be greater than 0, not {grid}")
    if not FINEST <= step <= 1 / FINEST:
        raise BadNumber(f"grid should be within the range of doubles, not {grid}; use other units")
    return step
