"""How many people meet a condition on protected columns: an unbiased count, with its standard error.

A condition holds or not for true values, and the table has noisy ones. With C the channel of the
columns that the condition names, and f(x) = 1 where it holds, the scores s with Σ_y C[x, y]·s(y) = f(x)
have the right expectation for every person, so that their sum over the noisy table estimates the count.
"""

import json
import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.estimation import left_inverse
from dprivacy.extras import arrow, duckdb
from dprivacy.numbers import Floats
from dprivacy.release.receiving.label_positions import positions_of
from dprivacy.release.receiving.table_receiver import Axis, ReceivedTable

MOST_CELLS = 1_000_000  # of a table that is corrected
_CELL = "dprivacy: number of the cell"


def conditional_count(
    connection: Any,
    release: ReceivedTable,
    tree: Any,
    protected: Sequence[str],
    open_: Sequence[str],
) -> tuple[float, float] | None:
    """The count of a query ``SELECT count(*) FROM data WHERE …`` and its standard error, if it has one.

    Parameters
    ----------
    connection
        With the noisy table, under the name data.
    release
        The table and its card.
    tree
        The query, as DuckDB's ``json_serialize_sql`` writes it.
    protected, open_
        The columns of the condition: those with a channel, and those passed through.

    Notes
    -----
    Among these people the estimate has variance Σ (E s² − f²), one term a person. The sum of s² − s
    over the noisy table has that expectation, since f² = f.
    """
    names = [*protected, *open_]
    listed = ", ".join(map(_quoted, names))
    tally = connection.execute(f"SELECT {listed}, count(*) FROM data GROUP BY ALL").fetchall()
    found = {row[:-1]: int(row[-1]) for row in tally}
    if not found:
        return None
    axes = [release.axis(name, k, found) for k, name in enumerate(protected)]
    others = list(dict.fromkeys(key[len(axes) :] for key in found))
    sides = [axis.channel.rows for axis in axes if axis.channel is not None]
    if math.prod(map(len, sides)) * len(others) > MOST_CELLS:
        return None
    cells = [(*true, *rest) for *true, rest in product(*sides, others)]
    held = np.zeros(len(cells))
    held[_holding(connection, tree, names, cells)] = 1.0
    try:
        scores = _scores(held.reshape(*map(len, sides), len(others)), axes)
    except NotInvertible:
        return None
    place = {rest: k for k, rest in enumerate(others)}
    noisy = [axis.channel.columns for axis in axes if axis.channel is not None]
    at = positions_of((key[: len(axes)] for key in found), noisy)
    each = np.array(
        [scores[(*where, place[key[len(axes) :]])] for where, key in zip(at, found, strict=True)]
    )
    counts = np.array(list(found.values()), dtype=np.float64)
    return float(counts @ each), math.sqrt(max(float(counts @ (each**2 - each)), 0.0))


def _scores(held: Floats, axes: Sequence[Axis]) -> Floats:
    """s with Σ_y C[x, y]·s(y) = f(x), one axis after the other."""
    scores = held
    for k, axis in enumerate(axes):
        assert axis.channel is not None
        turned = np.tensordot(left_inverse(axis.channel.matrix.floats), scores, axes=(1, k))
        scores = np.moveaxis(turned, 0, k)
    return scores


def _holding(
    connection: Any, tree: Any, names: Sequence[str], cells: Sequence[tuple[Any, ...]]
) -> list[int]:
    """The cells for which the condition holds, decided by DuckDB itself on a table of the cells."""
    kinds = dict(
        connection.execute("SELECT column_name, column_type FROM (DESCRIBE data)").fetchall()
    )
    pa = arrow()
    aside = duckdb().connect()
    try:
        columns = {
            name: _plain(column)
            for name, column in zip(names, zip(*cells, strict=True), strict=True)
        }
        given = pa.table({**columns, _CELL: list(range(len(cells)))})
        aside.register("given", given)
        typed = ", ".join(f"CAST({_quoted(n)} AS {kinds[n]}) AS {_quoted(n)}" for n in names)
        aside.execute(f"CREATE TABLE data AS SELECT {typed}, {_quoted(_CELL)} FROM given")
        aside.unregister("given")
        statement = tree["statements"][0]
        node = {**statement["node"], "select_list": _selection(aside), "modifiers": []}
        asked = {**tree, "statements": [{**statement, "node": node}]}
        (sql,) = aside.execute(
            "SELECT json_deserialize_sql(?::JSON)", [json.dumps(asked)]
        ).fetchone()
        return [row[0] for row in aside.execute(sql).fetchall()]
    finally:
        aside.close()


def _selection(connection: Any) -> Any:
    """The number of a cell as a list of what is selected."""
    sql = f"SELECT {_quoted(_CELL)} FROM data"
    (text,) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    return json.loads(text)["statements"][0]["node"]["select_list"]


def _plain(values: Iterable[Any]) -> list[Any]:
    return [float(v) if v is not None and not isinstance(v, str | int) else v for v in values]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
