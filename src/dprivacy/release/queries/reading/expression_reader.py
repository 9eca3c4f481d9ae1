"""Expressions as DuckDB's json_serialize_sql writes them, read by white list.

The form of that JSON is not promised: every kind of node and every field that is not known is refused,
so that a new version of DuckDB can make more queries be refused, but none be misread.
"""

import re
from collections.abc import Mapping
from typing import Any

from dprivacy.release.queries.reading.allowed_functions import (
    AGGREGATES,
    NO_SUMS,
    QUANTILES,
    SCALARS,
)
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    NULL,
    Aggregate,
    Call,
    Cast,
    Constant,
    Expression,
    Form,
    Name,
)

_ANYWHERE = {"class", "type", "alias", "query_location", "query_location_length"}
_COMPARISONS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_DISTINCT_FROM": "IS DISTINCT FROM",
    "COMPARE_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM",
}
_OPERATORS = {
    "OPERATOR_NOT": "NOT",
    "OPERATOR_IS_NULL": "IS NULL",
    "OPERATOR_IS_NOT_NULL": "IS NOT NULL",
    "OPERATOR_COALESCE": "COALESCE",
    "COMPARE_IN": "IN",
    "COMPARE_NOT_IN": "NOT IN",
}
_TYPES_OF = {
    "COLUMN_REF": ("COLUMN_REF",),
    "CONSTANT": ("VALUE_CONSTANT",),
    "FUNCTION": ("FUNCTION",),
    "CONJUNCTION": ("CONJUNCTION_AND", "CONJUNCTION_OR"),
    "BETWEEN": ("COMPARE_BETWEEN",),
    "CASE": ("CASE_EXPR",),
    "CAST": ("OPERATOR_CAST",),
}
_DECIMAL = "DECIMAL_TYPE_INFO"
_NUMBER = re.compile(r"-?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?")
_TYPES = frozenset(
    [
        "BOOLEAN",
        "BOOL",
        "LOGICAL",
        "TINYINT",
        "SMALLINT",
        "SHORT",
        "INTEGER",
        "INT",
        "INT1",
        "INT2",
        "INT4",
        "INT8",
        "SIGNED",
        "BIGINT",
        "LONG",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "FLOAT",
        "REAL",
        "FLOAT4",
        "DOUBLE",
        "FLOAT8",
        "DECIMAL",
        "NUMERIC",
        "DEC",
        "VARCHAR",
        "TEXT",
        "STRING",
        "CHAR",
        "BPCHAR",
        "DATE",
        "TIME",
        "TIMESTAMP",
        "DATETIME",
        "INTERVAL",
    ]
)
_REASONS = {
    "WINDOW": (
        "a window function looks at single noisy rows",
        "ask for counts, sums or means by group",
    ),
    "STAR": ("* lists single noisy rows", "name the columns to count, add up or average by"),
    "SUBQUERY": (
        "a sub-query inside an expression cannot be corrected",
        "put what it finds into a table of its own, and join that (--with)",
    ),
    "PARAMETER": ("a query has no parameters", "write the value itself"),
    "LAMBDA": ("functions of lists are not on the list", "ask for columns as they are"),
}


def only(node: Mapping[str, Any], *known: str, **usual: Any) -> None:
    """Refuse a node with a field that is not known, unless the field is empty or as usual."""
    for key, value in node.items():
        if key in known or key in _ANYWHERE or value in (None, "", [], {}, False):
            continue
        if key not in usual or value != usual[key]:
            raise refused(f"its form ({key}) is not known here", "ask in plainer SQL")


def only_path(node: Mapping[str, Any], name: str) -> None:
    """Refuse a name with a schema or catalog before it, other than the usual one."""
    told = node.get("qualified_name") or {"path": [name]}
    only(told, "path")
    path = [str(part).lower() for part in told["path"]]
    if path[-1:] != [name.lower()] or path[:-1] not in ([], ["main"]):
        raise refused(f"the name {name} is written with a schema", f"write {name} alone")


def read(node: Any) -> Expression:
    """One expression; anything that is not on the list is refused, with the reason."""
    kind = node.get("class")
    reader = _READERS.get(kind)
    if reader is None or node["type"] not in _TYPES_OF.get(kind, (node["type"],)):
        raise refused(*_REASONS.get(kind, (f"{_worded(kind)} is not on the list", "leave it out")))
    found: Expression = reader(node)
    return found


def _worded(kind: Any) -> str:
    return str(kind).lower().replace("_", " ")


def _name(node: Any) -> Expression:
    only(node, "column_names")
    return Name(tuple(node["column_names"]))


def _constant(node: Any) -> Expression:
    only(node, "literal", "value")
    return _literal(node["literal"]) if node.get("literal") else _value(node["value"])


def _literal(given: Any) -> Constant:
    """A constant as DuckDB 2 writes it."""
    only(given, "kind", "text")
    kind, text = given["kind"], given.get("text", "")
    if kind in ("INTEGER", "NUMERIC") and _NUMBER.fullmatch(text):
        return Constant("number", text)
    if kind == "STRING":
        return _text(text)
    if kind == "BOOLEAN" and text.upper() in ("TRUE", "FALSE"):
        return Constant("word", text.upper())
    if kind == "NULL_LITERAL":
        return NULL
    raise refused(
        f"a constant of the kind {_worded(kind)} is not on the list", "write it otherwise"
    )


def _value(given: Any) -> Constant:
    """A constant as DuckDB 1 writes it."""
    only(given, "is_null", "value")
    only(given["type"], "id", "type_info")
    kind, value, more = given["type"]["id"], given.get("value"), given["type"].get("type_info")
    if given["is_null"]:
        return NULL
    if kind == "HUGEINT":
        return Constant("number", str((value["upper"] << 64) + value["lower"]))
    if kind in ("INTEGER", "BIGINT"):
        return Constant("number", str(int(value)))
    if kind == "DECIMAL" and type(value) is int and more["type"] == _DECIMAL:
        only(more, "width", "scale")
        digits = str(abs(value)).rjust(more["scale"] + 1, "0")
        cut = len(digits) - more["scale"]
        return Constant("number", f"{'-' * (value < 0)}{digits[:cut]}.{digits[cut:]}")
    if kind == "DOUBLE":
        return Constant("number", _double(value))
    if kind == "VARCHAR" and more is None:
        return _text(value)
    if kind == "BOOLEAN":
        return Constant("word", str(bool(value)).upper())
    raise refused(
        f"a constant of the type {_worded(kind)} is not on the list", "write it otherwise"
    )


def _double(value: float) -> str:
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _text(text: str) -> Constant:
    if "\0" in text:
        raise refused("a text holds the character 0", "leave it out")
    return Constant("text", text)


def _function(node: Any) -> Expression:
    only(
        node, "function_name", "children", "arguments", "filter", "distinct", "is_operator",
        "order_bys", "schema", "qualified_name",
    )  # fmt: skip
    name = str(node["function_name"]).lower()
    if node.get("schema") not in (None, "", "main"):
        raise refused(f"{name} is called by the dot", f"write {name}(…)")
    only_path(node, name)
    only(node["order_bys"], "orders")
    parts = tuple(read(part) for part in _arguments(node))
    if name in AGGREGATES:
        return _aggregate(node, name, parts)
    if name in QUANTILES:
        raise refused(
            f"{name} is not a sum over rows",
            "ask `dprivacy estimate --quantile` for medians and quantiles",
        )
    if name in NO_SUMS:
        raise refused(f"{name} is not a sum over rows", "ask for counts, sums, means or variances")
    if name == "if" and len(parts) == 3:
        return Form("CASE", parts)
    if name not in SCALARS:
        raise refused(f"the function {name} is not on the list", "compute it in another way")
    if node.get("filter") or node.get("distinct") or node["order_bys"]["orders"]:
        raise refused(f"{name} is not an aggregate", "leave out FILTER, DISTINCT and ORDER BY")
    return Call(name, parts)


def _arguments(node: Any) -> list[Any]:
    found = list(node.get("children") or [])
    for argument in node.get("arguments") or []:
        only(argument, "expression")  # and so without a name of its own
        found.append(argument["expression"])
    return found


def _aggregate(node: Any, name: str, parts: tuple[Expression, ...]) -> Expression:
    if node.get("distinct"):
        raise refused(
            f"{name}(DISTINCT …) counts different noisy values, not people",
            "group by the column, and count",
        )
    if node["order_bys"]["orders"]:
        raise refused(f"{name}(… ORDER BY …): a sum has no order", "leave ORDER BY out")
    where = read(node["filter"]) if node.get("filter") else None
    if name == "count" and not parts:
        name = "count_star"
    if len(parts) != AGGREGATES[name]:
        raise refused(f"{name} takes {AGGREGATES[name]} arguments", f"not {len(parts)}")
    return Aggregate(name, parts, where)


def _form(kind: str, *fields: str) -> Any:
    def reader(node: Any) -> Expression:
        only(node, *fields)
        return Form(kind, tuple(read(node[field]) for field in fields))

    return reader


def _comparison(node: Any) -> Expression:
    kind = _COMPARISONS.get(node["type"])
    if kind is None:
        raise refused(f"{_worded(node['type'])} is not on the list", "compare in another way")
    found: Expression = _form(kind, "left", "right")(node)
    return found


def _conjunction(node: Any) -> Expression:
    only(node, "children")
    parts = tuple(read(part) for part in node["children"])
    return Form(node["type"].removeprefix("CONJUNCTION_"), parts)


def _operator(node: Any) -> Expression:
    only(node, "children")
    kind = _OPERATORS.get(node["type"])
    if kind is None:
        raise refused(f"{_worded(node['type'])} is not on the list", "write it otherwise")
    return Form(kind, tuple(read(part) for part in node["children"]))


def _case(node: Any) -> Expression:
    only(node, "case_checks", "else_expr")
    parts: list[Expression] = []
    for check in node["case_checks"]:
        only(check, "when_expr", "then_expr")
        parts += [read(check["when_expr"]), read(check["then_expr"])]
    return Form("CASE", (*parts, read(node["else_expr"])))


def _cast(node: Any) -> Expression:
    only(node, "child", "cast_type", "try_cast", "type_expr")
    return Cast(read(node["child"]), _type(node), bool(node.get("try_cast")))


def _type(node: Any) -> str:
    if node.get("type_expr"):
        told = node["type_expr"]
        only(told, "type_name", "children", "qualified_name")
        only_path(told, told["type_name"])
        name, sizes = told["type_name"], [_size(part) for part in told.get("children") or []]
    else:
        told = node["cast_type"]
        only(told, "id", "type_info")
        name, more = told["id"], told.get("type_info")
        if more is not None and more.get("type") != _DECIMAL:
            raise refused(f"the type {name} is not on the list", "cast to a plain type")
        only(more or {}, "width", "scale")
        sizes = [] if more is None else [str(more["width"]), str(more["scale"])]
    if name.upper() not in _TYPES or len(sizes) > 2:
        raise refused(f"the type {name} is not on the list", "cast to a plain type")
    return f"{name.upper()}({', '.join(sizes)})" if sizes else name.upper()


def _size(node: Any) -> str:
    read_size = read(node)
    if not isinstance(read_size, Constant) or not read_size.text.isdecimal():
        raise refused("a type has a size that is not a number", "cast to a plain type")
    return read_size.text


_READERS = {
    "COLUMN_REF": _name,
    "CONSTANT": _constant,
    "FUNCTION": _function,
    "COMPARISON": _comparison,
    "CONJUNCTION": _conjunction,
    "OPERATOR": _operator,
    "BETWEEN": _form("BETWEEN", "input", "lower", "upper"),
    "CASE": _case,
    "CAST": _cast,
}
