"""Spark frames without order: rows sorted over all files of a folder, cut by their number alone."""

from collections.abc import Callable
from typing import Any

from dprivacy.errors import WrongKind
from dprivacy.release.columns.column_batches import declared_outputs
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_schema import column_of
from dprivacy.release.unordered.untouched_groups import Groups, require_company

_PLAIN = ("string", "boolean", "byte", "short", "integer", "long", "date")
_WITHIN = 33  # bits of a row's number within its partition, as Spark counts rows


def frame_groups(frame: Any, plan: Plan) -> Groups:
    """The groups of a frame by its untouched columns; refused where some row is alone.

    Their types must be written as texts in one way by everybody who checks the order.
    """
    from pyspark.sql import functions

    for name in plan.pass_through:
        kind = frame.schema[name].dataType.typeName()
        if kind not in _PLAIN:
            raise WrongKind(
                f"column {name!r} has the type {kind}, by which Spark's rows cannot be sorted; cast it "
                "to text or whole numbers, or leave it out (drop)"
            )
    keys = [column_of(name).alias(f"c{k}") for k, name in enumerate(plan.pass_through)]
    sizes = frame.groupBy(*keys).count()
    count = functions.col("count")
    number, rows, smallest = sizes.agg(
        functions.count(count), functions.sum(count), functions.min(count)
    ).collect()[0]
    found = Groups(int(rows or 0), int(number), int(smallest or 0), {})
    require_company(found, plan.pass_through)
    return found


def sorted_rows(
    draft: Any,
    plan: Plan,
    names: list[str],
    between: str,
    size: int,
    commit: Callable[[Any, str], None],
) -> Any:
    """The rows of a draft in their order, in partitions of exactly `size` rows but for the last one.

    Parameters
    ----------
    draft
        A frame over noisy rows that were written down.
    plan, names
        What happened to every column, and the columns that come out.
    between
        A private folder for rows that are sorted and not yet cut.
    size
        Rows of a file.
    commit
        Writes a frame so that one attempt of each task counts.

    Notes
    -----
    1. Spark sorts over all partitions, whose borders it finds by looking at some rows, and numbers the
       rows by partition. That is written down, since another look would give other borders.
    2. The partitions are counted; a row's place follows from its number.
    3. Rows go to the file of their place. Spark spreads by a hash: numbers are looked up that it sends
       to the first partition, the second, and so on.
    """
    from pyspark.sql import functions

    session = draft.sparkSession
    number, place = (_unused(names, k) for k in (1, 2))
    keys = [_key(plan, name) for name in names]
    ordered = draft.select(*map(column_of, names)).orderBy(*keys)
    numbered = ordered.withColumn(number, functions.monotonically_increasing_id())
    commit(numbered, between)
    written = session.read.parquet(between)
    part = functions.shiftright(column_of(number), _WITHIN)
    counts = dict(written.groupBy(part.alias("part")).count().collect())
    offsets, rows = {}, 0
    for at in sorted(counts):
        offsets[at], rows = rows, rows + counts[at]
    files = -(-rows // size)
    start = _looked_up(offsets, part)
    within = column_of(number).bitwiseAND(functions.lit((1 << _WITHIN) - 1))
    placed = written.withColumn(place, start + within).drop(number)
    file = functions.floor(column_of(place) / functions.lit(size))
    spread = placed.repartition(files, _looked_up(_sent_to(session, files), file))
    return spread.sortWithinPartitions(column_of(place)).drop(place)


def _key(plan: Plan, name: str) -> Any:
    """What a column is sorted by: positions of listed values, numbers or texts; missing ones first."""
    from pyspark.sql import functions

    cell = column_of(name)
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


def _looked_up(table: dict[int, int], key: Any) -> Any:
    """The entry of a table for a key, as an expression."""
    from pyspark.sql import functions

    entries = [functions.lit(part) for pair in table.items() for part in pair]
    return functions.element_at(functions.create_map(*entries), key.cast("int")).cast("long")


def _sent_to(session: Any, files: int) -> dict[int, int]:
    """For each partition a number that Spark's hash sends there."""
    from pyspark.sql import functions

    tried = session.range(0, 64 * files + 64)
    goes = functions.pmod(functions.hash("id"), functions.lit(files)).alias("to")
    rows = tried.select("id", goes).groupBy("to").agg(functions.min("id")).collect()
    return {int(to): int(first) for to, first in sorted(map(tuple, rows))}


def _unused(names: list[str], more: int) -> str:
    """A name that no column has."""
    return "_" * (max(map(len, names)) + more)
