"""Sanitising tables in hand: pandas, Polars, Arrow and DuckDB, the same kind out."""

import warnings
from collections.abc import Callable
from typing import Any

from dprivacy.errors import Malformed, PrivacyLeakWarning
from dprivacy.release.card import ReleaseCard
from dprivacy.release.extras import arrow
from dprivacy.release.plan import Plan
from dprivacy.release.protect import ColumnProtector
from dprivacy.sampling import Source, choose_source


class Sanitiser:
    """Applies a plan to Arrow tables, batch by batch, and counts what it did."""

    def __init__(self, plan: Plan, source: Source) -> None:
        require_confirmed(plan)
        self.plan, self.source = plan, source
        self.protectors = [ColumnProtector(column, source) for column in plan.columns]
        self.rows = 0

    def output_names(self, names: list[str]) -> list[str]:
        """The columns that come out, in the table's order; every column must be in the plan."""
        plan = self.plan
        missing = [c for c in (*plan.protected, *plan.pass_through, *plan.drop) if c not in names]
        if missing:
            raise Malformed(f"the table has no column {', '.join(map(repr, missing))}")
        unit = [] if plan.unit == "row" else [plan.unit]
        strange = [
            c for c in names if c not in (*plan.protected, *plan.pass_through, *plan.drop, *unit)
        ]
        if strange:
            raise Malformed(
                f"the plan says nothing of the column {', '.join(map(repr, strange))}; protect it, "
                "list it in pass_through (it is then published as it is), or in drop"
            )
        return [c for c in names if c in plan.protected or c in plan.pass_through]

    def batch(self, table: Any) -> Any:
        """One Arrow table or record batch, sanitised; no metadata travels along."""
        pa = arrow()
        names = self.output_names(list(table.schema.names))
        done: dict[str, Any] = {}
        for protector in self.protectors:
            columns = protector.column.columns
            arrays = [_one_chunk(table.column(name)) for name in columns]
            done |= dict(zip(columns, protector.apply(arrays), strict=True))
        for name in self.plan.pass_through:
            done[name] = _without_extension(_one_chunk(table.column(name)), name)
        self.rows += len(table)
        return pa.table({name: done[name] for name in names})


def require_confirmed(plan: Plan) -> None:
    """Refuse a domain that was read off the data and that nobody has looked at."""
    waiting = plan.unconfirmed()
    if waiting:
        raise Malformed(
            f"the values of {', '.join(map(repr, waiting))} were read off the data: a value that "
            "occurs says that somebody has it. Compare them with the questionnaire or code list, "
            'add what is missing, and set source = "declared"; or set source = "data, acknowledged" '
            "and the guarantee is void"
        )


def _one_chunk(column: Any) -> Any:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _without_extension(array: Any, name: str) -> Any:
    if isinstance(array.type, arrow().BaseExtensionType):
        raise Malformed(f"column {name!r} has an extension type, which may carry anything; cast it")
    return array


def sanitise(table: Any, plan: Any, *, insecure_seed: int | None = None, card: bool = False) -> Any:
    """A protected copy of a table.

    Parameters
    ----------
    table
        A pandas or Polars data frame, an Arrow table, or a DuckDB relation.
    plan
        A Plan, the path of a plan file, or the mapping such a file gives.
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns and marks the card.
    card
        Return the release card too, as (table, card).

    Returns
    -------
    table
        Of the same kind, with the same index, order and dtypes. Dropped columns are gone.

    Raises
    ------
    UnknownCategory, Malformed
        With the column and the row number, never the value.
    """
    plan = plan if isinstance(plan, Plan) else Plan.read(plan)
    source = choose_source(insecure_seed)
    sanitiser = Sanitiser(plan, source)
    warn_about(plan)
    clean = _adapter(table)(table, sanitiser)
    if not card:
        return clean
    return clean, ReleaseCard.of(plan, rows=sanitiser.rows, secure=source.secure)


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
        f"a table must come from pandas, Polars, Arrow or DuckDB, not {type(table).__name__}"
    )


def warn_about(plan: Plan) -> None:
    """Warn of what is allowed and seldom wise."""
    for column in plan.columns:
        eps = column.mechanism.guarantee.eps
        if eps > 10:
            warnings.warn(
                f"column {column.name!r}: ε = {float(eps):.3g} per unit of distance protects little",
                PrivacyLeakWarning,
                stacklevel=3,
            )
        if "blocks" in column.spec:
            warnings.warn(
                f"column {column.name!r}: which block a value is in is published as it is",
                PrivacyLeakWarning,
                stacklevel=3,
            )


def _arrow(table: Any, sanitiser: Sanitiser) -> Any:
    pa = arrow()
    clean = sanitiser.batch(table if isinstance(table, pa.Table) else pa.table(table))
    return clean if isinstance(table, pa.Table) else clean.to_batches()[0]


def _duckdb(relation: Any, sanitiser: Sanitiser) -> Any:
    from dprivacy.release.extras import duckdb

    fetched = relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.arrow()
    return duckdb().from_arrow(sanitiser.batch(fetched))


def _pandas(frame: Any, sanitiser: Sanitiser) -> Any:
    import pandas

    pa = arrow()
    if not frame.columns.is_unique:
        raise Malformed("the table has two columns of the same name")
    names = sanitiser.output_names([str(name) for name in frame.columns])
    needed = [c for c in frame.columns if str(c) in {*names, *sanitiser.plan.protected}]
    table = pa.table({str(c): pa.array(frame[c], from_pandas=True) for c in needed})
    for name in frame.columns:
        if str(name) not in table.schema.names:
            table = table.append_column(str(name), pa.nulls(len(frame)))
    clean = sanitiser.batch(table)
    result = pandas.DataFrame(index=frame.index)
    for name in names:
        values, original = clean.column(name).to_pandas(), frame[name].dtype
        if isinstance(original, pandas.CategoricalDtype):
            declared = _declared(sanitiser.plan, name, original.categories)
            result[name] = pandas.Categorical(values, declared, ordered=original.ordered)
        else:
            result[name] = pandas.Series(values.to_numpy(), frame.index).astype(original)
    return result


def _declared(plan: Plan, name: str, otherwise: Any) -> Any:
    """The categories of an output column: the declared ones, never those of the data."""
    if name not in plan.protected:
        return otherwise
    return [label for label in plan.column(name).mechanism.channel.columns if label is not None]


def _polars(frame: Any, sanitiser: Sanitiser) -> Any:
    import polars

    if isinstance(frame, polars.LazyFrame):
        raise Malformed(
            "a lazy frame would be randomised again at every evaluation; collect it first"
        )
    clean: Any = polars.from_arrow(sanitiser.batch(frame.to_arrow()))
    return clean.cast({name: frame.schema[name] for name in clean.columns})
