"""Read by white list: a tree with anything unknown in it is refused, never read past."""

import copy
import json

import duckdb
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release.queries.reading.asked_question import read_question
from dprivacy.release.queries.reading.expression_reader import read
from dprivacy.release.queries.reading.query_printer import printed
from dprivacy.release.queries.reading.query_tree import Cast, Constant, Form, changed
from support.queried_tables import ACCEPTED, dim, people

COLUMNS = people().schema.names
EXACT = {"dim": dim().schema.names}


def tree_of(sql):
    (text,) = duckdb.connect().execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    return json.loads(text)["statements"][0]["node"]


def understood(node):
    return read_question(node, COLUMNS, EXACT, lambda _: None)


def objects(tree):
    """Every object of a tree, by the steps that lead to it."""
    found, waiting = [], [()]
    while waiting:
        steps = waiting.pop()
        one = at(tree, steps)
        if isinstance(one, dict):
            found.append(steps)
            waiting += [(*steps, key) for key in one]
        elif isinstance(one, list):
            waiting += [(*steps, k) for k in range(len(one))]
    return found


def at(tree, steps):
    for step in steps:
        tree = tree[step]
    return tree


@pytest.mark.parametrize(
    "sql", [sql for sql in ACCEPTED if "WITH d AS" not in sql and " q ON" not in sql]
)
def test_every_node_with_an_unknown_field_is_refused(sql):
    node = tree_of(sql)
    understood(node)
    for steps in objects(node):
        changed_node = copy.deepcopy(node)
        at(changed_node, steps)["of_a_later_version"] = "something"
        with pytest.raises((NotApplicable, KeyError)):
            understood(changed_node)


@pytest.mark.parametrize("sql", ACCEPTED[:12])
def test_every_node_of_an_unknown_kind_is_refused(sql):
    node = tree_of(sql)
    for steps in objects(node):
        one = at(node, steps)
        empty = steps[-1:] == ("order_bys",)  # of an aggregate; it holds no order
        for key in ("class", "type"):
            if isinstance(one.get(key), str) and one.get("class") != "TYPE" and not empty:
                changed_node = copy.deepcopy(node)
                at(changed_node, steps)[key] = "OF_A_LATER_VERSION"
                with pytest.raises((NotApplicable, KeyError)):
                    understood(changed_node)


@pytest.mark.parametrize(
    "text",
    [
        "1", "-5", "1.50", "1e3", "-2.5e-3", "12345678901234567890123", "'it''s'", "NULL", "true",
        "false", "DATE '2020-01-31'", "CAST(1.25 AS DECIMAL(10, 1))", "TRY_CAST('x' AS INTEGER)",
        "2 ** 3", "7 // 2", "7 % 4", "-(-3)", "1 - -1", "'a' || 'b'", "'abc' LIKE 'a%'",
        "'abc' NOT ILIKE 'A_C'", "'a%c' LIKE 'a!%c' ESCAPE '!'", "3 BETWEEN 1 AND 2",
        "3 NOT BETWEEN 1 AND 2", "3 IN (1, 2)", "3 NOT IN (1, NULL)", "NULL IS NULL", "1 IS NOT NULL",
        "1 IS DISTINCT FROM NULL", "NOT (true AND false OR NULL)", "CASE 2 WHEN 1 THEN 'x' END",
        "coalesce(NULL, 4)", "ifnull(NULL, 4)", "nullif(3, 3)", "if(true, 1, 2)",
        "extract(year FROM DATE '2020-01-31')", "DATE '2020-01-31' + INTERVAL 3 DAY",
        "substring('abcdef' FROM 2 FOR 3)", "position('c' IN 'abc')", "trim('  x ')", "3 IN [1, 3]",
        "true IS NOT TRUE", "round(2.345, 2)", "greatest(1, 2, 3)", "7 / 2", "0.1 + 0.2",
    ],
)  # fmt: skip
def test_what_is_printed_means_what_was_written(text):
    connection = duckdb.connect()
    try:
        ((wanted, kind),) = connection.execute(f"SELECT {text}, typeof({text})").fetchall()
    except duckdb.Error:
        pytest.skip("this version of DuckDB does not have it")
    again = printed(read(tree_of(f"SELECT {text}")["select_list"][0]))
    assert connection.execute(f"SELECT {again}, typeof({again})").fetchall() == [(wanted, kind)]


def test_parts_are_replaced_from_the_top():
    of = Form("AND", (Constant("word", "TRUE"), Cast(Constant("number", "1"), "BOOLEAN")))
    kept = changed(of, lambda part: Constant("word", "FALSE") if isinstance(part, Cast) else None)
    assert printed(kept) == "(TRUE AND FALSE)"
    assert changed(of, lambda _: None) == of


@pytest.mark.parametrize(
    "text", ["{'a': 1}", "[1, 2][1]", "MAP {'a': 1}", "CAST(1 AS INT[])", "$1",
             "list_sort([2, 1])", "current_setting('threads')", "1::mood", "'x'::BLOB"],
)  # fmt: skip
def test_expressions_that_are_not_on_the_list(text):
    with pytest.raises(NotApplicable, match="cannot be corrected"):
        read(tree_of(f"SELECT {text}")["select_list"][0])
