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

_LARGEST = 1 << 31  # in steps: keeps every sum below 63 bits


def read_step(step: NumberLike, what: str = "grid") -> Fraction:
    """The step of the public grid of readings, in their unit, or of time; exact."""
    number = read_number(str(step) if isinstance(step, float | np.floating) else step, what)
    if not isinstance(number, Fraction) or number <= 0:
        raise BadNumber(f"{what} should be a rational step above 0, such as '0.001', not {step}")
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
            f"curve {row}, reading {time}: missing or not finite ({len(broken)} in all); complete the "
            "curve or leave it out"
        )
    return array


def on_grid(curves: Floats, step: float, bounds: tuple[float, float] | None) -> Ints:
    """Readings clamped to public bounds, in whole steps: both bring curves nearer, never apart."""
    if bounds is not None:
        curves = np.clip(curves, *bounds)
    steps = np.rint(curves / step)
    beyond = np.argwhere(np.abs(steps) > _LARGEST)
    if len(beyond):
        row, time = beyond[0].tolist()
        raise BadNumber(
            f"curve {row}, reading {time}: beyond {_LARGEST:,} steps of the grid; give bounds, or a "
            "wider grid"
        )
    return steps.astype(np.int64)
