"""Names and types of Spark's columns, without what else travels with them."""

from collections.abc import Sequence
from typing import Any

from dprivacy.errors import WrongKind
from dprivacy.extras import arrow
from dprivacy.release.domains.published_values import published_type
from dprivacy.release.plans.table_plan import Plan


def bare_schema(frame: Any, names: Sequence[str], plan: Plan) -> Any:
    """Names and types of what is released of a frame, without the metadata that fields may carry.

    Metadata may hold anything; the labels of a column's categories, for one, as they were in the data.
    The types of protected columns are those that the plan gives them.
    """
    from pyspark.sql import types

    pa = arrow()
    known = {
        pa.string(): types.StringType,
        pa.int64(): types.LongType,
        pa.float64(): types.DoubleType,
    }
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    kinds |= {
        name: known[published_type(cell)]()
        for column in plan.columns
        for cell in column.cells
        for name in cell.columns
    }
    return types.StructType(
        [types.StructField(name, _bare_type(kinds[name], name), True) for name in names]
    )


def _bare_type(kind: Any, name: str) -> Any:
    from pyspark.sql import types

    if isinstance(kind, types.UserDefinedType):
        raise WrongKind(f"column {name!r} has a type of its own, which may carry anything; cast it")
    if isinstance(kind, types.ArrayType):
        return types.ArrayType(_bare_type(kind.elementType, name), kind.containsNull)
    if isinstance(kind, types.StructType):
        return types.StructType([
            types.StructField(field.name, _bare_type(field.dataType, name), field.nullable)
            for field in kind.fields
        ])  # fmt: skip
    return kind
