"""Spark frames without order: rows sorted over all files of a folder, cut by their number alone."""

from typing import Any

from dprivacy.errors import WrongKind
from dprivacy.release.domains.published_values import declared_outputs
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_session import column_of, functions_for
from dprivacy.release.unordered.untouched_groups import Groups, require_company

_PLAIN = ("string", "boolean", "byte", "short", "integer", "long", "date")


def frame_groups(frame: Any, plan: Plan) -> Groups:
    """The groups of a frame by its untouched columns; refused where some row is alone.

    Their types must be written as texts in one way by everybody who checks the order.
    """
    functions = functions_for(frame)
    for name in plan.pass_through:
        kind = frame.schema[name].dataType.typeName()
        if kind not in _PLAIN:
            raise WrongKind(
                f"column {name!r} has the type {kind}, by which Spark's rows cannot be sorted; cast it "
                "to text or whole numbers, or leave it out (drop)"
            )
    keys = [column_of(frame, name).alias(f"c{k}") for k, name in enumerate(plan.pass_through)]
    sizes = frame.groupBy(*keys).count()
    count = functions.col("count")
    number, rows, smallest = sizes.agg(
        functions.count(count), functions.sum(count), functions.min(count)
    ).collect()[0]
    found = Groups(int(rows or 0), int(number), int(smallest or 0), {})
    require_company(found, plan.pass_through)
    return found


def in_their_order(draft: Any, plan: Plan, names: list[str]) -> Any:
    """The rows of a draft sorted over all partitions; which borders these have is by chance."""
    columns = [column_of(draft, name) for name in names]
    return draft.select(*columns).orderBy(*[_key(draft, plan, name) for name in names])


def _key(frame: Any, plan: Plan, name: str) -> Any:
    """What a column is sorted by: positions of listed values, numbers or texts; missing ones first."""
    functions, cell = functions_for(frame), column_of(frame, name)
    if name in plan.pass_through:
        return cell.cast("string").asc_nulls_first()
    column = plan.column(name)
    if not column.listed:
        return cell.asc_nulls_first()
    labels = declared_outputs(column).to_pylist()
    known = functions.array(*[functions.lit(y) for y in labels if y is not None])
    at = functions.array_position(known, cell)
    if None in labels:
        first = labels.index(None)
        shifted = functions.when(at > first, at + 1).otherwise(at)
        return functions.coalesce(shifted, functions.lit(first + 1)).asc()
    return at.asc()
