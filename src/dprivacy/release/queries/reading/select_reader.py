"""A whole SELECT as DuckDB's json_serialize_sql writes it, read by white list."""

from typing import Any

from dprivacy.release.queries.reading.expression_reader import only, only_path, read
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    Constant,
    Derived,
    Expression,
    Item,
    Join,
    Order,
    Select,
    Source,
    Star,
    Table,
)

_ON_A_SELECT = (
    "modifiers", "cte_map", "select_list", "from_table", "where_clause", "group_expressions",
    "group_sets", "aggregate_handling", "having", "sample", "qualify",
)  # fmt: skip
_PLAIN_JOIN = {"nearest_count": 1, "nearest_order_type": "ASCENDING", "is_implicit": True}
_OTHER = {
    "SET_OPERATION_NODE": "UNION, INTERSECT or EXCEPT",
    "RECURSIVE_CTE_NODE": "WITH RECURSIVE",
    "CTE_NODE": "WITH … AS MATERIALIZED",
}
_SELF = "ask for one SELECT with WHERE, GROUP BY, HAVING, ORDER BY and LIMIT"


def read_select(node: Any) -> Select:
    """One SELECT; anything that is not on the list is refused, with the reason."""
    kind = node.get("type")
    if kind != "SELECT_NODE":
        raise refused(f"{_OTHER.get(kind, kind)} cannot be corrected", _SELF)
    only(node, *_ON_A_SELECT)
    if node.get("sample"):
        raise refused("a sample is drawn from the noisy rows", "leave SAMPLE out")
    if node.get("qualify"):
        raise refused("QUALIFY chooses single noisy rows", "use WHERE or HAVING")
    orders, by_all, limit, offset = _modifiers(node.get("modifiers") or [])
    return Select(
        items=tuple(_item(entry) for entry in node["select_list"]),
        source=read_source(node["from_table"]),
        where=_maybe(node.get("where_clause")),
        groups=_groups(node),
        having=_maybe(node.get("having")),
        orders=orders,
        sorted_by_all=by_all,
        limit=limit,
        offset=offset,
        named=_names(node.get("cte_map") or {}),
    )


def _maybe(node: Any) -> Expression | None:
    return None if node is None else read(node)


def _item(node: Any) -> Item:
    if node.get("class") == "STAR":
        only(node, "relation_name")
        return Item(Star(node.get("relation_name") or ""))
    return Item(read(node), node.get("alias") or "")


def _groups(node: Any) -> tuple[Expression, ...] | None:
    if node["aggregate_handling"] == "FORCE_AGGREGATES":
        return None
    if node["aggregate_handling"] != "STANDARD_HANDLING":
        raise refused("its way of grouping is not known here", _SELF)
    given, sets = node.get("group_expressions") or [], node.get("group_sets") or []
    if len(sets) > 1 or (sets and sorted(sets[0]) != list(range(len(given)))):
        raise refused(
            "ROLLUP, CUBE and GROUPING SETS are several queries in one", "ask them one by one"
        )
    return tuple(read(entry) for entry in given)


def _modifiers(given: Any) -> tuple[tuple[Order, ...], Order | None, int | None, int]:
    orders: tuple[Order, ...] = ()
    by_all, limit, offset = None, None, 0
    for entry in given:
        kind = entry["type"]
        if kind == "ORDER_MODIFIER":
            only(entry, "orders")
            if len(entry["orders"]) == 1 and entry["orders"][0]["expression"]["class"] == "STAR":
                by_all = _order(entry["orders"][0], Constant("word", "ALL"))
            else:
                orders = tuple(_order(one, read(one["expression"])) for one in entry["orders"])
        elif kind == "LIMIT_MODIFIER" and entry.get("limit_type", "ROW_COUNT") == "ROW_COUNT":
            only(entry, "limit", "offset", "limit_type")
            limit, offset = _whole(entry.get("limit")), _whole(entry.get("offset")) or 0
        elif kind == "DISTINCT_MODIFIER":
            raise refused(
                "SELECT DISTINCT lists which noisy values occur", "group by them, and count"
            )
        else:
            raise refused("LIMIT is not a number of rows", "write LIMIT 10")
    return orders, by_all, limit, offset


def _order(entry: Any, part: Expression) -> Order:
    only(entry, "expression", "null_order")
    star = entry["expression"]
    if star["class"] == "STAR":
        only(star, "columns")
    descending = entry["type"] == "DESCENDING"
    if entry["type"] not in ("ORDER_DEFAULT", "ASCENDING", "DESCENDING"):
        raise refused("its way of sorting is not known here", "use ORDER BY … DESC")
    nulls = {"ORDER DEFAULT": "", "NULLS FIRST": "FIRST", "NULLS LAST": "LAST"}
    return Order(part, descending, nulls[entry["null_order"].replace("_", " ")])


def _whole(node: Any) -> int | None:
    if node is None:
        return None
    found = read(node)
    if not isinstance(found, Constant) or not found.text.isdecimal():
        raise refused("LIMIT and OFFSET should be whole numbers", "write LIMIT 10")
    return int(found.text)


def _names(given: Any) -> tuple[Derived, ...]:
    only(given, "map")
    return tuple(_named(entry) for entry in given.get("map") or [])


def _named(entry: Any) -> Derived:
    """WITH name AS (…)."""
    only(entry, "key", "value")
    told = entry["value"]
    only(told, "aliases", "query", "query_node", "materialized")
    only(told.get("query") or {}, "node")
    inner = told["query_node"] if told.get("query_node") else told["query"]["node"]
    return Derived(inner, entry["key"], tuple(told.get("aliases") or ()))


def read_source(node: Any) -> Source | None:
    """What stands after FROM."""
    kind = node["type"]
    if kind == "EMPTY":
        return None
    if node.get("sample"):
        raise refused("a sample is drawn from the noisy rows", "leave TABLESAMPLE out")
    if kind == "BASE_TABLE":
        only(node, "table_name", "qualified_name", schema_name="main")
        only_path(node, node["table_name"])
        return Table(node["table_name"], node.get("alias") or "")
    if kind == "SUBQUERY":
        only(node, "subquery", "column_name_alias")
        only(node["subquery"], "node")
        columns = tuple(node.get("column_name_alias") or ())
        return Derived(node["subquery"]["node"], node.get("alias") or "", columns)
    if kind == "JOIN":
        return _join(node)
    raise refused(
        f"FROM a {str(kind).lower().replace('_', ' ')} cannot be corrected",
        "name the released table, data, and exact tables given with --with",
    )


def _join(node: Any) -> Join:
    only(
        node, "left", "right", "condition", "join_type", "ref_type", "using_columns", **_PLAIN_JOIN
    )
    kind, form = node["join_type"], node["ref_type"]
    if kind not in ("INNER", "LEFT") or form not in ("REGULAR", "CROSS"):
        name = form if form not in ("REGULAR", "CROSS") else kind
        raise refused(
            f"{name} JOIN cannot be corrected",
            "use JOIN or LEFT JOIN, with data on the left",
        )
    left, right = read_source(node["left"]), read_source(node["right"])
    if left is None or right is None:
        raise refused("a join needs two tables", "name them")
    return Join(
        kind, left, right, _maybe(node.get("condition")), tuple(node.get("using_columns") or ())
    )
