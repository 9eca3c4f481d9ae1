"""What a column may hold when it is released, and in which type: the plan decides it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow
from dprivacy.mechanisms import NUMBER, cell_form
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.point_columns import Points, are_whole


def published_type(column: ColumnPlan) -> Any:
    """The Arrow type that a column has when it is released; the plan decides it, and the data never do.

    Texts, strings of bits and reports that are sets are strings; whole numbers, and reports that are
    numbers, are 64-bit integers; other numbers are doubles.
    """
    pa = arrow()
    if column.local is not None:
        return pa.int64() if cell_form(column.local) == NUMBER else pa.string()
    if column.listed:
        return declared_outputs(column).type
    if column.kind in ("bits", "text"):
        return pa.string()
    grid = getattr(column.mechanism, "grid", None)
    whole = grid is not None and all(
        Fraction(end or 0).denominator == 1 for end in (grid.low, grid.step)
    )
    return pa.int64() if column.kind == "numbers" and whole else pa.float64()


def grid_points(column: ColumnPlan) -> Any:
    """All values that a column of numbers may have when it is released, in order.

    None where they are too many to list, and for a column of another type.
    """
    mechanism = column.mechanism
    if column.kind != "numbers" or column.listed or mechanism.inner is None:
        return None
    grid = mechanism.grid
    steps = int((grid.high - grid.low) / grid.step)
    points = np.array([float(grid.low + k * grid.step) for k in range(steps + 1)])
    return arrow().array(points).cast(published_type(column))


def declared_outputs(column: ColumnPlan) -> Any:
    """All values that a column of listed values may have when it is released, in declared order."""
    if column.points is not None:
        return _of_points(column.points)
    outputs = list(column.mechanism.channel.columns)
    if len({type(y) for y in outputs if y is not None}) > 1:  # ⊥ among whole numbers
        outputs = [None if y is None else str(y) for y in outputs]
    return as_array(outputs)


def as_array(labels: Sequence[Any]) -> Any:
    """Declared labels as an Arrow array of texts, or of whole numbers."""
    pa = arrow()
    texts = all(isinstance(v, str | None) for v in labels)
    return pa.array(list(labels), type=pa.string() if texts else pa.int64())


def in_dictionary(places: NDArray[Any], outputs: Any, *, ordered: bool = False) -> Any:
    """Declared outputs by their positions, in a dictionary that holds all of them in their order."""
    pa, missing = arrow(), None
    if outputs.null_count:  # a dictionary has no entry for a missing value
        missing = np.asarray(outputs.is_null())[places]
        entries = (np.cumsum(np.asarray(outputs.is_valid())) - 1).clip(0).astype(places.dtype)
        places, outputs = entries[places], outputs.drop_null()
    # Positions come from a sampler of these outputs, and need not be compared with their number.
    found = pa.array(places, mask=missing)
    return pa.DictionaryArray.from_arrays(found, outputs, ordered=ordered, safe=False)


def _of_points(points: Points) -> Any:
    """Points and codes: numbers where all codes are whole numbers, else texts; dates as texts."""
    pa = arrow()
    codes = [code for code in points.codes if code is not None]
    if points.layout is not None:
        return pa.array(points.labels, type=pa.string())
    if are_whole(codes):
        numbers = [*points.numbers, *(None if c is None else int(c) for c in points.codes)]
        whole = all(n is None or Fraction(n).denominator == 1 for n in numbers)
        cast = int if whole else float
        kind = pa.int64() if whole else pa.float64()
        return pa.array([None if n is None else cast(n) for n in numbers], type=kind)
    return pa.array([*map(_written, points.numbers), *points.codes], type=pa.string())


def _written(number: Fraction) -> str:
    """A number among texts."""
    return str(number) if number.denominator == 1 else repr(float(number))
