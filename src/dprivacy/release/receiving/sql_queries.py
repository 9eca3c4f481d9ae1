"""SQL on a sanitised table: private for every query, with counts corrected where they can be."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.errors import NotApplicable, UnknownCategory, WrongKind
from dprivacy.extras import dataset, duckdb
from dprivacy.model import Answer, shown
from dprivacy.release.files.parquet_tables import open_parquet
from dprivacy.release.files.released_data import Released, as_arrow
from dprivacy.release.files.released_folders import data_files
from dprivacy.release.files.table_files import is_parquet, read_errors
from dprivacy.release.plans.column_domains import LISTED
from dprivacy.release.receiving.condition_counts import MOST_CELLS, conditional_count
from dprivacy.release.receiving.label_positions import positions_of
from dprivacy.release.receiving.table_receiver import (
    Axis,
    ReceivedTable,
    corrected_table,
    received,
)
from dprivacy.sources import result
from dprivacy.typing import PathArg

_COUNT = "count(*)"
_VOLATILE = {"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "now"}


@dataclass(frozen=True)
class QueryAnswer(Answer):
    """What a query gave: raw rows and, for counts by protected columns, corrected ones beside them.

    `corrected` holds, for each row, the estimated count of the true table and its standard error.

    Examples
    --------
    >>> print(QueryAnswer(("tea", "n"), (("yes", 12),), ((10.5, 2.1),)))
    tea   n  corrected  ± standard error
    yes  12       10.5               2.1
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    corrected: tuple[tuple[float, float], ...] | None = None
    note: str = ""
    exact: bool = False

    def explain(self) -> str:
        """The answer as a table of text."""
        head = [*self.columns, *(["corrected", "± standard error"] if self.corrected else [])]
        body = [
            [
                *(shown(value) for value in row),
                *([f"{value:.1f}" for value in self.corrected[k]] if self.corrected else []),
            ]
            for k, row in enumerate(self.rows)
        ]
        widths = [max(len(line[j]) for line in [head, *body]) for j in range(len(head))]
        lines = [
            "  ".join(c.rjust(w) for c, w in zip(line, widths, strict=True))
            for line in [head, *body]
        ]
        return "\n".join([*lines, *([self.note] if self.note else [])])


@result("C", "Thm 1")
@result("M", "Thm 4")
def query(release: Released[Any] | ReceivedTable | PathArg, sql: str) -> QueryAnswer:
    """Any SQL on a sanitised table, under the name ``data``.

    What is computed from a private table is private, whatever the query. The raw answers describe the
    noisy table; for ``SELECT …, count(*) … GROUP BY …`` over protected columns (with conditions on
    columns passed through only), and for ``SELECT count(*) … WHERE …`` with any condition on protected
    columns, an estimate of the true count and its standard error stand beside them.

    Parameters
    ----------
    release
        The path of a protected table with its card beside it, what `sanitise` gave, or what
        `received` gave.
    sql
        One query (DuckDB's SQL).

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 99"}}}
    >>> released = sanitise(pandas.DataFrame({"tea": ["yes", "yes", "no", "yes"] * 100}), plan)
    >>> found = query(released, "SELECT tea, count(*) FROM data GROUP BY tea ORDER BY tea")
    >>> [row[0] for row in found.rows], abs(found.corrected[0][0] - 100) < 30
    (['no', 'yes'], True)
    """
    table = received(release)
    if not isinstance(sql, str):
        raise WrongKind(f'a query is a text of SQL, such as "SELECT * FROM data", not {sql!r}')
    engine = duckdb()
    connection = engine.connect()
    try:
        _load(connection, table)
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            connection.execute(f"SET {setting}")
        _require_one_question(engine, sql)
        cursor = connection.execute(sql)
        names = tuple(entry[0] for entry in cursor.description)
        rows = tuple(cursor.fetchall())
        tree = _parsed(connection, sql)
        if tree is not None:
            counted = _counted(connection, tree, table)
            if counted is not None:
                return _with_corrections(connection, table, names, rows, counted)
            pair = _conditional(connection, tree, table)
            if pair is not None and len(rows) == 1:
                told = "corrected: estimated count of the true table"
                return QueryAnswer(names, rows, (pair,), told)
        return QueryAnswer(names, rows, None, "raw answers from the noisy table")
    except engine.Error as reason:
        said = str(reason).splitlines()[0]
        named = "; the released table is called data" if "Table with name" in said else ""
        raise NotApplicable(f"the query cannot be answered: {said}{named}") from None
    finally:
        connection.close()


def _require_one_question(engine: Any, sql: str) -> None:
    statements = engine.extract_statements(sql)
    kinds = [statement.type for statement in statements]
    allowed = (engine.StatementType.SELECT, engine.StatementType.EXPLAIN)
    if len(kinds) != 1 or kinds[0] not in allowed:
        raise NotApplicable(
            "only one SELECT is answered at a time, and nothing can be changed; ask a SELECT "
            f"instead of {sql[:40]!r}"
        )


def _load(connection: Any, release: ReceivedTable) -> None:
    """The table under the name data, held by us: the engine itself then opens no file at all.

    The columns of a CSV file get the types that the card gives them.
    """
    path = release.data
    if not isinstance(path, Path):
        if type(path).__module__.startswith("pyspark."):
            raise NotApplicable(
                f"a frame of {type(path).__name__} is asked through Spark; query reads the folder that "
                "was written, by its path"
            )
        connection.register("data", as_arrow(path))
        return
    if path.is_dir() or is_parquet(path):
        files = data_files(path) if path.is_dir() else [path]
        for one in files:
            with read_errors(one), open_parquet(one) as file:
                file.require_fitting()
        connection.register("data", dataset().dataset(files, format="parquet"))
        return
    types: dict[str, str] = {}
    for name, entry in release.card.mechanisms.items():
        kind = _type(entry["type"], release.card.outputs(name) or ())
        types |= dict.fromkeys(entry["columns"], kind)
    layout = {"header": True, "sep": ",", "quotechar": '"', "escapechar": '"'}
    connection.read_csv(str(path), dtype=types, allow_quoted_nulls=False, **layout).create("data")


def _type(kind: str, outputs: Sequence[Any]) -> str:
    """The type of a column in SQL: texts, whole numbers where all of a list are, or doubles."""
    if kind == "bits" or any(isinstance(y, str) for y in outputs):
        return "VARCHAR"
    small = all(y is None or (type(y) is int and -(2**63) <= y < 2**63) for y in outputs)
    return "BIGINT" if kind in LISTED and outputs and small else "DOUBLE"


@dataclass(frozen=True)
class _Counted:
    """A query that counts by columns: their names, where the count stands, and the bare tally."""

    groups: tuple[str, ...]
    selected: tuple[str | None, ...]
    tally: str


def _parsed(connection: Any, sql: str) -> Any:
    """The query as a tree, None where DuckDB cannot write it as one."""
    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(text)
    if tree.get("error") or len(tree["statements"]) != 1:
        return None
    return tree if _is_plain(tree["statements"][0]["node"]) else None


def _conditional(connection: Any, tree: Any, release: ReceivedTable) -> tuple[float, float] | None:
    """SELECT count(*) … WHERE over protected columns: corrected; None for anything else."""
    node = tree["statements"][0]["node"]
    known = {name.lower(): name for name in release.columns}
    if [_selected(entry, known) for entry in node["select_list"]] != [_COUNT]:
        return None
    if node.get("group_expressions") or node.get("modifiers"):
        return None
    clause = node.get("where_clause")
    named = list(dict.fromkeys(known.get(name.lower(), "") for name in _columns_in(clause)))
    open_ = [name for name in named if name in release.card.pass_through]
    hidden = [name for name in named if name in _correctable(release)]
    if not hidden or len(open_) + len(hidden) < len(named) or _is_volatile(clause):
        return None
    return conditional_count(connection, release, tree, hidden, open_)


def _correctable(release: ReceivedTable) -> set[str]:
    """The protected columns that have a channel."""
    return {
        name
        for entry in release.card.mechanisms.values()
        if entry["channel"] is not None
        for name in entry["columns"]
    }


def _counted(connection: Any, tree: Any, release: ReceivedTable) -> _Counted | None:
    """Recognise SELECT columns, count(*) … GROUP BY columns over protected columns; None otherwise.

    Everything that changes which rows are counted must depend on columns passed through alone.
    """
    node = tree["statements"][0]["node"]
    known = {name.lower(): name for name in release.columns}
    selected = [_selected(entry, known) for entry in node["select_list"]]
    groups = _groups(node, selected, known)
    asked = [name for name in selected if name != _COUNT]
    if groups is None or selected.count(_COUNT) != 1 or sorted(asked, key=str) != sorted(groups):
        return None
    protected = {name for entry in release.card.mechanisms.values() for name in entry["columns"]}
    correctable = _correctable(release)
    if not correctable & set(groups) or (protected - correctable) & set(groups):
        return None
    conditions = list(_columns_in(node.get("where_clause")))
    if any(known.get(name.lower()) not in release.card.pass_through for name in conditions):
        return None
    if _is_volatile(node.get("where_clause")):
        return None
    bare = {**tree["statements"][0], "node": {**node, "modifiers": []}}
    (tally,) = connection.execute(
        "SELECT json_deserialize_sql(?::JSON)", [json.dumps({**tree, "statements": [bare]})]
    ).fetchone()
    return _Counted(tuple(groups), tuple(n if n != _COUNT else None for n in selected), str(tally))


def _is_plain(node: Any) -> bool:
    """One table, named data, and no clause but WHERE, GROUP BY, ORDER BY and LIMIT."""
    table = node.get("from_table") or {}
    return (
        node.get("type") == "SELECT_NODE"
        and table.get("type") == "BASE_TABLE"
        and table.get("table_name", "").lower() == "data"
        and not table.get("sample")
        and not table.get("column_name_alias")
        and not (node.get("cte_map") or {}).get("map")
        and not any(node.get(clause) for clause in ("having", "qualify", "sample"))
        and len(node.get("group_sets") or [[]]) == 1
    )


def _groups(node: Any, selected: list[str | None], known: dict[str, str]) -> list[str] | None:
    """The columns of GROUP BY, also by position, by alias and with ALL; None where it has others."""
    if node.get("aggregate_handling") == "FORCE_AGGREGATES":
        found = [name for name in selected if name != _COUNT]
    else:
        aliases = {
            entry["alias"].lower(): name
            for entry, name in zip(node["select_list"], selected, strict=True)
            if entry.get("alias")
        }
        found = [_group(entry, selected, aliases, known) for entry in node["group_expressions"]]
    if not found or None in found or _COUNT in found or len(set(found)) != len(found):
        return None
    return [name for name in found if name is not None]


def _group(
    entry: Any, selected: list[str | None], aliases: dict[str, str | None], known: dict[str, str]
) -> str | None:
    name = _column(entry, known)
    if name is not None or entry.get("class") == "COLUMN_REF":
        return name or aliases.get(entry["column_names"][-1].lower())
    place = entry.get("literal") or entry.get("value") or {}
    text = str(place.get("text", place.get("value", "")))
    if entry.get("class") == "CONSTANT" and text.isdecimal() and 1 <= int(text) <= len(selected):
        return selected[int(text) - 1]
    return None


def _column(entry: Any, known: dict[str, str]) -> str | None:
    if entry.get("class") != "COLUMN_REF":
        return None
    return known.get(entry["column_names"][-1].lower())


def _selected(entry: Any, known: dict[str, str]) -> str | None:
    counts = entry.get("class") == "FUNCTION" and entry.get("function_name") == "count_star"
    if counts and not entry.get("filter") and not entry.get("distinct"):
        return _COUNT
    return _column(entry, known)


def _columns_in(tree: Any) -> Iterator[str]:
    """Every column that is named; a star or a subquery counts as one that nobody knows."""
    for node in _nodes(tree):
        if node.get("class") == "COLUMN_REF":
            yield node["column_names"][-1]
        elif node.get("class") in ("SUBQUERY", "STAR", "WINDOW"):
            yield ""


def _is_volatile(tree: Any) -> bool:
    return any(str(node.get("function_name")).lower() in _VOLATILE for node in _nodes(tree))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
    for value in (
        tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    ):
        yield from _nodes(value)


def _with_corrections(
    connection: Any, release: ReceivedTable, names: tuple[str, ...], rows: Any, counted: _Counted
) -> QueryAnswer:
    """Estimate the whole table of groups once, and look every row of the answer up in it."""
    at = counted.selected.index(None)
    order = [name for name in counted.selected if name is not None]
    found = {_key(row, at): int(row[at]) for row in connection.execute(counted.tally).fetchall()}
    if not found:
        return QueryAnswer(names, rows, None, "raw answers; no rows were counted")
    axes = [release.axis(name, k, found) for k, name in enumerate(order)]
    if math.prod(len(axis.labels) for axis in axes) > MOST_CELLS:
        return QueryAnswer(names, rows, None, "raw answers; too many groups to correct")
    table = corrected_table(found, axes, estimator="ibu", confidence=0.95)
    errors = table.standard_errors
    corrected = []
    for row in rows:
        cell = tuple(map(_input_position, axes, _key(row, at)))
        pair = (math.nan, math.nan) if None in cell else (table.counts[cell], errors[cell])
        corrected.append((float(pair[0]), float(pair[1])))
    return QueryAnswer(
        names, rows, tuple(corrected), "corrected: estimated counts of the true table"
    )


def _key(row: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return tuple(value for k, value in enumerate(row) if k != at)


def _input_position(axis: Axis, value: Any) -> int | None:
    """Where the true value of the same name stands; None for outputs that are no inputs."""
    try:
        return positions_of([(value,)], [axis.inputs])[0][0]
    except UnknownCategory:
        return None
