"""SQL on a sanitised table: private for every query, with counts corrected where they can be."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.model.plain import plain, shown
from dprivacy.release.extras import duckdb
from dprivacy.release.receive import Axis, Release, corrected_table, positions_of
from dprivacy.sources import result

_MOST_CELLS = 1_000_000


@dataclass(frozen=True)
class Answer:
    """What a query gave: raw rows and, for counts by protected columns, corrected ones beside them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    corrected: tuple[tuple[float, float], ...] | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "columns": list(self.columns),
            "rows": plain(self.rows),
            "corrected": plain(self.corrected),
            "note": self.note,
        }

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
def query(release: Release, sql: str) -> Answer:
    """Any SQL on a sanitised table, under the name ``data``.

    What is computed from a private table is private, whatever the query. The raw answers describe the
    noisy table; for ``SELECT …, count(*) … GROUP BY …`` over protected columns (with conditions on
    columns passed through only) an estimate of the true count and its standard error stand beside them.

    Parameters
    ----------
    release
        The table and its card.
    sql
        One query (DuckDB's SQL).
    """
    engine = duckdb()
    connection = engine.connect()
    try:
        _opened(connection, release).create_view("data")
        connection.execute("SET lock_configuration = true")
        cursor = connection.execute(sql)
        if cursor.description is None:
            raise Malformed("the query gives no table; ask with SELECT")
        names = tuple(entry[0] for entry in cursor.description)
        rows = tuple(cursor.fetchall())
        counted = _counted(connection, sql, release)
        if counted is None:
            return Answer(names, rows, None, "raw answers from the noisy table")
        return _with_corrections(connection, release, names, rows, counted)
    except engine.Error as reason:
        raise Malformed(f"the query cannot be answered: {str(reason).splitlines()[0]}") from None
    finally:
        connection.close()


def _opened(connection: Any, release: Release) -> Any:
    """The table as a relation; the columns of a CSV file get the types that the card gives them."""
    if release.path.suffix == ".parquet":
        return connection.read_parquet(str(release.path))
    types: dict[str, str] = {}
    for entry in release.card.columns.values():
        channel = entry["channel"]
        texts = channel is not None and any(isinstance(y, str) for y in channel["outputs"])
        for name in entry["columns"]:
            types[name] = "VARCHAR" if texts or entry["type"] == "bits" else "DOUBLE"
    return connection.read_csv(str(release.path), dtype=types)


@dataclass(frozen=True)
class _Counted:
    """A query that counts by columns: their names, where the count stands, and the bare tally."""

    groups: tuple[str, ...]
    selected: tuple[str | None, ...]
    tally: str


def _counted(connection: Any, sql: str, release: Release) -> _Counted | None:
    """Recognise SELECT columns, count(*) … GROUP BY columns over protected columns; None otherwise."""
    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(text)
    if tree.get("error") or len(tree["statements"]) != 1:
        return None
    node = tree["statements"][0]["node"]
    if node.get("type") != "SELECT_NODE" or node["from_table"].get("table_name") != "data":
        return None
    groups = tuple(_column(entry) for entry in node["group_expressions"])
    selected = tuple(_selected(entry) for entry in node["select_list"])
    if None in groups or not groups or selected.count("count(*)") != 1 or None in selected:
        return None
    if any(name != "count(*)" and name not in groups for name in selected):
        return None
    protected = set(release.card.columns)
    conditions = set(_columns_in(node.get("where_clause")))
    if not protected & set(groups) or conditions & protected or node.get("having") is not None:
        return None
    bare = {**tree["statements"][0], "node": {**node, "modifiers": []}}
    (tally,) = connection.execute(
        "SELECT json_deserialize_sql(?::JSON)", [json.dumps({**tree, "statements": [bare]})]
    ).fetchone()
    return _Counted(
        tuple(g for g in groups if g),
        tuple(n if n != "count(*)" else None for n in selected),
        tally,
    )


def _column(entry: Any) -> str | None:
    return entry["column_names"][-1] if entry.get("class") == "COLUMN_REF" else None


def _selected(entry: Any) -> str | None:
    if entry.get("class") == "FUNCTION" and entry.get("function_name") == "count_star":
        return "count(*)"
    return _column(entry)


def _columns_in(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if tree.get("class") == "COLUMN_REF":
            yield tree["column_names"][-1]
        for value in tree.values():
            yield from _columns_in(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _columns_in(value)


def _with_corrections(
    connection: Any, release: Release, names: tuple[str, ...], rows: Any, counted: _Counted
) -> Answer:
    """Estimate the whole table of groups once, and look every row of the answer up in it."""
    at = counted.selected.index(None)
    order = [name for name in counted.selected if name is not None]
    found = {_key(row, at): int(row[at]) for row in connection.execute(counted.tally).fetchall()}
    axes = [release.axis(name, k, found) for k, name in enumerate(order)]
    if math.prod(len(axis.labels) for axis in axes) > _MOST_CELLS:
        return Answer(names, rows, None, "raw answers; too many groups to correct")
    table = corrected_table(found, axes, estimator="ibu", confidence=0.95)
    errors = table.standard_errors
    corrected = []
    for row in rows:
        cell = tuple(map(_input_position, axes, _key(row, at)))
        pair = (math.nan, math.nan) if None in cell else (table.counts[cell], errors[cell])
        corrected.append((float(pair[0]), float(pair[1])))
    return Answer(names, rows, tuple(corrected), "corrected: estimated counts of the true table")


def _key(row: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return tuple(value for k, value in enumerate(row) if k != at)


def _input_position(axis: Axis, value: Any) -> int | None:
    """Where the true value of the same name stands; None for outputs that are no inputs."""
    labels = axis.values if axis.channel is None else axis.channel.rows
    try:
        return positions_of([(value,)], [labels])[0][0]
    except Malformed:
        return None
