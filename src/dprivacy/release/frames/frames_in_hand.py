"""Sanitising tables in hand: pandas, Polars, Arrow and DuckDB, the same kind out."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dprivacy.errors import Malformed, PrivacyLeakWarning
from dprivacy.extras import arrow
from dprivacy.release.columns.sanitiser import Sanitiser, one_chunk
from dprivacy.release.ledger.release_spending import spending_on
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_card import table_card
from dprivacy.release.plans.table_plan import ColumnPlan, Plan
from dprivacy.sampling import choose_source
from dprivacy.spaces import FiniteSpace


class Sanitised(NamedTuple):
    """A protected copy and its release card."""

    table: Any
    card: Card


def sanitise(
    table: Any,
    plan: Any,
    *,
    insecure_seed: int | None = None,
    permanent_key: bytes | None = None,
    ledger: Any = None,
    again: str | None = None,
) -> Any:
    """A protected copy of a table.

    Parameters
    ----------
    table
        A pandas or Polars data frame, an Arrow table, a DuckDB relation, or a Spark data frame (see
        `sanitise_spark`).
    plan
        A Plan, the path of a plan file, or the mapping such a file gives.
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns and marks the card.
    permanent_key
        For permanent answers (see `PermanentAnswers`): the same person's same value gets the same
        noisy answer in every release with this key.
    ledger
        What the release is charged to before anything is sampled: a `Ledger`, one of its accounts
        (`Ledger.account`), or the path or URL of one that exists.
    again
        With a ledger: why a table that was released before is sanitised once more.

    Returns
    -------
    table
        Of the same kind, with the same index, order and dtypes. Dropped columns are gone.

    Raises
    ------
    UnknownCategory, Malformed
        With the column and the row number, never the value. The ledger takes its entry back then.
    BudgetExceeded, AlreadyReleased
        When the ledger refuses; nothing is sampled.
    """
    return _sanitised(table, plan, insecure_seed, permanent_key, ledger, again).table


def sanitise_with_card(
    table: Any,
    plan: Any,
    *,
    insecure_seed: int | None = None,
    permanent_key: bytes | None = None,
    ledger: Any = None,
    again: str | None = None,
) -> Sanitised:
    """`sanitise`, and with the copy the card that those who receive it need: (table, card)."""
    return _sanitised(table, plan, insecure_seed, permanent_key, ledger, again)


def _sanitised(
    table: Any,
    plan: Any,
    insecure_seed: int | None,
    permanent_key: bytes | None,
    ledger: Any,
    again: str | None,
) -> Sanitised:
    """The work of both, one call deep in each, so that warnings name whoever called them."""
    plan = plan if isinstance(plan, Plan) else Plan.read(plan)
    if type(table).__module__.startswith("pyspark."):
        from dprivacy.release.spark.spark_release import sanitise_spark

        return sanitise_spark(
            table,
            plan,
            ledger=ledger,
            again=again,
            insecure_seed=insecure_seed,
            permanent_key=permanent_key,
        )
    source = choose_source(insecure_seed)
    with spending_on(ledger, plan, permanent_key=permanent_key, again=again) as spending:
        sanitiser = Sanitiser(plan, source, permanent_key=permanent_key, before=spending)
        warn_about(plan, above=2)
        adapter = _adapter(table)
        if adapter is not _duckdb and hasattr(table, "__len__") and not len(table):
            raise Malformed("the table holds no rows")
        clean = adapter(table, sanitiser)
        sanitiser.finish()
    card = table_card(
        plan,
        rows=sanitiser.rows,
        secure=source.secure,
        permanent=sanitiser.permanent,
        receipt=spending.receipt if spending is not None else None,
    )
    return Sanitised(clean, card)


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
    raise Malformed(
        f"a table must come from pandas, Polars, Arrow, DuckDB or Spark, not {type(table).__name__}"
    )


def warn_about(plan: Plan, *, above: int = 1) -> None:
    """Warn of what is allowed and seldom wise, in the name of whoever called so many calls above."""
    for column in plan.columns:
        near = _between_neighbours(column)
        if near > 10:
            warnings.warn(
                f"column {column.name!r}: ε = {near:.3g} between neighbouring values protects little",
                PrivacyLeakWarning,
                stacklevel=above + 2,
            )
        twins = _twins(column.space.labels if column.space is not None else ())
        if twins:
            warnings.warn(
                f"column {column.name!r}: {twins[0]!r} and {twins[1]!r} differ only in case or spaces",
                PrivacyLeakWarning,
                stacklevel=above + 2,
            )
        if "blocks" in column.spec:
            warnings.warn(
                f"column {column.name!r}: which block a value is in is published as it is",
                PrivacyLeakWarning,
                stacklevel=above + 2,
            )


def _between_neighbours(column: ColumnPlan) -> float:
    """ε times the smallest distance between two values."""
    mechanism = column.mechanism
    space, eps = mechanism.guarantee.space, float(mechanism.guarantee.eps)
    if isinstance(space, FiniteSpace):
        return eps * float(space.separation)
    return eps * float(getattr(space, "step", getattr(mechanism, "step", 1)))


def _twins(labels: Sequence[Any]) -> tuple[Any, Any] | None:
    """Two labels that a careless hand would write for each other."""
    seen: dict[str, Any] = {}
    for label in labels:
        key = " ".join(str(label).split()).casefold()
        if key in seen:
            return seen[key], label
        seen[key] = label
    return None


def _arrow(table: Any, sanitiser: Sanitiser) -> Any:
    pa = arrow()
    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise Malformed(f"an Arrow Table or RecordBatch is needed, not {type(table).__name__}")
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
        raise Malformed(
            f"column {name!r} mixes kinds of values, or holds something else than texts and numbers; "
            "convert it first"
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
        raise Malformed(f"column {name!r} is categorical; convert it to plain values first")
    return [label for label in column.mechanism.channel.columns if label is not None]


def _polars(frame: Any, sanitiser: Sanitiser) -> Any:
    import polars

    if isinstance(frame, polars.LazyFrame):
        raise Malformed(
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
