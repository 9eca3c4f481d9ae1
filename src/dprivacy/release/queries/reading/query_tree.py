"""A query as a tree of our own: what is not in it cannot be printed, and so is never run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Name:
    """A column as it was written: its name, perhaps after the name of a table."""

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column of one table of the query, once it is known which; of no table, of the answer."""

    table: str
    name: str


@dataclass(frozen=True)
class Constant:
    """A number (as SQL writes it), a text, true, false or NULL."""

    kind: str  # "number", "text" or "word"
    text: str


@dataclass(frozen=True)
class Form:
    """A part of the grammar over other expressions: AND, IN, BETWEEN, CASE, = and others."""

    kind: str
    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Call:
    """A scalar function or operator."""

    name: str
    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Cast:
    """A value as one of another type; NULL where it cannot be, if `softly`."""

    part: "Expression"
    kind: str
    softly: bool = False


@dataclass(frozen=True)
class Aggregate:
    """A function of many rows, over those for which a condition holds."""

    name: str
    parts: tuple["Expression", ...]
    where: "Expression | None" = None


Expression = Name | Column | Constant | Form | Call | Cast | Aggregate

TRUE, NULL = Constant("word", "TRUE"), Constant("word", "NULL")


def number(value: float) -> Constant:
    """A number as a constant; a double unless it is whole."""
    return Constant("number", str(value) if isinstance(value, int) else f"{value!r}e0")


def children(of: Expression) -> tuple[Expression, ...]:
    """The expressions right below one."""
    if isinstance(of, Form | Call):
        return of.parts
    if isinstance(of, Cast):
        return (of.part,)
    if isinstance(of, Aggregate):
        return of.parts if of.where is None else (*of.parts, of.where)
    return ()


def nodes(of: Expression) -> Iterator[Expression]:
    """An expression and all below it."""
    yield of
    for child in children(of):
        yield from nodes(child)


def changed(of: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with parts replaced: where `change` gives one, that; elsewhere further down."""
    found = change(of)
    if found is not None:
        return found
    if isinstance(of, Form | Call):
        return replace(of, parts=tuple(changed(part, change) for part in of.parts))
    if isinstance(of, Cast):
        return replace(of, part=changed(of.part, change))
    if isinstance(of, Aggregate):
        where = None if of.where is None else changed(of.where, change)
        return Aggregate(of.name, tuple(changed(part, change) for part in of.parts), where)
    return of


def columns_in(*given: Expression | None) -> list[Column]:
    """The columns that expressions name, each once, in their order."""
    found = {node: None for of in given if of is not None for node in nodes(of)}
    return [node for node in found if isinstance(node, Column)]


def aggregates_in(*given: Expression | None) -> list[Aggregate]:
    """The aggregates of expressions, each once, in their order."""
    found = {node: None for of in given if of is not None for node in nodes(of)}
    return [node for node in found if isinstance(node, Aggregate)]


def all_of(conditions: list[Expression]) -> Expression | None:
    """The conjunction of conditions; None of none."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Form("AND", tuple(conditions))


def conjuncts(of: Expression | None) -> list[Expression]:
    """The conditions that all have to hold."""
    if of is None:
        return []
    if isinstance(of, Form) and of.kind == "AND":
        return [one for part in of.parts for one in conjuncts(part)]
    return [of]


@dataclass(frozen=True)
class Star:
    """All columns of the tables of a query, or of one of them; only within a sub-query."""

    table: str = ""


@dataclass(frozen=True)
class Item:
    """What is selected, and the name it is given, if any."""

    part: Expression | Star
    alias: str = ""


@dataclass(frozen=True)
class Order:
    """By what answers are sorted."""

    part: Expression
    descending: bool = False
    nulls: str = ""  # "FIRST" or "LAST"


@dataclass(frozen=True)
class Table:
    """A table by its name."""

    name: str
    alias: str = ""


@dataclass(frozen=True)
class Derived:
    """A sub-query as a table."""

    node: Any  # as DuckDB writes it; read only where the sub-query speaks of the released table
    alias: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Join:
    """Two tables joined, INNER or LEFT."""

    kind: str
    left: "Source"
    right: "Source"
    on: Expression | None = None
    using: tuple[str, ...] = ()


Source = Table | Derived | Join


@dataclass(frozen=True)
class Select:
    """One SELECT; `groups` is None for GROUP BY ALL, `sorted_by_all` for ORDER BY ALL."""

    items: tuple[Item, ...]
    source: Source | None
    where: Expression | None = None
    groups: tuple[Expression, ...] | None = ()
    having: Expression | None = None
    orders: tuple[Order, ...] = ()
    sorted_by_all: Order | None = None
    limit: int | None = None
    offset: int = 0
    named: tuple[Derived, ...] = ()  # WITH name AS (…)
