"""Tables in hand without their order: sorted by released values, whatever library holds them."""

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongKind
from dprivacy.extras import arrow
from dprivacy.release.files.released_data import as_arrow
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.row_codes import released_codes
from dprivacy.release.unordered.row_company import company_of
from dprivacy.release.unordered.untouched_groups import GroupCount, Groups

Order = NDArray[np.intp]


def sorted_frame(table: Any, plan: Plan, delta: Fraction) -> tuple[Any, dict[str, Any]]:
    """A sanitised table of the same kind with its rows sorted, and what its card says of that.

    Rows that look the same are the same to the last bit, so that nothing is left of their order: where
    a library can write one value in several ways, such as a missing one, there is one way afterwards,
    and lists of categories are in the order in which they appear.
    """
    from narwhals import dependencies as kinds

    held = _held(table)
    company = company_of([held], plan, delta, above=4)
    codes = released_codes(plan, held.column_names, company.groups.digits).of(held)
    order: Order = np.lexsort(codes.T[::-1])
    if kinds.is_pandas_dataframe(table):
        return _pandas(table, held, order, plan.pass_through), company.block
    if kinds.is_polars_dataframe(table):
        return _polars(table, order, plan.pass_through), company.block
    done = _arrow(held, order, plan.pass_through)
    if isinstance(table, arrow().RecordBatch):
        (done,) = done.combine_chunks().to_batches()
    return done, company.block


def _held(table: Any) -> Any:
    """A table of Arrow; refused where a column mixes kinds: Arrow's own words would quote a cell."""
    try:
        return as_arrow(table)
    except arrow().ArrowException:
        raise WrongKind(
            "a column that is published as it is mixes kinds of values or holds something else, by "
            "which rows cannot be sorted; convert it to texts or numbers, or leave it out (drop)"
        ) from None


def untouched_groups(table: Any, plan: Plan) -> Groups:
    """Which rows of a table that is not yet sanitised are alike in the untouched columns."""
    from narwhals import dependencies as kinds

    names, count = plan.pass_through, GroupCount(plan.pass_through)
    if not names:
        return Groups(len(table), 1, len(table), {})
    if kinds.is_pandas_dataframe(table):
        count.see(_held(table[[name for name in table.columns if str(name) in names]]))
    else:
        count.see(_held(table.select(list(names))))
    return count.found()


def _arrow(table: Any, order: Order, untouched: Collection[str]) -> Any:
    pa = arrow()
    done = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells = column.combine_chunks().take(pa.array(order))
        if name in untouched and pa.types.is_dictionary(cells.type):
            cells = cells.dictionary_decode().dictionary_encode().cast(cells.type)
        done[name] = cells
    return pa.table(done)


def _pandas(frame: Any, held: Any, order: Order, untouched: Collection[str]) -> Any:
    import pandas

    columns = {}
    for k, (name, label) in enumerate(zip(held.column_names, frame.columns, strict=True)):
        series = frame[label].take(order).reset_index(drop=True)
        if name in untouched and series.dtype == object:
            cells = held.column(name).take(arrow().array(order))
            series = cells.to_pandas(integer_object_nulls=True).astype(object)
        elif name in untouched and _unordered(series):
            series = series.cat.reorder_categories(list(dict.fromkeys(series.dropna())))
        columns[k] = series
    done = pandas.DataFrame(columns, index=pandas.RangeIndex(len(frame)))
    done.columns = frame.columns
    return done


def _unordered(series: Any) -> bool:
    """Whether a column has categories whose order means nothing."""
    import pandas

    return isinstance(series.dtype, pandas.CategoricalDtype) and not series.dtype.ordered


def _polars(frame: Any, order: Order, untouched: Collection[str]) -> Any:
    import polars

    done = frame[order]
    listed = [
        polars.col(name).cast(polars.String).cast(polars.Categorical)
        for name in untouched
        if isinstance(frame.schema[name], polars.Categorical)
    ]
    return done.with_columns(listed)
