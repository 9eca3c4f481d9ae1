"""Which queries may run as they are written: those that read the tables at hand, and nothing else."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.release.queries.reading.allowed_functions import AGGREGATES, NO_SUMS, SCALARS
from dprivacy.release.queries.reading.name_scope import folded

_QUERIES = ("SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "RECURSIVE_CTE_NODE")
_SOURCES = ("BASE_TABLE", "SUBQUERY", "JOIN", "EXPRESSION_LIST", "EMPTY", "PIVOT", "TABLE_FUNCTION")
_TABLE_FUNCTIONS = ("range", "generate_series", "unnest")
_MORE = [
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "lag",
    "lead",
    "first_value",
    "last_value",
    "nth_value",
    "random",
    "now",
    "hash",
    "md5",
    "typeof",
    "printf",
    "format",
    "unnest",
    "struct_pack",
    "struct_extract",
    "row",
    "list_contains",
    "list_sort",
    "string_split",
    "array_length",
    "map",
    "if",
]
_FUNCTIONS = frozenset([*SCALARS, *AGGREGATES, *NO_SUMS, *_TABLE_FUNCTIONS, *_MORE])
_OF_ROWS = ("STAR", "POSITIONAL_REFERENCE")
_BY_CHANCE = ("random", "now")


def parts(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of DuckDB's tree."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def require_contained(tree: Any, tables: Collection[str]) -> None:
    """Refuse a query that reads other tables, settings, or what only some function knows."""
    known = {folded(name) for name in tables} | {folded(name) for name in named_in(tree)}
    for part in parts(tree):
        if "cte_map" in part and part["type"] not in _QUERIES:
            raise NotApplicable(f"the query cannot be answered: {part['type']} is not a SELECT")
        if "from_table" in part:
            _require_source(part["from_table"])
        for side in ("left", "right"):
            if "join_type" in part:
                _require_source(part[side])
        if part.get("type") == "BASE_TABLE":
            _require_table(part, known)
        name = part.get("function_name")
        if name is not None and folded(name) not in _FUNCTIONS:
            raise NotApplicable(
                f"the query cannot be answered: the function {name} is not on the list of those that "
                "read nothing but their arguments"
            )


def _require_source(source: Any) -> None:
    function = (source.get("function") or {}).get("function_name")
    if source["type"] not in _SOURCES or (function and folded(function) not in _TABLE_FUNCTIONS):
        raise NotApplicable(
            "the query cannot be answered: only the table data, exact tables given with --with and "
            f"sub-queries of them are read, not {function or source['type'].lower()}"
        )


def _require_table(table: Mapping[str, Any], known: Collection[str]) -> None:
    name = table["table_name"]
    elsewhere = table.get("schema_name") not in ("", "main", None) or table.get("catalog_name")
    if elsewhere or folded(name) not in known:
        raise NotApplicable(
            f"the query cannot be answered: Table with name {name} does not exist; the released table "
            "is called data, and exact tables are given with --with name=file (tables={...})"
        )


def named_in(tree: Any) -> set[str]:
    """The names that WITH gives."""
    return {
        entry["key"]
        for part in parts(tree)
        for entry in (part.get("map") or [] if isinstance(part.get("map"), list) else [])
        if isinstance(entry, dict) and "key" in entry
    }


def tables_in(tree: Any) -> set[str]:
    """The tables that a query reads, by folded name."""
    return {folded(part["table_name"]) for part in parts(tree) if part.get("type") == "BASE_TABLE"}


def by_chance(part: Mapping[str, Any]) -> bool:
    """Whether a part of a query gives something else when it is asked again."""
    return bool(part.get("sample")) or folded(str(part.get("function_name"))) in _BY_CHANCE


def touches(tree: Any, protected: Collection[str]) -> bool:
    """Whether a query could mean a protected column, by any name that it holds.

    Stars, whole rows, positions, natural joins and lists of new names mean columns without naming
    them. What comes by chance is not exact either.
    """
    hidden = {folded(name) for name in protected}
    sources = [part for part in parts(tree) if "class" not in part and part.get("alias")]
    tables = tables_in(tree) | {folded(part["alias"]) for part in sources}
    for part in parts(tree):
        if part.get("class") in _OF_ROWS or part.get("ref_type") == "NATURAL":
            return True
        if part.get("type") in ("PIVOT", "TABLE_FUNCTION"):
            return True
        if part.get("column_name_alias") or part.get("aliases") or by_chance(part):
            return True
        names = [folded(name) for name in part.get("column_names") or []]
        if names and (hidden & set(names) or (len(names) == 1 and names[0] in tables)):
            return True
        given = [part.get("alias"), *(part.get("using_columns") or [])]
        if hidden & {folded(name) for name in given if isinstance(name, str)}:
            return True
    return False
