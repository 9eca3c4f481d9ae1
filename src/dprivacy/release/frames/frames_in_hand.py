"""Sanitising tables in hand: pandas, Polars, Arrow and DuckDB, the same kind out."""

import warnings
from collections.abc import Callable
from typing import Any

from dprivacy.errors import NotApplicable, PrivacyLeakWarning, WrongKind, WrongShape
from dprivacy.extras import arrow
from dprivacy.release.columns.sanitiser import Sanitiser, one_chunk
from dprivacy.release.ledger.release_spending import Terms, spending_on
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import choose_source


def sanitised_frame(table: Any, terms: Terms) -> tuple[Any, Card]:
    """A protected copy of a table in hand, of the same kind, and its card; see `sanitise`."""
    source = choose_source(terms.insecure_seed)
    with spending_on(terms) as spending:
        sanitiser = Sanitiser(
            terms.plan, source, permanent_key=terms.permanent_key, before=spending
        )
        warn_about(terms.plan, above=2)
        adapter = _adapter(table)
        if adapter is not _duckdb and hasattr(table, "__len__") and not len(table):
            raise WrongShape("the table holds no rows, so there is nothing to protect")
        clean = adapter(table, sanitiser)
        sanitiser.finish()
    return clean, sanitiser.card(None if spending is None else spending.receipt)


def _adapter(table: Any) -> Callable[[Any, Sanitiser], Any]:
    """The function for this kind of table; narwhals tells them apart without importing any."""
    from narwhals import dependencies as kinds

    if kinds.is_pandas_dataframe(table):
        return _pandas
    if kinds.is_polars_dataframe(table) or kinds.is_polars_lazyframe(table):
        return _polars
    if kinds.is_pyarrow_table(table) or type(table).__module__.startswith("pyarrow"):
        return _arrow
    if kinds.is_duckdb_relation(table):
        return _duckdb
    raise WrongKind(
        f"a table must come from pandas, Polars, Arrow, DuckDB or Spark, not {type(table).__name__}"
    )


def _arrow(table: Any, sanitiser: Sanitiser) -> Any:
    pa = arrow()
    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise WrongKind(f"an Arrow Table or RecordBatch is needed, not {type(table).__name__}")
    clean = sanitiser.batch(table)
    if isinstance(table, pa.Table):
        return clean
    columns = [one_chunk(column) for column in clean.columns]
    return pa.RecordBatch.from_arrays(columns, names=clean.schema.names)


def _duckdb(relation: Any, sanitiser: Sanitiser) -> Any:
    from dprivacy.extras import duckdb

    fetched = relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.arrow()
    return duckdb().from_arrow(sanitiser.batch(fetched))


def _pandas(frame: Any, sanitiser: Sanitiser) -> Any:
    import pandas

    labels = {str(name): name for name in frame.columns}
    names = sanitiser.output_names([str(name) for name in frame.columns])
    if frame.index.names != [None] or frame.index.dtype.kind not in "iu":
        warnings.warn(
            "the index is published as it is; reset it if it says who is who",
            PrivacyLeakWarning,
            stacklevel=5,
        )
    done = sanitiser.protect({c: _pandas_array(frame[labels[c]], c) for c in sanitiser.needed})
    columns = {}
    for name in names:
        before = frame[labels[name]]
        kept = isinstance(before.dtype, pandas.CategoricalDtype)
        if name not in done:
            columns[labels[name]] = before.cat.remove_unused_categories() if kept else before
            continue
        values = done[name].to_pandas(integer_object_nulls=True)
        if kept:
            declared = _declared(sanitiser.plan, name)
            values = pandas.Categorical(values, declared, ordered=before.dtype.ordered)
            columns[labels[name]] = pandas.Series(values, frame.index)
        else:
            dtype = _roomy(before.dtype, sanitiser.plan, name)
            columns[labels[name]] = pandas.Series(values.to_numpy(), frame.index).astype(dtype)
    result = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=frame.index)
    result.columns = frame.columns[[str(name) in names for name in frame.columns]]
    result.attrs = {}
    return result


def _pandas_array(series: Any, name: str) -> Any:
    pa = arrow()
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise WrongKind(
            f"column {name!r} should hold texts or numbers of one kind, but mixes kinds or holds "
            "something else; convert it first"
        ) from None
    return one_chunk(array)


def _roomy(dtype: Any, plan: Plan, name: str) -> Any:
    """A dtype with room for missing values, where a missing value is one of the categories."""
    if plan.column(name).nulls != "category" or hasattr(dtype, "na_value"):
        return dtype
    sized = {"i": f"Int{8 * dtype.itemsize}", "u": f"UInt{8 * dtype.itemsize}", "b": "boolean"}
    return sized.get(dtype.kind, dtype)


def _declared(plan: Plan, name: str) -> list[Any]:
    """The categories of an output column: the declared ones, never those of the data."""
    column = plan.column(name)
    if not column.listed:
        raise WrongKind(f"column {name!r} is categorical; convert it to plain values first")
    return [label for label in column.mechanism.channel.columns if label is not None]


def _polars(frame: Any, sanitiser: Sanitiser) -> Any:
    import polars

    if isinstance(frame, polars.LazyFrame):
        raise NotApplicable(
            "a lazy frame would be randomised again at every evaluation; collect it first"
        )
    names = sanitiser.output_names(frame.columns)
    table = frame.select(sanitiser.needed).to_arrow()
    done = sanitiser.protect({c: one_chunk(table.column(c)) for c in sanitiser.needed})
    columns = []
    for name in names:
        if name not in done:
            columns.append(frame.get_column(name))
            continue
        noisy: Any = polars.from_arrow(done[name])
        dtype = frame.schema[name]
        if isinstance(dtype, polars.Enum):
            dtype = polars.Enum(_declared(sanitiser.plan, name))
        columns.append((noisy if dtype == polars.Null else noisy.cast(dtype)).alias(name))
    return polars.DataFrame(columns)
