"""Curves as whole numbers of a public step, one curve a row."""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, WrongShape
from dprivacy.mechanisms import read_doubles
from dprivacy.numbers import Floats, as_level
from dprivacy.typing import FrameLike, NumberLike, TableLike

Ints = NDArray[np.int64]
CurvesLike: TypeAlias = TableLike | FrameLike  # one curve a row

_LARGEST = 1 << 31  # in steps: keeps every sum below 63 bits


def read_step(grid: NumberLike) -> Fraction:
    """The step of the public grid of readings, in their unit, exact."""
    step = as_level(str(grid) if isinstance(grid, float) else grid).simplified
    if not isinstance(step, Fraction) or step <= 0:
        raise BadNumber(f"grid should be a rational step above 0, such as '0.001', not {grid}")
    return step


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
        low, high = (float(as_level(bound)) for bound in bounds)
        if not low < high:
            raise BadNumber(f"bounds should be (low, high) with low < high, not {bounds}")
        curves = np.clip(curves, low, high)
    steps = np.rint(curves / step)
    beyond = np.argwhere(np.abs(steps) > _LARGEST)
    if len(beyond):
        row, time = beyond[0].tolist()
        raise BadNumber(
            f"curve {row}, reading {time}: beyond {_LARGEST:,} steps of the grid; give bounds, or a "
            "wider grid"
        )
    return steps.astype(np.int64)
