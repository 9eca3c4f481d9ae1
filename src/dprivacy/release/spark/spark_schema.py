"""Names and types of Spark's columns, without what else travels with them."""

from collections.abc import Sequence
from typing import Any

from dprivacy.errors import WrongKind


def column_of(name: str) -> Any:
    """A column by its whole name, also one with dots in it."""
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")


def bare_schema(frame: Any, names: Sequence[str]) -> Any:
    """Names and types of some columns of a frame, without the metadata that fields may carry.

    Metadata may hold anything; the labels of a column's categories, for one, as they were in the data.
    """
    from pyspark.sql.types import StructField, StructType

    fields = {field.name: field for field in frame.schema.fields}
    bare = [StructField(name, _bare_type(fields[name].dataType, name), True) for name in names]
    return StructType(bare)


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
