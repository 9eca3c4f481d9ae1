"""Sanitising tables in hand: pandas, Polars, Arrow and DuckDB, the same kind out."""

import warnings
from collections.abc import Callable
from typing import Any

from dprivacy.errors import (
    DPrivacyError,
    NotApplicable,
    PrivacyLeakWarning,
    WrongKind,
    WrongShape,
)
from dprivacy.extras import arrow, duckdb
from dprivacy.release.columns.published_columns import bare
from dprivacy.release.columns.sanitiser import Sanitiser, one_chunk
from dprivacy.release.domains.published_values import declared_outputs
from dprivacy.release.frames.sorted_frames import sorted_frame, untouched_groups
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.release_spending import Terms, spending_on
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.release.plans.release_card import Card
from dprivacy.release.unordered.shuffled_block import ShuffledTable, shuffled_table
from dprivacy.sampling import choose_source


def sanitised_frame(table: Any, terms: Terms) -> tuple[Any, Card, Receipt | None]:
    """A protected copy of a table in hand, of the same kind, its card and receipt; see `sanitise`."""
    held, source = _fetched(table), choose_source(terms.insecure_seed)
    with spending_on(terms) as spending:
        sanitiser = Sanitiser(
            terms.plan, source, permanent_key=terms.permanent_key, before=spending
        )
        warn_about(terms.plan, above=2)
        adapter = _adapter(held)
        if not len(held):
            raise WrongShape("the table holds no rows, so there is nothing to protect")
        told: list[ShuffledTable] = []
        if spending is not None and terms.delta is not None:
            spending.shuffled = lambda: _alone(held, terms, told)
        clean, block = adapter(held, sanitiser), None
        sanitiser.finish(ordered=terms.delta is None)
        if terms.delta is not None:
            clean, block = sorted_frame(clean, terms.plan, terms.delta)
            _require_same(block, told)
    if _is_relation(table):
        clean = duckdb().from_arrow(clean)
    receipt = None if spending is None else spending.given
    given = None if receipt is None else receipt.to_dict()
    return clean, sanitiser.card(given, shuffled=block), receipt


def _alone(table: Any, terms: Terms, told: list[ShuffledTable]) -> ShuffledTable:
    """What a table guarantees without its order, before anything is drawn; it is noted in `told`."""
    assert terms.delta is not None
    groups = untouched_groups(table, terms.plan)
    found = shuffled_table(terms.plan, groups.rows, delta=terms.delta, smallest=groups.smallest)
    told.append(found)
    return found


def _require_same(block: dict[str, Any], told: list[ShuffledTable]) -> None:
    """Refuse a table that came out with other rows than it was charged for."""
    if any(one.to_dict() != block for one in told):
        raise NotApplicable(
            "the table gave other rows when it was read again; fetch it first, and release what was "
            "fetched"
        )


def _fetched(table: Any) -> Any:
    """A table that stays as it is: lazy frames, relations and streams are computed here, once.

    Whatever is drawn, charged and sorted afterwards is of these rows, however often they are looked at.
    """
    from narwhals import dependencies as kinds

    try:
        if _is_relation(table):
            return table.to_arrow_table()
        if kinds.is_polars_lazyframe(table):
            return table.collect()
        return arrow().table(table) if _is_stream(table) else table
    except DPrivacyError:
        raise
    except Exception as reason:  # its own words may quote a cell
        raise WrongKind(f"{_refused(table)} ({type(reason).__name__})") from None


def _refused(table: Any) -> str:
    kind = type(table).__name__
    if _is_stream(table):
        return (
            f"a table must come from pandas, Polars, Arrow, DuckDB or Spark, not {kind}, whose stream "
            "cannot be read as one"
        )
    return f"the {kind} cannot be computed; fetch it yourself to see why"


def _is_relation(table: Any) -> bool:
    from narwhals import dependencies as kinds

    return bool(kinds.is_duckdb_relation(table))


def _is_stream(table: Any) -> bool:
    """Whether something can be read as Arrow batches, and is none of the tables that are known."""
    from narwhals import dependencies as kinds

    known = kinds.is_into_dataframe(table) or kinds.is_duckdb_relation(table)
    if known or not hasattr(table, "__arrow_c_stream__"):
        return False
    return not isinstance(table, arrow().RecordBatch)


def _adapter(table: Any) -> Callable[[Any, Sanitiser], Any]:
    """The function for this kind of table; narwhals tells them apart without importing any."""
    from narwhals import dependencies as kinds

    if kinds.is_pandas_dataframe(table):
        return _pandas
    if kinds.is_polars_dataframe(table):
        return _polars
    if isinstance(table, arrow().Table | arrow().RecordBatch):
        return _arrow
    raise WrongKind(
        f"a table must come from pandas, Polars, Arrow, DuckDB or Spark, not {type(table).__name__}"
    )


def arrow_columns(frame: Any) -> dict[str, Any]:
    """The columns of a pandas or Polars data frame as Arrow arrays, by name."""
    from narwhals import dependencies as kinds

    if kinds.is_pandas_dataframe(frame):
        return {str(c): _pandas_array(frame[c], str(c)) for c in frame.columns}
    if kinds.is_polars_dataframe(frame):
        return {c: _polars_array(frame.get_column(c), c) for c in frame.columns}
    raise WrongKind(
        f"a data frame must come from pandas or Polars, not {type(frame).__name__}; a lazy one is "
        "collected first"
    )


def _arrow(table: Any, sanitiser: Sanitiser) -> Any:
    pa, clean = arrow(), sanitiser.batch(table)
    if isinstance(table, pa.Table):
        return clean
    columns = [one_chunk(column) for column in clean.columns]
    return pa.RecordBatch.from_arrays(columns, names=clean.schema.names)


def _pandas(frame: Any, sanitiser: Sanitiser) -> Any:
    """A new frame: columns of the plan's types, and an index that counts the rows.

    An index may be the order that the rows had before they were shuffled, or say who is who.
    """
    import pandas

    labels = {str(name): name for name in frame.columns}
    names = sanitiser.output_names([str(name) for name in frame.columns])
    if not frame.index.equals(pandas.RangeIndex(len(frame))) or frame.index.names != [None]:
        warnings.warn(
            "the index is not published, and the rows are counted from 0 instead; if it may be "
            "published, make it a column (reset_index) and list that in pass_through",
            PrivacyLeakWarning,
            stacklevel=5,
        )
    beside = {c for column in sanitiser.plan.columns if column.points for c in column.columns}
    done = sanitiser.protect(
        {c: _pandas_array(frame[labels[c]], c, mixed=c in beside) for c in sanitiser.needed}
    )
    columns = {}
    for k, name in enumerate(names):
        before = frame[labels[name]]
        grouped = isinstance(before.dtype, pandas.CategoricalDtype)
        if name not in done:
            columns[k] = _copied(before, name).reset_index(drop=True)
            continue
        values = done[name].to_pandas(integer_object_nulls=True)
        column = sanitiser.plan.cell(name)
        if grouped and column.listed:
            declared = declared_outputs(column).drop_null().to_pylist()
            values = pandas.Categorical(values, declared, ordered=before.dtype.ordered)
        elif column.nulls == "category" and arrow().types.is_integer(done[name].type):
            values = values.astype("Int64")
        columns[k] = pandas.Series(values)
    result = pandas.DataFrame(columns, index=pandas.RangeIndex(len(frame)))
    result.columns = pandas.Index([labels[name] for name in names])  # its names, and no others
    return result


def _copied(series: Any, name: str) -> Any:
    """A column that is published as it is, without the rest of the memory that it lies in."""
    import pandas

    if isinstance(series.dtype, pandas.CategoricalDtype):
        return series.cat.remove_unused_categories()
    if isinstance(series.dtype, pandas.ArrowDtype):
        values = bare(_pandas_array(series, name), name)
        return pandas.Series(pandas.arrays.ArrowExtensionArray(values))
    return series.take(range(len(series)))


def _pandas_array(series: Any, name: str, *, mixed: bool = False) -> Any:
    """A column as an Arrow array; one of numbers and codes may mix both, and is read as texts."""
    pa = arrow()
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        missing = series.isna().tolist()
        cells = [None if none else v for v, none in zip(series.tolist(), missing, strict=True)]
        if mixed and {type(v) for v in cells} <= {str, int, float, type(None)}:
            return pa.array([None if v is None else str(v) for v in cells], pa.string())
        raise WrongKind(
            f"column {name!r} should hold texts or numbers of one kind, but mixes kinds or holds "
            "something else; convert it first"
        ) from None
    return one_chunk(array)


def _polars_array(series: Any, name: str) -> Any:
    import polars

    try:
        if series.dtype != polars.Object:  # of which Arrow gets the places in memory
            return one_chunk(series.to_frame().to_arrow().column(0))
    except arrow().ArrowException:
        pass
    raise WrongKind(f"column {name!r} has the type {series.dtype}; cast it to a plainer one")


def _polars(frame: Any, sanitiser: Sanitiser) -> Any:
    import polars

    names = sanitiser.output_names(frame.columns)
    arrays = {
        name: _polars_array(frame.get_column(name), name)
        for name in dict.fromkeys((*sanitiser.needed, *names))
    }
    done = sanitiser.protect(arrays)
    columns = []
    for name in names:
        dtype: Any = frame.schema[name]
        if name not in done:
            values = bare(arrays[name], name)
            if isinstance(dtype, polars.Enum):
                used = set(values.dictionary.to_pylist())
                dtype = polars.Enum([label for label in dtype.categories if label in used])
            made: Any = polars.from_arrow(values)
            columns.append(made.cast(dtype).alias(name))
            continue
        made, column = polars.from_arrow(done[name]), sanitiser.plan.cell(name)
        if isinstance(dtype, polars.Enum | polars.Categorical) and column.listed:
            declared = declared_outputs(column).drop_null().to_pylist()
            made = made.cast(polars.String).cast(polars.Enum([str(label) for label in declared]))
        columns.append(made.alias(name))
    return polars.DataFrame(columns)
