"""Curves as whole numbers of a public step, one curve a row."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, WrongKind, WrongShape
from dprivacy.mechanisms import read_doubles
from dprivacy.numbers import Floats, read_number
from dprivacy.typing import FrameLike, NumberLike, TableLike

Ints = NDArray[np.int64]
CurvesLike: TypeAlias = TableLike | FrameLike  # one curve a row

LARGEST = 1 << 31  # steps of the grid that a reading may have where there are no bounds
_OFF = 1e-6  # of a step: how far from the grid doubles may put a reading that lies on it
_FINEST = Fraction(1, 10**290)  # steps that doubles hold with all their digits


def read_step(step: NumberLike, what: str = "grid") -> Fraction:
    """The step of the public grid of readings, in their unit, or of time; exact."""
    number = read_number(str(step) if isinstance(step, float | np.floating) else step, what)
    if not isinstance(number, Fraction) or number <= 0:
        raise BadNumber(f"{what} should be a rational step above 0, such as '0.001', not {step}")
    if not _FINEST <= number <= 1 / _FINEST:
        raise BadNumber(
            f"{what} should be within the range of doubles, not {step}; use other units"
        )
    return number


def read_bounds(bounds: Any) -> tuple[float, float]:
    """Public bounds of readings: low and high."""
    if isinstance(bounds, str) or not isinstance(bounds, Sequence) or len(bounds) != 2:
        raise WrongKind(f"bounds should be a pair (low, high) of numbers, not {bounds!r}")
    low, high = (float(read_number(bound, "bounds")) for bound in bounds)
    if not -math.inf < low < high < math.inf:
        raise BadNumber(f"bounds should be (low, high) with low < high, not {bounds}")
    return low, high


def read_curves(readings: CurvesLike) -> Floats:
    """Curves as an array (n, times); what is wrong is said with the row and the time, not the value."""
    if hasattr(readings, "to_numpy"):
        readings = readings.to_numpy()
    if isinstance(readings, list | tuple):
        widths = {len(row) for row in readings if hasattr(row, "__len__")}
        if len(widths) > 1:
            raise WrongShape(
                f"curves should all have the same number of readings, but these have {min(widths)} to "
                f"{max(widths)}; complete or leave out those that have more or fewer (as on days when "
                "clocks change)"
            )
    array = read_doubles(readings, "curves")
    if array.ndim != 2 or array.shape[1] < 2 or not array.shape[0]:
        raise WrongShape(
            "curves should be a table with one curve per row and at least two readings each, not an "
            f"array of shape {array.shape}"
        )
    broken = np.argwhere(~np.isfinite(array))
    if len(broken):
        row, time = broken[0].tolist()
        raise BadNumber(
            f"curve {row}, reading {time}: missing or not finite; complete the curve or leave it out"
        )
    return array


def in_steps(curves: Floats, step: Fraction, most: int, bounds: tuple[float, float] | None) -> Ints:
    """Readings clamped to public bounds and rounded to whole steps, of which `most` are allowed.

    Clamping brings curves nearer. Rounding may put them farther apart; see `rounding_slack`.
    """
    if bounds is not None:
        curves = np.clip(curves, *bounds)
    return _whole(curves / float(step), step, most)


def on_grid(curves: Floats, grid: Fraction, bounds: tuple[float, float] | None) -> Ints:
    """Readings that lie on the grid in whole steps, clamped to its points within public bounds.

    Raises
    ------
    BadNumber
        For a reading off the grid, by curve and time, never by its value.
    """
    exact = curves / float(grid)
    steps = _whole(exact, grid, LARGEST)
    off = np.argwhere(np.abs(exact - steps) > _OFF)
    if len(off):
        row, time = off[0].tolist()
        raise BadNumber(
            f"curve {row}, reading {time}: off the grid of {grid}, on which the readings were declared "
            "to lie; give the meter's resolution as the grid, or leave on_grid out"
        )
    if bounds is None:
        return steps
    low, high = math.ceil(Fraction(bounds[0]) / grid), math.floor(Fraction(bounds[1]) / grid)
    if low > high:
        raise BadNumber(f"bounds should have a point of the grid of {grid} between them")
    return np.clip(steps, low, high)


def farthest(grid: Fraction, bounds: tuple[float, float] | None) -> int:
    """How many steps of the grid a reading may have: what the bounds allow, or 2^31."""
    if bounds is None:
        return LARGEST
    return math.ceil(max(abs(Fraction(bound)) for bound in bounds) / grid) + 1


def _whole(steps: Floats, step: Fraction, most: int) -> Ints:
    whole = np.rint(steps)
    beyond = np.argwhere(np.abs(whole) > most)
    if len(beyond):
        row, time = beyond[0].tolist()
        raise BadNumber(
            f"curve {row}, reading {time}: beyond ±{float(most * step):.6g}, which this grid allows; "
            "give bounds, or a wider grid"
        )
    return whole.astype(np.int64)
