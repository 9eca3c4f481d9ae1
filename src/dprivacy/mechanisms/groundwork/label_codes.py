"""From labels to positions and back, without ever showing a value that does not belong."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, UnknownCategory, WrongKind, WrongShape
from dprivacy.mechanisms.containers.label_tables import LabelTables
from dprivacy.mechanisms.containers.opened_values import opened
from dprivacy.mechanisms.containers.python_values import Held, refuse_masked
from dprivacy.numbers import as_rational, read_whole
from dprivacy.typing import NumberLike

Codes = NDArray[np.intp]
whole = read_whole  # counts are read in one way everywhere
FINEST = Fraction(1, 10**290)  # the smallest step of a grid; its inverse is the largest number
FARTHEST = 1 << 53  # whole numbers up to here are exact as doubles


class Coder:
    """Positions of labels in any container; values outside the labels are refused by row number."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.tables = LabelTables(labels)
        self.labels = self.tables.labels

    def __contains__(self, value: Any) -> bool:
        return self.tables.holds(value)

    def open(self, values: Any) -> Held:
        """The values in their container."""
        return opened(values, self.tables)

    def codes(self, held: Held) -> NDArray[np.unsignedinteger]:
        """The position of every value, in the smallest type that holds it.

        Raises
        ------
        UnknownCategory
            A value outside the labels; the message has the first such row, and never the value.
        """
        found = held.positions(self.tables)
        if found.size and found.max() == self.tables.unknown:
            row = int(np.argmax(found == self.tables.unknown))
            raise UnknownCategory(
                f"row {row} holds a value outside the declared labels; declare it, drop it or map it "
                "first"
            )
        return found

    def encode(self, values: Any) -> Codes:
        """The position of every value, as numbers to reckon with."""
        return self.codes(self.open(values)).astype(np.intp)

    def back(self, codes: NDArray[np.integer], held: Held) -> Any:
        """The labels at some positions, in the container and type that the values came in."""
        return held.of_labels(self.tables, codes)


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
