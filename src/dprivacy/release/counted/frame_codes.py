"""Rows of a frame as one number each, which Spark computes, so that no cells go from Java to Python."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow
from dprivacy.release.columns.value_codes import DOUBLES
from dprivacy.release.counted.row_numbers import KINDS
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.published_values import grid_points
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_session import column_of, functions_for

_MOST = 32  # listed values that Spark looks through, one by one, sooner than cells go to Python
_WHOLE = ("tinyint", "smallint", "int", "bigint")  # Spark's words for types


class FrameCodes:
    """The cells of a plan's columns as digits of one number.

    A digit is 0 for a cell that is none of those looked for, then come these, and the last is a missing
    cell. What cells mean is left to whoever reads columns: here they are only told apart.

    Parameters
    ----------
    plan
        A plan with `shapes_of`.
    """

    def __init__(self, plan: Plan) -> None:
        cells = [cell for column in plan.columns for cell in column.cells]
        self._names = [cell.columns[0] for cell in cells]
        self._values = [_looked_for(cell) for cell in cells]
        self._sizes = [len(values or ()) + 2 for values in self._values]
        self.size = math.prod(self._sizes)

    def can_tell(self, frame: Any) -> bool:
        """Whether a frame's columns are of the types of these values, which are few."""
        kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        return self.size <= KINDS and all(
            values is not None
            and (isinstance(values, range) or len(values) <= _MOST)
            and kinds[name] in (("string",) if _texts(values) else _WHOLE)
            for name, values in zip(self._names, self._values, strict=True)
        )

    def of(self, frame: Any) -> Any:
        """A frame with one column, the numbers of its rows."""
        found = functions_for(frame).lit(0)
        for digit, size in zip(self._digits(frame), self._sizes, strict=True):
            found = found * size + digit
        return frame.select(found.cast("int").alias("code"))

    def _digits(self, frame: Any) -> Iterator[Any]:
        f = functions_for(frame)
        for name, values in zip(self._names, self._values, strict=True):
            assert values is not None
            cell, kind = column_of(frame, name), "string" if _texts(values) else "bigint"
            cell = cell if kind == "string" else cell.cast(kind)
            if isinstance(values, range):
                near = f.greatest(f.least(cell, f.lit(values[-1])), f.lit(values[0]))
                held = cell.between(-DOUBLES, DOUBLES)  # others are refused, where rows are read
                at = f.when(held, near - (values[0] - 1)).otherwise(0)
            else:
                at = f.array_position(f.array(*[f.lit(v).cast(kind) for v in values]), cell)
            # Spark's least and greatest pass over a missing cell, so it is asked for by itself.
            yield f.when(cell.isNull(), len(values) + 1).otherwise(at)

    def table(self, codes: NDArray[np.int64]) -> Any:
        """The rows of some numbers; None where one has a cell that was not looked for."""
        pa, columns = arrow(), {}
        for name, values, digits in zip(
            self._names, self._values, np.unravel_index(codes, self._sizes), strict=True
        ):
            if not digits.all():
                return None
            assert values is not None
            kind = pa.string() if _texts(values) else pa.int64()
            columns[name] = pa.array([*values, None], kind).take(pa.array(digits - 1))
        return pa.table(columns)


def _looked_for(column: ColumnPlan) -> list[Any] | range | None:
    """The cells that the plan declares for a column; None where it may have others as well.

    Of whole numbers one on each side stands for all beyond that a double holds, which are read as the
    nearest.
    """
    if column.kind == "text" or column.points is not None:
        return None
    if column.listed:
        values = [value for value in column.values if value is not None]
        return values if {type(value) for value in values} in ({str}, {int}) else None
    points = grid_points(column)
    if points is None or not arrow().types.is_integer(points.type):
        return None
    return range(points[0].as_py() - 1, points[len(points) - 1].as_py() + 2)


def _texts(values: list[Any] | range) -> bool:
    return isinstance(values[0], str)
